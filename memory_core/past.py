"""An item's past: the records of an agent's history, and what they come to.

A record is a dict of `time` (ISO 8601, UTC), `kind`, `id`, and what goes with the kind; the
model is `models.HistoryRecord`, docs/history.md tells of all kinds.  Of items:

    learned      text, section; run, session, source: where it came from
    reinforced   run, session, source: it was taught again
    merged       text, section; was: the id of the item whose place a better wording took
    edited       text, section; was where an item of old was changed: by hand, found at a write
    removed      found gone at a write, or taken out by a command
    evicted      it had to leave, and is in the archive
    archived     a command put it into the archive
    restored     text, section: it was put back
    returned     text, section: it had left, and stood there again at a write
    imported     text, section: it was there when the history began, or came from elsewhere
    approved     text, section: a person took it over from what waited for review
    preference   text, section; was: the id of the value before
    confirmed    a person said that it is right
    contradicted a run or a person said that it is wrong

What records come to does not depend on their order, and a record may come twice: two
branches' histories are merged as lines.  Those of other kinds tell of no item.
"""

from __future__ import annotations

from memory_core import similarity
from memory_core.digests import VERSION, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    Record = dict[str, Any]
    Titled = tuple[str, str, str]  # an item's text, its section, the lines nested in it

NOTED = ("edited", "returned", "imported")  # found in the file, unless a command wrote it
ARRIVALS = ("learned", "merged", "restored", "approved", "preference", *NOTED)
DEPARTURES = ("removed", "evicted", "archived")
TAUGHT = ("learned", "merged", "reinforced")
OF_ITEMS = (*ARRIVALS, *DEPARTURES, *TAUGHT, "confirmed", "contradicted")

TOP = "top"  # in the place of an item's id: it stood in front of all others

LATEST = "9"  # later than any record's time

HAND = "hand"  # the source of what a person did in the file itself
PERSON = "person"  # and of what one did by a command
PEOPLE = (HAND, PERSON)

# Of an edited line at least so much is as it was, as git has it for a renamed file.
LIKENESS = 0.5

# How many pairs of a line that is new and one that is gone are compared; more of them is
# no editing, but another file.
PAIRS = 10_000


class Weights:
    """How sure an item is at first, and what makes it surer or less so; all from 0 to 1.

    What one run claims is as likely right as wrong; what a person writes is seldom
    doubted; each further run that says the same makes it surer, up to five of them; and
    to be called wrong once counts as much as to be confirmed twice, since who says so
    has seen it fail.
    """

    __slots__ = ("agent", "contradiction", "person", "step")

    def __init__(
        self,
        agent: float = 0.5,
        person: float = 0.8,
        step: float = 0.1,
        contradiction: float = 0.2,
    ) -> None:
        self.agent = agent
        self.person = person
        self.step = step
        self.contradiction = contradiction


USUAL = Weights()


class Known:
    """An item as its history has it; `here` if it stood in the memory after the last record.

    `born` is since when it has been there, in this or an older wording, `arrived` when it
    came last, `used` when it was last taught or confirmed, as its records' times.  `run`,
    `session` and `source` tell who brought it, `nested` what is nested in it, line by line.
    """

    __slots__ = (
        *("arrived", "born", "changed", "confidence", "contradicting", "here", "id", "nested"),
        *("noted", "run", "runs", "section", "session", "source", "text", "used", "was"),
    )

    def __init__(self, key: str, born: str, confidence: float) -> None:
        self.id = key
        self.changed = self.used = born  # `changed`: by a record of any kind
        self.text = self.section = self.nested = self.arrived = self.was = ""
        self.run = self.session = self.source = ""
        self.born = born
        self.confidence = confidence
        self.runs: set[str] = set()
        self.contradicting: set[str] = set()
        self.here = False
        self.noted = False  # it came by a person's hand

    def __repr__(self) -> str:
        return f"Known({self.id!r}, {self.text!r}, {self.confidence})"


class Past:
    """All that the records of one agent come to."""

    def __init__(self, records: Iterable[Record] = (), weights: Weights = USUAL) -> None:
        self._weights = weights
        self._known: dict[str, Known] = {}
        self._by_text: dict[str, Known] = {}
        self._undone: set[str] = set()
        self.records: list[Record] = []
        self.add(ordered(records))

    def add(self, records: Iterable[Record]) -> None:
        """Take in records that are later than those it has."""
        records = list(records)
        self.records += records
        if any(record["kind"] == "undone" for record in records):
            self._known, self._by_text = {}, {}
            self._undone, records = undone(self.records), self.records
        for record in records:
            if record["kind"] in OF_ITEMS:
                self._take(record)

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[Known]:
        return iter(self._known.values())

    def last(self, until: str) -> str:
        """Return when something was done last, by a clock that was not wrong: up to `until`."""
        done = (each["time"] for each in self.records if each["kind"] in (*OF_ITEMS, "undone"))
        return max((time for time in done if time <= until), default="")

    def find(self, text: str) -> Known | None:
        """Return the item that says these words, whether it is in the memory now or not."""
        # Words as they were recorded need not be folded to find whose they are.
        return self._by_text.get(text) or self._known.get(identity(text))

    def get(self, key: str) -> Known | None:
        """Return the item with this id."""
        return self._known.get(key)

    def _take(self, record: Record) -> None:
        key, kind = record["id"], record["kind"]
        known = self._known.get(key)
        older = self._known.get(record.get("was") or "")
        is_new = known is None and older is None
        if known is None:
            start = older.confidence if older else self._start(record)
            known = self._known[key] = Known(key, record["time"], start)
        known.changed = max(known.changed, record["time"])
        if kind in ARRIVALS:
            self._arrive(known, record)
        elif kind in DEPARTURES:
            known.here = False
            known.nested = record.get("nested") or known.nested
        if change_of(record) not in self._undone:
            self._weigh(known, record, is_new)

    def _start(self, record: Record) -> float:
        weights, by_person = self._weights, record.get("source") in PEOPLE
        if record["kind"] in ("edited", "approved", "preference") or (
            record["kind"] == "learned" and by_person
        ):
            return weights.person
        if record["kind"] == "imported":
            return min(1.0, max(0.0, float(record.get("confidence", weights.person))))
        return weights.agent

    def _weigh(self, known: Known, record: Record, is_new: bool) -> None:
        """Make an item surer, or less so; each run counts once either way, a person each time."""
        kind, run = record["kind"], record.get("run") or ""
        by_person = record.get("source") in PEOPLE
        if kind in ("edited", "approved", "preference"):
            known.confidence = max(known.confidence, self._weights.person)
        elif kind == "confirmed" or (kind in TAUGHT and (by_person or run not in known.runs)):
            self._step(known, 0 if is_new else self._weights.step)
        elif kind == "contradicted" and (by_person or not run or run not in known.contradicting):
            self._step(known, -self._weights.contradiction)
        if kind in TAUGHT:
            known.runs.add(run)
        elif kind == "contradicted":
            known.contradicting.add(run)
        if kind in (*TAUGHT, "confirmed"):
            known.used = max(known.used, record["time"])

    def _step(self, known: Known, by: float) -> None:
        known.confidence = min(1.0, max(0.0, round(known.confidence + by, 2)))

    def _arrive(self, known: Known, record: Record) -> None:
        if not known.here and record["kind"] != "returned":
            known.born = known.used = record["time"]
        known.text, known.section = record.get("text") or "", record.get("section") or ""
        known.nested = record.get("nested") or ""
        known.arrived, known.here = record["time"], True
        known.noted = record["kind"] in NOTED and record.get("source") != PERSON
        self._by_text[known.text] = known
        if record["kind"] not in ("restored", "returned"):
            known.run, known.session = record.get("run") or "", record.get("session") or ""
            known.source = record.get("source") or ""
        older = self._known.get(record.get("was") or "")
        if older is not None and older is not known:
            self._inherit(known, older)

    def _inherit(self, known: Known, older: Known) -> None:
        older.here = False
        known.was = older.id
        known.born, known.used = min(known.born, older.born), max(known.used, older.used)
        known.confidence = max(known.confidence, older.confidence)
        known.runs |= older.runs
        known.contradicting |= older.contradicting


def ordered(records: Iterable[Record]) -> list[Record]:
    """Return records by their time, those of one write as they were written, each once."""
    once = {mark(told): told for told in records}
    return sorted(once.values(), key=lambda told: (told["time"], *_turn(told)))


def mark(record: Record) -> tuple[Any, ...]:
    """Return what two lines have in common that are one record."""
    return (record["time"], record["kind"], record["id"], *_turn(record))


def _turn(record: Record) -> tuple[str, float]:
    """Return what tells apart, and puts in order, records of one time."""
    return change_of(record), record.get("n", 0)


def change_of(record: Record) -> str:
    """Return what tells a record's change from others: one command's records are one change."""
    return str(record.get("change") or record["time"])


def undone(records: Sequence[Record]) -> set[str]:
    """Return the changes that were taken back, and whose taking back was not."""
    by: dict[str, list[str]] = {}
    for record in records:
        if record["kind"] == "undone" and change_of(record) != record["id"]:
            by.setdefault(record["id"], []).append(change_of(record))
    gone: set[str] = set()
    # The last first: whether a change counts is known before what it takes back.
    for record in reversed(records):
        change = change_of(record)
        if any(other not in gone for other in by.get(change, ())):
            gone.add(change)
    return gone


def identity(text: str) -> str:
    """Return the id of an item with this text: the same however it is cased and spaced."""
    return digest(similarity.fold(text))


def record(kind: str, time: str, text: str, **fields: Any) -> Record:
    """Return the record of what became, at `time`, of the item with this text."""
    given = {key: value for key, value in fields.items() if value != ""}
    told = {"v": VERSION, "time": time, "kind": kind, "id": identity(text), **given}
    return told | {"text": text} if kind in ARRIVALS else told


class Difference:
    """What sets a document apart from what its history says of it.

    `new` has (text, section, nested lines, id of the item that it was before it was edited,
    or ""), `back` what had left, `gone` what a person took out, and `missed` what was
    written later than the version that the person had.
    """

    __slots__ = ("back", "gone", "missed", "new")

    def __init__(self) -> None:
        self.new: list[tuple[str, str, str, str]] = []
        self.back: list[Titled] = []
        self.gone: list[Known] = []
        self.missed: list[Known] = []


def compare(past: Past, items: Sequence[Titled], stamp: str, since: str, until: str) -> Difference:
    """Compare a document's items, as (text, section, nested lines), with its past.

    `stamp` is the time in the document's header, as in records but to the second: who saved
    it had it as it was then, and knew nothing of what came later.  Empty: it has none.
    Without one it may be what an editor held from before the first write, if that was not
    before `since`.  What came later than `until` came while the clock was wrong.
    """
    told = Difference()
    fresh, present = [], set()
    for item in items:
        known = past.find(item[0])
        if known is None:
            fresh.append(item)
        elif known.id not in present:
            present.add(known.id)
            if not known.here:
                told.back.append(item)
            elif known.nested != item[2]:
                told.new.append((*item, ""))
    here = [known for known in past if known.here]
    missing = [known for known in here if known.id not in present]
    if not stamp:
        stamp = _first_or_last(here, present, since) if items else "9"
    for known in missing:
        is_later = (
            known.arrived[: len(stamp)] > stamp and known.arrived <= until and not known.noted
        )
        (told.missed if is_later else told.gone).append(known)
    told.new += _followed(fresh, told.gone)
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


def _followed(fresh: list[Titled], gone: list[Known]) -> list[tuple[str, str, str, str]]:
    """Tell of each new line which one that is gone it was, the most alike first."""
    pairs = []
    if len(fresh) * len(gone) <= PAIRS:
        old = [(similarity.words(each.text), each) for each in gone]
        for at, (text, _section, _nested) in enumerate(fresh):
            words = similarity.words(text)
            pairs += [(similarity.likeness(words, others), at, each) for others, each in old]
    was: dict[int, Known] = {}
    for likeness, at, known in sorted(pairs, key=lambda pair: -pair[0]):
        if likeness >= LIKENESS and at not in was and known in gone:
            was[at] = known
            gone.remove(known)
    return [(*each, was[at].id if at in was else "") for at, each in enumerate(fresh)]
