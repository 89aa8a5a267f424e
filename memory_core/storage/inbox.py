"""The inbox: events that hooks have written down for the worker, each in a file of the state.

    inbox/AGENT~KEY     an event of a run of this agent; without AGENT it is of no agent
    inbox/AGENT~KEY.2   the same, after two tries to read it
    inbox/unreadable/   those that could not be read three times
    done/KEY            this event is in the memory: it is not taken again
    worker.lock         who takes events out of the inbox holds this lock

A report is a dict of `time` (in seconds), `agent`, `run`, `settings` and `event`; `settings` are
the environment variables of agent-memory that the hook had.  `hook_files` takes them out.
"""

from __future__ import annotations

import posix

from memory_core.text import digests, fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memory_core.storage.paths import LevelPaths

    Report = dict[str, Any]

FOLDER, LOCK_FILE = "inbox", "worker.lock"

# Seconds between two looks at what another process does.
INTERVAL = 0.005

VARIABLES = "AGENT_MEMORY"  # how the names of the variables begin that change settings


def make_key(*texts: str) -> str:
    """Return the key of an event: the same one if two installations deliver it."""
    return digests.hash_long("\0".join(texts))


def select_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that change settings of agent-memory."""
    return {name: value for name, value in environ.items() if name.startswith(VARIABLES)}


def add(paths: LevelPaths, stem: str, key: str, report: Report) -> None:
    """Write a report durably, unless it is there already; raises OSError."""
    try:
        paths.state.publish(f"{FOLDER}/{stem}~{key}", fastjson.dumps(report).encode())
    except FileExistsError:
        pass


def has_new(paths: LevelPaths, stem: str | None = None) -> bool:
    """Return whether there are reports, by default of any agent, that no worker has tried."""
    names = [name for name in paths.state.list_names(FOLDER) if "~" in name]
    return any(not count_tries(name) and stem in (None, split(name)[0]) for name in names)


def split(name: str) -> tuple[str, str]:
    """Return the file stem of the agent and the key of a report."""
    stem, _, rest = name.rpartition("~")
    return stem, rest.partition(".")[0]


def count_tries(name: str) -> int:
    """Return how often workers have tried to merge a report."""
    tries = name.rpartition("~")[2].partition(".")[2]
    return int(tries) if tries.isdecimal() else 0


def take_lock(paths: LevelPaths, waits: bool = False) -> int:
    """Return a descriptor that holds the lock until it is closed, -1 if another process has it.

    Where files cannot be locked, it is returned all the same: the lock of the memory file has to
    do.  Raises OSError if the state cannot be written.
    """
    import fcntl

    descriptor = paths.state.open(LOCK_FILE, posix.O_RDWR | posix.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        posix.close(descriptor)
        return -1
    except OSError:
        pass
    return descriptor
