"""The record of the last scan of the task files, a note in `state.db` as JSON.

`files` has the task files, `marks` the settings and the stamps of all other files that count.
With it a scan of a thousand unchanged task files reads one row.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from memory_core.storage.database import note_table
from memory_core.storage.project import Project
from memory_core.tasks import backlog_folder, claude_md_import
from memory_core.tasks.lifecycle import TaskTransaction
from memory_core.text import fastjson

NOTE = "tasks.json"


@dataclass
class TaskFile:
    """One file of an open task.

    `stage` is one of backlog_format's, `task` the id in the file name, `stamp` the file's mtime
    in ns and its size; `path` is "" for a file of the last scan.
    """

    stage: str
    task: str
    stamp: list[int]
    path: str = ""


def load(project: Project, folder: backlog_folder.Folder) -> dict[str, TaskFile] | None:
    """Return the task files of the last scan by normalized id, None if it is not known.

    Also None if .state.yml was lost or damaged: it lists the tasks in progress.
    """
    if not isinstance(folder.state().get("in_progress"), list):
        return None
    record = _read(project)
    try:
        # If statuses have another meaning now, all files are read again: no stamp equals [].
        is_same = record["meaning"] == _list_statuses(folder)
        return {key: _parse(fields, is_same) for key, fields in record["files"].items()}
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _parse(fields: list[Any], keep_stamp: bool) -> TaskFile:
    stage, task, stamp, _name = fields
    if not (isinstance(stage, str) and isinstance(task, str) and isinstance(stamp, list)):
        raise TypeError
    return TaskFile(stage, task, stamp if keep_stamp else [])


def is_unchanged(project: Project, folder: backlog_folder.Folder) -> bool:
    """Say whether no file that counts has changed since the last scan."""
    record = _read(project)
    try:
        marks, active = record["marks"], str(record["active"])
        seen = {name: stamp for _stage, _task, stamp, name in record["files"].values()}
    except (ValueError, LookupError, TypeError, AttributeError):
        return False
    files = folder.list_task_files()
    stamps = {name: backlog_folder.make_stamp(status) for name, status in files}
    return bool(seen == stamps and marks == _list_marks(project, folder, active))


def save(transaction: TaskTransaction, files: dict[str, TaskFile]) -> None:
    """Record the scanned files.  The next scan sees a file that came or changed meanwhile."""
    transaction.save_state()
    folder, active = transaction.folder, transaction.active
    record = {
        "active": active,
        "marks": _list_marks(transaction.project, folder, active),
        "meaning": _list_statuses(folder),
        "files": {
            key: [file.stage, file.task, file.stamp, os.path.basename(file.path)]
            for key, file in files.items()
        },
    }
    note_table.write(transaction.project.paths.state, NOTE, fastjson.dumps(record))


def _read(project: Project) -> dict[str, Any]:
    return fastjson.load_object(note_table.read(project.paths.state, NOTE))


def _list_statuses(folder: backlog_folder.Folder) -> list[str]:
    """Return the settings that decide which stage a status belongs to."""
    return [folder.config.default, *folder.config.statuses]


def _list_marks(project: Project, folder: backlog_folder.Folder, active: str) -> list[Any]:
    """Return the settings and stamps of everything but task files that a scan depends on."""
    names = (*backlog_folder.CONFIG_NAMES, backlog_folder.STATE_NAME)
    paths = [
        os.path.join(folder.root, backlog_folder.ROOT_CONFIG),
        *(os.path.join(folder.path, name) for name in names),
        folder.memory,
        folder.archive,
        *claude_md_import.list_watched_files(folder, active),
    ]
    return [folder.path, project.config["tasks"], [folder.read_stamp(path) for path in paths]]
