"""Explain which items of its memory an agent receives for a task, and why.

The decisions are those of the block that a hook builds, `memory.recall.build_block`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memory_core.curation import agent_context
from memory_core.memory import preparing
from memory_core.selection import choosing
from memory_core.selection.choosing import Choice
from memory_core.selection.passages import Passage, PassageIndex
from memory_core.selection.scoring import Score
from memory_core.storage.project import Project
from memory_core.text import code_names
from memory_core.text.subject_words import CODE


class Explanation(NamedTuple):
    """The decisions about an agent's passages, the chosen ones first.

    `budget` is in tokens, 0 if selection is off.
    `forms` has the words of the task as they are written, by the words that are compared.
    """

    agent: str
    budget: int
    choices: Sequence[Choice]
    forms: dict[str, str]

    @property
    def tokens(self) -> int:
        """The tokens of the chosen passages, as selection estimates them."""
        return sum(choice.tokens for choice in self.choices if choice.is_chosen)


def explain(project: Project, agent: str, task: str) -> Explanation:
    """Explain what a hook would give an agent now for this task, "" for none.

    An agent without memory has no choices.
    """
    block = agent_context.preview_block(project, agent, task)
    settings = project.config["selection"]
    choices = [*block.choices]
    if block.memory:
        choices += list_others(block.memory.passages, choices)
        listed = {choice.passage.item for choice in choices}
        choices += [
            _leave_out(passage, reason)
            for passage, reason in preparing.list_left_out(project, agent)
            if passage.item not in listed
        ]
    budget = settings["budget_tokens"] if settings["enabled"] else 0
    forms = code_names.list_forms(task)
    return Explanation(agent, budget, choices, forms)


def list_others(index: PassageIndex, choices: Iterable[Choice]) -> list[Choice]:
    """Return the decisions about the passages of an index that `choosing.select` left aside."""
    seen = {choice.passage.index for choice in choices}
    others = (passage for passage in index if passage.index not in seen)
    return [_leave_out(passage, choosing.NO_WORD) for passage in others]


def _leave_out(passage: Passage, reason: str) -> Choice:
    choice = Choice(passage, Score({}))
    choice.reason = reason
    return choice


def list_words(choice: Choice, forms: dict[str, str]) -> list[str]:
    """Return the words that a passage shares with the task, best first, without pairs.

    They are written as in `forms`.
    """
    parts = choice.score.parts
    own = sorted(parts, key=lambda word: (-parts[word], word))
    words = (word for word in own + sorted(choice.score.shared) if " " not in word)
    return list(dict.fromkeys(forms.get(word, word.removeprefix(CODE)) for word in words))
