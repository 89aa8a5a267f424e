"""Read the events of a log while other processes write and rotate it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from typing import Any

from memory_core.files.safe_files import SafeFiles
from memory_core.storage import event_log
from memory_core.text import fastjson
from memory_core.text.times import format_utc

Event = dict[str, Any]

POLL_SECONDS = 0.2

# How an event was called before, for those who listen to that name.
LOADED, OLDER_NAME = "agent.memory.loaded", "memory_injected"

_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z?)?")


def parse_start(since: str | datetime | None) -> str:
    """Return the timestamp of the first event; None means now.  Raises ValueError."""
    if since is None:
        return format_utc(time.time())
    if isinstance(since, datetime):
        return format_utc(since.astimezone(timezone.utc).timestamp())
    if not _TIME.fullmatch(since):
        raise ValueError(f"invalid time {since!r}: use 2026-11-20 or 2026-11-20T22:10:05Z")
    return since.removesuffix("Z")


def list_named(event: Event, pattern: str) -> list[Event]:
    """Return an event if its name fits a shell pattern, under its older name if that is asked for.

    Only who asks for exactly `memory_injected` gets it, with `agent_id` and `size`.
    """
    name = event.get("event")
    if pattern == OLDER_NAME and name == LOADED:
        fields = {"timestamp": event.get("timestamp"), "agent_id": event.get("agent_id")}
        return [{"event": OLDER_NAME, **fields, "size": event.get("memory_size")}]
    return [event] if isinstance(name, str) and fnmatchcase(name, pattern) else []


class EventReader:
    """Returns each event of a log once, beginning at `since`; see `parse_start`.

    `pattern` is a shell pattern of names.  Nothing needs to exist yet.  The files stay open, so
    their numbers (inodes), by which they are known after a rotation, are not given to other files.
    """

    def __init__(
        self, state: SafeFiles, pattern: str = "*", since: str | datetime | None = None
    ) -> None:
        self._state = state
        self._pattern = pattern
        self._since = parse_start(since)
        self._files: dict[tuple[int, int], int] = {}  # oldest first

    def read_new(self) -> list[Event]:
        """Return the events since the last call, oldest first."""
        for name in event_log.FILES:
            self._open(name)
        while len(self._files) > len(event_log.FILES) + 1:  # the log has dropped the oldest one
            os.close(self._files.pop(next(iter(self._files))))
        lines = [line for file in self._files.values() for line in _read_lines(file)]
        events = map(fastjson.load_object, lines)
        recent = (event for event in events if str(event.get("timestamp")) >= self._since)
        return [named for event in recent for named in list_named(event, self._pattern)]

    def _open(self, name: str) -> None:
        """Open a file of the log, unless it is open; it stays the same one when it is renamed."""
        with suppress(OSError):  # not there yet, or refused
            file = self._state.open(name, os.O_RDONLY)
            status = os.fstat(file)
            if self._files.setdefault((status.st_dev, status.st_ino), file) != file:
                os.close(file)

    def close(self) -> None:
        """Close the files; the next `read_new` begins at `since` again."""
        while self._files:
            os.close(self._files.popitem()[1])

    def follow(self, poll_s: float = POLL_SECONDS) -> Iterator[Event]:
        """Yield each event once, as it is written, without end."""
        try:
            while True:
                yield from self.read_new()
                time.sleep(poll_s)
        finally:
            self.close()


def _read_lines(file: int) -> list[str]:
    """Return the lines of an opened file that were completed since the last call."""
    size, start = os.fstat(file).st_size, os.lseek(file, 0, os.SEEK_CUR)
    if size < start:  # somebody has emptied it
        start = os.lseek(file, 0, os.SEEK_SET)
    data = os.read(file, size - start)
    whole = data.rfind(b"\n") + 1
    os.lseek(file, start + whole, os.SEEK_SET)
    return data[:whole].decode("utf-8", "replace").split("\n")
