"""Bring the task memories in line with Backlog.md's task files.

A hook or a command only starts this; the task files say what changed, whoever changed them.
Only changes since the last scan count (see `seen_files`), so a memory that a person archived
stays archived while its task goes on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator

from memory_core.files.safe_files import Refused
from memory_core.storage.project import Project
from memory_core.tasks import (
    backlog_folder,
    backlog_format,
    claude_md_import,
    decision_notes,
    recent_notes,
    seen_files,
    task_document,
)
from memory_core.tasks.backlog_format import DONE, STARTED, BacklogTask
from memory_core.tasks.lifecycle import TaskTransaction
from memory_core.tasks.seen_files import TaskFile
from memory_core.tasks.task_templates import choose

# Seconds that a hook may spend in each part of a scan; the next one continues.  A project may
# have thousands of task files that are all new to this machine.
HOOK_SECONDS = 0.25

# Tasks that each scan handles, however slow the machine is.
MIN_TASKS = 5


def update(project: Project, seconds: float = float("inf")) -> None:
    """Update the memories, the active task and the imported file, if a task file changed.

    After `seconds` the rest is left to the next update.  Raises OSError if a file cannot be read
    or written, or if the lock is not free.
    """
    folder = backlog_folder.Folder(project.paths.files)
    if not backlog_folder.is_enabled(project, folder):
        if folder.exists and claude_md_import.list_imports(folder):
            with TaskTransaction(project) as transaction:
                claude_md_import.refresh(transaction)  # removes the import
    elif not seen_files.is_unchanged(project, folder):
        with TaskTransaction(project) as transaction:
            scan(transaction, seconds)


def update_locked(transaction: TaskTransaction) -> None:
    """Update as `update` does, at the start of another change under the same lock.

    Otherwise an older, unseen task change would be applied after this one and undo it.
    """
    project, folder = transaction.project, transaction.folder
    if backlog_folder.is_enabled(project, folder) and not seen_files.is_unchanged(project, folder):
        scan(transaction)


def scan(transaction: TaskTransaction, seconds: float = float("inf")) -> None:
    """Compare all task files with the record of the last scan, and update the memories."""
    before = seen_files.load(transaction.project, transaction.folder)
    previous = before or {}
    files = _list_files(transaction, previous, seconds)
    transaction.task_files = {file.task: file.path for file in files.values()}
    _rename_memories(transaction, files, seconds)
    _try(transaction, "", lambda: recent_notes.restore_lost(transaction))
    changed = [
        key
        for key, file in sorted(files.items(), key=lambda entry: entry[1].stamp)
        if key not in previous or file.stamp != previous[key].stamp
    ]
    gone = _list_gone(transaction, previous, files, before is None)
    waiting = {*changed, *gone}
    for key in _limit(changed, seconds):
        _apply_change(transaction, files[key], previous.get(key))
        waiting.discard(key)
    for key in _limit(gone, seconds):
        _leave(transaction, key, gone[key])
        waiting.discard(key)
    for key in waiting:  # the next scan sees these changes again
        if key in previous:
            files[key] = previous[key]
        else:
            files.pop(key, None)
    claude_md_import.refresh(transaction)
    seen_files.save(transaction, files)


def _limit(items: Iterable[str], seconds: float) -> Iterator[str]:
    """Return the items that come before a time in seconds is over, but at least MIN_TASKS."""
    end = time.monotonic() + seconds
    for count, item in enumerate(items):
        if count >= MIN_TASKS and time.monotonic() > end:
            return
        yield item


def _try(transaction: TaskTransaction, task: str, work: Callable[[], None]) -> None:
    """Do what a link or a file that is too large may prevent, which is logged."""
    try:
        work()
    except Refused as error:
        transaction.log("refused", task, error=str(error))


def _list_files(
    transaction: TaskTransaction, previous: dict[str, TaskFile], seconds: float
) -> dict[str, TaskFile]:
    """Return the files of open tasks by normalized id; only changed files are read.

    A changed file that is not read in time has the state of the last scan, or is missing.
    """
    folder = transaction.folder
    files: dict[str, TaskFile] = {}
    changed: dict[str, tuple[str, list[int]]] = {}
    for name, status in folder.list_task_files():
        task, stamp = backlog_format.parse_file_name(name), backlog_folder.make_stamp(status)
        key, path = folder.key(task), os.path.join(folder.path, backlog_folder.OPEN, name)
        old = previous.get(key)
        if old and (old.task, old.stamp) == (task, stamp):
            files[key] = seen_files.TaskFile(old.stage, task, stamp, path)
            continue
        changed[path] = task, stamp
        if old:
            files[key] = old
    for path in _limit(changed, seconds):
        task, stamp = changed[path]
        key = folder.key(task)
        old, fields = previous.get(key), folder.read_task(path)
        if fields or old:
            # A file without a status is just being written: the previous stage counts.
            status_name = fields.status if fields else ""
            stage = old.stage if old and not status_name else folder.config.stage(status_name)
            files[key] = seen_files.TaskFile(stage, task, stamp, path)
    return files


def _rename_memories(
    transaction: TaskTransaction, files: dict[str, TaskFile], seconds: float
) -> None:
    """Rename memories whose task file spells the id differently."""
    folder = transaction.folder
    for archived in (False, True):
        memories = {task: files.get(folder.key(task)) for task in folder.memories(archived)}
        other = {task: file.task for task, file in memories.items() if file and file.task != task}
        for task in _limit(other, seconds):
            if not transaction.has(other[task], archived):
                _rename(transaction, task, other[task], archived)


def _rename(transaction: TaskTransaction, task: str, new: str, archived: bool) -> None:
    _try(transaction, task, lambda: transaction.rename(task, new, archived))


def _list_gone(
    transaction: TaskTransaction,
    previous: dict[str, TaskFile],
    files: dict[str, TaskFile],
    is_first: bool,
) -> dict[str, bool]:
    """Return whether Backlog.md completed it, by key, of the tasks whose open file is gone.

    The first scan has nothing to compare with: it takes the tasks that have a memory and that
    Backlog.md completed or archived.
    """
    folder = transaction.folder
    memories = folder.memories() if is_first else {}
    gone = sorted({*previous, *map(folder.key, memories)} - set(files))
    if not gone:
        return {}
    completed = _list_keys(folder, backlog_folder.COMPLETED)
    removed = {*previous, *(_list_keys(folder, backlog_folder.ARCHIVED) if is_first else ())}
    return {key: key in completed for key in gone if key in completed | removed}


def _list_keys(folder: backlog_folder.Folder, place: str) -> set[str]:
    names = (
        backlog_format.parse_file_name(name) for name, _status in folder.list_task_files(place)
    )
    return set(map(folder.key, names))


def _leave(transaction: TaskTransaction, key: str, is_completed: bool) -> None:
    """Archive or pause the memory of a task whose open file is gone."""
    folder = transaction.folder
    task = folder.find_memory(key) or folder.find_memory(key, archived=True)
    if is_completed and transaction.has(task):
        _try(transaction, task, lambda: transaction.archive(task))
    elif task:
        transaction.pause(task)


def _apply_change(transaction: TaskTransaction, file: TaskFile, old: TaskFile | None) -> None:
    """Update the memory of a task whose file changed since the last scan."""

    def work() -> None:
        if old and old.stage == file.stage:
            _update_title(transaction, file)
            return
        _apply_stage(transaction, file)
        if old and file.stage == DONE:  # also if the memory was archived earlier
            decision_notes.add_unsent(transaction, file.task)

    _try(transaction, file.task, work)


def _apply_stage(transaction: TaskTransaction, file: TaskFile) -> None:
    """Start, archive or pause the memory of a task that came to another stage."""
    if file.stage == STARTED:
        _start(transaction, file)
    elif file.stage == DONE and transaction.has(file.task):
        transaction.archive(file.task)
        decision_notes.add_unsent(transaction, file.task)
    else:
        transaction.pause(file.task)


def _start(transaction: TaskTransaction, file: TaskFile) -> None:
    task, fields = file.task, transaction.folder.read_task(file.path)
    if fields is None:
        return
    free_reused_id(transaction, task, fields)
    if transaction.has(task):
        transaction.link_task_file(task)  # an editor may have removed the line
    elif transaction.has(task, archived=True):
        transaction.restore(task)
    else:
        transaction.begin(task, fields.title, choose(fields.kind, fields.labels))
    _update_title(transaction, file)
    if task not in transaction.in_progress:
        transaction.make_active(task)


def _update_title(transaction: TaskTransaction, file: TaskFile) -> None:
    fields = transaction.folder.read_task(file.path) if transaction.has(file.task) else None
    if fields and fields.title and fields.title != transaction.read_title(file.task):
        transaction.set_title(file.task, False, fields.title)


def free_reused_id(transaction: TaskTransaction, task: str, fields: BacklogTask) -> None:
    """Move the memory of an older task with the same id out of the way.

    Backlog.md gives the id of an archived task to the next one that is created.
    """
    if not fields.created or not transaction.folder.find(task, backlog_folder.ARCHIVED):
        return
    for archived in (False, True):
        if not transaction.has(task, archived):
            continue
        text = transaction.read(transaction.path(task, archived)).text
        created = task_document.read_field(text, "created")[: len(fields.created)]
        # The title decides between two tasks that were created in the same minute.
        is_same_minute = created == fields.created
        is_renamed = task_document.read_field(text, "title") != fields.title
        if created and (created < fields.created or (is_same_minute and is_renamed)):
            transaction.free_id(task, archived)
