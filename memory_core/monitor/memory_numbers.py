"""Count what the files of an agent have: its history, its memory file, and what waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memory_core.history import item_history, performance
from memory_core.history.item_history import Record
from memory_core.memory import expiry
from memory_core.monitor.counts import Counts, Tallies

LEARNED_KINDS = ("learned", "approved")
CONFIRMED_KINDS = ("reinforced", "confirmed")
COUNTED_KINDS = {
    **dict.fromkeys(LEARNED_KINDS, "learned"),
    **dict.fromkeys(CONFIRMED_KINDS, "confirmed"),
    **dict.fromkeys(item_history.DEPARTURE_KINDS, "removed"),
}


# The runs of an agent that `recent` is about.
RECENT_RUNS = 10


class RecentUse(NamedTuple):
    """How many of the last runs are known, and the ids of the items that they received and used.

    `since` is the time of the first of them, ISO 8601, "" without runs.
    """

    runs: int
    given: frozenset[str]
    used: frozenset[str]
    since: str = ""


class HistoryNumbers:
    """The numbers of one agent's history.

    `experiment` has its runs of experiments, `expired` how many unused items each change archived;
    `recent` is about the last runs.  `problem` says why the history cannot be read, "" if it can.
    """

    def __init__(self, agent: str, records: Iterable[Record], problem: str = "") -> None:
        self.agent = agent
        self.problem = problem
        self.tallies = Tallies()
        self.expired: Counter[str] = Counter()
        records = item_history.sort_records(records)
        self._count_items(records)
        self._count_runs(records)

    def _count_items(self, records: list[Record]) -> None:
        undos = {item_history.change_of(one) for one in records if one["kind"] == "undone"}
        left_out, changes = undos | item_history.find_undone(records).keys(), set()
        for record in records:
            name, change = COUNTED_KINDS.get(record["kind"]), item_history.change_of(record)
            if not name or change in left_out:
                continue
            changes.add((record["time"], record["id"], name))
            if record.get("source") == expiry.SOURCE:
                self.expired[change] += 1
        for time, _id, name in changes:
            counts = self.tallies.of(self.agent, time[:10])
            setattr(counts, name, getattr(counts, name) + 1)

    def _count_runs(self, records: list[Record]) -> None:
        runs = performance.list_runs(records)
        last = sorted(runs, key=lambda run: run["time"])[-RECENT_RUNS:]
        given = frozenset[str]().union(*(run["given"] for run in last))
        used = frozenset[str]().union(*(run["used"] for run in last))
        since = last[0]["time"] if last else ""
        self.recent = RecentUse(len(last), given, given & used, since)
        self.experiment = [run for run in runs if "experiment" in run]
        for run in runs:
            counts = self.tallies.of(self.agent, run["time"][:10])
            counts.runs += 1
            counts.failed += run["outcome"] == performance.FAILED
            given, used = run["given"], run["given"] & run["used"]
            counts.given += len(given)
            counts.used += len(used)

    def list_days(self) -> Iterator[tuple[str, Counts]]:
        """Yield each day that has numbers."""
        yield from self.tallies.items()
