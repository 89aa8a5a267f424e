"""Change memory files under a lock, so that a writer can be killed at any moment.

The archive and the history are written first, then the memory file; a report leaves the inbox
last.  The next writer repeats the unfinished steps, with the same result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from memory_core.document import dated_entries
from memory_core.files import file_actions
from memory_core.history import item_history, rights
from memory_core.history.item_history import Record
from memory_core.memory import agent_memory, run_history
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.loading import read_memory
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.storage import event_log
from memory_core.storage.database import change_table
from memory_core.storage.database.change_table import TextStep
from memory_core.storage.project import Project
from memory_core.storage.store import FileChanged, FileSnapshot, Store
from memory_core.text.times import format_utc

Result = TypeVar("Result")
# Ids and texts of one event at most; `items` has their number.
MAX_IDS = 100

# With the source of a person, they say that the person has read the item, or wrote it.
READING_KINDS = ("approved", "confirmed", "pinned", "restored")
WRITING_KINDS = ("learned", "reinforced", "merged", "edited", "returned", "preference")

# Maximum number of tries of a writer while the user keeps saving the file.
MAX_TRIES = 5


def check_unlocked(store: Store, agents: Iterable[str]) -> None:
    """Raise store.LockTimeout if one of these memories is locked.

    Commands that change several memories check all of them first.  After that only a crash or a
    full disk can leave some of them unchanged.
    """
    for agent in agents:
        with store.lock(agent):
            pass


def change_memory(
    project: Project,
    agent: str,
    edit: Callable[[AgentMemory], Result],
    store: Store | None = None,
    change_id: str = "",
) -> Result:
    """Read a memory under its lock, `edit` and write it; return the result of `edit`.

    Starts again if the user saves the file meanwhile.  Raises the errors of `edit`, and OSError
    if the memory cannot be locked, read or written; the memory is then unchanged.
    """
    from memory_core.memory import preparing

    with (store or project.store).lock(agent):
        memory, result = change_locked(project, agent, edit, store, change_id)
    if memory.is_removed:
        preparing.remove(memory.store, agent)
    elif memory.records:
        preparing.prepare(project, agent)
    return result


def change_memories(
    project: Project,
    store: Store,
    agents: Iterable[str],
    edit: Callable[[AgentMemory], Result],
    change_id: str = "",
    write: bool = True,
) -> list[Result]:
    """Change several memories as one change, see `check_unlocked`; or without `write` copies only.

    `edit` first changes copies of all, so that its errors leave no file, not even a lock.
    """
    agents, change_id = list(agents), change_id or agent_memory.make_change_id("")
    results = [edit(read_memory(project, agent, store)) for agent in agents]
    if write:
        check_unlocked(store, agents)
        results = [change_memory(project, agent, edit, store, change_id) for agent in agents]
    return results


def change_locked(
    project: Project,
    agent: str,
    edit: Callable[[AgentMemory], Result],
    store: Store | None = None,
    change_id: str = "",
) -> tuple[AgentMemory, Result]:
    """Do the same as `change_memory` under a lock of the caller; also return the new memory.

    The caller prepares the memory for hooks.
    """
    for tries_left in reversed(range(MAX_TRIES)):
        memory = read_memory(project, agent, store, change_id)
        result = edit(memory)
        try:
            write(memory)
            break
        except FileChanged:
            if not tries_left:
                raise
    return memory, result


def write(memory: AgentMemory) -> None:
    """Write a memory; the caller holds the lock.

    Raises FileChanged if the user has saved the file since it was read, and OSError, also if the
    change cannot be kept for undo.
    """
    snapshot, store, agent = memory.snapshot, memory.store, memory.agent
    _check_current(snapshot)
    if step := memory.end_change():
        change_table.begin(store.paths, store.stem(agent), memory.seq, step)
    if memory.records:
        store.make_folder()
    if memory.evicted:
        entries = [dated_entries.format_entry(*item) for item in memory.evicted]
        store.add_to_archive(agent, scanner.redact_values(entries), memory.time)
    if memory.review:
        store.add_to_review(agent, scanner.redact_values(memory.review), memory.time)
    history = store.history(agent)
    size = history.append(memory.records)
    try:
        _write_text(memory, step)
    except BaseException:
        if snapshot.is_current() if snapshot else not store.has_file(agent):
            history.truncate(size)  # these changes did not happen
        raise
    if step and step.change not in memory.project.changes:
        memory.project.changes.append(step.change)
    _resolve_errors(memory)
    _note_decisions(memory)
    if memory.decided:
        _remove_from_review(memory)
    if memory.from_archive:
        _remove_from_archive(memory)
    events = [(record["kind"], record) for record in memory.records]
    log_events(memory, events + [("held", learning) for learning in memory.review])


def _check_current(snapshot: FileSnapshot | None) -> None:
    if snapshot and not snapshot.is_current():
        raise FileChanged(f"{snapshot.path} was saved by another program just now")


def log_events(memory: AgentMemory, entries: Iterable[tuple[str, dict[str, Any]]]) -> None:
    """Log pairs of (event, fields) about items, one event for all of one event and origin.

    The fields are those of a record of the history, or of an entry of the review.
    """
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for name, entry in entries:
        origin = (entry.get(key) or None for key in ("source", "session", "run", "change"))
        groups.setdefault((name, *origin), []).append(entry)
    now, events = format_utc(time.time()), []
    for (name, source, session, run, change), group in groups.items():
        pairs = [_identify(memory, entry) for entry in group[:MAX_IDS]]
        event: dict[str, Any] = {"event": f"agent.memory.{name}", "timestamp": now}
        event |= {"agent_id": memory.agent, "items": len(group), "ids": [key for key, _ in pairs]}
        if memory.project.config["log_text"]:
            event["texts"] = [text for _, text in pairs]
        event |= {"change": change, "source": source, "session": session, "run": run}
        events.append(event)
    if events:
        event_log.write_events(memory.store.paths, events)


def _identify(memory: AgentMemory, entry: dict[str, Any]) -> tuple[str, str]:
    """Return the id and the text of the item that the fields are about."""
    if text := entry.get("content"):
        return item_history.id_of(text), text
    state = memory.history.get(entry["id"])
    return entry["id"], entry.get("text", state.text if state else "")


def _write_text(memory: AgentMemory, step: TextStep | None) -> None:
    """Replace or remove the file, and note that the change is written."""
    store, agent = memory.store, memory.agent
    if memory.is_removed and memory.snapshot:
        _check_current(memory.snapshot)
        store.files.delete(memory.snapshot.path)
        file_actions.sync(store.files, store.folder)
    elif memory.text != memory.before and not memory.is_removed:
        store.write(agent, memory.text, memory.snapshot)
    if step:
        change_table.finish(store.paths, store.stem(agent), step.change)


def _note_decisions(memory: AgentMemory) -> None:
    """Remember on this machine where texts came from, which a person reviewed, and which wait."""

    origins = dict[tuple[str, str], str]()
    is_undo = any(record["kind"] == "undone" for record in memory.records)
    for record in memory.records:
        origin = find_origin(record, is_undo)
        item = memory.history.get(record["id"]) if origin else None
        if item:
            has_read_outside = origin == rights.AGENT and item.reading
            origins[item.text, item.nested] = rights.TAINTED if has_read_outside else origin
    kinds = item_history.DEPARTURE_KINDS
    own = [one for one in memory.records if "imported" not in one and one["kind"] not in kinds]
    back = dict.fromkeys(memory.doubted, (rights.ACCEPTED,))
    # A text that is not in the memory any more and waits has to be accepted again.
    gone = [row for row in memory.review if not memory.has_item(row["content"])]
    back |= dict.fromkeys([(row["content"], row.get("nested", "")) for row in gone], rights.DECIDED)
    text_origins.add_origins(memory.store, memory.agent, origins | memory.origins, own, back)


def find_origin(record: Record, is_undo: bool) -> str:
    """Return the origin of the item that a record is about, "" if the record does not decide it."""
    kind, source = record["kind"], record.get("source")
    if "imported" in record or source == item_history.HAND_SOURCE:
        return ""
    is_persons = source == item_history.PERSON_SOURCE and not (is_undo and kind == "restored")
    if is_persons and kind in (*READING_KINDS, *WRITING_KINDS):
        return rights.ACCEPTED if kind in READING_KINDS else rights.PERSON
    if kind not in item_history.ARRIVAL_KINDS:
        return ""
    origin = rights.TAINTED if record.get("reading") else rights.AGENT
    return rights.BY_SOURCE.get(str(source), origin)


def _resolve_errors(memory: AgentMemory) -> None:
    """Keep the first thing that a run learned as the resolution of its errors.

    A run that read from outside resolves none: nobody reviews the errors that agents receive.
    """
    learned: dict[str, str] = {}
    for record in memory.records:
        item, run = memory.history.get(record["id"]), record.get("run")
        is_clean = record["kind"] in item_history.LEARNING_KINDS and not record.get("reading")
        if item and run and is_clean:
            learned.setdefault(run, item.text)
    if learned:
        run_history.resolve_errors(memory.store, memory.agent, learned)


def _remove_from_review(memory: AgentMemory) -> None:
    """Remove what does not wait any more, with the kinds of the records that say so."""
    waiting = [(record.get("waiting"), record["kind"]) for record in memory.records]
    kinds = {entry.get("id"): kind for entry, kind in waiting if entry}
    decisions = {key: kinds.get(key, "undone") for key in memory.decided}
    memory.store.remove_from_review(memory.agent, decisions, memory.time)


def _remove_from_archive(memory: AgentMemory) -> None:
    """Remove the last archive entry of each item that is put back.

    The archive file stays even if it is empty, because git would ask about a deleted file.
    """
    path = memory.store.archive_path(memory.agent)
    snapshot = memory.store.read_file(path)
    if not snapshot:
        return
    back = [dated_entries.format_entry(section, item) for section, item in memory.from_archive]
    rest = dated_entries.remove_items(snapshot.text, back)
    if rest != snapshot.text:
        memory.store.write_file(path, rest, snapshot)
