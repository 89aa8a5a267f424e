"""Undo changes of a project's memories by reports and commands, and redo them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from memory_core.curation import cleaning, review
from memory_core.curation.change_log import (
    Change,
    find_change,
    is_undoable,
    list_changes,
    short_id,
)
from memory_core.document import edits, markdown, template
from memory_core.document.diff import TextChange
from memory_core.history import item_history, revert, rights
from memory_core.history.item_history import ItemFields, Record
from memory_core.history.revert import UndoPlan, UndoStep
from memory_core.memory import agent_memory, maintained_files, rename, transaction
from memory_core.memory.agent_memory import AgentMemory, ItemPositions
from memory_core.memory.reading import read_memory
from memory_core.storage.database import local_changes
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text.phrases import format_count


class UndoResult(NamedTuple):
    """Changes that were undone, newest first, and how each agent's file differs now.

    `effects` are those of reports and commands; True for one that is redone, because the undo of
    it was undone.
    """

    changes: list[Change]
    files: list[TextChange]
    effects: list[tuple[Change, bool]]


class NothingToUndo(ValueError):
    """There are fewer changes to undo or redo than requested; the message has the number."""

    status = 1


class UndoConflict(ValueError):
    """A later change prevents the undo; the message names the item and that change."""

    status = 1


# Choose changes.


def list_undoable(store: Store, agents: Collection[str] = ()) -> list[Change]:
    """Return the changes of this machine that are not undone, oldest first."""
    return [
        change
        for change in _list_changes(store, agents, only_local=True)
        if not change.undoes and set(change.agents) - set(change.undone_by)
    ]


def list_redoable(store: Store, agents: Collection[str] = ()) -> list[Change]:
    """Return the undos since the last other change of this machine, oldest first."""
    ours = _list_changes(store, agents, only_local=True)
    depths: dict[str, int] = {}
    waiting: list[Change] = []
    for change in ours:
        targets = [depths.get(key, 0) for key in change.undoes]
        depths[change.id] = 1 + max(targets) if targets else 0
        if not targets:
            waiting = []
        elif depths[change.id] % 2 and set(change.agents) - set(change.undone_by):
            waiting.append(change)
    return waiting


def _list_changes(
    store: Store, agents: Collection[str] = (), only_local: bool = False
) -> list[Change]:
    """Return the changes by reports and commands, oldest first."""
    owners = [agent for agent in store.agents_with_history() if agent]
    owners = [agent for agent in owners if not agents or agent in agents]
    local: set[str] = set()
    for agent in owners:
        local.update(local_changes.list_changes(store.paths, store.stem(agent)))
    return [
        change
        for change in list_changes(store, owners)
        if any(map(is_undoable, change.records)) and (change.id in local or not only_local)
    ]


# Undo.


def undo_last(
    project: Project,
    store: Store,
    count: int = 1,
    *,
    agents: Collection[str] = (),
    write: bool = True,
) -> UndoResult:
    """Undo the last `count` changes of these agents, or of all; an undo is not undone by this.

    Raises NothingToUndo if there are fewer changes, and UndoConflict.
    """
    undoable = list_undoable(store, agents)
    if len(undoable) < count:
        raise NothingToUndo(_format_too_few(store, agents, len(undoable)))
    return _undo(project, store, undoable[len(undoable) - count :], agents, write)


def undo_changes(
    project: Project,
    store: Store,
    names: Sequence[str],
    *,
    agents: Collection[str] = (),
    write: bool = True,
) -> UndoResult:
    """Undo the changes with these ids, made on any machine; to undo an undo is to redo.

    Raises UnknownChange, NothingToUndo for a change that is undone already, and UndoConflict.
    """
    every = _list_changes(store, agents)
    ids = {find_change(every, name).id for name in names}
    chosen = [change for change in every if change.id in ids]
    for change in chosen:
        if not set(change.agents) - set(change.undone_by):
            by = short_id(next(iter(change.undone_by.values())))
            reason = f"change {short_id(change.id)} is undone already: undo {by} to redo it"
            raise NothingToUndo(reason)
    return _undo(project, store, chosen, agents, write)


def redo_last(
    project: Project,
    store: Store,
    count: int = 1,
    write: bool = True,
) -> UndoResult:
    """Redo the last `count` changes that were undone; those of one undo are redone together.

    Raises NothingToUndo if there are fewer, and UndoConflict.
    """
    waiting, chosen = list_redoable(store), list[Change]()
    if not waiting:
        raise NothingToUndo("there is nothing to redo: no change was undone since the last one")
    while waiting and sum(len(change.undoes) for change in chosen) < count:
        chosen.insert(0, waiting.pop())
    total = sum(len(change.undoes) for change in chosen)
    if total < count:
        changes = format_count(total, "change")
        raise NothingToUndo(f"there {'are' if total > 1 else 'is'} only {changes} to redo")
    return _undo(project, store, chosen, (), write)


def redo_changes(
    project: Project,
    store: Store,
    names: Sequence[str],
    write: bool = True,
) -> UndoResult:
    """Redo the changes with these ids, or what the undos with these ids undid.

    Raises UnknownChange, NothingToUndo for a change that is not undone, and UndoConflict.
    """
    every, undos = _list_changes(store), list[str]()
    for change in (find_change(every, name) for name in names):
        if not change.undoes and not change.undone_by:
            raise NothingToUndo(f"change {short_id(change.id)} is not undone")
        undos += [change.id] if change.undoes else change.undone_by.values()
    return undo_changes(project, store, undos, write=write)


def _format_too_few(store: Store, agents: Collection[str], count: int) -> str:
    if count:
        return f"there {'are' if count > 1 else 'is'} only {format_count(count, 'change')} to undo"
    if _list_changes(store, agents):
        return "nothing is left to undo; undo changes of others by their ids"
    of = f" of {', '.join(agents)}" if agents else ""
    return f"there is nothing to undo: no change{of} was made through agent-memory"


def _list_effects(store: Store, chosen: list[Change]) -> list[tuple[Change, bool]]:
    """Return the changes of which the undo of these is in effect an undo or, if True, a redo."""
    if not any(change.undoes for change in chosen):
        return [(change, False) for change in chosen]
    every = _list_changes(store)
    effects, pending = [], [(change, False) for change in chosen]
    while pending:
        change, is_redo = pending.pop(0)
        targets = [other for other in every if other.id in change.undoes]
        pending += [(target, not is_redo) for target in targets]
        effects += [] if targets else [(change, is_redo)]
    return effects


def _undo(
    project: Project,
    store: Store,
    chosen: list[Change],
    agents: Collection[str],
    write: bool,
) -> UndoResult:
    """Undo these changes in all memories, or in none."""
    owners = {agent for change in chosen for agent in set(change.agents) - set(change.undone_by)}
    works = {
        agent: partial(
            revert_changes, ids=[change.id for change in chosen if agent in change.agents]
        )
        for agent in sorted(owners)
        if not agents or agent in agents
    }
    files = []
    for agent in works:
        memory = read_memory(project, agent, store)
        before = memory.text if memory.snapshot else ""
        works[agent](memory)
        if before:  # the time in the header is not a part of the change
            before = template.update_header(before, memory.limits, memory.now, agent)
        files.append(TextChange(store.paths.relative(store.path(agent)), before, memory.text))
    if write:
        own_id = agent_memory.make_change_id("undo")
        transaction.check_unlocked(store, works)
        for agent, work in works.items():
            name = transaction.change_memory(project, agent, work, store, own_id)
            _remove_if_new(store, agent)
            if name != agent:
                rename.move_files(store, agent, name)
    return UndoResult(chosen[::-1], files, _list_effects(store, chosen[::-1]))


def _remove_if_new(store: Store, agent: str) -> None:
    """Remove a memory file without items if all that made it is undone."""
    records = item_history.sort_records(store.history(agent).read())
    undone = item_history.find_undone(records)
    changes = {
        item_history.change_of(record)
        for record in records
        if record["kind"] in item_history.ARRIVAL_KINDS and "imported" not in record
    }
    left = changes - {*undone, *undone.values()}
    if not left and local_changes.is_creator(store.paths, store.stem(agent)):
        maintained_files.remove_memory(store, agent, cleaning.has_only_header)


def revert_changes(memory: AgentMemory, ids: Sequence[str]) -> str:
    """Undo changes in one memory, regardless of limits; raises UndoConflict.

    Returns the agent's name after that, which differs if a renaming is undone.
    """

    def is_chosen(record: Record) -> bool:
        is_by_hand = record.get("source") == item_history.HAND_SOURCE
        return not is_by_hand and item_history.change_of(record) in ids

    _give_trust_again(memory, ids)
    records = item_history.drop_undone(memory.history.records, ids)
    plan, before = revert.plan(records, is_chosen), memory.document
    _check_whole(memory, plan, ids)
    _check_unchanged(memory, plan)
    after = _remove_emptied(before, revert.apply_steps(before, plan.steps, memory.limits))
    _check_result(before, after, plan.steps)
    _record(memory, plan.steps, ItemPositions(before))
    _update_archive(memory, plan.steps, *map(agent_memory.list_items, (before, after)))
    for change_id in reversed(ids):
        memory.record("undone", "", id=change_id, source=item_history.PERSON_SOURCE)
    review.revert_decisions(memory, ids)
    _take_trust_back(memory, filter(is_chosen, records))
    memory.set_document(after)
    return _rename_back(memory, ids)


def _take_trust_back(memory: AgentMemory, records: Iterable[Record]) -> None:
    """Let the texts that these records confirmed or accepted count as before."""
    for record in records:
        state = memory.history.get(record["id"])
        if state and record["kind"] in transaction.REVIEWING_KINDS:
            memory.doubted.append((state.text, state.nested))


def _give_trust_again(memory: AgentMemory, ids: Sequence[str]) -> None:
    """Let the texts count as reviewed again that a person had reviewed in changes that come back.

    They come back if their undo is undone; `ids` are those of what is undone now.
    """
    undone = item_history.find_undone(memory.history.records)
    for record in memory.history.records:
        comes_back = undone.get(item_history.change_of(record)) in ids
        state = memory.history.get(record["id"]) if comes_back else None
        if state and record["kind"] in transaction.REVIEWING_KINDS:
            memory.origins[state.text, state.nested] = rights.ACCEPTED


def _rename_back(memory: AgentMemory, ids: Sequence[str]) -> str:
    """Return the agent's name without the renamings among these changes, and update the title."""
    records = memory.history.records
    name = rename.find_name(records, memory.agent)
    if name != memory.agent:
        try:
            rename.check(memory.store, memory.agent, name)
        except rename.NotRenamed as error:
            raise UndoConflict(f"{error}; nothing was undone") from None
        rename.rename_title(memory, memory.agent, name)
    elif any(one["kind"] == "renamed" and item_history.change_of(one) in ids for one in records):
        raise UndoConflict(f"{memory.agent} was renamed again; nothing was undone")
    return name


def _check_whole(memory: AgentMemory, plan: UndoPlan, ids: Sequence[str]) -> None:
    """Raise UndoConflict if the history, of which the newest part is read, lacks some records."""
    is_cut = any(
        record.get("n") and item_history.change_of(record) in ids
        for record in memory.history.records[:1]
    )
    if plan.lost or is_cut:
        raise UndoConflict(
            f"{memory.agent}: the history is too long and does not have all items of this change"
            " any more; nothing was undone. agent-memory restore lists the archived items"
        )


def _check_unchanged(memory: AgentMemory, plan: UndoPlan) -> None:
    """Raise UndoConflict if an item of the plan was changed again, unless it is as before."""
    present = agent_memory.index_items(memory.document)
    for record, later in plan.superseded:
        is_gone = later["kind"] in item_history.DEPARTURE_KINDS and later["id"] not in present
        if is_gone and record["kind"] in item_history.ARRIVAL_KINDS and not record.get("was"):
            continue  # it is not there, as before
        state = memory.history.get(record["id"])
        text = record.get("text") or (state.text if state else record["id"])
        change = item_history.change_of(later)
        how = f"change {short_id(change)}"
        if later.get("source") == item_history.HAND_SOURCE:
            how = "an edit of the file"
        raise UndoConflict(
            f"{memory.agent}: {text!r} was changed again by {how} at"
            f" {item_history.clock_time(later)[:16].replace('T', ' ')}; nothing was undone"
        )
    for step in plan.steps:
        item = present.get(item_history.id_of(step.now)) if step.now else None
        section = step.record.get("section") or ""
        if item and item[1] != section and markdown.find_section(memory.document, section):
            reason = f"was moved to section {item[1]!r}; nothing was undone"
            raise UndoConflict(f"{memory.agent}: {step.now!r} {reason}")


def _remove_emptied(before: markdown.Document, after: markdown.Document) -> markdown.Document:
    """Remove the sections that the undo has emptied, if a learning had created them."""
    filled = {section.title for section in before.sections if section.items}
    for section in reversed(after.sections):
        is_blank = not any(map(str.strip, after.lines[section.body : section.end]))
        if section.suffix and is_blank and section.title in filled:
            after = edits.remove_section(after, section)
    return after


def _check_result(
    before: markdown.Document, after: markdown.Document, steps: Sequence[UndoStep]
) -> None:
    """Raise UndoConflict unless the items are those of the earlier state."""
    expected, present = (
        {key: (text, nested) for key, (text, _section, nested) in items.items()}
        for items in map(agent_memory.index_items, (before, after))
    )
    for step in steps:
        if step.now:
            expected.pop(item_history.id_of(step.now), None)
        if step.target:
            expected[item_history.id_of(step.target.text)] = step.target.text, step.target.nested
    for key in expected.keys() | present.keys():
        if expected.get(key) != present.get(key):
            text, _nested = expected.get(key) or present[key]
            raise UndoConflict(f"{text!r} cannot be restored as it was; nothing was undone")


def _record(memory: AgentMemory, steps: Sequence[UndoStep], positions: ItemPositions) -> None:
    source = item_history.PERSON_SOURCE
    items = agent_memory.index_items(memory.document)
    for step in steps:
        if step.target is None:
            text, section, nested = items.get(item_history.id_of(step.now), (step.now, "", ""))
            place = {"section": section, "nested": nested, "after": positions.remove(text)}
            memory.record("removed", text, source=source, **place)
        else:
            text, section, nested = step.target.fields
            was = item_history.id_of(step.now) if step.now else ""
            fields = {"section": section, "nested": nested, "was": was}
            memory.record("restored", text, source=source, **fields)


def _update_archive(
    memory: AgentMemory,
    steps: Sequence[UndoStep],
    before: list[ItemFields],
    after: list[ItemFields],
) -> None:
    """Move removed items to the archive, and restored ones out of it."""
    present = {fields[0]: fields for fields in after}
    replaced = {step.now: step.target.text for step in steps if step.now and step.target}
    for text, section, nested in before:
        if text not in present:
            # A better wording that replaced the item has kept its nested lines.
            is_kept = nested == present.get(replaced.get(text, ""), ("", "", None))[2]
            memory.evicted.append((section, markdown.join_nested(text, "" if is_kept else nested)))
    for step in steps:
        if step.target and step.target.text in present:
            text, section, nested = step.target.fields
            whole = markdown.join_nested(text, nested)
            memory.from_archive += dict.fromkeys([(section, whole), (section, text)])
