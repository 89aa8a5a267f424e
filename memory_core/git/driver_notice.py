"""The notice at the start of a session that this clone lacks git's merge driver."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memory_core.files import git_command, git_log
from memory_core.files.safe_files import SafeFiles
from memory_core.storage import typed_command

DRIVER_NAME = "agent-memory"
DRIVER_KEY = f"merge.{DRIVER_NAME}.driver"
INSTALL_COMMAND = "agent-memory git install"

# The lines of .gitattributes.
COMMENT_LINE = f"# Run `{INSTALL_COMMAND}` in each clone, or git merges these files as plain text."
ATTRIBUTE_LINE = f"*.md merge={DRIVER_NAME}"


def is_driver_missing(folder: str) -> bool:
    """Say whether a folder's attributes name the driver, but this clone does not have it."""
    try:
        if ATTRIBUTE_LINE not in read_attributes(SafeFiles(folder), folder).splitlines():
            return False
        return git_log.find_tree(folder) != "" and not find_driver(folder)
    except OSError:
        return False  # git reports files that cannot be read


def list_notices(folder: str, environ: Mapping[str, str]) -> list[str]:
    """Return a notice about a missing driver, none if it is installed or not wanted."""
    if not is_driver_missing(folder):
        return []
    notice = f"agent-memory: this clone merges memories as text. Once: {INSTALL_COMMAND}"
    return [typed_command.name_command(notice, environ)]


def find_driver(folder: str, *scope: str) -> str:
    """Return the command of the driver that git has in a folder, "" without one; raises OSError.

    The scope `--local` is the configuration of the clone alone.
    """
    status, command = git_command.run(folder, "config", *scope, DRIVER_KEY)
    if status > 1:  # 1: there is no such key
        raise OSError(f"git does not answer for {folder}")
    return command.rstrip("\n")


def read_attributes(files: SafeFiles, folder: str) -> str:
    data = files.read(os.path.join(folder, ".gitattributes"))
    return data.decode("utf-8", "surrogateescape")
