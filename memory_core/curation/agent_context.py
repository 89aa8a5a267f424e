"""Show what an agent knows, and which items it receives for a task, and why.

The decisions are those of the block that a hook builds, `memory.recall.build_block`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from memory_core.claude_code import agent_names
from memory_core.curation import item_actions
from memory_core.curation.item_actions import RatedItem
from memory_core.document import block_reader, preferences, template
from memory_core.history import performance, rights
from memory_core.memory import preparing, recall, run_history
from memory_core.memory.loading import read_memory
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.selection import choosing
from memory_core.selection.choosing import Choice
from memory_core.selection.passages import (
    OUTSIDE_TITLE,
    Passage,
    PassageIndex,
    estimate_tokens,
    render_passages,
)
from memory_core.selection.scoring import Score
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text import code_names, sanitize, similarity
from memory_core.text.subject_words import CODE

# What `context` shows of an agent: items from this confidence on.
LEAST_CONFIDENCE = 0.6


class Knowledge(NamedTuple):
    """An agent's knowledge; `preferences` maps key to value.

    The most certain items come first, those from outside last.
    """

    agent: str
    items: list[RatedItem]
    preferences: dict[str, str]
    performance: performance.Performance
    errors: list[performance.CommonError]


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


def read_knowledge(project: Project, agent: str, pending: bool = False) -> Knowledge:
    """Return an agent's knowledge, without the items below `memory.min_confidence`.

    Items that agents do not receive before a person decides are left out.  With `pending`, for
    people, it has also the errors that nobody has resolved yet.

    Items and preferences of the user level are included unless the project level has them.
    """
    items: list[RatedItem] = []
    wished: dict[str, tuple[str, str]] = {}
    for store in preparing.list_levels(project, agent):
        given = list_given(project, store, agent)
        pairs = [preferences.parse_pair(one.text) for one in given if _is_preference(one)]
        own = {preferences.normalize_key(key): (key, value) for key, value in pairs if key}
        wished |= {key: pair for key, pair in own.items() if key not in wished}
        texts = [item.text for item in items]
        origins = text_origins.read_text_origins(project, store, agent)
        items += [
            item._replace(is_outside=origins.get(item.text) in rights.OUTSIDE)
            for item in given
            if not _is_preference(item)
            and not any(similarity.is_same(item.text, text) for text in texts)
        ]
    items = [item for item in items if item.confidence >= project.config["min_confidence"]]
    items.sort(key=lambda item: (item.is_outside, -item.confidence))
    if pending:
        errors = run_history.list_errors(project.store, agent)
    else:
        errors = run_history.list_given_errors(project, agent)
    results = run_history.measure(project.store, agent)
    return Knowledge(agent, items, dict(wished.values()), results, errors)


def _is_preference(item: RatedItem) -> bool:
    return preferences.is_title(item.section)


def list_given(project: Project, store: Store, agent: str) -> list[RatedItem]:
    """Return the items of a memory that agents receive, with the sections that they see."""
    guard = text_origins.make_guard(store, agent, project)
    return [
        item._replace(section=guard.name_section(item.section))
        for item in item_actions.list_items(read_memory(project, agent, store))
        if not guard.find_reason(item.text, item.nested)
    ]


def preview_block(project: Project, agent: str, task: str = "") -> recall.MemoryBlock:
    """Return the block that a hook would add now to the agent's prompt for this task, "" for none.

    The main session receives its memory before it has a task.
    """
    if not project.serves(agent):
        return recall.MemoryBlock()
    text_origins.look(project)  # as the hooks do behind each run
    is_main = agent == agent_names.PM
    room = recall.CONTEXT_LIMIT if is_main else project.prompt_budget(agent)
    return recall.build_block(project, agent, room, None if is_main else lambda: task)


def explain(project: Project, agent: str, task: str) -> Explanation:
    """Explain what a hook would give an agent now for this task, "" for none.

    An agent without memory has no choices.
    """
    block = preview_block(project, agent, task)
    settings = project.config["selection"]
    choices = [*block.choices]
    if block.memory:
        choices += list_others(block.memory.passages, choices)
        listed = {choice.passage.item for choice in choices}
        choices += [
            _leave_out(passage, reason)
            for passage, reason in preparing.sort_out(project, agent).left_out
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


def recall_for(project: Project, agent: str, task: str, budget: int) -> tuple[str, int]:
    """Return what a hook would give the agent for a task, as Markdown of at most `budget` tokens.

    Also returns how many other items the agent has.
    """
    block = preview_block(project, agent, task)
    chosen = [choice.passage for choice in block.choices if choice.is_chosen]
    while chosen and estimate_tokens(render_passages(chosen)) > budget:
        chosen.pop()
    total = len(block.memory.passages) if block.memory else 0
    return render_passages(chosen), total - len(chosen)


def bound(knowledge: Knowledge, most: int, least: float = LEAST_CONFIDENCE) -> Knowledge:
    """Return the first `most` items with a confidence from `least` on, and the first errors."""
    items = [item for item in knowledge.items if item.confidence >= least][:most]
    return knowledge._replace(items=items, errors=knowledge.errors[: performance.MAX_ERRORS_SHOWN])


def to_json(knowledge: Knowledge) -> dict[str, Any]:
    """Return the fields of docs/json.md."""
    names = ("id", "text", "section", "confidence")
    items = [
        {name: getattr(item, name) for name in names}
        | {"category": template.category_of(item.section)}
        for item in knowledge.items
    ]
    fields = {
        "agent": knowledge.agent,
        "items": items,
        "preferences": knowledge.preferences,
        "performance": knowledge.performance.data(),
        "errors": [error.data() for error in knowledge.errors],
    }
    return {name: scanner.redact_values(value) for name, value in fields.items()}


def render_markdown(knowledge: Knowledge) -> str:
    """Return Markdown, as data; empty parts are left out."""
    inside = [(item.section, item.text) for item in knowledge.items if not item.is_outside]
    outside = [(item.section, item.text) for item in knowledge.items if item.is_outside]
    values = [("", f"{key}: {value}") for key, value in knowledge.preferences.items()]
    parts = [
        ("## Knowledge", list(_render_items(inside))),
        ("## Preferences", list(_render_items(values))),
        ("## Performance", performance.format_performance(knowledge.performance)),
        ("### Common Errors", performance.format_errors(knowledge.errors)),
        (OUTSIDE_TITLE, list(_render_items(outside))),
    ]
    text = "\n\n".join("\n".join([title, *lines]) for title, lines in parts if lines)
    return sanitize.escape(scanner.redact(text))


def _render_items(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a bullet for each (section, text), except for texts without visible characters.

    Text after a label needs no escapes, because it cannot begin a block.
    """
    for section, text in pairs:
        label = sanitize.join_visible(section).replace("]", ")").rstrip(" \\")
        if shown := sanitize.escape(sanitize.join_visible(text)):
            yield f"- [{label}] {shown}" if label else f"- {block_reader.escape(shown)}"
