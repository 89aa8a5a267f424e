"""Find out which of the files that a run opened strangers may have written.

A file of the project is from outside if git ignores it, or if it belongs to another repository,
such as a submodule.  Any other file is from outside, unless it is Claude Code's own, or a call of
the same session has written it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from typing import Any

from memory_core.claude_code import file_writes, transcripts
from memory_core.files import git_command, git_log, project_roots
from memory_core.storage.project import Project

# Folders with the code of others, where git cannot be asked.
PACKAGE_FOLDERS = frozenset({"node_modules", ".venv", "venv", "vendor", "site-packages"})

# Git has so many seconds.
SECONDS = 1


def find_outside(
    project: Project,
    transcript: str,
    opened: Iterable[str],
    may_write: Callable[[str, dict[str, Any]], bool],
) -> set[str]:
    """Return those of the absolute paths whose files are from outside; some may be of no file.

    `transcript` is the path of the run's, and `may_write` says of a call of the session, by
    its tool and input, whether what it writes is not from outside.
    """
    real = {path: os.path.realpath(path) for path in opened if _find_time(path) is not None}
    outside = _find_foreign(project, {*real.values()})
    if outside:
        times = {path: _find_time(path) or 0.0 for path in outside}
        calls = transcripts.list_of_session(transcript)
        outside -= file_writes.find_files(calls, times, may_write)
    return {path for path in real if real[path] in outside}


def _find_time(path: str) -> float | None:
    """Return when a file or a folder changed, in seconds; None for anything else."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    is_usual = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return status.st_mtime if is_usual else None


def _find_foreign(project: Project, files: Iterable[str]) -> set[str]:
    """Return the files, given by real paths, that are neither the project's nor Claude Code's."""
    root = os.path.realpath(project.paths.root)
    tree = git_log.find_tree(root)
    outside, by_tree = set[str](), dict[str, list[str]]()
    for path in files:
        own = git_log.find_tree(path) if tree else ""
        is_other_tree = own not in ("", tree) and project_roots.find_main_tree(own) == tree
        if is_other_tree or (own == tree and f"{path}/".startswith(f"{root}/")):
            by_tree.setdefault(own or root, []).append(path)
        elif not _is_clients(path, project):
            outside.add(path)
    for folder, paths in by_tree.items():
        outside.update(_list_ignored(folder, paths))
    return outside


def _is_clients(path: str, project: Project) -> bool:
    """Check for a file of Claude Code: a plan, a long result, a transcript, ..."""
    environ = project.environ
    config = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(environ.get("HOME", ""), ".claude")
    config = os.path.realpath(config)
    temporary = os.path.realpath(environ.get("CLAUDE_CODE_TMPDIR") or "/tmp")  # noqa: S108
    own = (f"{config}/", f"{temporary}/claude-{os.getuid()}/")
    return path.startswith(own) and not path.startswith(f"{config}/plugins/")


def _list_ignored(tree: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that git ignores; those in folders of packages if git cannot say."""
    asked = [path for path in paths if path != tree]
    if not asked:
        return []
    data = "".join(f"{path}\0" for path in asked).encode("utf-8", "surrogateescape")
    try:
        words = ("check-ignore", "-z", "--stdin")
        status, output = git_command.run_on(tree, words, data, SECONDS)
    except OSError:
        status, output = 128, b""
    if status in (0, 1):
        return output.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return [path for path in asked if PACKAGE_FOLDERS & {*path[len(tree) :].split("/")}]
