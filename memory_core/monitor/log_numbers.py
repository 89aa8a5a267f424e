"""Count what the event log has: deliveries, tokens, times of hooks, errors.

What the log has dropped does not count any more.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeGuard

from memory_core.claude_code import agent_names
from memory_core.monitor import log_reading
from memory_core.monitor.counts import Counts, HookTime, Tallies, measure_hooks
from memory_core.selection import rendering
from memory_core.storage.paths import LevelPaths

VERDICTS = ("delivered", "doubled", "lost")
EVENT_PREFIX = "agent.memory."
LOADED_EVENT = f"{EVENT_PREFIX}loaded"
DELIVERY_EVENTS = {f"{EVENT_PREFIX}{verdict}": verdict for verdict in VERDICTS}
COUNTED_EVENTS = {LOADED_EVENT, *DELIVERY_EVENTS}

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

    def __init__(self, paths: LevelPaths, since: str = "") -> None:
        self.tallies = Tallies(Counts)
        self._durations: list[tuple[str, int]] = []  # of hooks, with the day
        self._last: dict[str, Delivery] = {}  # by verdict, the newest one at the end
        for event in log_reading.read(paths, COUNTED_EVENTS):
            time = event.get("timestamp")
            if isinstance(time, str) and time >= since:
                self._count(event, time)

    def total(self) -> Counts:
        """Return the sums of all agents and days."""
        total = Counts()
        for counts in self.tallies.values():
            total.update(counts)
        return total

    def measure_hooks(self, since: str = "") -> HookTime:
        """Return the time of the hooks that gave memory, from a day on."""
        return measure_hooks(ms for day, ms in self._durations if day >= since)

    def find_last(self, *verdicts: str) -> Delivery | None:
        """Return the last delivery with one of these verdicts, by default of all of them."""
        last = reversed(self._last.items())
        return next((one for verdict, one in last if verdict in (verdicts or VERDICTS)), None)

    def _count(self, event: dict[str, Any], time: str) -> None:
        name, agent = event["event"], event.get("agent_id")
        counts = self.tallies[agent if isinstance(agent, str) else "", time[:10]]
        if name == LOADED_EVENT:
            if agent != agent_names.PM:  # sessions receive it as well
                counts["loaded"] += 1
                counts["tokens"] += _count_tokens(event)
            duration = event.get("duration_ms")
            if _is_number(duration):
                self._durations.append((time[:10], duration))
        else:
            verdict = DELIVERY_EVENTS[name]
            counts[verdict] += 1
            self._last.pop(verdict, None)
            self._last[verdict] = Delivery(str(agent), verdict, str(event.get("route") or ""), time)


def _is_number(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MAX_NUMBER


def _count_tokens(event: dict[str, Any]) -> int:
    """Return the tokens that an event added to a prompt; older versions have only the bytes."""
    estimated, size = event.get("tokens_estimated"), event.get("memory_size")
    if _is_number(estimated):
        return estimated
    return rendering.count_fitting(size) if _is_number(size) else 0
