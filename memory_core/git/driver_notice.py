"""The notice at the start of a session that this clone lacks git's merge driver.

It reads git's files itself, because running git takes too long.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from memory_core.files import git_log
from memory_core.files.safe_files import SafeFiles
from memory_core.storage import typed_command

DRIVER_NAME = "agent-memory"
CONFIG_SECTION = f'[merge "{DRIVER_NAME}"]'
INSTALL_COMMAND = "agent-memory git install"

# The lines of .gitattributes.
COMMENT_LINE = f"# Run `{INSTALL_COMMAND}` in each clone, or git merges these files as plain text."
ATTRIBUTE_LINE = f"*.md merge={DRIVER_NAME}"


def is_driver_missing(folder: str) -> bool:
    """Say whether a folder's attributes name the driver, but this clone does not have it."""
    try:
        if ATTRIBUTE_LINE not in read_attributes(SafeFiles(folder), folder).splitlines():
            return False
    except OSError:
        return False  # git reports files that cannot be read
    user = SafeFiles(os.path.expanduser("~"), follows_links=True)
    own = read_config(folder)
    return own is not None and CONFIG_SECTION not in own + user.read_text(".gitconfig")


def list_notices(folder: str, environ: Mapping[str, str]) -> list[str]:
    """Return a notice about a missing driver, none if it is installed or not wanted."""
    if not is_driver_missing(folder):
        return []
    notice = f"agent-memory: this clone merges memories as text. Once: {INSTALL_COMMAND}"
    return [typed_command.name_command(notice, environ)]


def read_config(folder: str) -> str | None:
    """Return the configuration of the folder's repository, None without one."""
    tree = git_log.find_tree(folder)
    files = SafeFiles(tree or os.sep)
    if files.is_file(".git"):  # a worktree, or a submodule
        git = os.path.join(tree, files.read_text(".git").partition("gitdir:")[2].strip())
        common = SafeFiles(git).read_text("commondir").strip()
        return SafeFiles(os.path.normpath(os.path.join(git, common))).read_text("config")
    return files.read_text(".git/config") if tree else None


def read_attributes(files: SafeFiles, folder: str) -> str:
    data = files.read(os.path.join(folder, ".gitattributes"))
    return data.decode("utf-8", "surrogateescape")
