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


# The items of an agent that are kept of those that runs used.
MOST_USED = 20


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
    items each change archived.  `most_used` has MOST_USED items.  `problem` says why the history
    cannot be read, "" if it can.
    """

    def __init__(
        self, agent: str, records: Iterable[Record], since: str = "", problem: str = ""
    ) -> None:
        self.agent = agent
        self.problem = problem
        self.tallies = Tallies()
        self.experiment: list[Record] = []
        self.expired: Counter[str] = Counter()
        records = item_history.sort_records(records)
        self._count_items(records, since)
        self.most_used = self._count_runs(records, since)

    def _count_items(self, records: list[Record], since: str) -> None:
        undos = {item_history.change_of(one) for one in records if one["kind"] == "undone"}
        left_out, changes = undos | item_history.find_undone(records).keys(), set()
        for record in records:
            name, change = COUNTED_KINDS.get(record["kind"]), item_history.change_of(record)
            if not name or change in left_out:
                continue
            if record["time"] >= since:
                changes.add((record["time"], record["id"], name))
            if record.get("source") == expiry.SOURCE:
                self.expired[change] += 1
        for time, _id, name in changes:
            counts = self.tallies.of(self.agent, time[:10])
            setattr(counts, name, getattr(counts, name) + 1)

    def _count_runs(self, records: list[Record], since: str) -> list[ItemUse]:
        """Count the finished runs, and return the items that most of them used."""
        all_given: Counter[str] = Counter()
        all_used: Counter[str] = Counter()
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
            all_given.update(given)
            all_used.update(used)
        most = sorted(all_used, key=lambda key: (-all_used[key], key))[:MOST_USED]
        texts = {record["id"]: record["text"] for record in records if record.get("text")}
        return [
            ItemUse(self.agent, key, texts.get(key, ""), all_given[key], all_used[key])
            for key in most
        ]

    def list_days(self) -> Iterator[tuple[str, Counts]]:
        """Yield each day that has numbers."""
        yield from self.tallies.items()
