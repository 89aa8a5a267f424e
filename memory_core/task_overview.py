"""How it is with task memory in a project: which task is active, what Claude Code is given of it.

All of this only looks.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from memory_core import backlog, front_matter, task_delivery, task_document, tasks
from memory_core.memory import Project
from memory_core.tasks import Told

# How what is imported relates to the memory that it is of.
WHOLE, CUT, DEFUSED, MISSING = "whole", "cut", "defused", "missing"


class Imported(NamedTuple):
    """What a session imports: a path as people write it, how it is, and its size in tokens."""

    path: str
    how: str
    tokens: int


class Standing(NamedTuple):
    """How it is now.

    `folder` is the folder of memories as people write it; `is_on` is the setting; `is_set_up`
    says whether the root's CLAUDE.md imports the folder's, and `imported` what that imports;
    `owed` are tasks whose decisions Backlog.md has still to be told; `has_command` says whether
    its command is there.
    """

    folder: str
    is_on: bool
    active: Told | None
    counts: dict[str, int]
    is_set_up: bool
    imported: Imported | None
    budget: int
    owed: list[str]
    has_command: bool


def standing(project: Project) -> Standing:
    """Return how it is with task memory; raises OSError where a file cannot be read."""
    folder = backlog.Folder(project.place.root)
    found = tasks.listed(project)
    states = (tasks.IN_PROGRESS, tasks.KEPT, tasks.ARCHIVED)
    is_set_up = task_delivery.is_set_up(folder)
    return Standing(
        folder=folder.relative(folder.memory),
        is_on=bool(project.config["enabled"] and project.config["tasks"]["enabled"]),
        active=next((told for told in found if told.active), None),
        counts={state: sum(told.state == state for told in found) for state in states},
        is_set_up=is_set_up,
        imported=_imported(project, folder) if is_set_up else None,
        budget=project.config["tasks"]["budget_tokens"],
        owed=folder.owed,
        has_command=backlog.is_there(),
    )


def _imported(project: Project, folder: backlog.Folder) -> Imported | None:
    for path in task_delivery.imported(folder)[:1]:
        name = folder.relative(path)
        text = _text(path)
        if text is None:
            return Imported(name, MISSING, 0)
        size = task_document.tokens(front_matter.body(text))
        return Imported(name, _how(project, folder, path), size)
    return None


def _how(project: Project, folder: backlog.Folder, path: str) -> str:
    """Say how a file that is imported differs from the memory of its name."""
    memory = os.path.join(folder.memory, os.path.basename(path))
    text = _text(memory)
    if path == memory or text is None:
        return WHOLE
    budget = project.config["tasks"]["budget_tokens"]
    return CUT if task_document.tokens(front_matter.body(text)) > budget else DEFUSED


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError:
        return None
