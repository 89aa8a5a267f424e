"""An item's past: the records of an agent's history, and what they come to.

A record is a dict of `time` (ISO 8601, UTC), `kind`, `id`, and what goes with the kind:

    learned     text, section; run, session, source: where it came from
    reinforced  run, session, source: it was taught again
    merged      text, section; was: the id of the item whose place a better wording took
    edited      text, section; was where an item of old was changed: by hand, found at a write
    removed     by hand, found at a write
    evicted     it had to leave, and is in the archive
    restored    text, section: it was put back from the archive
    returned    text, section: it had left, and stood there again at a write
    imported    text, section: it was there when the history began

What records come to does not depend on their order, and a record may come twice: two
branches' histories are merged as lines.
"""

from __future__ import annotations

from memory_core import similarity

try:  # `import hashlib` costs a millisecond for the same function
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    Record = dict[str, Any]

NOTED = ("edited", "returned", "imported")  # found in the file, not written by us
ARRIVALS = ("learned", "merged", "restored", *NOTED)
DEPARTURES = ("removed", "evicted")

ID_BYTES = 5  # 40 bits: of 10,000 items two have one id in one of 20,000 memories

# Confidence: what one run claims is as likely right as wrong, what a person writes is
# seldom doubted, and each further run that says the same makes it surer.
AGENT = 0.5
PERSON = 0.8
STEP = 0.1

# Of an edited line at least so much is as it was, as git has it for a renamed file.
LIKENESS = 0.5

# How many pairs of a line that is new and one that is gone are compared; more of them is
# no editing, but another file.
PAIRS = 10_000


class Known:
    """An item as its history has it; `here` if it stood in the memory after the last record.

    `born` is since when it has been there, in this or an older wording, `arrived` when it
    came last, as its records' times.
    """

    __slots__ = (
        *("arrived", "born", "changed", "here", "id", "noted", "runs", "section", "start", "text"),
    )

    def __init__(self, key: str, born: str) -> None:
        self.id = key
        self.changed = born  # of the last record of any kind
        self.text = self.section = self.arrived = ""
        self.born = born
        self.start = AGENT
        self.runs: set[str] = set()
        self.here = False
        self.noted = False  # it came by a person's hand

    @property
    def confidence(self) -> float:
        """From 0 to 1: what it started at, and a step for each run but the one it came from."""
        return min(1.0, round(self.start + STEP * max(0, len(self.runs) - 1), 2))


class Past:
    """All that the records of one agent come to."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._known: dict[str, Known] = {}
        self._by_text: dict[str, Known] = {}
        once = {(told["time"], told["kind"], told["id"]): told for told in records}
        self.add(sorted(once.values(), key=lambda told: told["time"]))

    def add(self, records: Iterable[Record]) -> None:
        """Take in records that are later than those it has."""
        for record in records:
            self._take(record)

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[Known]:
        return iter(self._known.values())

    def last(self, until: str) -> str:
        """Return when something came last, by a clock that was not wrong: up to `until`."""
        times = (known.arrived for known in self if known.arrived <= until)
        return max(times, default="")

    def find(self, text: str) -> Known | None:
        """Return the item that says these words, whether it is in the memory now or not."""
        # Words as they were recorded need not be folded to find whose they are.
        return self._by_text.get(text) or self._known.get(identity(text))

    def _take(self, record: Record) -> None:
        key, kind = record["id"], record["kind"]
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Known(key, record["time"])
        known.changed = max(known.changed, record["time"])
        if kind in ARRIVALS:
            self._arrive(known, record)
        elif kind in DEPARTURES:
            known.here = False
        if kind in ("learned", "merged", "reinforced"):
            known.runs.add(record.get("run") or "")

    def _arrive(self, known: Known, record: Record) -> None:
        if not known.here and record["kind"] != "returned":
            known.born = record["time"]
        known.text, known.section = record.get("text") or "", record.get("section") or ""
        known.arrived, known.here = record["time"], True
        known.noted = record["kind"] in NOTED
        self._by_text[known.text] = known
        if record["kind"] == "edited":
            known.start = PERSON
        older = self._known.get(record.get("was") or "")
        if older is not None and older is not known:
            older.here = False
            known.born = min(known.born, older.born)
            known.start = max(known.start, older.start)
            known.runs |= older.runs


def identity(text: str) -> str:
    """Return the id of an item with this text: the same however it is cased and spaced."""
    return digest(similarity.fold(text))


def digest(text: str) -> str:
    """Return ten hexadecimal digits that stand for a text, whatever it holds."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=ID_BYTES).hexdigest()


def record(kind: str, time: str, text: str, **fields: str) -> Record:
    """Return the record of what became, at `time`, of the item with this text."""
    told = {"time": time, "kind": kind, "id": identity(text), **fields}
    return told | {"text": text} if kind in ARRIVALS else told


class Difference:
    """What sets a document apart from what its history says of it.

    `new` has (text, section, id of the item that it was before it was edited, or ""),
    `back` what had left, `gone` what a person took out, and `missed` what was written
    later than the version that the person had.
    """

    __slots__ = ("back", "gone", "missed", "new")

    def __init__(self) -> None:
        self.new: list[tuple[str, str, str]] = []
        self.back: list[tuple[str, str]] = []
        self.gone: list[Known] = []
        self.missed: list[Known] = []


def compare(
    past: Past, items: Sequence[tuple[str, str]], stamp: str, since: str, until: str
) -> Difference:
    """Compare a document's items, as (text, section), with its past.

    `stamp` is the time in the document's header, as in records but to the second: who saved
    it had it as it was then, and knew nothing of what came later.  Empty: it has none.
    Without one it may be what an editor held from before the first write, if that was not
    before `since`.  What came later than `until` came while the clock was wrong.
    """
    told = Difference()
    fresh, present = [], set()
    for text, section in items:
        known = past.find(text)
        if known is None:
            fresh.append((text, section))
        elif not known.here:
            told.back.append((text, section))
        if known is not None:
            present.add(known.id)
    here = [known for known in past if known.here]
    missing = [known for known in here if known.id not in present]
    if not stamp:
        stamp = _first_or_last(here, present, since) if items else "9"
    for known in missing:
        is_later = (
            known.arrived[: len(stamp)] > stamp and known.arrived <= until and not known.noted
        )
        (told.missed if is_later else told.gone).append(known)
    told.new = _followed(fresh, told.gone)
    return told


def _first_or_last(here: list[Known], present: set[str], since: str) -> str:
    """Say which version it is that has no time: the one before the first write, or the last.

    Without anything that we wrote, all of it lately, it is what an editor held that long;
    else a person has taken the header out, and whatever else is not there.
    """
    written = [known for known in here if not known.noted]
    lately = all(known.arrived >= since for known in written)
    none_there = not any(known.id in present for known in written)
    return "0" if lately and none_there else "9"


def _followed(fresh: list[tuple[str, str]], gone: list[Known]) -> list[tuple[str, str, str]]:
    """Tell of each new line which one that is gone it was, the most alike first."""
    pairs = []
    if len(fresh) * len(gone) <= PAIRS:
        old = [(similarity.words(each.text), each) for each in gone]
        for at, (text, _section) in enumerate(fresh):
            words = similarity.words(text)
            pairs += [(similarity.likeness(words, others), at, each) for others, each in old]
    was: dict[int, Known] = {}
    for likeness, at, known in sorted(pairs, key=lambda pair: -pair[0]):
        if likeness >= LIKENESS and at not in was and known in gone:
            was[at] = known
            gone.remove(known)
    return [(*each, was[at].id if at in was else "") for at, each in enumerate(fresh)]
