"""Bring the task memories in line with Backlog.md's task files.

A hook or a command only starts this; the task files say what changed, whoever changed them.
Only changes since the last scan count (see `load_seen`), so a memory that a person archived
stays archived while its task goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from memory_core.files.safe_files import Refused
from memory_core.storage import event_log, store
from memory_core.storage.project import Project
from memory_core.storage.run_records import SessionRuns
from memory_core.tasks import backlog_folder, backlog_format, claude_md_import
from memory_core.tasks.backlog_format import DONE, STARTED, BacklogTask
from memory_core.tasks.lifecycle import TaskTransaction
from memory_core.text import fastjson

# It is next to the locks of agents; no agent's file begins with a dot.
LOCK_NAME = ".tasks.lock"


def update(project: Project) -> None:
    """Update the memories, the active task and the imported file, if a task file changed.

    If a hook is killed, the next update goes on.  Raises OSError if a file cannot be read or
    written, or if the lock is not free.
    """
    folder = backlog_folder.Folder(project.paths.files)
    if backlog_folder.is_enabled(project, folder):
        is_due = not is_unchanged(project, folder)
    else:  # only an import is to be removed
        is_due = folder.exists and bool(claude_md_import.list_imports(folder))
    if is_due:
        with change_memories(project):
            pass


@contextmanager
def change_memories(project: Project) -> Iterator[TaskTransaction]:
    """Lock the memories, update them, let the caller change them, and update import and state.

    An unseen change of a task file comes first: it is older, and would undo that of the caller.
    Raises store.LockTimeout if another process keeps the lock for 2 seconds.
    """
    with store.hold_lock(project.paths, LOCK_NAME, store.LOCK_TIMEOUT):
        transaction = TaskTransaction(project)
        if backlog_folder.is_enabled(project, transaction):
            scan(transaction)
        yield transaction
        claude_md_import.refresh(transaction)
        if transaction.in_progress or transaction.state():
            transaction.write_state()


def scan(transaction: TaskTransaction) -> None:
    """Compare all task files with the record of the last scan, and update the memories."""
    previous = load_seen(transaction.project, transaction)
    files, tasks = _list_files(transaction, previous)
    for key, file in files.items():  # by the times of the files
        if key not in previous or file.stamp != previous[key].stamp:
            _apply_change(transaction, file, tasks.get(key), previous.get(key))
    _leave_gone(transaction, previous.keys() - files.keys())
    claude_md_import.refresh(transaction)
    save_seen(transaction, files)


def _list_files(
    folder: backlog_folder.Folder, previous: dict[str, TaskFile]
) -> tuple[dict[str, TaskFile], dict[str, BacklogTask | None]]:
    """Return the files of open tasks, and the fields of the changed ones, by normalized id."""
    files: dict[str, TaskFile] = {}
    tasks: dict[str, BacklogTask | None] = {}
    for name, status in folder.list_task_files():
        task, stamp = backlog_format.parse_file_name(name), backlog_folder.make_stamp(status)
        key = folder.key(task)
        old = previous.get(key)
        if old and (old.task, old.stamp) == (task, stamp):
            files[key] = TaskFile(old.stage, task, stamp, name)
            continue
        path = os.path.join(folder.path, backlog_folder.OPEN, name)
        if (fields := folder.read_task(path)) or old:
            # A file without a status is just being written: the previous stage counts.
            status_name = fields.status if fields else ""
            stage = old.stage if old and not status_name else folder.config.stage(status_name)
            files[key], tasks[key] = TaskFile(stage, task, stamp, name), fields
    return files, tasks


def _leave_gone(transaction: TaskTransaction, gone: set[str]) -> None:
    """Pause the memories of tasks whose open file is gone; archive them if they are completed."""
    for key in sorted(gone):
        task = transaction.find_memory(key)
        if transaction.has(task) and transaction.find(key, backlog_folder.COMPLETED):
            with _logged(transaction, task):
                transaction.archive(task)
        else:
            transaction.pause(task)


def _apply_change(
    transaction: TaskTransaction, file: TaskFile, fields: BacklogTask | None, old: TaskFile | None
) -> None:
    """Update the memory of a task whose file changed since the last scan.

    The memory keeps its spelling of the id.
    """
    task = transaction.find_memory(file.task) or file.task
    with _logged(transaction, task):
        if old and old.stage == file.stage:
            transaction.update_title(task, fields)
        elif file.stage == STARTED:
            _start(transaction, task, fields)
        elif file.stage == DONE and transaction.has(task):
            transaction.archive(task)
        else:
            transaction.pause(task)


@contextmanager
def _logged(transaction: TaskTransaction, task: str) -> Iterator[None]:
    """Log what a link or a file that is too large prevents."""
    try:
        yield
    except Refused as error:
        transaction.log("refused", task, error=str(error))


def _start(transaction: TaskTransaction, task: str, fields: BacklogTask | None) -> None:
    if not transaction.open(task, fields):
        transaction.link_task_file(task)  # an editor may have removed the line
    transaction.update_title(task, fields)
    if task not in transaction.in_progress:
        transaction.make_active(task)


# The record of the last scan, a file because hooks read it when an agent starts, and its keys.
RECORD_FILE = "tasks.json"
RECORD_KEYS = {"active", "marks", "files"}  # `marks`: see `_list_conditions`


class TaskFile(NamedTuple):
    """One file of an open task, and its name.

    `stage` is one of backlog_format's, `task` the id in the file name, `stamp` the file's mtime
    in ns and its size.
    """

    stage: str
    task: str
    stamp: list[int]
    name: str


def load_seen(project: Project, folder: backlog_folder.Folder) -> dict[str, TaskFile]:
    """Return the task files of the last scan by normalized id, {} if it is not known.

    Also {} if .state.yml was lost or damaged: it lists the tasks in progress.
    """
    record = _read_record(project)
    if not record or not isinstance(folder.state().get("in_progress"), list):
        return {}
    return {key: TaskFile(*fields) for key, fields in record["files"].items()}


def is_unchanged(project: Project, folder: backlog_folder.Folder) -> bool:
    """Say whether no file that counts has changed since the last scan."""
    if not (record := _read_record(project)):
        return False
    seen = {name: stamp for _stage, _task, stamp, name in record["files"].values()}
    files = folder.list_task_files()
    stamps = {name: backlog_folder.make_stamp(status) for name, status in files}
    conditions = _list_conditions(project, folder, record["active"])
    return bool(seen == stamps and record["marks"] == conditions)


def save_seen(transaction: TaskTransaction, files: dict[str, TaskFile]) -> None:
    """Record the scanned files.  The next scan sees a file that came or changed meanwhile."""
    transaction.write_state()
    record = {
        "active": transaction.active,
        "marks": _list_conditions(transaction.project, transaction, transaction.active),
        "files": files,
    }
    transaction.project.paths.state.replace(RECORD_FILE, fastjson.dumps(record).encode())


def _read_record(project: Project) -> dict[str, Any]:
    """Return the record of the last scan, {} if it is lost or of another version."""
    record = fastjson.load_object(project.paths.state.read_text(RECORD_FILE))
    return record if record.keys() >= RECORD_KEYS else {}


def _list_conditions(project: Project, folder: backlog_folder.Folder, active: str) -> list[Any]:
    """Return the settings and stamps of everything but task files that a scan depends on."""
    names = (*backlog_folder.CONFIG_NAMES, backlog_folder.STATE_NAME)
    paths = [
        os.path.join(folder.root, backlog_folder.ROOT_CONFIG),
        *(os.path.join(folder.path, name) for name in names),
        folder.memory,
        folder.archive_folder,
        *claude_md_import.list_watched_files(folder, active),
    ]
    return [folder.path, project.config["tasks"], [folder.files.identify(path) for path in paths]]


# For hooks, which task memories must not stop.


def handle_start(project: Project, records: SessionRuns, room: int, is_session: bool) -> str:
    """Update the memories; return text for an agent that starts, at most `room` characters.

    For a session it is usually "", because Claude Code imports the memory.  But Claude Code reads
    CLAUDE.md while this hook runs, and either may be first (seen from 2.1.63 to 2.1.329), so a
    change that this hook makes is also returned as text.
    """
    if is_session:
        _try(claude_md_import.record_session, project, records)
    try_update(project)
    return str(_try(claude_md_import.format_update, project, records, room))


def try_update(project: Project) -> None:
    """Update the memories, and log what fails."""
    _try(update, project)


def _try(work: Callable[..., Any], project: Project, *others: Any) -> Any:
    """Return the result of `work`, "" if it fails."""
    try:
        return work(project, *others)
    except (OSError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        event_log.write(project.paths, "agent.memory.error", error=reason)
        return ""
