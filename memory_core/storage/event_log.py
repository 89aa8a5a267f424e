"""The event log: what happened, one JSON object a line, without any text of a memory."""

from __future__ import annotations

import os
import sys
import time

from memory_core.text import fastjson
from memory_core.text.times import format_utc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memory_core.storage.paths import LevelPaths

FILE_NAME = "events.jsonl"
OLD_FILE_NAME = "events.1.jsonl"
FILES = (OLD_FILE_NAME, FILE_NAME)

# About 4,000 events a file: months of work, and quick to read for `status`.
MAX_BYTES = 1_000_000

# A full file is larger by the lines of the processes that write to it meanwhile.
MAX_READ_BYTES = 2 * MAX_BYTES


def write(paths: LevelPaths, event: str, **fields: Any) -> None:
    """Append one event; if the log cannot be written, print the event on stderr."""
    line = fastjson.dumps({"event": event, "timestamp": format_utc(time.time()), **fields}) + "\n"
    try:
        if paths.state.append(FILE_NAME, line.encode()) > MAX_BYTES:
            _rotate(paths)
    except OSError as error:
        _warn(f"agent-memory: {error}; not logged: {line}")


def write_new(paths: LevelPaths, event: str, **fields: Any) -> None:
    """Append an event that the log does not have yet with these fields."""
    wanted = {"event": event, **fields}.items()
    if not any(wanted <= logged.items() for logged in read(paths)):
        write(paths, event, **fields)


def _warn(line: str) -> None:
    try:
        sys.stderr.write(line)
    except (OSError, AttributeError):
        pass  # stderr is closed, or on a full disk


def _rotate(paths: LevelPaths) -> None:
    """Rename a full log, so that the next event begins a new file.

    Two processes may find the log full at once, and the second one would replace the full file
    by the new one.  Therefore only the process that holds the lock of the file moves it.
    """
    import fcntl

    descriptor = paths.state.open(FILE_NAME, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status, now = os.fstat(descriptor), paths.state.status(FILE_NAME)
        if status.st_size > MAX_BYTES and now and os.path.samestat(status, now):
            paths.state.rename(FILE_NAME, OLD_FILE_NAME)
    except BlockingIOError:
        pass  # another process moves it
    except OSError as error:
        _warn(f"agent-memory: {error}; the log grows\n")
    finally:
        os.close(descriptor)


def read(paths: LevelPaths) -> list[dict[str, Any]]:
    """Return the logged events, oldest first, without incomplete lines."""
    texts = [paths.state.read_text(name, MAX_READ_BYTES) for name in FILES]
    events = [fastjson.load_object(line) for text in texts for line in text.split("\n")]
    return [event for event in events if event]


def find_last(paths: LevelPaths, names: Sequence[str]) -> dict[str, Any] | None:
    """Return the last event with one of these names."""
    return next((event for event in reversed(read(paths)) if event.get("event") in names), None)
