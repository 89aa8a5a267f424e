"""The event log: what happened, one JSON object a line.

It has no text of a memory, unless `memory.log_text` asks for it.  docs/events.md lists the events.
"""

from __future__ import annotations

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
OLD_FILE = "events.1.jsonl"
FILES = (OLD_FILE, FILE_NAME)

# About 20,000 events a file.
MAX_BYTES = 5_000_000

# Seconds after which the event log says that a hook was slow; most take a twentieth of it.
SLOW_SECONDS = 1.0

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
            from memory_core.files import log_rotation

            log_rotation.rotate(paths.state, FILE_NAME, OLD_FILE, MAX_BYTES)
    except OSError as error:
        try:
            sys.stderr.write(f"agent-memory: {error}; event log: {lines}")
        except (OSError, AttributeError):
            pass  # stderr is closed, or on a full disk
    for event in events if handlers else ():
        for handle in handlers:
            handle(paths, event)
