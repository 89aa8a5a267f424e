"""List, compare and undo the changes of a project's memories.

A change is the effect of one write or one command on one memory or several.  Its records share
a change id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memory_core.document import markdown
from memory_core.document.diff import TextChange, format_diff
from memory_core.history import item_history, revert
from memory_core.history.item_history import ItemState
from memory_core.memory import agent_memory, changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.project import Project
from memory_core.memory.reading import read_memory
from memory_core.storage import history_file
from memory_core.storage.store import Store

if TYPE_CHECKING:
    from memory_core.history.item_history import Record

# Kinds of records that move or reword items; all others only change the confidence.
MOVE_KINDS = (*item_history.ARRIVAL_KINDS, *item_history.DEPARTURE_KINDS)


class Change(NamedTuple):
    """One change: its id, the time of its last record, and its records, oldest first."""

    id: str
    time: str
    records: list[Record]

    @property
    def agents(self) -> list[str]:
        return sorted({str(record.get("agent") or "") for record in self.records})

    @property
    def is_by_hand(self) -> bool:
        """Return whether the user edited the file itself; undo skips such changes."""
        return all(record.get("source") == item_history.HAND_SOURCE for record in self.records)


class UndoResult(NamedTuple):
    """A change that was undone, and the texts that stay because they were changed later.

    `present_ids` are the ids of the items that each memory has now.
    """

    change: Change
    kept_texts: list[str]
    present_ids: dict[str, set[str]]


class NothingToUndo(ValueError):
    """There are fewer changes to undo than requested; the message has the number."""

    status = 1


class ItemOrigin(NamedTuple):
    """An item of a memory with its state from the history, None if it has no records."""

    id: str
    text: str
    section: str
    state: ItemState | None


def list_records(project: Project, store: Store, agents: Iterable[str]) -> list[Record]:
    """Return all records of these agents, oldest first.

    Hand edits that no write has recorded yet have the present time.  Each record has its agent
    and, if it is known, the text of its item; its time is that of the clock.
    """
    records = [
        record
        for agent in agents
        for record in _add_texts(agent, read_memory(project, agent, store).history)
    ]
    return sorted(records, key=lambda record: str(record["time"]))


def _add_texts(agent: str, history: item_history.History) -> list[Record]:
    """Return an agent's records, each with its clock time and the text of its item if known."""
    records = []
    for record in item_history.sort_records(history.records):
        state = history.get(record["id"])
        text = record.get("text") or (state.text if state else "")
        moment = item_history.clock_time(record)
        records.append({**record, "time": moment, "agent": agent, "text": text})
    return records


def list_changes(store: Store, agents: Iterable[str]) -> list[Change]:
    """Return the changes of these agents' memories, oldest first."""
    groups: dict[str, list[Record]] = {}
    for agent in agents:
        history = item_history.History(history_file.read(store.history_path(agent)))
        for record in _add_texts(agent, history):
            groups.setdefault(item_history.change_of(record), []).append(record)
    changes_made = [
        Change(key, max(record["time"] for record in records), records)
        for key, records in groups.items()
    ]
    return sorted(changes_made, key=lambda change: (change.id, change.time))


def list_origins(project: Project, store: Store, agent: str) -> list[ItemOrigin]:
    """Return the items of a memory in the order of the file, each with its state."""
    memory = read_memory(project, agent, store)
    return [
        ItemOrigin(item_history.id_of(text), text, section, memory.history.find(text))
        for text, section, _nested in agent_memory.list_items(memory.document)
    ]


def render_at(project: Project, store: Store, agent: str, moment: str) -> tuple[str, str]:
    """Return an agent's memory at a past time, and the time when its history begins.

    The text has the items of that time; it is "" if the history begins later.  The second value is
    "" without a history.
    """
    memory = read_memory(project, agent, store)
    records, kinds, clock = memory.history.records, item_history.ITEM_KINDS, item_history.clock_time
    begin = min((clock(record) for record in records if record["kind"] in kinds), default="")
    if not begin or begin > moment:
        return "", begin
    text = revert.revert_records(
        memory.text, records, lambda record: clock(record) > moment, memory.limits
    )
    return text, begin


class Comparison(NamedTuple):
    """The difference between a memory and an earlier version: a unified diff, texts of items.

    `since` is the time of the earlier version or of the last change; "" without one.
    """

    since: str
    diff: str
    added: list[str]
    removed: list[str]


def compare(project: Project, store: Store, agent: str, since: str = "") -> Comparison:
    """Compare a memory with its version at a time, by default before its last change.

    The last change is the last one that moved or reworded items: hand edits since the last write,
    else the last command or report.
    """
    memory = read_memory(project, agent, store)
    records = item_history.sort_records(memory.history.records)
    last = next((record for record in reversed(records) if record["kind"] in MOVE_KINDS), None)
    change = "" if since or last is None else item_history.change_of(last)

    def is_chosen(record: Record) -> bool:
        if change:
            return item_history.change_of(record) == change
        return bool(since) and item_history.clock_time(record) > since

    before = revert.revert_records(memory.text, records, is_chosen, memory.limits)
    old = agent_memory.index_items(markdown.parse_document(before))
    new = agent_memory.index_items(memory.document)
    path = store.paths.relative(store.path(agent))
    return Comparison(
        since or (item_history.clock_time(last) if last else ""),
        format_diff(TextChange(path, before, memory.text)),
        [fields[0] for key, fields in new.items() if key not in old],
        [fields[0] for key, fields in old.items() if key not in new],
    )


# Undo


def undo(
    project: Project, store: Store, count: int, along: transaction.ProgressWrapper = iter
) -> list[UndoResult]:
    """Undo the last `count` changes by reports and commands, newest first.

    Hand edits are kept, also edits of an item that an undone change has changed.  An undo is a
    change itself.  Raises NothingToUndo if there are fewer changes.
    """
    undoable = list_undoable(store)
    if len(undoable) < count:
        raise NothingToUndo(_format_too_few(len(undoable)))
    chosen = undoable[len(undoable) - count :]
    agents = sorted({agent for change in chosen for agent in change.agents})
    own_id = agent_memory.make_change_id("undo")
    transaction.check_unlocked(store, agents)
    kept: dict[str, list[str]] = {change.id: [] for change in chosen}
    present: dict[str, set[str]] = {}
    for agent in along(agents):
        ids = [change.id for change in chosen if agent in change.agents]
        undo_own = partial(undo_changes, ids=ids)
        for change_id, text in transaction.change_memory(project, agent, undo_own, store, own_id):
            kept[change_id].append(text)
        present[agent] = set(agent_memory.index_items(read_memory(project, agent, store).document))
    return [UndoResult(change, kept[change.id], present) for change in reversed(chosen)]


def _format_too_few(count: int) -> str:
    if not count:
        return "there is nothing to undo: no change was made through agent-memory"
    return f"there are only {count} changes to undo" if count > 1 else "there is only 1 to undo"


def list_undoable(store: Store) -> list[Change]:
    """Return the changes by reports and commands, oldest first."""
    agents = [agent for agent in store.agents_with_history() if agent]
    return [change for change in list_changes(store, agents) if _is_undoable(change)]


def _is_undoable(change: Change) -> bool:
    kinds = (*item_history.ITEM_KINDS, "undone")
    return not change.is_by_hand and any(
        record["kind"] in kinds and "imported" not in record for record in change.records
    )


def undo_changes(memory: AgentMemory, ids: Sequence[str]) -> list[tuple[str, str]]:
    """Undo changes in one memory; return (change id, text) of items that were not undone."""

    def is_chosen(record: Record) -> bool:
        is_by_hand = record.get("source") == item_history.HAND_SOURCE
        return not is_by_hand and item_history.change_of(record) in ids

    records = memory.history.records
    steps = revert.plan_steps(records, is_chosen)
    superseded = revert.find_superseded(records, is_chosen)
    for step in steps:
        if step.target:
            _bring_back(memory, step, step.target)
        else:
            _take_out(memory, step.now)
    # The last step of an item is the oldest; its target is the item before all changes.
    last = {step.record["id"]: step for step in steps}
    restored = frozenset(step.target.text for step in last.values() if step.target)
    for change_id in reversed(ids):
        memory.record("undone", "", id=change_id, source=item_history.PERSON_SOURCE)
    memory.apply_limits(restored)
    document = memory.document
    kept = [(step.record, _find_kept(document, step)) for step in last.values()]
    kept += [(record, text) for record, text in superseded if revert.find_items(document, text)]
    pairs = [(item_history.change_of(record), text) for record, text in kept if text]
    return list(dict.fromkeys(pairs))


def _find_kept(document: markdown.Document, step: revert.UndoStep) -> str:
    """Return the text of an item that a step did not undo, "" if it was undone."""
    if step.target and revert.find_items(document, step.target.text):
        return ""
    if step.now:
        return step.now if revert.find_items(document, step.now) else ""
    return step.target.text if step.target else ""  # the document has no room for it


def _take_out(memory: AgentMemory, text: str) -> None:
    """Remove an item that a change added, unless the user moved it to another section."""
    state = memory.history.find(text)
    if state is None:
        return
    document = memory.document
    items = agent_memory.list_items(document)
    same = {item.text for item in revert.find_items(document, text)}
    sections = [section for item_text, section, _nested in items if item_text in same]
    is_moved = sections and state.section not in sections
    if is_moved and markdown.find_section(document, state.section):
        return
    copies = [section for item_text, section, _nested in items if item_text == state.text]
    # If the user copied it into other sections, remove only the original.
    only = state.section if state.section in copies and len(copies) > 1 else None
    changes.remove_items(memory, [text], "removed", only, source=item_history.PERSON_SOURCE)


def _bring_back(memory: AgentMemory, step: revert.UndoStep, target: revert.PriorItem) -> None:
    """Replace the item that a change made by its earlier version."""
    text = revert.apply_step(memory.text, step, memory.limits)
    if text == memory.text:
        return  # a later change prevents it
    before = {fields[0]: fields for fields in agent_memory.list_items(memory.document)}
    memory.set_document(markdown.parse_document(text))
    after = {fields[0]: fields for fields in agent_memory.list_items(memory.document)}
    for gone_text, section, nested in before.values():
        if gone_text not in after:
            is_kept = nested == after.get(target.text, before[gone_text])[2]
            item = markdown.join_nested(gone_text, "" if is_kept else nested)
            memory.evicted.append((section, item))
    # A better wording that replaced the item has kept its nested lines.
    whole = markdown.join_nested(target.text, target.nested)
    entries = [(target.section, whole), (target.section, target.text)]
    memory.from_archive += dict.fromkeys(entries)
    memory.record(
        "restored",
        target.text,
        section=after.get(target.text, ("", target.section))[1],
        nested=target.nested,
        was=item_history.id_of(step.now) if step.now else "",
        source=item_history.PERSON_SOURCE,
    )
