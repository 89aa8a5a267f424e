"""Compute the state of items from the records of an agent's history.

A record is a dict of `time` (ISO 8601, UTC), `kind`, `id`, and more fields for some kinds
(`record_models.HistoryRecord` has all).  Kinds that concern items:

    learned       text, section; run, session, source: the origin of the item; reading: what its
                  run read from outside
    reinforced    run, session, source: a run reported it again
    merged        text, section; was: id of the item that this better wording replaced
    edited        text, section; was: id of the wording before a hand edit
    removed       it was missing from the file at a write, or a command removed it
    evicted       a learning took its place, and it is in the archive
    archived      a command, or a run that reported it as wrong, moved it to the archive
    restored      text, section: it was put back
    returned      text, section: it had been removed, and was in the file again at a write
    imported      text, section: it was there when the history began, or came from elsewhere
    approved      text, section: the user accepted it from the review
    preference    text, section; was: id of the value before
    confirmed     the user said that it is right
    contradicted  a run or the user said that it is wrong; with `waiting` a person has to decide
    pinned        the user wants it given with every task
    unpinned      the user does not want it given with every task

The order of the records does not matter, and a record may occur twice: git merges the
histories of two branches as lines.  Records of other kinds do not concern items.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from memory_core.document.block_reader import ItemFields
from memory_core.history import rights
from memory_core.history.rights import Origins
from memory_core.secrets import scanner
from memory_core.text import digests, similarity
from memory_core.text.times import FAR_FUTURE

Record = dict[str, Any]
RECORD_VERSION = 1  # of the schema of a record

FILE_KINDS = ("edited", "returned", "imported")  # by hand, unless the source is a command
ARRIVAL_KINDS = ("learned", "merged", "restored", "approved", "preference", *FILE_KINDS)
DEPARTURE_KINDS = ("removed", "evicted", "archived")
LEARNING_KINDS = ("learned", "merged", "reinforced")
WAITING_KINDS = ("evicted", "contradicted")  # their `waiting` begins to wait for a person
PIN_KINDS = ("pinned", "unpinned")
ITEM_KINDS = (
    *(*ARRIVAL_KINDS, *DEPARTURE_KINDS, *LEARNING_KINDS),
    *("confirmed", "contradicted", *PIN_KINDS),
)
CHANGE_KINDS = (*ITEM_KINDS, "rejected", "renamed", "rewritten", "undone")


SHORT_CHANGE = 6  # digits by which people name a change

HAND_SOURCE = "hand"  # the source of hand edits
PERSON_SOURCE = "person"  # the source of a person's commands
IMPORT_SOURCE = "import"  # the source, and origin, of items from an imported file
MCP_SOURCE = "mcp"  # the source of what an MCP client writes
HUMAN_SOURCES = (HAND_SOURCE, PERSON_SOURCE)

PERSON_KINDS = ("edited", "approved", "preference")  # a person did it, whatever the source

# Minimum share of words that an edited item keeps; git uses the same share for renamed files.
MIN_LIKENESS = 0.5

# Maximum number of pairs (a new item, a removed item) to compare; with more, somebody
# replaced the file rather than edited it.
MAX_PAIRS = 10_000

id_of = similarity.identify  # an item has the id of its text


class Weights(NamedTuple):
    """How confidence begins and what changes it; all values are from 0 to 1.

    `agent` and `person`: the first confidence of an item from a run or a person.  `step`: added
    for each further run that reports the item.  `contradiction`: subtracted when a run or a
    person says that it is wrong; it counts more, because they have seen the item fail.
    """

    agent: float = 0.5
    person: float = 0.8
    step: float = 0.1
    contradiction: float = 0.2


DEFAULT_WEIGHTS = Weights()


class ItemState:
    """The state of an item; `is_present` if it was in the memory after the last record.

    `born` is the time of its first wording, `added_at` the time when it was last added, by the
    change `added_by`; `used` the time when a run last reported it or the user last confirmed it.
    `run`, `session` and `source` say who added it, and `reading` what that run, or the run of an
    earlier wording, had read from outside; `nested` is the text of its nested lines.  `runs` are
    all that reported it, and `contradicting_runs` all that reported it as wrong; `own_runs` and
    `doubting_runs` are those of them on this machine that had read nothing from outside.
    """

    def __init__(
        self, key: str, born: str, confidence: float, origins: Origins | None = None
    ) -> None:
        self.id = key
        self._origins = origins
        self.changed = self.used = born  # `changed`: time of the last record of any kind
        self.text = self.section = self.nested = self.added_at = self.added_by = self.was = ""
        self.run = self.session = self.source = ""
        self.reading: list[str] = []
        self.born = born
        self.confidence = confidence
        self.runs: set[str] = set()
        self.own_runs: set[str] = set()
        self.doubting_runs: set[str] = set()
        self.contradicting_runs: set[str] = set()
        self.place = (0, "", "", 0.0)  # in the history, of the record that last added it
        self.is_present = False
        self.is_withdrawn = False  # a person removed it, or gave it another text
        self.is_weighed = False  # a record that is not undone gave it its confidence
        self.is_by_hand = False  # a person wrote it in the file
        # The history says that a person wrote, edited, confirmed, accepted or restored it.
        self.is_by_person = False
        # Whether a person wants it given with every task, None if nobody said so.
        self.is_pinned: bool | None = None
        self.is_doubted = False  # runs reported it as wrong, and a person has to decide

    @property
    def origin(self) -> str:
        """Where it comes from, by the records of this machine; by the history without them."""
        if self._origins is None:
            return rights.PERSON if self.is_by_person else rights.AGENT
        return rights.judge_origin(self._origins.find(self.text, self.nested), bool(self.reading))

    @property
    def is_persons(self) -> bool:
        """Whether only a person may replace or withdraw it."""
        return rights.is_persons(self.origin, self.is_by_person)

    @property
    def rank(self) -> tuple[int, float, str]:
        """A value that is greater for the item to trust: a person's, certain or newer."""
        return rights.make_rank(self.origin, self.confidence, self.born)


class History:
    """The records of one agent, and the states of its items after the last record.

    `origins` are those of this machine; without them all records count as its own.
    """

    def __init__(
        self,
        records: Iterable[Record] = (),
        weights: Weights = DEFAULT_WEIGHTS,
        origins: Origins | None = None,
    ) -> None:
        self.weights = weights
        self.origins = origins
        self._states: dict[str, ItemState] = {}
        self._by_text: dict[str, ItemState] = {}
        self._undone: dict[str, str] = {}
        self._undone_here: dict[str, str] = {}  # by this machine
        self._undoing: set[str] = set()  # the ids of changes that undo others
        self._rejected: set[str] = set()
        self.records: list[Record] = []
        self.last_seq = 0
        self.add(sort_records(records, self._is_own))

    def add(self, records: Iterable[Record], is_new: bool = False) -> None:
        """Add records, all of them later than the present ones; new ones are of this machine."""
        records = list(records)
        if is_new and self.origins:
            self.origins.take(one for one in records if one["kind"] not in DEPARTURE_KINDS)
        self.records += records
        self.last_seq = place_of(records[-1])[0] if records else self.last_seq
        if any(record["kind"] == "undone" for record in records):
            self._states, self._by_text, self._rejected = {}, {}, set()
            self._undone, records = find_undone(self.records), self.records
            self._undone_here = find_undone([one for one in records if self._is_own(one)])
            self._undoing = {change_of(record) for record in records if record["kind"] == "undone"}
        for record in records:
            if record["kind"] in ITEM_KINDS:
                self._take(record)
            elif record["kind"] == "rejected" and change_of(record) not in self._undone:
                self._rejected.add(record["id"])

    def _is_own(self, record: Record) -> bool:
        """Return whether this machine wrote a record; those of departures give no rights."""
        if self.origins is None:
            return True
        return record["kind"] not in DEPARTURE_KINDS and self.origins.owns(record)

    def __iter__(self) -> Iterator[ItemState]:
        return iter(self._states.values())

    def find(self, text: str) -> ItemState | None:
        """Return the item with this text, present or not; None if the history does not have it."""
        # Most texts equal the recorded text, and need no normalising.
        return self._by_text.get(text) or self._states.get(id_of(text))

    def is_persons(self, text: str) -> bool:
        """Return whether the item with this text is a person's, and not an agent's.

        It is if the history does not have it, or if it is one by the records of this machine.
        Limits do not apply to it, and no learning of an agent replaces it.
        """
        state = self.find(text)
        return state is None or state.is_persons

    def is_rejected(self, text: str) -> bool:
        """Return whether a person rejected a learning of this text that was not added since."""
        return bool(self._rejected) and id_of(text) in self._rejected

    def age_of(self, text: str, is_outside: bool = False) -> tuple[float, str] | None:
        """Return the confidence and the creation time of an item, None if it has to stay.

        A person's stays, and for a learning from outside every item that is not from outside.
        """
        state = self.find(text)
        if state is None and self._find_origin({"text": text}) in rights.OUTSIDE:
            return rights.FOREIGN_CONFIDENCE, ""
        if state is None or state.is_persons or (is_outside and state.rank[0]):
            return None
        return state.confidence, state.born

    def rank_of(self, text: str) -> tuple[int, float, str]:
        """Return a value that is greater for the item to trust: a person's, certain or newer."""
        state = self.find(text)
        return state.rank if state else rights.make_rank(rights.PERSON, 0.0, FAR_FUTURE)

    def list_wordings(self, state: ItemState) -> set[str]:
        """Return the ids of an item and of its earlier wordings."""
        ids, older = set[str](), self.get(state.id)
        while older and older.id not in ids:
            ids.add(older.id)
            older = self.get(older.was)
        return ids

    def get(self, key: str) -> ItemState | None:
        """Return the item with this id, None if the history does not have it."""
        return self._states.get(key)

    def _take(self, record: Record) -> None:
        key, kind = record["id"], record["kind"]
        state = self._states.get(key)
        older = self._states.get(record.get("was") or "")
        is_own = self._is_own(record)
        inherits = is_own and older is not None and self._may_inherit(record, older)
        start = older.confidence if older and inherits else self._start(record)
        is_accepted = False
        if not is_own and start > rights.FOREIGN_CONFIDENCE:
            is_accepted = self._find_origin(record) in rights.DECIDED
            start = start if is_accepted else rights.FOREIGN_CONFIDENCE
        is_first = state is None or (kind in LEARNING_KINDS and not state.is_weighed)
        if state is None:
            state = self._states[key] = ItemState(key, record["time"], start, self.origins)
        elif is_first:
            state.confidence = start  # all that came before is undone
        elif is_accepted:
            state.confidence = max(state.confidence, start)
        state.is_weighed = state.is_weighed or is_accepted
        state.changed = record["time"]
        if kind in ARRIVAL_KINDS:
            self._arrive(state, record, inherits)
        elif kind in DEPARTURE_KINDS:
            state.is_present = False
            by_person = record.get("source") in HUMAN_SOURCES
            state.is_withdrawn = kind == "removed" and by_person
            state.nested = record.get("nested") or state.nested
        if change_of(record) not in (self._undone_here if is_own else self._undone):
            is_new = is_first and older is None
            is_inside = not record.get("reading") and record.get("source") != MCP_SOURCE
            if is_own and is_inside:
                self._weigh(state, record, is_new)
            elif kind == "contradicted" and not state.is_weighed:
                self._step(state, -self.weights.contradiction)  # nobody here vouches for it
            self._note(state, record, is_own)
            state.is_by_person = state.is_by_person or self._makes_persons(record, is_new)

    def _find_origin(self, record: Record) -> str | None:
        """Return the origin of a record's text, None if all records are of this machine."""
        text, nested = record.get("text") or "", record.get("nested") or ""
        return self.origins.find(text, nested) if self.origins else None

    def _start(self, record: Record) -> float:
        weights, by_person = self.weights, record.get("source") in HUMAN_SOURCES
        if record["kind"] in PERSON_KINDS or (record["kind"] == "learned" and by_person):
            # Somebody else may have typed a line, which this machine only found in the file.
            is_found = record.get("source") == HAND_SOURCE
            is_strange = is_found and self._find_origin(record) in rights.OUTSIDE
            return rights.FOREIGN_CONFIDENCE if is_strange else weights.person
        if record["kind"] == "imported":
            return min(1.0, max(0.0, float(record.get("confidence", weights.person))))
        return weights.agent

    def _note(self, state: ItemState, record: Record, is_own: bool) -> None:
        """Note what gives no rights to an item, and takes none."""
        kind, run = record["kind"], record.get("run") or ""
        if kind == "contradicted":
            state.contradicting_runs.add(run)
            state.is_doubted = state.is_doubted or (is_own and bool(record.get("waiting")))
        if kind in LEARNING_KINDS:
            state.runs.add(run)
        if kind in (*LEARNING_KINDS, "confirmed"):
            state.used = max(state.used, record["time"])

    def _weigh(self, state: ItemState, record: Record, is_new: bool) -> None:
        """Change the rights by a record of this machine, of a run that read nothing from outside.

        A run counts once, the user counts every time.
        """
        kind, run = record["kind"], record.get("run") or ""
        by_person = record.get("source") in HUMAN_SOURCES
        if kind in PIN_KINDS:
            state.is_pinned = kind == "pinned"
            return
        if self._makes_persons(record, is_new):
            state.is_doubted = False
        state.is_weighed = state.is_weighed or kind not in DEPARTURE_KINDS
        if kind in PERSON_KINDS:
            state.confidence = max(state.confidence, self._start(record))
        elif kind == "confirmed" or (
            kind in LEARNING_KINDS and (by_person or run not in state.own_runs)
        ):
            self._step(state, 0 if is_new else self.weights.step)
        elif kind == "contradicted" and (by_person or not run or run not in state.doubting_runs):
            self._step(state, -self.weights.contradiction)
        if kind in LEARNING_KINDS:
            state.own_runs.add(run)
        elif kind == "contradicted" and not by_person:
            state.doubting_runs.add(run)

    def _makes_persons(self, record: Record, is_new: bool) -> bool:
        """Return whether a record makes its item a person's; undo only brings items back."""
        kind = record["kind"]
        if kind in PERSON_KINDS or (kind == "imported" and is_new):
            return True
        is_kept = kind == "confirmed" or kind in (*ARRIVAL_KINDS, *LEARNING_KINDS)
        is_undo = kind == "restored" and change_of(record) in self._undoing
        return is_kept and record.get("source") in HUMAN_SOURCES and not is_undo

    def _step(self, state: ItemState, by: float) -> None:
        state.confidence = min(1.0, max(0.0, round(state.confidence + by, 2)))

    def _may_inherit(self, record: Record, older: ItemState) -> bool:
        """Return whether a new wording keeps the rights of the older one.

        The rights that a person gave do not go to words that are no person's.
        """
        origin = self._find_origin(record)
        return origin is None or origin in rights.DECIDED or older.origin not in rights.DECIDED

    def _arrive(self, state: ItemState, record: Record, inherits: bool) -> None:
        if not state.is_present and record["kind"] != "returned":
            state.born, state.used = clock_time(record), record["time"]
        state.text, state.section = record.get("text") or "", record.get("section") or ""
        state.nested = record.get("nested") or ""
        state.added_at, state.added_by = record["time"], change_of(record)
        state.place = place_of(record)
        state.is_present = True
        if change_of(record) not in self._undoing:  # else redo may take it away again
            state.is_withdrawn = False
        self._rejected.discard(state.id)
        state.is_by_hand = record["kind"] in FILE_KINDS and record.get("source") != PERSON_SOURCE
        self._by_text[state.text] = state
        if record["kind"] not in ("restored", "returned"):
            state.run, state.session = record.get("run") or "", record.get("session") or ""
            state.source = record.get("source") or ""
            state.reading = _list_texts(record.get("reading"))
        older = self._states.get(record.get("was") or "")
        if older is not None and older is not state:
            older.is_withdrawn = older.is_withdrawn or record["kind"] == "edited"
            self._inherit(state, older, inherits)

    def _inherit(self, state: ItemState, older: ItemState, has_rights: bool) -> None:
        older.is_present = False
        state.was = older.id
        state.born, state.used = min(state.born, older.born), max(state.used, older.used)
        state.is_by_person = state.is_by_person or older.is_by_person
        state.reading = state.reading or older.reading
        state.runs |= older.runs
        state.contradicting_runs |= older.contradicting_runs
        if not has_rights:
            return
        state.confidence = max(state.confidence, older.confidence)
        state.is_pinned = older.is_pinned if state.is_pinned is None else state.is_pinned
        state.is_doubted = state.is_doubted or older.is_doubted
        state.own_runs |= older.own_runs
        state.doubting_runs |= older.doubting_runs


def _list_texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def sort_records(
    records: Iterable[Record], is_own: Callable[[Record], bool] = bool
) -> list[Record]:
    """Return the records without duplicates, in the order of their changes.

    Of two with one key, that of this machine stays, which another one may imitate.

    Each change has a larger number, `seq`, than all that its writer knew, whatever the clocks say.
    Records of versions before 2026-12 have none; they come first, in the order of time.
    """
    once: dict[tuple[Any, ...], Record] = {}
    for record in records:
        key = key_of(record)
        if key not in once or is_own(record):
            once[key] = record
    return sorted(once.values(), key=place_of)


def place_of(record: Record) -> tuple[int, str, str, float]:
    """Return the key that orders records, of one agent or of several."""
    seq = record.get("seq")
    seq = seq if type(seq) is int and seq < 2**53 else 0  # more would not fit into a database
    return (seq, "" if seq else record["time"], change_of(record), record.get("n", 0))


def key_of(record: Record) -> tuple[Any, ...]:
    """Return the key by which duplicates of a record are recognised."""
    return (record["time"], record["kind"], record["id"], change_of(record), record.get("n", 0))


def change_of(record: Record) -> str:
    """Return the id of a record's change; records without one share a change by their time."""
    return str(record.get("change") or record["time"])


def shorten_change(change: str) -> str:
    """Return the six hexadecimal digits by which people name a change, "" for none."""
    return digests.hash_text(change)[:SHORT_CHANGE] if change else ""


def clock_time(record: Record) -> str:
    """Return when a record was written, by the clock: the id of its change begins with it.

    Its `time` may be seconds later, because each version of a file has a second of its own.
    """
    moment = f"{change_of(record)[:23]}Z"
    return moment if moment[10:11] == "T" else str(record["time"])


def find_undone(records: Sequence[Record]) -> dict[str, str]:
    """Return the ids of changes that are undone, each with the change that undid it.

    An undo that is undone itself does not count.  `records` are sorted.
    """
    by: dict[str, list[str]] = {}
    for record in records:
        if record["kind"] == "undone" and change_of(record) != record["id"]:
            by.setdefault(record["id"], []).append(change_of(record))
    gone: dict[str, str] = {}
    # Newest first, because a later undo decides whether an earlier one is effective.
    for record in reversed(records):
        change = change_of(record)
        other = next((other for other in by.get(change, ()) if other not in gone), "")
        if other:
            gone[change] = other
    return gone


def make_record(kind: str, time: str, text: str, **fields: Any) -> Record:
    """Return a record about the item with this text; `time` is ISO 8601 in UTC."""
    given = {key: value for key, value in fields.items() if value != ""}
    record = {"v": RECORD_VERSION, "time": time, "kind": kind, "id": id_of(text), **given}
    return record | {"text": text} if kind in (*ARRIVAL_KINDS, "rejected") else record


class Difference:
    """The difference between a document and its history.

    `new` items have a text, a section, nested lines, and the id of the wording that they replace
    or "".  `returned` items had been removed before.  The user removed `gone` items.  `missed`
    items were learned after the version that the user's editor had loaded.
    """

    def __init__(self) -> None:
        self.new: list[tuple[str, str, str, str]] = []
        self.returned: list[ItemFields] = []
        self.gone: list[ItemState] = []
        self.missed: list[ItemState] = []


def compare(
    past: History, items: Sequence[ItemFields], list_unseen: Callable[[], Collection[str]] = tuple
) -> Difference:
    """Compare a document's items, as (text, section, nested lines), with its history.

    `list_unseen` returns the changes that were not in the version that the user's editor had
    loaded; it is called if items are missing.
    """
    difference = Difference()
    fresh, present = [], set()
    for item in items:
        state = past.find(item[0])
        if state is None:
            fresh.append(item)
        elif state.id not in present:
            present.add(state.id)
            if not state.is_present:
                difference.returned.append(item)
            elif state.nested != item[2] and state.nested != scanner.redact(item[2]):
                difference.new.append((*item, ""))
    missing = [state for state in past if state.is_present and state.id not in present]
    unseen = frozenset(list_unseen()) if missing else frozenset()
    for state in missing:
        (difference.missed if state.added_by in unseen else difference.gone).append(state)
    difference.new += _match_rewordings(fresh, difference.gone)
    return difference


def is_before_first_write(past: History, items: Sequence[ItemFields], since: str) -> bool:
    """Return whether a file without a header may come from an editor opened before any write.

    It may if it has an item of a person that was there before, perhaps reworded, and none of the
    others, which were all added after `since`.  Otherwise the user removed what is missing.
    """
    written = [state for state in past if state.is_present and not state.is_by_hand]
    present = {id_of(text) for text, _section, _nested in items}
    if not all(state.added_at >= since and state.id not in present for state in written):
        return False
    words = [similarity.extract_words(state.text) for state in past if state.is_by_hand]
    return any(
        similarity.measure_overlap(similarity.extract_words(text), old) >= MIN_LIKENESS
        for text, _section, _nested in items
        for old in words
    )


def _match_rewordings(
    fresh: list[ItemFields], gone: list[ItemState]
) -> list[tuple[str, str, str, str]]:
    """Match new items with removed ones of similar words; return the items with `was`."""
    pairs = []
    if len(fresh) * len(gone) <= MAX_PAIRS:
        old = [(similarity.extract_words(state.text), state) for state in gone]
        for at, (text, _section, _nested) in enumerate(fresh):
            words = similarity.extract_words(text)
            pairs += [
                (similarity.measure_overlap(words, others), at, state) for others, state in old
            ]
    was: dict[int, ItemState] = {}
    for likeness, at, state in sorted(pairs, key=lambda pair: -pair[0]):
        if likeness >= MIN_LIKENESS and at not in was and state in gone:
            was[at] = state
            gone.remove(state)
    return [(*item, was[at].id if at in was else "") for at, item in enumerate(fresh)]
