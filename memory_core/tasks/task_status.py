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

# How an imported file relates to the memory.
WHOLE, SHORTENED, SANITIZED, MISSING = "whole", "cut", "defused", "missing"


class ImportedFile(NamedTuple):
    """The file that a session imports: its relative path, its state and its size in tokens."""

    path: str
    state: str
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
    name = folder.relative(path)
    if not folder.files.is_file(path):
        return ImportedFile(name, MISSING, 0)
    tokens = _count_tokens(folder, path)
    memory = os.path.join(folder.memory, os.path.basename(path))
    if path == memory or not folder.files.is_file(memory):
        return ImportedFile(name, WHOLE, tokens)
    is_cut = _count_tokens(folder, memory) > project.config["tasks"]["budget_tokens"]
    return ImportedFile(name, SHORTENED if is_cut else SANITIZED, tokens)


def _count_tokens(folder: backlog_folder.Folder, path: str) -> int:
    return tokens.estimate_tokens(front_matter.read_body(folder.read_text(path)))
