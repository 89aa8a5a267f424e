"""Undo the last changes of a project's memories by reports and commands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memory_core.curation import review
from memory_core.curation.change_log import Change, find_change, list_changes
from memory_core.document import markdown
from memory_core.history import item_history, revert
from memory_core.memory import agent_memory, changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.project import Project
from memory_core.memory.reading import read_memory
from memory_core.storage.store import Store

if TYPE_CHECKING:
    from memory_core.history.item_history import Record


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


def undo_last(
    project: Project,
    store: Store,
    count: int,
    names: Sequence[str] = (),
    along: transaction.ProgressWrapper = iter,
) -> list[UndoResult]:
    """Undo the changes with these names, or the last `count` ones, newest first.

    Hand edits are kept, also edits of an item that an undone change has changed.  An undo is a
    change itself.  Raises NothingToUndo if there are fewer changes.
    """
    undoable = list_undoable(store)
    if names:
        wanted = {find_change(undoable, name).id for name in names}
        chosen = [change for change in undoable if change.id in wanted]
    elif len(undoable) < count:
        raise NothingToUndo(_format_too_few(len(undoable)))
    else:
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
    kinds = (*item_history.ITEM_KINDS, "rejected", "undone")
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
    for change_id in reversed(ids):
        memory.record("undone", "", id=change_id, source=item_history.PERSON_SOURCE)
    review.revert_decisions(memory, ids)
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
