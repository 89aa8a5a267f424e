"""What hooks have left in the state, for the worker and commands: reports, and old records."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from memory_core.files import file_actions, safe_files
from memory_core.storage import inbox
from memory_core.storage.inbox import FOLDER, count_tries, split
from memory_core.storage.paths import LevelPaths

if TYPE_CHECKING:
    from memory_core.storage.inbox import Report

# Hooks of versions before the inbox wrote learnings to this folder.
OLD_FOLDER = "spool"

UNREADABLE, DONE = "inbox/unreadable", "done"

# After so many tries to read it, a report is not tried again.
MAX_TRIES = 3

# A hook reads an event of at most 8 MB; as ASCII it may be three times as long.
MAX_BYTES = 25_000_000

# Seconds.  Old events and run records only tell events apart; sessions are resumed within days.
LIFE = 30 * 86400


def list_names(paths: LevelPaths) -> list[str]:
    """Return the names of the reports, oldest first."""
    files = [(status.st_mtime_ns, name) for name, status in file_actions.scan(paths.state, FOLDER)]
    return [name for _time, name in sorted(files) if "~" in name]


def has_work(paths: LevelPaths, with_tried: bool) -> bool:
    """Return whether there is something to do for a worker, with what was tried or without."""
    has_reports = bool(list_names(paths)) if with_tried else inbox.has_new(paths)
    return has_reports or paths.state.is_folder(OLD_FOLDER)


def read(paths: LevelPaths, name: str) -> Report:
    """Return a report; raises OSError, and ValueError if it is damaged."""
    report = json.loads(paths.state.read(f"{FOLDER}/{name}", MAX_BYTES).decode("utf-8"))
    types = {"time": float, "agent": str, "run": str, "settings": dict, "event": dict}
    if isinstance(report, dict) and all(type(report.get(key)) is types[key] for key in types):
        return report
    raise ValueError("it lacks fields of a report")


def is_done(paths: LevelPaths, name: str) -> bool:
    """Return whether another file with the same event was taken."""
    return paths.state.is_file(f"{DONE}/{split(name)[1]}")


def finish(paths: LevelPaths, name: str) -> None:
    """Remove a report whose content is saved; its event is not taken again.  Raises OSError."""
    with suppress(FileExistsError):
        paths.state.create(f"{DONE}/{split(name)[1]}")
    paths.state.delete(f"{FOLDER}/{name}")


def put_back(paths: LevelPaths, name: str, is_readable: bool) -> None:
    """Keep a report for the next worker; one that could not be read has three tries."""
    stem, key = split(name)
    tries = 1 if is_readable else count_tries(name) + 1
    target = f"{FOLDER}/{stem}~{key}.{tries}"
    if tries >= MAX_TRIES:
        target = f"{UNREADABLE}/{stem}~{key}"
    with suppress(OSError):  # the next worker finds it under the old name
        paths.state.rename(f"{FOLDER}/{name}", target)


def await_worker(paths: LevelPaths, seconds: float) -> None:
    """Return when no worker is at work, or after this number of seconds."""
    end, lock = time.monotonic() + seconds, -1
    while lock < 0 and paths.state.is_file(inbox.LOCK_FILE) and time.monotonic() < end:
        lock = inbox.take_lock(paths)
        if lock >= 0:
            os.close(lock)
        else:
            time.sleep(inbox.INTERVAL)


def list_unreadable(paths: LevelPaths) -> list[str]:
    """Return the paths of the reports that no worker tries any more."""
    return [f"{UNREADABLE}/{name}" for name in paths.state.list_names(UNREADABLE)]


def list_agents(paths: LevelPaths) -> dict[str, int]:
    """Return how many reports each agent has in the inbox, by file stem."""
    stems = (split(name)[0] for name in paths.state.list_names(FOLDER))
    return Counter(filter(None, stems))


def clear_old(paths: LevelPaths) -> None:
    """Remove the records of sessions that nobody will resume, and of events of them."""
    idle = _list_idle_sessions(paths)
    for path in list_outdated(paths):
        paths.state.remove(path)
    for folder in idle:
        file_actions.remove_folder(paths.state, folder)  # stays if a file in it is younger


def list_outdated(paths: LevelPaths) -> list[str]:
    """Return the files of state that nobody needs: of old sessions, and of killed hooks."""
    now, stale = time.time(), time.time() - file_actions.STALE_SECONDS
    outdated = [
        path
        for folder in (*_list_idle_sessions(paths), DONE)
        for path in file_actions.list_older(paths.state, folder, now - LIFE)
    ]
    for folder in ("", FOLDER, "origins", "ready"):
        outdated += file_actions.list_older(paths.state, folder, stale, safe_files.TEMPORARY)
    return outdated


def _list_idle_sessions(paths: LevelPaths) -> list[str]:
    """Return the folders of sessions without a new file."""
    before = time.time() - LIFE
    older = (file_actions.list_older(paths.state, kind, before) for kind in ("receipts", "runs"))
    return [folder for folders in older for folder in folders]
