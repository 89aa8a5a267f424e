"""The event log: what happened, one JSON object a line.

It has no text of a memory, unless `memory.log_text` asks for it.  docs/events.md lists the events.
"""

from __future__ import annotations

import os
import sys
import time

from memory_core.text import fastjson
from memory_core.text.times import format_utc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memory_core.storage.paths import LevelPaths

FILE_NAME = "events.jsonl"
OLD_FILES = ("events.2.jsonl", "events.1.jsonl")
FILES = (*OLD_FILES, FILE_NAME)  # oldest first

# About 20,000 events a file.
MAX_BYTES = 5_000_000

# The names of an error; older versions have only the second one.
ERROR_EVENTS = ("hook.error", "agent.memory.error")

# How many events this process has written.
published = 0

# Called with each event that this process writes; see `memory_core.events.on`.
handlers: list[Callable[[LevelPaths, dict[str, Any]], None]] = []


def write(paths: LevelPaths, event: str, **fields: Any) -> None:
    """Append one event; if the log cannot be written, print the event on stderr."""
    write_events(paths, [{"event": event, "timestamp": format_utc(time.time()), **fields}])


def write_events(paths: LevelPaths, events: list[dict[str, Any]]) -> None:
    """Append events in one step, as `write` does."""
    global published
    published += len(events)
    lines = "".join(f"{fastjson.dumps(event)}\n" for event in events)
    try:
        if paths.state.append(FILE_NAME, lines.encode()) > MAX_BYTES:
            _rotate(paths)
    except OSError as error:
        _warn(f"agent-memory: {error}; not logged: {lines}")
    for event in events if handlers else ():
        for handle in handlers:
            handle(paths, event)


def _warn(line: str) -> None:
    try:
        sys.stderr.write(line)
    except (OSError, AttributeError):
        pass  # stderr is closed, or on a full disk


def _rotate(paths: LevelPaths) -> None:
    """Rename a full log, so that the next event begins a new file; the oldest one is replaced.

    Two processes may find the log full at once, and the second one would replace the full file
    by the new one.  Therefore only the process that holds the lock of the file moves it.
    """
    import fcntl

    descriptor = paths.state.open(FILE_NAME, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status, now = os.fstat(descriptor), paths.state.status(FILE_NAME)
        if status.st_size > MAX_BYTES and now and os.path.samestat(status, now):
            oldest, old = OLD_FILES
            if paths.state.is_file(old):
                paths.state.rename(old, oldest)
            paths.state.rename(FILE_NAME, old)
    except BlockingIOError:
        pass  # another process moves it
    except OSError as error:
        _warn(f"agent-memory: {error}; the log grows\n")
    finally:
        os.close(descriptor)
