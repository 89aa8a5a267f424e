"""The event log: what happened, one JSON object a line, never a word of any memory."""

from __future__ import annotations

import os
import sys
import time

from memory_core import fastjson, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memory_core.places import Place

NAME = "events.jsonl"
OLDER = "events.1.jsonl"

# About 4,000 events a file: months of work, and quickly read by `status`.
ROTATE_AT = 1_000_000


def utc(seconds: float) -> str:
    """Return a time as ISO 8601 in UTC with milliseconds: 2026-11-20T22:10:05.123Z."""
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds % 1 * 1000):03d}Z"


def write(place: Place, event: str, **fields: Any) -> None:
    """Append one event; where the log cannot be written, say it on stderr."""
    line = fastjson.dumps({"event": event, "timestamp": utc(time.time()), **fields}) + "\n"
    try:
        _append(os.path.join(place.made("logs"), NAME), line.encode())
    except OSError as error:
        _say(f"agent-memory: {error}; not logged: {line}")


def _say(line: str) -> None:
    try:
        sys.stderr.write(line)
    except (OSError, AttributeError):
        pass  # on a full disk, or closed: then nobody hears of it


def _append(path: str, line: bytes) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        if places.append(path, descriptor, line) > ROTATE_AT:
            _rotate(descriptor, path)
    finally:
        os.close(descriptor)


def _rotate(descriptor: int, path: str) -> None:
    """Have the next event begin a new file, unless another process sees to that.

    Two may both find the file too large, and the second would put the file just begun
    in place of the full one.  So only who holds the lock of the file at `path` moves it.
    Only a person who moves it between the look and the rename is not kept out.
    """
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.stat(path)):
            os.replace(path, os.path.join(os.path.dirname(path), OLDER))
    except (BlockingIOError, FileNotFoundError):
        pass  # another process is at it, or was quicker
    except OSError as error:
        _say(f"agent-memory: {error}; the log grows\n")


def read(place: Place) -> list[dict[str, Any]]:
    """Return the logged events, oldest first; a line that was torn is left out."""
    lines = (line for name in (OLDER, NAME) for line in _lines(os.path.join(place.logs, name)))
    return [event for line in lines if (event := _loaded(line)) is not None]


def last(place: Place, names: Sequence[str]) -> dict[str, Any] | None:
    """Return the last event of these names, None without one; no other is decoded."""
    marks = [f'"{name}"'.encode() for name in names]
    for file in (NAME, OLDER):
        data = _bytes(os.path.join(place.logs, file))
        while (at := max(data.rfind(mark) for mark in marks)) >= 0:
            begin = data.rfind(b"\n", 0, at) + 1
            event = _loaded(data[begin:].partition(b"\n")[0].decode("utf-8", "replace"))
            if event and event.get("event") in names:
                return event
            data = data[:begin]
    return None


def _loaded(line: str) -> dict[str, Any] | None:
    """Return the event of a line, None for one that was torn."""
    try:
        event = fastjson.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _lines(path: str) -> list[str]:
    return _bytes(path).decode("utf-8", "replace").split("\n")
