"""The actions on task memories: find, list, search, start, finish, archive, delete.

A task may be named by any spelling of its id that Backlog.md accepts; "" is the active task.
"""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from memory_core.claude_code.agent_names import PM
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.selection.passages import estimate_tokens
from memory_core.storage import event_log
from memory_core.storage.project import Project
from memory_core.tasks import backlog_folder, claude_md_import, lifecycle, sync, task_document
from memory_core.tasks.backlog_folder import Folder
from memory_core.tasks.backlog_format import DONE, STARTED, BacklogTask, is_safe_id, parse_file_name
from memory_core.tasks.lifecycle import TaskTransaction
from memory_core.text import front_matter, word_search
from memory_core.text.times import format_utc

STATES = IN_PROGRESS, KEPT, ARCHIVED = "in progress", "kept", "archived"

NO_ACTIVE_TASK = "no task is in progress; name one, or start one: agent-memory task start ID"


class TaskError(ValueError):
    """A request that cannot be carried out; the message says why and what to do."""

    status = 2


class NoTask(TaskError):
    """The task does not exist or does not have a memory."""

    status = 1


class TaskMemory(NamedTuple):
    """A memory of a task: its text and its place, relative to the project; times are UTC.

    `state` is IN_PROGRESS, KEPT or ARCHIVED; `archived` is "" if it is not archived.
    """

    id: str
    path: str
    text: str
    state: str
    active: bool
    title: str
    created: str
    updated: str
    archived: str

    @property
    def changed(self) -> str:
        """The last change, by the times in the file; "" if it has none."""
        return self.archived or self.updated or self.created


# The fields of TaskMemory from the front matter.
FIELDS = ("title", "created", "updated", "archived")


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
    folder = Folder(project.paths.files)
    wanted = _parse_id(task or folder.active)
    if not (name := folder.find_memory(wanted)):
        raise _explain_missing(folder, wanted)
    return _read_task_memory(folder, name, name not in folder.memories())


def _parse_id(task: str) -> str:
    """Return an id in lower case; raises TaskError if it is empty or cannot be a file name."""
    name = task.strip().lower()
    if not name:
        raise NoTask(NO_ACTIVE_TASK)
    if not is_safe_id(name):
        raise TaskError(
            f"invalid task id {task!r}: use letters and digits, with . _ or - between them;"
            " a title goes behind --title"
        )
    return name


def _explain_missing(folder: Folder, task: str) -> NoTask:
    """Return the error for a task without a memory; raises OSError if its file is refused."""
    folder.check_file(folder.memory_path(task))
    tasks = [*folder.memories(), *folder.memories(archived=True)]
    near = difflib.get_close_matches(task, tasks, n=3)
    hint = f"; or did you mean {' or '.join(near)}?" if near else ""
    name, file = _find_task(folder, task)
    command = f"agent-memory task {'reopen' if _is_done(folder, file) else 'start'} {name}"
    return NoTask(f"{task} has no memory: {command}{hint}")


def _is_done(folder: Folder, file: BacklogTask | None) -> bool:
    return file is not None and folder.config.stage(file.status) == DONE


def _read_task_memory(folder: Folder, name: str, archived: bool) -> TaskMemory:
    path = folder.memory_path(name, archived)
    text = lifecycle.read_memory(folder, path).text
    fields = {key: task_document.read_field(text, key) for key in FIELDS}
    state = ARCHIVED if archived else IN_PROGRESS if name in folder.in_progress else KEPT
    is_active = state == IN_PROGRESS and name == folder.active
    return TaskMemory(name, folder.files.relative(path), text, state, is_active, **fields)


def list_memories(project: Project) -> list[TaskMemory]:
    """Return all memories: the active one, those in progress, kept ones, archived ones."""
    folder = Folder(project.paths.files)
    memories = []
    for archived in (False, True):
        for name in folder.memories(archived):
            try:
                memories.append(_read_task_memory(folder, name, archived))
            except OSError as error:
                reason = error.strerror or str(error)
                event_log.write(project.paths, "task.memory.unread", task_id=name, error=reason)
    return sorted(memories, key=lambda memory: (not memory.active, STATES.index(memory.state)))


def search(project: Project, words: str) -> list[TaskHit]:
    """Find the lines of memories that contain all the words; raises word_search.EmptyQuery."""
    wanted = word_search.parse_query(words)
    hits = []
    for memory in list_memories(project):
        hits += [
            TaskHit(memory, section, line.strip().removeprefix("- "))
            for section, content in task_document.list_sections(memory.text)
            for line in content.splitlines()
            if line.strip() and word_search.contains_all(line, wanted)
        ]
    return hits


# Writing.


def add_note(
    project: Project,
    task: str,
    entry: str,
    section: str = task_document.NOTES,
    is_persons: bool = True,
) -> tuple[TaskMemory, str]:
    """Add a note to a task's memory; return the memory and the section.

    Raises TaskError, task_document.InvalidNote or OSError.  A note that is not a person's waits in
    the review of PM if it may be poisoned, and without its secrets if it has some.
    """
    if not is_persons:
        _check_note(project, task, f"{section}: {entry}", entry)
    elif reason := scanner.refuse(f"{section}: {entry}"):
        raise task_document.InvalidNote(reason)
    with sync.change_memories(project) as transaction:
        name = _open_memory(transaction, task)
        read = lifecycle.read_memory(transaction, transaction.memory_path(name))
        after, title = task_document.add_item(read.text, section, entry)
        after = front_matter.set_fields(after, {"updated": backlog_folder.now()})
        if name == transaction.active:  # first, if the new text must not be imported unchanged
            claude_md_import.refresh(transaction, next_text=after)
        transaction.write(read, after)
        return _read_task_memory(transaction, name, False), title


def _check_note(project: Project, task: str, text: str, entry: str) -> None:
    _text, reason = text_origins.hold(text)
    if not reason:
        return
    reason = f"note for {task or 'the active task'}; {reason}"
    content = " ".join(scanner.redact(entry).split())
    waiting = {"type": "context", "content": content, "reason": reason}
    with project.store.lock(PM):
        project.store.add_to_review(PM, [waiting], format_utc(time.time()))
    raise TaskError(f"not added, it waits in agent-memory review PM: {reason}")


def _open_memory(transaction: TaskTransaction, task: str) -> str:
    """Return the id of the open memory of a task; created if the task has an open file."""
    wanted = _parse_id(task or transaction.active)
    name, file = _find_task(transaction, wanted)
    if transaction.has(name):
        return name
    if transaction.has(name, archived=True):
        raise TaskError(f"the memory of {name} is archived; agent-memory task reopen {name}")
    if not file or _is_done(transaction, file):
        raise _explain_missing(transaction, wanted)
    transaction.open(name, file)
    return name


def _find_task(folder: Folder, wanted: str) -> tuple[str, BacklogTask | None]:
    """Return the id of a task, as its memory or its file spells it, and its parsed file."""
    path = folder.find(wanted) or folder.find(wanted, backlog_folder.COMPLETED)
    stem = parse_file_name(os.path.basename(path)) if path else wanted
    return folder.find_memory(wanted) or stem, folder.read_task(path) if path else None


# The life cycle.


def start(
    project: Project, task: str, title: str = "", template: str = "", reopens: bool = False
) -> ActionResult:
    """Create, resume or restore the memory of a task and make it the active one.

    If the task is in Backlog.md, its status changes too.  Raises TaskError, also for a task
    that is done unless it `reopens` it, which must have a memory or be in Backlog.md.
    """
    with sync.change_memories(project) as transaction:
        name, file = _find_task(transaction, _parse_id(task or transaction.active))
        if reopens and not file:
            find(project, name)  # raises NoTask
        elif _is_done(transaction, file) and not reopens:
            raise TaskError(f"{name} is done; agent-memory task reopen {name}")
        usual = "in progress already" if name in transaction.in_progress else "reopened"
        what = transaction.open(name, file, title, template) or usual
        transaction.make_active(name)
    return ActionResult(find(project, name), what, _move(project, name, STARTED))


def finish(project: Project, task: str = "") -> ActionResult:
    """Archive the memory of a finished task, whose status changes, too."""
    result = archive(project, task)
    return result._replace(problems=_move(project, result.memory.id, DONE))


def archive(project: Project, task: str = "") -> ActionResult:
    """Archive the memory of a task, whatever its status."""
    with sync.change_memories(project) as transaction:
        name = find(project, task).id
        what = "archived" if transaction.has(name) else "archived already"
        if transaction.has(name):
            transaction.archive(name)
    return ActionResult(find(project, name), what, [])


def delete(project: Project, memory: TaskMemory) -> None:
    """Remove the memory of a task for good, without asking."""
    with sync.change_memories(project) as transaction:
        transaction.delete(memory.id, memory.state == ARCHIVED)


def _move(project: Project, name: str, stage: str) -> list[str]:
    """Change the status of a task in Backlog.md, if it has one; return the problems."""
    folder = Folder(project.paths.files)
    _name, file = _find_task(folder, name)
    problems = []
    if file and folder.config.stage(file.status) != stage:
        reason = f"no status of this project means {stage}"
        if status := folder.config.choose_status(stage):
            reason = backlog_folder.run_command(folder, ["task", "edit", name, "-s", status])
        if reason:
            problems.append(f"{name} stays {file.status or 'as it is'} in Backlog.md: {reason}")
    sync.update(project)
    return problems


def set_up(project: Project) -> None:
    """Add the import of the folder's CLAUDE.md to the root's.

    Raises safe_files.Refused if one of them is a link.
    """
    with sync.change_memories(project) as transaction:
        transaction.check_file(os.path.join(transaction.path, claude_md_import.CLAUDE_FILE))
        for change in claude_md_import.plan_set_up(transaction):
            claude_md_import.write(transaction, change)


# Cleaning up.


def find_stale(project: Project, archive_before: str, delete_before: str) -> list[TaskMemory]:
    """Return the memories to archive or, if they are archived, to delete.

    Times are in the format of memories; "" selects nothing.  The times in the files count.
    Memories without a time, and of tasks in progress, are kept.
    """
    until = {KEPT: archive_before, ARCHIVED: delete_before}
    return [one for one in list_memories(project) if "" < one.changed < until.get(one.state, "")]


def clean_up(project: Project, stale: Sequence[TaskMemory]) -> list[TaskMemory]:
    """Archive these memories, or delete archived ones, and return them; one that changed stays."""
    with sync.change_memories(project) as transaction:
        unchanged = [memory for memory in list_memories(project) if memory in stale]
        for memory in unchanged:
            if memory.state == ARCHIVED:
                transaction.delete(memory.id, archived=True)
            else:
                transaction.archive(memory.id)
    return unchanged


class ImportedFile(NamedTuple):
    """The file that a session imports: its relative path, and its size in tokens.

    `is_copy`: it is not the memory itself, which is over the budget or contains imports.
    """

    path: str
    is_copy: bool
    tokens: int


class TaskStatus(NamedTuple):
    """The state of task memory.

    `folder` is the relative path of the memories; `is_enabled` is the setting; `is_set_up` says
    whether the root's CLAUDE.md imports the folder's, and `imported` is the file that the latter
    imports; `has_command` says whether Backlog.md's command is installed.
    """

    folder: str
    is_enabled: bool
    active: TaskMemory | None
    counts: dict[str, int]
    is_set_up: bool
    imported: ImportedFile | None
    budget: int
    has_command: bool


def read_status(project: Project) -> TaskStatus:
    """Return the state of task memory; raises OSError if a file cannot be read."""
    folder = Folder(project.paths.files)
    memories = list_memories(project)
    is_set_up = claude_md_import.is_set_up(folder)
    return TaskStatus(
        folder=folder.files.relative(folder.memory),
        is_enabled=bool(project.config["enabled"] and project.config["tasks"]["enabled"]),
        active=next((memory for memory in memories if memory.active), None),
        counts={state: sum(memory.state == state for memory in memories) for state in STATES},
        is_set_up=is_set_up,
        imported=_find_import(folder) if is_set_up else None,
        budget=project.config["tasks"]["budget_tokens"],
        has_command=bool(backlog_folder.find_program()),
    )


def _find_import(folder: Folder) -> ImportedFile | None:
    if not (path := next(iter(claude_md_import.list_imports(folder)), "")):
        return None
    body = front_matter.read_body(folder.files.read_text(path))
    is_copy = os.path.dirname(path) != folder.memory
    return ImportedFile(folder.files.relative(path), is_copy, estimate_tokens(body))
