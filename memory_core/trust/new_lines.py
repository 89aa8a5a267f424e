"""New lines of memory files, of which nobody knows where they are from before `git.arrivals` looks.

Until then they count as an agent's, unless git may have brought them.
"""

from __future__ import annotations

import os

from memory_core.files.safe_files import SafeFiles
from memory_core.text import fastjson

# What the last look found, and in it where git's log of this clone was, and how long.
LOOK_FILE, GIT_LOG = "arrivals.json", "log"
MAX_LOOK_BYTES = 2_000_000

# How the entries of git's log begin behind the tab if this clone made the commit.
OWN_ENTRIES = ("commit:", "commit (initial):", "commit (amend):")
MAX_LOG_BYTES = 16_000  # a hundred entries


def may_be_foreign(state: SafeFiles) -> bool:
    """Return whether git may have brought lines since the last look, or there was no look yet.

    What came by a commit of this clone was there before.  `merge --squash`, `stash pop` and
    `checkout COMMIT -- FILE` leave no entry.
    """
    look = fastjson.load_object(state.read_text(LOOK_FILE, MAX_LOOK_BYTES))
    try:
        path, size = look[GIT_LOG]
        data = _read_behind(path, size) if path else ""
    except (KeyError, ValueError, TypeError, OSError):
        return True
    subjects = [line.partition("\t")[2] for line in data.splitlines()]
    return not all(subject.startswith(OWN_ENTRIES) for subject in subjects)


def _read_behind(path: str, size: int) -> str:
    """Return what a log has behind its first bytes; raises OSError if there is too much."""
    folder, _, name = path.rpartition("/")
    files = SafeFiles(folder)
    status = files.status(name)
    news = (status.st_size if status else 0) - size
    if not 0 <= news <= MAX_LOG_BYTES:
        raise OSError(f"{path} is not the log of the last look")
    return files.read_end(name, news)[0].decode("utf-8", "replace") if news else ""


def has_repository(folder: str) -> bool:
    """Return whether a folder, or one above it, is a repository's."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return False
        folder = os.path.dirname(folder)
    return True
