"""What git did with a clone since the last look at its memories.

Lines that came since then are chosen like a person's, unless git may have brought them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from memory_core.files.safe_files import SafeFiles

# How the entries of git's log begin behind the tab if this clone made the commit.
OWN_ENTRIES = ("commit:", "commit (initial):", "commit (amend):")
MAX_LOG_BYTES = 16_000  # a hundred entries

# What is in git's folder while git merges, picks or rebases; a line may then be of any side.  Git
# 2.39 leaves REBASE_HEAD behind, so it does not count.
UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


def may_be_foreign(log: Sequence[Any]) -> bool:
    """Return whether git may have brought lines since its log had this path and size.

    What came by a commit of this clone was there before, and what did not change HEAD brought
    nothing.  `merge --squash`, `stash pop` and `checkout COMMIT -- FILE` leave no entry.
    """
    try:
        path, size = log
        if size < 0:
            return find_tree(path) != ""
        return is_unfinished(path[: -len("/logs/HEAD")]) or _has_strange_entry(path, size)
    except (ValueError, TypeError, OSError):
        return True


def is_unfinished(git_folder: str) -> bool:
    """Return whether git merges, picks or rebases; `git_folder` is the one with its HEAD."""
    return any(os.path.lexists(os.path.join(git_folder, name)) for name in UNFINISHED)


def measure_log(path: str) -> int:
    """Return the size of a log in bytes, 0 without one; raises OSError."""
    folder, name = os.path.split(path)
    status = SafeFiles(folder).status(name)
    return status.st_size if status else 0


def _has_strange_entry(path: str, size: int) -> bool:
    """Return whether a log has, behind its first bytes, more than commits of this clone.

    Raises OSError if it is another log, or too much.
    """
    news = measure_log(path) - size
    if not 0 <= news <= MAX_LOG_BYTES:
        raise OSError(f"{path} is not the log of the last look")
    folder, name = os.path.split(path)
    data = SafeFiles(folder).read_end(name, news)[0] if news else b""
    for line in data.decode("utf-8", "replace").splitlines():
        commits, _, subject = line.partition("\t")
        before, after = commits.split(" ")[:2]
        if before != after and not subject.startswith(OWN_ENTRIES):
            return True
    return False


def find_tree(path: str) -> str:
    """Return the folder of the nearest repository at a path or above it, "" for none."""
    while not os.path.lexists(os.path.join(path, ".git")):
        path, before = os.path.dirname(path), path
        if path == before:
            return ""
    return path
