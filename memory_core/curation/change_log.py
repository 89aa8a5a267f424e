"""List the changes of a project's memories, and show a memory as it was before a change.

A change is the effect of one write or one command on one memory or several.  Its records share
a change id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from memory_core.curation import lookup
from memory_core.document import markdown
from memory_core.document.diff import compare_texts
from memory_core.history import item_history
from memory_core.history.item_history import HUMAN_SOURCES, ItemState, Record
from memory_core.memory.loading import read_memory
from memory_core.secrets import scanner
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text import digests

# Kinds of records that move or reword items; all others only change the confidence.
MOVE_KINDS = (*item_history.ARRIVAL_KINDS, *item_history.DEPARTURE_KINDS)


NO_ITEM_KINDS = ("renamed", "rewritten", "undone")

short_id = item_history.shorten_change  # by which people name a change


class Change(NamedTuple):
    """One change: its id, the time of its last record, and its records, oldest first.

    `undone_by` has the change that undid it, by agent.
    """

    id: str
    time: str
    records: list[Record]
    undone_by: dict[str, str]

    @property
    def name(self) -> str:
        """Return the short id, "" for a change that undo does not cover, such as a hand edit."""
        return short_id(self.id) if any(map(is_undoable, self.records)) else ""

    @property
    def undoes(self) -> set[str]:
        """Return the ids of the changes that this change undid, empty for any other change."""
        return {record["id"] for record in self.records if record["kind"] == "undone"}

    @property
    def pending(self) -> set[str]:
        """Return the agents in whose memories the change is not undone."""
        return {*self.agents} - {*self.undone_by}

    @property
    def is_move(self) -> bool:
        """Whether items came, left or were reworded; other changes concern their confidence."""
        return any(record["kind"] in MOVE_KINDS for record in self.records)

    @property
    def counts(self) -> list[tuple[str, int]]:
        """The words for its records with their numbers, in the order of the records."""
        return list(Counter(record["word"] for record in self.item_records).items())

    def find(self, name: str) -> str:
        """Return the first value of a field of its records, "" without one."""
        return next((str(record[name]) for record in self.records if record.get(name)), "")

    @property
    def item_records(self) -> list[Record]:
        return [record for record in self.records if record["kind"] != "undone"]

    @property
    def agents(self) -> list[str]:
        return sorted({str(record.get("agent") or "") for record in self.records})


def is_undoable(record: Record) -> bool:
    """Say whether undo can revert a record: not an edit of the file, nor imported history."""
    return record.get("source") != item_history.HAND_SOURCE and "imported" not in record


class UnknownChange(ValueError):
    """A name that stands for no change or for several; the message says which."""

    status = 2


def find_change(changes: Iterable[Change], name: str) -> Change:
    """Return the change with this id, or with a short id that begins with these digits.

    Raises UnknownChange.
    """
    text = name.strip()
    matches = [
        change
        for change in changes
        if text == change.id
        or (lookup.is_id(text) and digests.hash_text(change.id).startswith(text.lower()))
    ]
    if not matches:
        raise UnknownChange(
            f"no change {name!r} can be undone: agent-memory log shows the ids;"
            " edits of a file have none"
        )
    if len(matches) > 1:
        ids = ", ".join(digests.hash_text(change.id) for change in matches)
        raise UnknownChange(f"several changes match {name!r}: use {ids}")
    return matches[0]


def list_records(project: Project, store: Store, agents: Iterable[str]) -> list[Record]:
    """Return all records of these agents, oldest first: changes in the order of their numbers.

    Those of older versions, which have no number, come first.  Hand edits have the time
    when the file was saved.  Each record has its agent and, if it is known, the text of
    its item; its time is that of the clock.
    """
    records = [
        record
        for agent in agents
        for record in _add_texts(agent, read_memory(project, agent, store).history)
    ]
    return sorted(records, key=item_history.place_of)


def _add_texts(agent: str, history: item_history.History) -> Iterator[Record]:
    """Yield an agent's records, each with its clock time and the text of its item if known.

    The text of a renaming is both names.  `word` says what the record is about: what a person
    teaches is added, not learned.  `reason` is why its item waits since then, "" if it does not.
    """
    for record in item_history.sort_records(history.records):
        state = history.get(record["id"])
        text = record.get("text") or (state.text if state else "")
        if record["kind"] == "renamed":
            text = f"{record.get('origin')} -> {record.get('agent')}"
        elif record["kind"] == "rewritten":
            text = "other text than items"
        is_taught = record["kind"] == "learned" and record.get("source") in HUMAN_SOURCES
        waiting = record.get("waiting") if record["kind"] in item_history.WAITING_KINDS else None
        fields = {
            "time": item_history.clock_time(record),
            "agent": agent,
            "text": text,
            "word": "added" if is_taught else record["kind"],
            "reason": str(waiting.get("reason") or "") if isinstance(waiting, dict) else "",
        }
        yield record | fields


def select_items(records: Sequence[Record], names: Collection[str]) -> list[Record]:
    """Return the records of the items with these ids, and of their earlier wordings.

    A name is an id or the beginning of one.  Raises lookup.ItemNotFound.
    """
    every = {record["id"] for record in records}
    for name in names:
        if not any(key.startswith(name.lower()) for key in every):
            raise lookup.ItemNotFound(f"no item has the id {name!r}: agent-memory search lists ids")
    begins = tuple(map(str.lower, names))
    ids, chosen = {key for key in every if key.startswith(begins)}, []
    for record in reversed(records):
        if record["id"] in ids:
            ids.add(str(record.get("was") or record["id"]))
            chosen.append(record)
    return chosen[::-1]


def list_changes(store: Store, agents: Iterable[str]) -> list[Change]:
    """Return the changes of these agents' memories, oldest first."""
    records = [
        record
        for agent in agents
        for record in _add_texts(agent, item_history.History(store.history(agent).read()))
    ]
    return group_changes(records, records)


def group_changes(chosen: Iterable[Record], every: Sequence[Record]) -> list[Change]:
    """Return the changes, oldest first, that the chosen ones of all records belong to."""
    groups: dict[str, list[Record]] = {}
    for record in chosen:
        groups.setdefault(item_history.change_of(record), []).append(record)
    undone: dict[str, dict[str, str]] = {}
    for agent in {record["agent"] for record in every}:
        own = [record for record in every if record["agent"] == agent]
        for key, by in item_history.find_undone(own).items():
            undone.setdefault(key, {})[agent] = by
    changes = [
        Change(key, max(record["time"] for record in records), records, undone.get(key, {}))
        for key, records in groups.items()
    ]
    return sorted(changes, key=lambda change: max(map(item_history.place_of, change.records)))


def read_timeline(project: Project, store: Store, agent: str, item: str = "") -> list[Change]:
    """Return the changes of a memory, newest first, or those of an item in all its wordings.

    Texts are without secrets.  Raises OSError, and lookup.ItemNotFound for an id that no record
    has.
    """
    records = list_records(project, store, [agent])
    chosen = select_items(records, [item]) if item else records
    texts = [{name: scanner.redact(one[name]) for name in ("text", "reason")} for one in chosen]
    shown = [record | clean for record, clean in zip(chosen, texts, strict=True)]
    return group_changes(shown, records)[::-1]


def find_effects(records: Iterable[Record], ids: Iterable[str]) -> list[tuple[str, bool]]:
    """Return the changes that an undo of these changes undoes or, if True, redoes."""
    undone: dict[str, set[str]] = {}
    for record in records:
        if record["kind"] == "undone":
            undone.setdefault(item_history.change_of(record), set()).add(record["id"])
    effects, pending = [], [(key, False) for key in ids]
    while pending:
        key, is_redo = pending.pop(0)
        targets = undone.pop(key, ())  # a forged undo may be one of itself
        pending += [(target, not is_redo) for target in sorted(targets)]
        effects += [] if targets else [(key, is_redo)]
    return effects


class Comparison(NamedTuple):
    """The difference between a memory and an earlier version: a unified diff, texts of items.

    `since` is the time of the earlier version or of the last change; "" without one.
    """

    since: str
    diff: str
    added: list[str]
    removed: list[str]


def compare(
    project: Project, store: Store, agent: str, since: str | None = None, until: str = ""
) -> Comparison:
    """Compare a memory at two times, by default before its last change and now.

    The last change is the last one that moved or reworded items: hand edits since the last write,
    else the last command or report.  Only items are compared, as the history has them.
    """
    memory = read_memory(project, agent, store)
    records = item_history.sort_records(memory.history.records)
    last = next((record for record in reversed(records) if record["kind"] in MOVE_KINDS), None)
    change = item_history.change_of(last) if last else ""

    others = [record for record in records if item_history.change_of(record) != change]
    old = _index_items(others if since is None else _select_until(records, since))
    new = _index_items(_select_until(records, until) if until else records)
    path = store.paths.relative(store.path(agent))
    titles = dict.fromkeys(state.section for state in [*old.values(), *new.values()])
    return Comparison(
        since or (item_history.clock_time(last) if last else ""),
        compare_texts(path, *(_render_items(side.values(), titles) for side in (old, new))).diff(),
        [state.text for key, state in new.items() if key not in old],
        [state.text for key, state in old.items() if key not in new],
    )


def _select_until(records: Iterable[Record], time: str) -> list[Record]:
    return [record for record in records if item_history.clock_time(record) <= time]


def _index_items(records: Iterable[Record]) -> dict[str, ItemState]:
    """Return the items that are in the memory after these records, by their ids."""
    return {state.id: state for state in item_history.History(records) if state.is_present}


def _render_items(states: Iterable[ItemState], titles: Iterable[str]) -> str:
    """Return the items below these headings; a new wording has the place of the older one."""
    sections = {title: [f"## {title}"] * bool(title) for title in sorted(titles)}
    for state in sorted(states, key=lambda state: state.born):
        sections[state.section].append(markdown.join_nested(f"- {state.text}", state.nested))
    return "\n".join("\n".join([*lines, ""]) for lines in sections.values())
