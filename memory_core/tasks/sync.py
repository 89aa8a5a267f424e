"""Bring the task memories in line with Backlog.md's task files.

A hook or a command only starts this; the task files say what changed, whoever changed them.
Only changes since the last scan count (see `seen_files`), so a memory that a person archived
stays archived while its task goes on.
"""

from __future__ import annotations

from memory_core.tasks import (
    backlog_folder,
    backlog_format,
    claude_import,
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

# Where a task went whose file is no longer in tasks/.
COMPLETED, REMOVED = "completed", "removed"


def update(project: Project) -> None:
    """Update the memories, the active task and the imported file, if a task file changed.

    Raises OSError if a file cannot be read or written, or if the lock is not free.
    """
    folder = backlog_folder.Folder(project.place.root)
    if not backlog_folder.is_enabled(project, folder):
        if folder.exists and claude_import.list_imports(folder):
            with TaskTransaction(project) as transaction:
                claude_import.refresh(transaction)  # removes the import
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
            _apply_stage(transaction, file.stem, file.stage, file)
            if old and file.stage == DONE:  # also if the memory was archived earlier
                decision_notes.add_pending(transaction, file.stem)
        elif old.stamp != file.stamp:
            _update_title(transaction, file)
    for key, place in _list_gone(transaction, previous, files, before is None):
        folder = transaction.folder
        name = folder.find_memory(key) or folder.find_memory(key, archived=True)
        if name:
            _apply_stage(transaction, name, place, None)
    claude_import.refresh(transaction)
    seen_files.save(transaction, files)


def _list_files(transaction: TaskTransaction, previous: dict[str, TaskFile]) -> dict[str, TaskFile]:
    """Return the files of open tasks by normalized id; only changed files are read."""
    folder = transaction.folder
    files: dict[str, TaskFile] = {}
    for entry in folder.files():
        stem = backlog_format.parse_file_name(entry.name)
        stamp = seen_files.read_stamp(entry.path)
        old = previous.get(folder.key(stem))
        if old and (old.stem, old.stamp) == (stem, stamp):
            stage = old.stage
        else:
            task = folder.read_task(entry.path)
            if not stamp or not (task or old):
                continue
            # A file without a status is just being written: the previous stage counts.
            status = task.status if task else ""
            stage = old.stage if old and not status else folder.config.stage(status)
        files[folder.key(stem)] = seen_files.TaskFile(stage, stem, stamp, entry.path)
    return files


def _rename_memories(transaction: TaskTransaction, files: dict[str, TaskFile]) -> None:
    """Rename memories whose task file spells the id differently."""
    for archived in (False, True):
        for name in transaction.folder.memories(archived):
            file = files.get(transaction.folder.key(name))
            if file and file.stem != name and not transaction.has(file.stem, archived):
                transaction.rename(name, file.stem, archived)


def _list_gone(
    transaction: TaskTransaction,
    previous: dict[str, TaskFile],
    files: dict[str, TaskFile],
    is_first: bool,
) -> list[tuple[str, str]]:
    """Return (key, COMPLETED or REMOVED) of the tasks whose open file is gone.

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
    return [
        (key, COMPLETED if key in completed else REMOVED)
        for key in gone
        if key in completed | removed
    ]


def _list_keys(folder: backlog_folder.Folder, place: str) -> set[str]:
    names = (backlog_format.parse_file_name(entry.name) for entry in folder.files(place))
    return set(map(folder.key, names))


def _apply_stage(
    transaction: TaskTransaction, name: str, stage: str, file: TaskFile | None
) -> None:
    """Start, archive or pause the memory of a task that came to a stage or a place."""
    if file and stage == STARTED:
        _start(transaction, file)
    elif stage in (DONE, COMPLETED) and transaction.has(name):
        transaction.archive(name)
        if stage == DONE:
            decision_notes.add_pending(transaction, name)
    else:
        transaction.pause(name)


def _start(transaction: TaskTransaction, file: TaskFile) -> None:
    from memory_core.tasks.task_templates import choose

    task = transaction.folder.read_task(file.path)
    if task is None:
        return
    name = file.stem
    free_reused_id(transaction, name, task)
    if transaction.has(name):
        transaction.link_task_file(name)  # an editor may have removed the line
    elif transaction.has(name, archived=True):
        transaction.restore(name)
    else:
        transaction.begin(name, task.title, choose(task.kind, task.labels))
    _update_title(transaction, file)
    if name not in transaction.in_progress:
        transaction.make_active(name)


def _update_title(transaction: TaskTransaction, file: TaskFile) -> None:
    task = transaction.folder.read_task(file.path) if transaction.has(file.stem) else None
    if task and task.title and task.title != transaction.read_title(file.stem):
        transaction.set_title(file.stem, False, task.title)


def free_reused_id(transaction: TaskTransaction, name: str, task: BacklogTask) -> None:
    """Move the memory of an older task with the same id out of the way.

    Backlog.md gives the id of an archived task to the next one that is created.
    """
    from memory_core.tasks import task_document

    if not task.created or not transaction.folder.find(name, backlog_folder.ARCHIVED):
        return
    for archived in (False, True):
        if not transaction.has(name, archived):
            continue
        text = transaction.read(transaction.path(name, archived)).text
        created = task_document.read_field(text, "created")[: len(task.created)]
        # The title decides between two tasks that were created in the same minute.
        is_same_minute = created == task.created
        is_renamed = task_document.read_field(text, "title") != task.title
        if created and (created < task.created or (is_same_minute and is_renamed)):
            transaction.free_id(name, archived)
