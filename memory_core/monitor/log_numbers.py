"""Count what the event log has: deliveries, tokens, times of hooks, errors.

The lines of a file of the log are read once, also after it is renamed.  What the log has dropped
does not count any more, so every process gets the same numbers from one log.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple, TypeGuard

from memory_core.claude_code import agent_names
from memory_core.files.safe_files import SafeFiles
from memory_core.monitor.counts import Counts, Tallies
from memory_core.selection import tokens
from memory_core.storage import event_log
from memory_core.storage.project import Project
from memory_core.text import fastjson

VERDICTS = ("delivered", "doubled", "lost")
EVENT_PREFIX = "agent.memory."
LOADED_EVENT = f"{EVENT_PREFIX}loaded"
SLOW_EVENT = "hook.slow"
DELIVERY_EVENTS = {f"{EVENT_PREFIX}{verdict}": verdict for verdict in VERDICTS}
COUNTED_EVENTS = {LOADED_EVENT, SLOW_EVENT, *DELIVERY_EVENTS, *event_log.ERROR_EVENTS}

# Only lines with one of these are parsed.
_MARKS = [f'"{name}"'.encode() for name in COUNTED_EVENTS]

# The last bytes that were read of a file are compared, to notice that it is another one.
MARK_BYTES = 256
CHUNK_BYTES = 1 << 20

# Larger numbers are not of a hook.
MAX_NUMBER = 10**9


class Delivery(NamedTuple):
    """One delivery of a memory to an agent; `verdict` is one of VERDICTS."""

    agent: str
    verdict: str
    route: str
    timestamp: str


class LogNumbers:
    """The numbers of an event log, from the time `since` on; "" for all of it."""

    def __init__(self, state: SafeFiles, since: str = "") -> None:
        self._state = state
        self._since = since
        self._files: dict[tuple[int, int], _CountedFile] = {}  # newest first

    def refresh(self) -> bool:
        """Read what is new; return whether anything was."""
        before, files = self._files, {}
        is_changed = False
        # The newest file first: one that is renamed meanwhile is found again, and not missed.
        for name in event_log.FILES[::-1]:
            try:
                descriptor = self._state.open(name, os.O_RDONLY)
            except OSError:
                continue  # not there yet, or refused
            try:
                status = os.fstat(descriptor)
                key = status.st_dev, status.st_ino
                if key not in files:
                    files[key] = before.get(key) or _CountedFile(self._since)
                    is_changed |= files[key].read_new(descriptor, status.st_size)
            finally:
                os.close(descriptor)
        is_changed |= files.keys() != before.keys()
        self._files = files
        return is_changed

    def total(self) -> Counts:
        """Return the sums of all agents and days."""
        total = Counts()
        for tallies in self.tallies:
            for agent in tallies.agents():
                total.add(tallies.total(agent))
        return total

    @property
    def tallies(self) -> list[Tallies]:
        return [file.tallies for file in self._files.values()]

    def find_last(self, *verdicts: str) -> Delivery | None:
        """Return the last delivery with one of these verdicts, by default of all of them."""
        for file in self._files.values():
            for verdict, delivery in reversed(file.last.items()):
                if verdict in (verdicts or VERDICTS):
                    return delivery
        return None


def count_log(project: Project, since: str = "") -> LogNumbers:
    """Return the numbers of a project's event log."""
    log = LogNumbers(project.paths.state, since)
    log.refresh()
    return log


class _CountedFile:
    """One file of the log, by its number (inode), and the sums of the lines read so far."""

    def __init__(self, since: str) -> None:
        self._since = since
        self._forget()

    def _forget(self) -> None:
        self._offset = 0
        self._mark = b""
        self.tallies = Tallies()
        self.last: dict[str, Delivery] = {}  # by verdict, the newest one at the end

    def read_new(self, descriptor: int, size: int) -> bool:
        """Count the lines that were completed since the last call; return whether there are any.

        A file that was written anew is counted anew.
        """
        start = max(0, self._offset - MARK_BYTES)
        is_other = os.pread(descriptor, self._offset - start, start) != self._mark
        if is_other:
            self._forget()
        before = self._offset
        while self._offset < size:
            data = os.pread(descriptor, CHUNK_BYTES, self._offset)
            whole = data[: data.rfind(b"\n") + 1]
            if not whole and len(data) < CHUNK_BYTES:
                break  # an incomplete line at the end
            self._count(whole)
            self._offset += len(whole) or len(data)
        if self._offset != before:
            start = max(0, self._offset - MARK_BYTES)
            self._mark = os.pread(descriptor, self._offset - start, start)
        return is_other or self._offset != before

    def _count(self, lines: bytes) -> None:
        for line in lines.split(b"\n"):
            if any(mark in line for mark in _MARKS):
                self._count_event(fastjson.load_object(line.decode("utf-8", "replace")))

    def _count_event(self, event: dict[str, Any]) -> None:
        name, time = event.get("event"), event.get("timestamp")
        if not isinstance(name, str) or not isinstance(time, str) or time < self._since:
            return
        if name not in COUNTED_EVENTS:
            return
        agent = event.get("agent_id")
        counts = self.tallies.of(agent if isinstance(agent, str) else "", time[:10])
        if name == LOADED_EVENT:
            if agent == agent_names.PM:
                counts.sessions += 1
                counts.session_tokens += _count_tokens(event)
            else:
                counts.loaded += 1
                counts.tokens += _count_tokens(event)
            duration = event.get("duration_ms")
            if _is_number(duration):
                counts.durations[duration] += 1
        elif verdict := DELIVERY_EVENTS.get(name):
            setattr(counts, verdict, getattr(counts, verdict) + 1)
            self.last.pop(verdict, None)
            self.last[verdict] = Delivery(str(agent), verdict, str(event.get("route") or ""), time)
        elif name == SLOW_EVENT:
            counts.slow += 1
        else:
            counts.errors += 1


def _is_number(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MAX_NUMBER


def _count_tokens(event: dict[str, Any]) -> int:
    """Return the tokens that an event added to a prompt; older versions have only the bytes."""
    estimated, size = event.get("tokens_estimated"), event.get("memory_size")
    if _is_number(estimated):
        return estimated
    return tokens.count_fitting(size) if _is_number(size) else 0
