"""Read the state of task memory in a project: the active task and the imported file.

Nothing here changes a file.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from memory_core.selection import tokens
from memory_core.storage.project import Project
from memory_core.tasks import backlog_folder, claude_md_import, task_actions
from memory_core.tasks.task_actions import TaskMemory
from memory_core.text import front_matter


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
    folder = backlog_folder.Folder(project.paths.files)
    memories = task_actions.list_memories(project)
    states = (task_actions.IN_PROGRESS, task_actions.KEPT, task_actions.ARCHIVED)
    is_set_up = claude_md_import.is_set_up(folder)
    return TaskStatus(
        folder=folder.relative(folder.memory),
        is_enabled=bool(project.config["enabled"] and project.config["tasks"]["enabled"]),
        active=next((memory for memory in memories if memory.active), None),
        counts={state: sum(memory.state == state for memory in memories) for state in states},
        is_set_up=is_set_up,
        imported=_find_import(project, folder) if is_set_up else None,
        budget=project.config["tasks"]["budget_tokens"],
        has_command=backlog_folder.has_command(),
    )


def _find_import(project: Project, folder: backlog_folder.Folder) -> ImportedFile | None:
    path = next(iter(claude_md_import.list_imports(folder)), "")
    if not path:
        return None
    body = front_matter.read_body(folder.read_text(path))
    is_copy = os.path.dirname(path) != folder.memory
    return ImportedFile(folder.relative(path), is_copy, tokens.estimate_tokens(body))
