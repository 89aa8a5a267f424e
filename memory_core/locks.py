"""The locks of agents' memories, and who has held one for too long.

They are flock(2) on files that stay (see store.Lock): the kernel takes one away with its
process, so none is left by a process that ended.  One that hangs keeps it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from memory_core.places import Place

# Seconds: a writer holds a lock for milliseconds, and waits for one at most 2 s.
LONG = 1.0

REST = 0.05


class Held(NamedTuple):
    """A lock that was held all the time we looked, and by which processes: (pid, command)."""

    path: str
    by: list[tuple[int, str]]


def held(place: Place, seconds: float = LONG) -> list[Held]:
    """Return the locks that are held for as long; none is kept from anybody by that."""
    folder = os.path.join(place.state, "locks")
    until = time.monotonic() + seconds
    paths = [path for path in _files(folder) if _is_held(path)]
    while paths and time.monotonic() < until:
        time.sleep(REST)
        paths = [path for path in paths if _is_held(path)]
    return [Held(path, list(_holders(path))) for path in paths]


def _files(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError:
        return []


def _is_held(path: str) -> bool:
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # a file system without locks
    finally:
        os.close(descriptor)
    return False


def _holders(path: str) -> Iterator[tuple[int, str]]:
    """Give the processes that have the file open, where the system tells: Linux, in /proc."""
    own = os.path.realpath(path)
    for name in sorted(filter(str.isdecimal, _listed("/proc")), key=int):
        if int(name) != os.getpid() and _has_open(name, own):
            yield int(name), _command(name)


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []  # the process has ended, is another user's, or there is no /proc


def _has_open(process: str, path: str) -> bool:
    folder = f"/proc/{process}/fd"
    for name in _listed(folder):
        try:
            if os.readlink(f"{folder}/{name}") == path:
                return True
        except OSError:
            continue
    return False


def _command(process: str) -> str:
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read().decode("utf-8", "replace").replace("\0", " ").strip()
    except OSError:
        return ""
