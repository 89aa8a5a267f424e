"""Find the processes that hold an agent's lock for too long.

The locks are flock(2) on files that stay (see store.Lock).  The kernel releases a lock when its
process ends, so only a process that hangs keeps one.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from memory_core.storage import file_io
from memory_core.storage.paths import LevelPaths

# Seconds: a writer holds a lock for milliseconds, and waits for one at most 2 s.
STUCK_SECONDS = 1.0

POLL_INTERVAL = 0.05


class StuckLock(NamedTuple):
    """A lock that was held all the time, and the processes that hold it as (pid, command)."""

    path: str
    by: list[tuple[int, str]]


def find_stuck(place: LevelPaths, seconds: float = STUCK_SECONDS) -> list[StuckLock]:
    """Return the locks that are held for `seconds`; no other process is kept out meanwhile."""
    folder = os.path.join(place.state, "locks")
    until = time.monotonic() + seconds
    paths = [os.path.join(folder, name) for name in file_io.list_folder(folder)]
    paths = [path for path in paths if _is_held(path)]
    while paths and time.monotonic() < until:
        time.sleep(POLL_INTERVAL)
        paths = [path for path in paths if _is_held(path)]
    return [StuckLock(path, list(_find_holders(path))) for path in paths]


def _is_held(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # no such file, or a file system without locks
    return False


def _find_holders(path: str) -> Iterator[tuple[int, str]]:
    """Yield (pid, command) of the processes that have the file open; needs /proc, as on Linux."""
    target = os.path.realpath(path)
    for pid in sorted(int(name) for name in file_io.list_folder("/proc") if name.isdecimal()):
        if pid != os.getpid() and _has_open(pid, target):
            command = file_io.read_text(f"/proc/{pid}/cmdline").replace("\0", " ")
            yield pid, command.strip()


def _has_open(pid: int, path: str) -> bool:
    try:
        return any(str(link.readlink()) == path for link in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False  # the process has ended, or belongs to another user
