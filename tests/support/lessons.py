"""Read and save what a report teaches, as the worker does."""

from typing import Any

from memory_core.learning import blocks, extraction, lines
from memory_core.learning.blocks import Span
from memory_core.learning.extraction import Extraction
from memory_core.memory import changes, remember, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.storage.project import Project


def save_learnings(
    project: Project, agent: str, extractions: list[Extraction], *more: Any, **named: Any
) -> None:
    """Merge the learnings of a report; for the other arguments see `remember.make_lesson`."""
    found = extractions[0] if extractions else Extraction([], [])
    lesson = remember.make_lesson(found, *more, **named)
    remember.merge_lesson(project, agent, lesson)


def learn(project: Project, agent: str, *texts: str, kind: str = "pattern", **more: Any) -> None:
    """Let a run of an agent add items, without the checks of a report; `more` is user and run."""
    level = project.level(user=more.pop("user", False))
    by = {"run": "a1", "session": "s1", "source": "agent", **more}
    pairs = [[kind, text] for text in texts]

    def add(memory: AgentMemory) -> None:
        changes.learn(memory, changes.Lesson(pairs, by))

    transaction.change_memory(project, agent, add, level)


class Extracted(Extraction):
    """Learnings, and the ranges of their blocks."""

    spans: list[Span]


def extract(text: str, natural_language: bool = False, max_length: int = 300) -> Extracted:
    """Return the learnings of a report."""
    is_empty = not lines.may_teach(text, natural_language)
    unjudged, spans = ([], []) if is_empty else blocks.find_blocks(text, natural_language)
    judged = extraction.judge_blocks(unjudged, max_length)
    extracted = Extracted(judged.learnings, judged.rejected)
    extracted.spans = spans
    return extracted
