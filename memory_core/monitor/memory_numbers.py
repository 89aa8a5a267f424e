"""Count what the files of an agent have: its history, its memory file, and what waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from memory_core.document import markdown
from memory_core.history import item_history, performance
from memory_core.memory import expiry
from memory_core.monitor.counts import Counts, Tallies
from memory_core.storage.store import FileSnapshot

if TYPE_CHECKING:
    from memory_core.history.item_history import Record

LEARNED_KINDS = ("learned", "approved")
CONFIRMED_KINDS = ("reinforced", "confirmed")
COUNTED_KINDS = {
    **dict.fromkeys(LEARNED_KINDS, "learned"),
    **dict.fromkeys(CONFIRMED_KINDS, "confirmed"),
    **dict.fromkeys(item_history.DEPARTURE_KINDS, "removed"),
}


class MemorySize(NamedTuple):
    """The size of a memory file; `size` and `limit` are in bytes, `changed` in seconds since 1970.

    Without a file all but the limit are 0.
    """

    size: int = 0
    limit: int = 0
    sections: int = 0
    items: int = 0
    changed: float = 0.0


class ItemUse(NamedTuple):
    """How many runs received an item, and how many of them used it."""

    agent: str
    id: str
    text: str
    given: int
    used: int


def measure(snapshot: FileSnapshot | None, document: markdown.Document, limit: int) -> MemorySize:
    """Return the size of a memory file, whose text is in `document`."""
    if snapshot is None:
        return MemorySize(limit=limit)
    size = len(snapshot.text.encode("utf-8", "surrogateescape"))
    return MemorySize(size, limit, len(document.sections), len(document.items), snapshot.changed)


class HistoryNumbers:
    """The numbers of one agent's history, from the time `since` on.

    Its runs of experiments, `experiment`, are of all times, and so is `expired`: how many unused
    items each change archived.  `problem` says why the history cannot be read, "" if it can.
    """

    def __init__(
        self, agent: str, records: Iterable[Record], since: str = "", problem: str = ""
    ) -> None:
        self.agent = agent
        self.problem = problem
        self.tallies = Tallies()
        self.experiment: list[Record] = []
        self.expired: Counter[str] = Counter()
        self._given: Counter[str] = Counter()
        self._used: Counter[str] = Counter()
        records = item_history.sort_records(records)
        self._count_items(records, since)
        self._count_runs(records, since)
        self._texts = {
            record["id"]: record["text"]
            for record in records
            if record.get("text") and record["id"] in self._used
        }

    def _count_items(self, records: list[Record], since: str) -> None:
        undone, changes = item_history.find_undone(records), set()
        for record in records:
            name, change = COUNTED_KINDS.get(record["kind"]), item_history.change_of(record)
            if not name or change in undone:
                continue
            if record["time"] >= since:
                changes.add((record["time"], record["id"], name))
            if record.get("source") == expiry.SOURCE:
                self.expired[change] += 1
        for time, _id, name in changes:
            counts = self.tallies.of(self.agent, time[:10])
            setattr(counts, name, getattr(counts, name) + 1)

    def _count_runs(self, records: list[Record], since: str) -> None:
        for run in performance.list_runs(records):
            if "experiment" in run:
                self.experiment.append(run)
            if run["time"] < since:
                continue
            counts = self.tallies.of(self.agent, run["time"][:10])
            counts.runs += 1
            counts.failed += run["outcome"] == performance.FAILED
            given, used = run["given"], run["given"] & run["used"]
            counts.given += len(given)
            counts.used += len(used)
            self._given.update(given)
            self._used.update(used)

    def list_days(self) -> Iterator[tuple[str, Counts]]:
        """Yield each day that has numbers."""
        yield from self.tallies.items()

    def list_used(self, count: int) -> list[ItemUse]:
        """Return the items that most runs used."""
        order = sorted(self._used, key=lambda key: (-self._used[key], key))
        return [
            ItemUse(self.agent, key, self._texts.get(key, ""), self._given[key], self._used[key])
            for key in order[:count]
        ]
