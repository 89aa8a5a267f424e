"""The actions on task memories: find, list, search, start, finish, archive, import, delete.

A task may be named by any spelling of its id that Backlog.md accepts; "" is the active task.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from memory_core.document import front_matter
from memory_core.memory.project import Project
from memory_core.storage import event_log, store
from memory_core.tasks import (
    backlog_folder,
    backlog_format,
    claude_import,
    decision_notes,
    lifecycle,
    recent_notes,
    sync,
    task_document,
    task_templates,
)
from memory_core.tasks.backlog_format import DONE, STARTED
from memory_core.tasks.lifecycle import TaskTransaction
from memory_core.text import word_search

IN_PROGRESS, KEPT, ARCHIVED = "in progress", "kept", "archived"

NO_ACTIVE_TASK = "no task is in progress; name one, or start one: agent-memory task start ID"

# The section of a memory that a section of a Backlog.md task is imported to.
TARGET_SECTIONS = {
    "Description": task_document.CONTEXT,
    "Implementation Plan": task_document.NOTES,
    "Implementation Notes": task_document.NOTES,
}


class TaskError(ValueError):
    """A request that cannot be carried out; the message says why and what to do."""

    status = 2


class NoTask(TaskError):
    """The task does not exist or does not have a memory."""

    status = 1


class TaskRefused(TaskError):
    """The id is invalid, the task is done or its memory is archived."""


class TaskMemory(NamedTuple):
    """A memory of a task: `path` is relative to the project, times are UTC.

    `state` is IN_PROGRESS, KEPT or ARCHIVED; `archived` is "" if it is not archived.
    """

    id: str
    title: str
    path: str
    state: str
    active: bool
    created: str
    updated: str
    archived: str


class NoteResult(NamedTuple):
    """The memory and the section that a note was added to."""

    memory: TaskMemory
    section: str


class ActionResult(NamedTuple):
    """A changed memory, a word for the change, and problems that did not stop it."""

    memory: TaskMemory
    what: str
    problems: list[str]


class TaskHit(NamedTuple):
    """A line that contains all searched words."""

    memory: TaskMemory
    section: str
    text: str


# Reading.


def find(project: Project, task: str = "") -> TaskMemory:
    """Return the memory of a task; raises TaskError."""
    folder = backlog_folder.Folder(project.place.root)
    order = folder.in_progress
    name = task.strip() or folder.find_active(order)
    if not name:
        raise NoTask(NO_ACTIVE_TASK)
    for archived in (False, True):
        stem, path = folder.find_memory(_plain(folder, name), archived)
        if stem:
            return _read_task_memory(folder, stem, path, archived, order)
    raise NoTask(_format_unknown(folder, name))


def _plain(folder: backlog_folder.Folder, task: str) -> str:
    """Return an id in lower case; raises TaskRefused if it cannot be a file name."""
    name = task.strip().lower()
    if not backlog_format.is_safe_id(name):
        raise TaskRefused(
            f"invalid task id {task!r}: use letters and digits, with . _ or - between them"
        )
    return name


def _format_unknown(folder: backlog_folder.Folder, task: str) -> str:
    import difflib

    tasks = [*folder.memories(), *folder.memories(archived=True)]
    near = difflib.get_close_matches(task.lower(), tasks, n=3)
    hint = f"; or did you mean {' or '.join(near)}?" if near else ""
    return f"{task} has no memory: {_way_in(folder, task)}{hint}"


def _way_in(folder: backlog_folder.Folder, task: str) -> str:
    name, file = _file(folder, task)
    is_done = file is not None and folder.config.stage(file.status) == DONE
    return f"agent-memory task {'reopen' if is_done else 'start'} {name}"


def _read_task_memory(
    folder: backlog_folder.Folder, name: str, path: str, archived: bool, order: list[str]
) -> TaskMemory:
    text = lifecycle.read_memory(folder, path).text
    says = {
        key: value
        for key, value in front_matter.read_fields(text).items()
        if isinstance(value, str)
    }
    state = ARCHIVED if archived else IN_PROGRESS if name in order else KEPT
    return TaskMemory(
        id=name,
        title=says.get("title", ""),
        path=folder.relative(path),
        state=state,
        active=state == IN_PROGRESS and name == folder.find_active(order),
        created=says.get("created", ""),
        updated=says.get("updated", ""),
        archived=says.get("archived", "") if archived else "",
    )


def read_text(project: Project, memory: TaskMemory) -> str:
    """Return the text of a memory file; raises OSError."""
    folder = backlog_folder.Folder(project.place.root)
    return lifecycle.read_memory(folder, os.path.join(folder.root, memory.path)).text


def find_active(project: Project) -> TaskMemory | None:
    """Return the memory of the active task, None if no task is in progress."""
    try:
        return find(project)
    except TaskError:
        return None


def list_memories(project: Project) -> list[TaskMemory]:
    """Return all memories: the active one, those in progress, kept ones, archived ones."""
    folder = backlog_folder.Folder(project.place.root)
    order = folder.in_progress
    memories = []
    for archived in (False, True):
        for name, path in folder.memories(archived).items():
            try:
                memories.append(_read_task_memory(folder, name, path, archived, order))
            except OSError as error:
                reason = error.strerror or str(error)
                event_log.write(project.place, "task.memory.unread", task_id=name, error=reason)
    states = (IN_PROGRESS, KEPT, ARCHIVED)
    return sorted(memories, key=lambda memory: (not memory.active, states.index(memory.state)))


def search(project: Project, words: str) -> list[TaskHit]:
    """Find the lines of memories that contain all the words; raises word_search.EmptyQuery."""
    wanted = word_search.parse_query(words)
    hits = []
    for memory in list_memories(project):
        try:
            whole = read_text(project, memory)
        except OSError:
            continue  # deleted since it was listed
        if word_search.contains_all(whole, wanted):  # parse only files that match
            hits += [TaskHit(memory, section, line) for section, line in _lines(whole, wanted)]
    return hits


def _lines(whole: str, wanted: list[str]) -> list[tuple[str, str]]:
    """Return (section, line without its bullet) of the lines that have all the words."""
    return [
        (section, line.strip().removeprefix("- "))
        for section, content in task_document.list_sections(whole)
        for line in content.splitlines()
        if line.strip() and word_search.contains_all(line, wanted)
    ]


# Writing.


def add_note(
    project: Project, task: str, entry: str, section: str = task_document.NOTES
) -> NoteResult:
    """Add a note to a task's memory; raises TaskError, task_document.InvalidNote or OSError."""
    with TaskTransaction(project) as transaction:
        name = _open_memory(transaction, task)
        read = transaction.read(transaction.path(name))
        seen = recent_notes.add_lost(transaction, name, read.text)
        moment = recent_notes.choose_update_time(seen)
        after = task_document.add_item(seen, section, entry)
        after = front_matter.set_fields(after, {"updated": moment})
        recent_notes.add(transaction, name, section, entry, moment)
        _write(transaction, name, read, after)
        memory = _read_task_memory(
            transaction.folder, name, transaction.path(name), False, transaction.in_progress
        )
    title = task_document.find_title(after, section)
    return NoteResult(memory, title)


def _read_open(transaction: TaskTransaction, name: str) -> TaskMemory:
    path = transaction.path(name)
    return _read_task_memory(transaction.folder, name, path, False, transaction.in_progress)


def add_decision(project: Project, task: str, entry: str) -> NoteResult:
    """Add a decision to a task's memory, as `add_note` does."""
    return add_note(project, task, entry, task_document.DECISIONS)


def _write(transaction: TaskTransaction, name: str, read: store.FileSnapshot, text: str) -> None:
    """Write a memory; if the new text must not be imported unchanged, change the import first."""
    if name == transaction.active:
        claude_import.refresh(transaction, soon=text)
    transaction.write(read, text)
    claude_import.refresh(transaction)


def _open_memory(transaction: TaskTransaction, task: str) -> str:
    """Return the id of the open memory of a task; created if the task has an open file."""
    wanted = task.strip() or transaction.active
    if not wanted:
        raise NoTask(NO_ACTIVE_TASK)
    wanted = _plain(transaction.folder, wanted)
    name, _path = transaction.folder.find_memory(wanted)
    if name:
        return name
    name, _path = transaction.folder.find_memory(wanted, archived=True)
    if name:
        raise TaskRefused(f"the memory of {name} is archived; agent-memory task reopen {name}")
    name, file = _file(transaction.folder, wanted)
    if not file or transaction.folder.config.stage(file.status) == DONE:
        raise NoTask(_format_unknown(transaction.folder, wanted))
    _begin(transaction, name, file.title, "")
    return name


def _file(
    folder: backlog_folder.Folder, task: str
) -> tuple[str, backlog_format.BacklogTask | None]:
    """Return (id in the file name, parsed file) of a task, (task, None) without a file."""
    path = folder.find(task)
    stem = backlog_format.parse_file_name(os.path.basename(path)) if path else task
    return stem, folder.read_task(path) if path else None


def _begin(transaction: TaskTransaction, name: str, title: str, template: str) -> None:
    _stem, file = _file(transaction.folder, name)
    kind = task_templates.choose(file.kind, file.labels) if file else task_templates.DEFAULT
    transaction.begin(name, title, template or kind)


# The life cycle.


def start(project: Project, task: str, title: str = "", template: str = "") -> ActionResult:
    """Create or resume the memory of a task and make it the active one.

    If the task is in Backlog.md, its status changes too.  Raises TaskError, also for a task
    that is done, or task_templates.NoTemplate.
    """
    with TaskTransaction(project) as transaction:
        sync.update_locked(transaction)
        name, file = _to_start(transaction, task)
        if template:
            task_templates.read(task_templates.list_levels(project), template)
        if file:
            sync.free_reused_id(transaction, name, file)
        what = "is in progress already"
        if transaction.has(name, archived=True) and not transaction.has(name):
            transaction.restore(name)
            what = "restored"
        elif not transaction.has(name):
            _begin(transaction, name, title or (file.title if file else ""), template)
            what = "begun"
        elif name not in transaction.in_progress:
            what = "taken up again"
        transaction.make_active(name)
        claude_import.refresh(transaction)
    problems = _move(project, name, STARTED)
    return ActionResult(find(project, name), what, problems)


def _to_start(
    transaction: TaskTransaction, task: str
) -> tuple[str, backlog_format.BacklogTask | None]:
    """Return the id and the file of a task to start; raises TaskRefused."""
    wanted = _plain(transaction.folder, task) if task.strip() else transaction.active
    if not wanted:
        raise TaskRefused("no task given: use agent-memory task start ID")
    name, file = _file(transaction.folder, wanted)
    ended = transaction.folder.find(wanted, backlog_folder.COMPLETED) if file is None else ""
    if ended:
        stem = backlog_format.parse_file_name(os.path.basename(ended))
        raise TaskRefused(
            f"{stem} is completed; restore its memory with: agent-memory task reopen {stem}"
        )
    if file and transaction.folder.config.stage(file.status) == DONE:
        raise TaskRefused(f"{name} is {file.status}; agent-memory task reopen {name}")
    if file is None:
        stems = (transaction.folder.find_memory(wanted, archived)[0] for archived in (False, True))
        name = next(filter(None, stems), wanted)
    return name, file


def finish(project: Project, task: str = "") -> ActionResult:
    """Archive the memory of a finished task and append its decisions to the task."""
    with TaskTransaction(project) as transaction:
        sync.update_locked(transaction)
        name = _find_existing(transaction, task)
        what = "archived"
        if transaction.has(name):
            transaction.archive(name)
        else:
            what = "is archived already"
            transaction.pause(name)
        decision_notes.add_pending(transaction, name)
        claude_import.refresh(transaction)
    problems = _move(project, name, DONE) + decision_notes.send(
        project, decision_notes.COMMAND_WAIT
    )
    return ActionResult(find(project, name), what, problems)


def archive(project: Project, task: str = "") -> ActionResult:
    """Archive the memory of a task, whatever its status."""
    with TaskTransaction(project) as transaction:
        sync.update_locked(transaction)
        name = _find_existing(transaction, task)
        what = "archived" if transaction.has(name) else "is archived already"
        if transaction.has(name):
            transaction.archive(name)
        claude_import.refresh(transaction)
    return ActionResult(find(project, name), what, [])


def reopen(project: Project, task: str) -> ActionResult:
    """Restore the memory of a task, or create one for a Backlog.md task; make it active."""
    with TaskTransaction(project) as transaction:
        sync.update_locked(transaction)
        name, file = _file(transaction.folder, _plain(transaction.folder, task))
        what = "taken up again"
        if file and not any(transaction.has(name, archived) for archived in (False, True)):
            _begin(transaction, name, file.title, "")
            what = "begun"
        name = _find_existing(transaction, task)
        if not transaction.has(name):
            transaction.restore(name)
            what = "restored"
        transaction.make_active(name)
        claude_import.refresh(transaction)
    problems = _move(project, name, STARTED)
    return ActionResult(find(project, name), what, problems)


def delete(project: Project, memory: TaskMemory) -> None:
    """Remove the memory of a task for good, without asking."""
    with TaskTransaction(project) as transaction:
        sync.update_locked(transaction)
        transaction.delete(memory.id, memory.state == ARCHIVED)
        claude_import.refresh(transaction)


def _find_existing(transaction: TaskTransaction, task: str) -> str:
    """Return the id of an existing memory, open or archived; raises NoTask."""
    wanted = task.strip() or transaction.active
    if not wanted:
        raise NoTask("no task is in progress; name one: agent-memory task list")
    for archived in (False, True):
        name, _path = transaction.folder.find_memory(_plain(transaction.folder, wanted), archived)
        if name:
            return name
    raise NoTask(_format_unknown(transaction.folder, wanted))


def _move(project: Project, name: str, stage: str) -> list[str]:
    """Change the status of a task in Backlog.md, if it has one; return the problems."""
    folder = backlog_folder.Folder(project.place.root)
    path = folder.find(name)
    file = folder.read_task(path) if path else None
    problems = []
    if file and folder.config.stage(file.status) != stage:
        status = folder.config.choose_status(stage)
        try:
            if not status:
                raise backlog_folder.CommandFailed(f"no status of this project means {stage}")
            backlog_folder.run_command(
                folder, ["task", "edit", name, "-s", status], decision_notes.COMMAND_WAIT
            )
        except backlog_folder.CommandFailed as error:
            problems.append(f"{name} stays {file.status or 'as it is'} in Backlog.md: {error}")
    sync.update(project)
    return problems


# Cleaning up.


class StaleMemory(NamedTuple):
    """A memory that cleaning would archive or delete."""

    memory: TaskMemory
    will_delete: bool


def find_stale(project: Project, archive_before: str, delete_before: str) -> list[StaleMemory]:
    """Return the memories to archive and to delete: not changed, or archived, before a time.

    Times are in the format of memories; "" selects nothing.  The times in the files count, not
    the mtime, which git changes.  Memories of tasks in progress are kept.
    """
    stale = []
    for memory in list_memories(project):
        if memory.state == KEPT and memory.updated and memory.updated < archive_before:
            stale.append(StaleMemory(memory, False))
        elif memory.state == ARCHIVED and memory.archived and memory.archived < delete_before:
            stale.append(StaleMemory(memory, True))
    return stale


# Memories per lock: other processes wait at most 2 seconds for it.
BATCH_SIZE = 20


def clean_up(
    project: Project,
    stales: list[StaleMemory],
    along: Callable[[Collection[list[StaleMemory]]], Iterable[list[StaleMemory]]] = iter,
) -> None:
    """Archive or delete these memories; one that was started meanwhile is kept."""
    batches = [stales[at : at + BATCH_SIZE] for at in range(0, len(stales), BATCH_SIZE)]
    for batch in along(batches):
        with TaskTransaction(project) as transaction:
            sync.update_locked(transaction)
            for memory, is_deleted in batch:
                if memory.id in transaction.in_progress or not transaction.has(
                    memory.id, memory.state == ARCHIVED
                ):
                    continue
                if is_deleted:
                    transaction.delete(memory.id, archived=True)
                else:
                    transaction.archive(memory.id)
            claude_import.refresh(transaction)


# Importing.


def import_text(project: Project, task: str, content: str = "") -> tuple[TaskMemory, int]:
    """Add the parts of a Markdown text, or of the task's own file; return how many were new.

    Parts go to the section with the same title, otherwise to the notes.  Creates the memory if
    there is none.
    """
    with TaskTransaction(project) as transaction:
        wanted = _plain(transaction.folder, task) if task.strip() else transaction.active
        if not wanted:
            raise NoTask(NO_ACTIVE_TASK)
        name, file = _file(transaction.folder, wanted)
        if not content and file is None:
            raise NoTask(f"{wanted} has no Backlog.md file: name the file to import")
        parts = (
            task_document.parse_parts(content) if content else _of_file(transaction.folder, name)
        )
        name = _ready(transaction, wanted)
        read = transaction.read(transaction.path(name))
        named = [(section or task_document.NOTES, part) for section, part in parts]
        after = task_document.add_parts(read.text, named)
        count = sum(not task_document.contains(read.text, part) for _section, part in parts)
        if after != read.text:
            after = front_matter.set_fields(after, {"updated": backlog_folder.now()})
        _write(transaction, name, read, after)
        return _read_task_memory(
            transaction.folder, name, transaction.path(name), False, transaction.in_progress
        ), count


def _ready(transaction: TaskTransaction, wanted: str) -> str:
    """Return the id of an open memory, created if there is none; raises TaskRefused."""
    has_memory = any(
        transaction.folder.find_memory(wanted, archived)[0] for archived in (False, True)
    )
    if not has_memory:
        name, file = _file(transaction.folder, wanted)
        _begin(transaction, name, file.title if file else "", "")
        return name
    return _open_memory(transaction, wanted)


def _of_file(folder: backlog_folder.Folder, name: str) -> list[tuple[str, str]]:
    """Return the (section, part) pairs of a task's own file."""
    with open(folder.find(name), encoding="utf-8", errors="replace") as file:
        text = file.read()
    return [
        (section, part)
        for title, section in TARGET_SECTIONS.items()
        for _title, part in task_document.parse_parts(backlog_format.extract_section(text, title))
    ]
