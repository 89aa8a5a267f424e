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
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Any

    from memory_core.storage.paths import LevelPaths

FILE_NAME = "events.jsonl"
OLD_FILES = ("events.2.jsonl", "events.1.jsonl")
FILES = (*OLD_FILES, FILE_NAME)  # oldest first

# About 20,000 events a file.
MAX_BYTES = 5_000_000

# A full file is larger by the lines of the processes that write to it meanwhile.
MAX_READ_BYTES = 2 * MAX_BYTES

# The names of an error; older versions have only the second one.
ERROR_EVENTS = ("hook.error", "agent.memory.error")

# Ids and texts of one event at most; `items` has their number.
MAX_IDS = 100

# Who caused an event about items.
ORIGIN = ("source", "session", "run")

# Called with each event that this process writes; see `memory_core.events.on`.
handlers: list[Callable[[LevelPaths, dict[str, Any]], None]] = []


def write(paths: LevelPaths, event: str, **fields: Any) -> None:
    """Append one event; if the log cannot be written, print the event on stderr."""
    _write(paths, [{"event": event, "timestamp": format_utc(time.time()), **fields}])


def write_changes(
    paths: LevelPaths, agent: str, entries: Iterable[tuple[str, dict[str, Any]]], has_text: bool
) -> None:
    """Append one event for all entries, pairs of (event, fields), of one event and origin.

    The fields are those of a record of the history.  `has_text`: the events have their texts.
    """
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for name, entry in entries:
        origin = (entry.get(key) or None for key in (*ORIGIN, "change"))
        groups.setdefault((name, *origin), []).append(entry)
    now, events = format_utc(time.time()), []
    for (name, source, session, run, change), group in groups.items():
        event: dict[str, Any] = {"event": f"agent.memory.{name}", "timestamp": now}
        event["agent_id"] = agent
        event |= {"items": len(group), "ids": [entry["id"] for entry in group[:MAX_IDS]]}
        if has_text:
            event["texts"] = [entry["text"] for entry in group[:MAX_IDS]]
        event |= {"change": change, "source": source, "session": session, "run": run}
        events.append(event)
    if events:
        _write(paths, events)


def _write(paths: LevelPaths, events: list[dict[str, Any]]) -> None:
    lines = "".join(f"{fastjson.dumps(event)}\n" for event in events)
    try:
        if paths.state.append(FILE_NAME, lines.encode()) > MAX_BYTES:
            _rotate(paths)
    except OSError as error:
        _warn(f"agent-memory: {error}; not logged: {lines}")
    for event in events if handlers else ():
        for handle in handlers:
            handle(paths, event)


def write_new(paths: LevelPaths, event: str, **fields: Any) -> None:
    """Append an event that the newest file does not have yet with these fields."""
    wanted = {"event": event, **fields}.items()
    if not any(wanted <= logged.items() for logged in _read(paths, FILE_NAME, [event])):
        write(paths, event, **fields)


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


def read(paths: LevelPaths, names: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the logged events, of all names or of these, oldest first.

    Incomplete lines are skipped.
    """
    return [event for name in FILES for event in [*_read(paths, name, names)][::-1]]


def _read(paths: LevelPaths, file: str, names: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the events of one file, newest first; only lines with these names are parsed."""
    marks = [f'"{name}"' for name in names]
    for line in reversed(paths.state.read_text(file, MAX_READ_BYTES).split("\n")):
        if not marks or any(mark in line for mark in marks):
            event = fastjson.load_object(line)
            if event and (not names or event.get("event") in names):
                yield event
