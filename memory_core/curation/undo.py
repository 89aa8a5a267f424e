"""Undo changes of a project's memories by reports and commands, and redo them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from memory_core.claude_code import agent_spelling
from memory_core.curation import change_log, cleaning
from memory_core.curation.change_log import Change
from memory_core.document import markdown, revert_text, template
from memory_core.document.block_reader import ItemFields
from memory_core.history import item_history, rights
from memory_core.memory import agent_memory, rename, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.storage.database import change_table, review_table, state_db
from memory_core.storage.database.change_table import TextStep
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text.phrases import format_count


class UndoResult(NamedTuple):
    """Changes that were undone, newest first, and of each agent's file the path and its two texts.

    `effects` are those of reports and commands; True for one that is redone, because the undo of
    it was undone.  `merged` are the agents whose files keep later changes.
    """

    changes: list[Change]
    files: list[tuple[str, str, str]]
    effects: list[tuple[Change, bool]]
    merged: list[str]


class NothingToUndo(ValueError):
    """There are fewer changes to undo than requested, or none to redo; the message says so."""

    status = 1


class UndoConflict(ValueError):
    """A later change prevents the undo, or its text is not here; the message says which."""

    status = 1


# Choose changes.


def list_undoable(store: Store, agents: Collection[str] = ()) -> list[Change]:
    """Return the changes of this machine that can be undone, oldest first."""
    return [
        change
        for change in _list_changes(store, agents, only_local=True)
        if not change.undoes and change.pending
    ]


def _list_redoable(store: Store) -> list[Change]:
    """Return the undos since the last other change of this machine, oldest first."""
    waiting: list[Change] = []
    for change in _list_changes(store, only_local=True):
        if not change.undoes:
            waiting = []
        elif change.pending:
            waiting.append(change)
    return [change for change in waiting if all(redo for _, redo in _list_effects(store, [change]))]


def _list_changes(
    store: Store, agents: Collection[str] = (), only_local: bool = False
) -> list[Change]:
    """Return the changes by reports and commands, oldest first."""
    owners = sorted({*agents} or {*store.agents_with_history()} - {""})
    local: set[str] = set()
    for agent in owners:
        local.update(change_table.list_kept(store.paths, store.stem(agent)))
    return [
        change
        for change in change_log.list_changes(store, owners)
        if change.name and (change.id in local or not only_local)
    ]


# Undo.


def undo_changes(
    project: Project,
    store: Store,
    names: Sequence[str] = (),
    count: int = 1,
    *,
    agents: Collection[str] = (),
    write: bool = True,
) -> UndoResult:
    """Undo the changes with these ids, or without any the last `count`, of these agents or of all.

    All are of this machine.  To undo an undo by its id is to redo; otherwise an undo does not
    count.  Raises UnknownChange, UndoConflict, and NothingToUndo for a change that is undone
    already, or if there are fewer changes.
    """
    if not names:
        undoable = list_undoable(store, agents)
        if len(undoable) < count:
            raise NothingToUndo(_format_too_few(store, agents, len(undoable)))
        return _undo(project, store, undoable[len(undoable) - count :], agents, write)
    every = _list_changes(store, agents)
    ids = {change_log.find_change(every, name).id for name in names}
    chosen = [change for change in every if change.id in ids]
    for change in chosen:
        if not change.pending:
            by = change_log.short_id(next(iter(change.undone_by.values())))
            raise NothingToUndo(f"change {change.name} is undone already: undo {by} to redo it")
    return _undo(project, store, chosen, agents, write)


def redo_changes(project: Project, store: Store, write: bool = True) -> UndoResult:
    """Redo all that the last undo undid.

    Raises UndoConflict, and NothingToUndo if no change was undone since the last other change.
    """
    undos = _list_redoable(store)
    if not undos:
        raise NothingToUndo("there is nothing to redo: no change was undone since the last one")
    return _undo(project, store, undos[-1:], (), write)


def _format_too_few(store: Store, agents: Collection[str], count: int) -> str:
    if count:
        verb = "are" if count > 1 else "is"
        return f"there {verb} only {format_count(count, 'change')} to undo"
    if _list_changes(store, agents):
        lost = " since the database was damaged" * bool(state_db.list_set_aside(store.paths.state))
        older = "older changes and those of other machines are undone with git"
        return f"nothing is left to undo{lost}; {older}"
    of = f" of {', '.join(agents)}" if agents else ""
    return f"there is nothing to undo: no change{of} is recorded here"


def _list_effects(store: Store, chosen: list[Change]) -> list[tuple[Change, bool]]:
    """Return the changes of which the undo of these is in effect an undo or, if True, a redo."""
    # These as they were chosen: an undo may have renamed their agent.
    every = {change.id: change for change in [*_list_changes(store), *chosen]}
    records = [record for change in every.values() for record in change.records]
    effects = change_log.find_effects(records, [change.id for change in chosen])
    return [(every[key], is_redo) for key, is_redo in effects if key in every]


def _undo(
    project: Project,
    store: Store,
    chosen: list[Change],
    agents: Collection[str],
    write: bool,
) -> UndoResult:
    """Undo these changes in all memories, or in none."""
    owners = {agent for change in chosen for agent in change.pending}
    names = [agent for agent in sorted(owners) if not agents or agent in agents]

    def work(memory: AgentMemory) -> tuple[str, bool, tuple[str, str, str]]:
        before = memory.text if memory.snapshot else ""
        ids = [change.id for change in chosen if memory.agent in change.agents]
        name, is_merged = revert_changes(memory, ids)
        after, path = "" if memory.is_removed else memory.text, store.path(memory.agent)
        return name, is_merged, (store.paths.relative(path), before, after)

    own_id = agent_memory.make_change_id("undo")
    results = transaction.change_memories(project, store, names, work, own_id, write=False)
    merged = [agent for agent, result in zip(names, results, strict=True) if result[1]]
    if write:
        if len(names) > 1:
            transaction.check_unlocked(store, names)
        for agent in names:
            # As after an edit by hand, the next delivery prepares the memory.
            with store.lock(agent):
                _, (name, *_) = transaction.change_locked(project, agent, work, store, own_id)
            if name != agent:
                rename.move_files(store, agent, name)
    files = [file for *_, file in results]
    return UndoResult(chosen[::-1], files, _list_effects(store, chosen[::-1]), merged)


def revert_changes(memory: AgentMemory, ids: Sequence[str]) -> tuple[str, bool]:
    """Undo changes of one memory, given oldest first; raises UndoConflict.

    Returns the agent's name, which differs if a renaming is undone, and whether later changes were
    kept.
    """
    before = memory.document
    text, is_merged = _revert_text(memory, ids)
    _revert_reviews(memory, ids)
    if text is None:
        memory.is_removed, memory.text = True, memory.before
    else:
        memory.text = text
    after = markdown.parse_document(text or "")
    _record_items(memory, *map(agent_memory.index_items, (before, after)))
    for change_id in reversed(ids):
        memory.record("undone", "", id=change_id, source=item_history.PERSON_SOURCE)
    return _rename_back(memory, ids), is_merged


# The text.


def _revert_text(memory: AgentMemory, ids: Sequence[str]) -> tuple[str | None, bool]:
    """Return the text without these changes, None for no file, and whether it was merged."""
    text = memory.text if memory.snapshot else None
    steps = change_table.read_steps(memory.store.paths, memory.store.stem(memory.agent), ids)
    is_merged = False
    for change_id in reversed(ids):
        step = steps.get(change_id)
        if step is None:
            reason = "another machine made it, or its text is not kept; undo it with git"
            raise _make_conflict(memory, change_id, reason)
        if step.before == step.after:
            continue
        if text == step.after:
            text = step.before
            continue
        is_merged = True
        text = _merge(memory, step, text)
    return text, is_merged


def _merge(memory: AgentMemory, step: TextStep, text: str | None) -> str | None:
    """Return the text without a change, and with what was written since then.

    Raises UndoConflict if something that the change wrote was changed again.
    """
    name = agent_spelling.format_title(memory.agent)
    empty = template.render_new(name, memory.project.name, memory.limits, memory.now)
    # The header is not a part of the change.
    before, after, now = (
        template.update_header(version or empty, memory.limits, memory.now, memory.agent)
        for version in (step.before, step.after, text)
    )
    try:
        merged = revert_text.revert_change(before, after, now)
    except revert_text.TextChanged as error:
        later = _find_later(memory, step.change, str(error))
        path = memory.store.paths.relative(memory.store.path(memory.agent))
        reason = f"{str(error)!r} was changed again by {later}edit {path} or use git"
        raise _make_conflict(memory, step.change, reason) from None
    is_needless = None in (step.before, text) and cleaning.has_only_header(merged)
    return None if is_needless else merged


def _make_conflict(memory: AgentMemory, change_id: str, reason: str) -> UndoConflict:
    what = f"change {change_log.short_id(change_id)} cannot be undone"
    return UndoConflict(f"{memory.agent}: {what}: {reason}; nothing was undone")


def _find_later(memory: AgentMemory, change_id: str, text: str) -> str:
    """Return what changed an item or a line after a change, and the first thing to do, if any."""
    key = item_history.id_of(text)
    for record in reversed(item_history.sort_records(memory.history.records)):
        change = item_history.change_of(record)
        is_later = change != change_id and key in (record["id"], record.get("was"))
        if is_later and record.get("source") != item_history.HAND_SOURCE:
            moment = item_history.clock_time(record)[:16].replace("T", " ")
            return f"change {change_log.short_id(change)} at {moment}: undo that first, "
        if change == change_id or is_later:
            break
    return "an edit of the file: "


# What goes with the text.


def _record_items(
    memory: AgentMemory, before: dict[str, ItemFields], after: dict[str, ItemFields]
) -> None:
    """Record how the items differ now; removed ones go to the archive, restored ones leave it."""
    source = item_history.PERSON_SOURCE
    for key in reversed({**after, **before}):
        if before.get(key) == after.get(key):
            continue
        item = after.get(key) or before[key]
        kind = "restored" if key in after else "removed"
        memory.record(kind, item.text, section=item.section, nested=item.nested, source=source)
        whole = item.section, markdown.join_nested(item.text, item.nested)
        if key in after:
            memory.from_archive += dict.fromkeys([whole, (item.section, item.text)])
        else:
            memory.evicted.append(whole)


def _revert_reviews(memory: AgentMemory, ids: Sequence[str]) -> None:
    """Let texts that a person reviewed only in these changes count as before, and learnings wait.

    What was reviewed in changes that come back, because their undo is undone, is reviewed again.
    Items that wait because these changes evicted them do not wait any more.
    """
    records = memory.history.records
    effects = dict(change_log.find_effects(records, ids))
    other = {*effects, *item_history.find_undone(records)}
    origins = [transaction.find_origin(record, is_undo=True) for record in records]
    standing = {
        record["id"]
        for record, origin in zip(records, origins, strict=True)
        if origin == rights.ACCEPTED and item_history.change_of(record) not in other
    }
    for record, origin in zip(records, origins, strict=True):
        is_redo = effects.get(item_history.change_of(record))
        if is_redo is None:
            continue
        state, entry = memory.history.get(record["id"]), record.get("waiting")
        if state and origin == rights.ACCEPTED and is_redo:
            memory.origins[state.text, state.nested] = rights.ACCEPTED
        elif state and origin == rights.ACCEPTED and record["id"] not in standing:
            memory.doubted.append((state.text, state.nested))
        if not entry or not review_table.is_entry(entry):
            continue
        if (record["kind"] in item_history.WAITING_KINDS) == is_redo:
            memory.review.append(entry)
        else:
            memory.decided.append(review_table.make_id(memory.agent, entry))


def _rename_back(memory: AgentMemory, ids: Sequence[str]) -> str:
    """Return the agent's name without the renamings among these changes."""
    records = memory.history.records
    if not any(record["kind"] == "renamed" for record in records):
        return memory.agent
    name = rename.find_name(records, memory.agent)
    if name != memory.agent:
        try:
            rename.check(memory.store, memory.agent, name)
        except rename.NotRenamed as error:
            raise UndoConflict(f"{error}; nothing was undone") from None
    elif any(one["kind"] == "renamed" and item_history.change_of(one) in ids for one in records):
        raise UndoConflict(f"{memory.agent} was renamed again; nothing was undone")
    return name
