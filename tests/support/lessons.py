"""Save what a report teaches, as the worker does."""

from __future__ import annotations

from typing import Any

from memory_core.learning.extraction import Extraction
from memory_core.memory import remember
from memory_core.storage.project import Project


def save_learnings(
    project: Project, agent: str, extractions: list[Extraction], *more: Any, **named: Any
) -> None:
    """Merge the learnings of a report; for the other arguments see `remember.make_lesson`."""
    lesson = remember.make_lesson(agent, extractions, *more, **named)
    remember.merge_lessons(project, agent, [lesson])
