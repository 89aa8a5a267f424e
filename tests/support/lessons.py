"""Read and save what a report teaches, as the worker does."""

from collections.abc import Iterable
from typing import Any

from memory_core.document.merge_learnings import Learning
from memory_core.learning import blocks, extraction, lines
from memory_core.learning.blocks import Span
from memory_core.memory import changes, remember, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.storage.project import Project


def save_learnings(
    project: Project, agent: str, found: Iterable[Learning], *more: Any, **named: Any
) -> None:
    """Merge the learnings of a report; for the other arguments see `remember.make_lesson`."""
    lesson = remember.make_lesson(found, *more, **named)
    remember.merge_lesson(project, agent, lesson)


def learn(project: Project, agent: str, *texts: str, kind: str = "pattern", **more: Any) -> None:
    """Let a run of an agent add items, without the checks of a report; `more` is user and run."""
    level = project.level(user=more.pop("user", False))
    by = {"run": "a1", "session": "s1", "source": "agent", **more}
    learnings = [Learning(kind, text) for text in texts]

    def add(memory: AgentMemory) -> None:
        changes.learn(memory, changes.Lesson(learnings, by))

    transaction.change_memory(project, agent, add, level)


class Extracted(list[Learning]):
    """Learnings, and the ranges of their blocks."""

    def __init__(self, found: Iterable[Learning], spans: list[Span]) -> None:
        super().__init__(found)
        self.spans = spans
        self.learnings = [one for one in self if not one.reason]
        self.rejected = [one for one in self if one.reason]


def extract(text: str, natural_language: bool = False, max_length: int = 300) -> Extracted:
    """Return the learnings of a report."""
    is_empty = not lines.may_teach(text, natural_language)
    unjudged, spans = ([], []) if is_empty else blocks.find_blocks(text, natural_language)
    return Extracted(extraction.judge_blocks(unjudged, max_length), spans)
