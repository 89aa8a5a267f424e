"""The inbox: events that hooks have written down for the worker, each in a file of the state.

    inbox/AGENT~KEY     an event of a run of this agent; without AGENT it is of no agent
    inbox/AGENT~KEY.2   the same, after two tries to read it
    inbox/unreadable/   those that could not be read three times
    done/KEY            this event is in the memory: it is not taken again
    worker.lock         who takes events out of the inbox holds this lock

A report is a dict of `time` (in seconds), `agent`, `run`, `settings` and `event`; `settings` are
the environment variables of agent-memory that the hook had.
"""

from __future__ import annotations

import os
import time

from memory_core.text import digests, fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memory_core.storage.paths import LevelPaths

    Report = dict[str, Any]

FOLDER, UNREADABLE, DONE, LOCK_FILE = "inbox", "inbox/unreadable", "done", "worker.lock"

# Hooks of versions before the inbox wrote learnings to this folder.
OLD_FOLDER = "spool"

# After so many tries to read it, a report is not tried again.
MAX_TRIES = 3

# A hook reads less of an event.
MAX_BYTES = 4_000_000

DONE_LIFE = 30 * 86400  # seconds

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
    state = paths.state
    if not state.is_folder(FOLDER):
        state.make_folder(FOLDER)
        state.sync()
    try:
        state.publish(f"{FOLDER}/{stem}~{key}", fastjson.dumps(report).encode())
    except FileExistsError:
        pass


def list_names(paths: LevelPaths) -> list[str]:
    """Return the names of the reports, oldest first."""
    files = [(status.st_mtime_ns, name) for name, status in paths.state.scan(FOLDER)]
    return [name for _time, name in sorted(files) if "~" in name]


def has_new(paths: LevelPaths, stem: str | None = None) -> bool:
    """Return whether there are reports, by default of any agent, that no worker has tried."""
    if stem is None and paths.state.is_folder(OLD_FOLDER):
        return True
    names = [name for name in paths.state.list_names(FOLDER) if "~" in name]
    return any(not count_tries(name) and stem in (None, split(name)[0]) for name in names)


def has_work(paths: LevelPaths) -> bool:
    """Return whether there is something to do for a worker."""
    state = paths.state
    return bool(list_names(paths)) or state.is_folder(OLD_FOLDER)


def split(name: str) -> tuple[str, str]:
    """Return the file stem of the agent and the key of a report."""
    stem, _, rest = name.rpartition("~")
    return stem, rest.partition(".")[0]


def count_tries(name: str) -> int:
    """Return how often workers have tried to merge a report."""
    tries = name.rpartition("~")[2].partition(".")[2]
    return int(tries) if tries.isdecimal() else 0


def read(paths: LevelPaths, name: str) -> Report:
    """Return a report; raises OSError, and ValueError if it is damaged."""
    text = paths.state.read(f"{FOLDER}/{name}", MAX_BYTES).decode("utf-8")
    return parse(text)


def parse(text: str) -> Report:
    """Return the report in the text of a file; raises ValueError."""
    report = fastjson.loads(text)
    types = {"time": float, "agent": str, "run": str, "settings": dict, "event": dict}
    if isinstance(report, dict) and all(type(report.get(key)) is types[key] for key in types):
        return report
    raise ValueError("it lacks fields of a report")


def is_done(paths: LevelPaths, name: str) -> bool:
    """Return whether another file with the same event was taken."""
    return paths.state.is_file(f"{DONE}/{split(name)[1]}")


def finish(paths: LevelPaths, name: str) -> None:
    """Remove a report whose content is saved; its event is not taken again.  Raises OSError."""
    try:
        paths.state.create(f"{DONE}/{split(name)[1]}")
    except FileExistsError:
        pass
    paths.state.delete(f"{FOLDER}/{name}")


def put_back(paths: LevelPaths, name: str, is_readable: bool) -> None:
    """Keep a report for the next worker; one that could not be read has three tries."""
    stem, key = split(name)
    tries = 1 if is_readable else count_tries(name) + 1
    target = f"{FOLDER}/{stem}~{key}.{tries}"
    if tries >= MAX_TRIES:
        target = f"{UNREADABLE}/{stem}~{key}"
    try:
        paths.state.rename(f"{FOLDER}/{name}", target)
    except OSError:
        pass  # the next worker finds it under the old name


def list_unreadable(paths: LevelPaths) -> list[str]:
    """Return the paths of the reports that no worker tries any more."""
    return [f"{UNREADABLE}/{name}" for name in paths.state.list_names(UNREADABLE)]


def list_agents(paths: LevelPaths) -> dict[str, int]:
    """Return how many reports each agent has in the inbox, by file stem."""
    counts: dict[str, int] = {}
    for name in paths.state.list_names(FOLDER):
        stem = split(name)[0]
        if stem:
            counts[stem] = counts.get(stem, 0) + 1
    return counts


def clear_done(paths: LevelPaths) -> None:
    """Forget events that no hook will deliver again."""
    before = time.time() - DONE_LIFE
    for name in paths.state.list_names(DONE):
        if paths.state.is_older(f"{DONE}/{name}", before):
            paths.state.remove(f"{DONE}/{name}")


def await_worker(paths: LevelPaths, seconds: float) -> None:
    """Return when no worker is at work, or after this number of seconds."""
    end, lock = time.monotonic() + seconds, -1
    while lock < 0 and paths.state.is_file(LOCK_FILE) and time.monotonic() < end:
        lock = take_lock(paths)
        if lock >= 0:
            os.close(lock)
        else:
            time.sleep(INTERVAL)


def take_lock(paths: LevelPaths, waits: bool = False) -> int:
    """Return a descriptor that holds the lock until it is closed, -1 if another process has it.

    Where files cannot be locked, it is returned all the same: the lock of the memory file has to
    do.  Raises OSError if the state cannot be written.
    """
    import fcntl

    descriptor = paths.state.open(LOCK_FILE, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(descriptor)
        return -1
    except OSError:
        pass
    return descriptor
