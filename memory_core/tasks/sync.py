"""Bring the task memories in line with Backlog.md's task files.

A hook or a command only starts this; the task files say what changed, whoever changed them.
Only changes since the last scan count (see `seen_files`), so a memory that a person archived
stays archived while its task goes on.
"""

from __future__ import annotations

from memory_core.tasks import (
    backlog_folder,
    backlog_format,
    claude_md_import,
    decision_notes,
    recent_notes,
    seen_files,
)
from memory_core.tasks.backlog_format import DONE, STARTED
from memory_core.tasks.lifecycle import TaskTransaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory.project import Project
    from memory_core.tasks.backlog_format import BacklogTask
    from memory_core.tasks.seen_files import TaskFile


def update(project: Project) -> None:
    """Update the memories, the active task and the imported file, if a task file changed.

    Raises OSError if a file cannot be read or written, or if the lock is not free.
    """
    folder = backlog_folder.Folder(project.paths.root)
    if not backlog_folder.is_enabled(project, folder):
        if folder.exists and claude_md_import.list_imports(folder):
            with TaskTransaction(project) as transaction:
                claude_md_import.refresh(transaction)  # removes the import
    elif not seen_files.is_unchanged(project, folder):
        with TaskTransaction(project) as transaction:
            scan(transaction)


def update_locked(transaction: TaskTransaction) -> None:
    """Update as `update` does, at the start of another change under the same lock.

    Otherwise an older, unseen task change would be applied after this one and undo it.
    """
    project, folder = transaction.project, transaction.folder
    if backlog_folder.is_enabled(project, folder) and not seen_files.is_unchanged(project, folder):
        scan(transaction)


def scan(transaction: TaskTransaction) -> None:
    """Compare all task files with the record of the last scan, and update the memories."""
    before = seen_files.load(transaction.project, transaction.folder)
    previous = before or {}
    files = _list_files(transaction, previous)
    _rename_memories(transaction, files)
    recent_notes.restore_lost(transaction)
    for key, file in sorted(files.items(), key=lambda entry: entry[1].stamp):
        old = previous.get(key)
        if old is None or old.stage != file.stage:
            _apply_stage(transaction, file)
            if old and file.stage == DONE:  # also if the memory was archived earlier
                decision_notes.add_unsent(transaction, file.task)
        elif old.stamp != file.stamp:
            _update_title(transaction, file)
    for key, is_completed in _list_gone(transaction, previous, files, before is None):
        folder = transaction.folder
        task = folder.find_memory(key) or folder.find_memory(key, archived=True)
        if is_completed and transaction.has(task):
            transaction.archive(task)
        elif task:
            transaction.pause(task)
    claude_md_import.refresh(transaction)
    seen_files.save(transaction, files)


def _list_files(transaction: TaskTransaction, previous: dict[str, TaskFile]) -> dict[str, TaskFile]:
    """Return the files of open tasks by normalized id; only changed files are read."""
    folder = transaction.folder
    files: dict[str, TaskFile] = {}
    for entry in folder.files():
        task = backlog_format.parse_file_name(entry.name)
        stamp = seen_files.read_stamp(entry.path)
        old = previous.get(folder.key(task))
        if old and (old.task, old.stamp) == (task, stamp):
            stage = old.stage
        else:
            fields = folder.read_task(entry.path)
            if not stamp or not (fields or old):
                continue
            # A file without a status is just being written: the previous stage counts.
            status = fields.status if fields else ""
            stage = old.stage if old and not status else folder.config.stage(status)
        files[folder.key(task)] = seen_files.TaskFile(stage, task, stamp, entry.path)
    return files


def _rename_memories(transaction: TaskTransaction, files: dict[str, TaskFile]) -> None:
    """Rename memories whose task file spells the id differently."""
    for archived in (False, True):
        for task in transaction.folder.memories(archived):
            file = files.get(transaction.folder.key(task))
            if file and file.task != task and not transaction.has(file.task, archived):
                transaction.rename(task, file.task, archived)


def _list_gone(
    transaction: TaskTransaction,
    previous: dict[str, TaskFile],
    files: dict[str, TaskFile],
    is_first: bool,
) -> list[tuple[str, bool]]:
    """Return (key, whether Backlog.md completed it) of the tasks whose open file is gone.

    The first scan has nothing to compare with: it takes the tasks that have a memory and that
    Backlog.md completed or archived.
    """
    folder = transaction.folder
    memories = folder.memories() if is_first else {}
    gone = sorted({*previous, *map(folder.key, memories)} - set(files))
    if not gone:
        return []
    completed = _list_keys(folder, backlog_folder.COMPLETED)
    removed = {*previous, *(_list_keys(folder, backlog_folder.ARCHIVED) if is_first else ())}
    return [(key, key in completed) for key in gone if key in completed | removed]


def _list_keys(folder: backlog_folder.Folder, place: str) -> set[str]:
    names = (backlog_format.parse_file_name(entry.name) for entry in folder.files(place))
    return set(map(folder.key, names))


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
    from memory_core.tasks.task_templates import choose

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
    from memory_core.tasks import task_document

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
