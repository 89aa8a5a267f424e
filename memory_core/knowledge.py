"""All that is known of and to an agent, for people and other tools: the verb `context`."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any, NamedTuple

from memory_core import (
    common_errors,
    delegation,
    events,
    history,
    markdown,
    memory,
    merge,
    people,
    performance,
    preferences,
    selection,
    similarity,
    store,
    task_document,
    writing,
)

KNOWLEDGE = "## Your Role Knowledge"
PREFERENCES = "## Your Preferences"
PERFORMANCE = "## Your Performance"
ERRORS = "### Common Errors to Avoid"


class Knowledge(NamedTuple):
    """What an agent knows, the surest first; `preferences` is value by key."""

    agent: str
    items: list[people.Told]
    preferences: dict[str, str]
    performance: performance.Performance
    errors: list[performance.Error]


def context(project: memory.Project, agent: str) -> Knowledge:
    """Return what the project's and the user's memory of an agent hold, and how it does.

    Items below `memory.min_confidence` are left out, as they are for agents.
    """
    found: list[people.Told] = []
    wished: dict[str, str] = {}
    for level in _levels(project, agent):
        known = set(map(preferences.same_key, wished))
        for key, value in people.preferred(project, agent, level).items():
            wished |= {} if preferences.same_key(key) in known else {key: value}
        found += _new(project, agent, level, found)
    records = history.read(project.store.history(agent))
    common_errors.keep(project.place, project.store.stem(agent), records)
    least = project.config["min_confidence"]
    sure = [each for each in found if each.confidence >= least]
    sure.sort(key=lambda each: -each.confidence)
    told = performance.Performance(records)
    return Knowledge(agent, sure, wished, told, performance.common(records))


def _levels(project: memory.Project, agent: str) -> list[store.Store]:
    """Return the levels that an agent is given, as `memory.recall` has them."""
    level, has_own = project.config["user_level"], project.store.read(agent) is not None
    if project.user is None or level == "off" or (has_own and level == "shadow"):
        return [project.store]
    return [project.store, project.level(user=True)]


def _new(
    project: memory.Project, agent: str, level: store.Store, found: list[people.Told]
) -> list[people.Told]:
    work = writing.Memory(project, agent, level)
    told = [each for each in people.told(work) if not preferences.is_title(each.section)]
    known = [each.text for each in found]
    return [each for each in told if not any(similarity.same(each.text, text) for text in known)]


def as_given(project: memory.Project, agent: str) -> memory.Given:
    """Return what a hook would give the agent now, without a task that decides what fits."""
    if not project.serves(agent) or agent in events.HARNESS_AGENTS:
        return memory.Given("", None, 0)
    budget = delegation.CONTEXT_LIMIT if agent == memory.PM else project.prompt_budget(agent)
    return memory.recall(project, agent, budget)


def chosen(known: Knowledge, query: str, budget: int) -> Knowledge:
    """Return what of it fits `budget` tokens.

    Preferences first, then the items that share words with the query, then the surest.
    Errors and performance are left out where they take more than a quarter of the room.
    """
    wanted = selection.words(query)
    ranked = sorted(known.items, key=lambda each: -len(wanted & selection.words(each.text)))
    wished = Knowledge(known.agent, [], known.preferences, performance.Performance(), [])
    if _size(wished) > budget:
        wished = wished._replace(preferences={})
    beside = known._replace(items=[], preferences={})
    if _size(beside) <= budget * memory.BESIDE:
        wished = beside._replace(preferences=wished.preferences)

    def size(count: int) -> int:
        return _size(wished._replace(items=ranked[:count]))

    fitting = bisect.bisect_right(range(len(ranked) + 1), budget, key=size) - 1
    return wished._replace(items=ranked[: max(fitting, 0)])


def _size(known: Knowledge) -> int:
    return task_document.tokens(rendered(known, len(known.items)))


def data(known: Knowledge, most: int | None = None) -> dict[str, Any]:
    """Return it as values for JSON, as docs/cli.md has them; at most so many items."""
    items = [
        {
            "id": each.id,
            "text": each.text,
            "section": each.section,
            "category": category(each.section),
            "confidence": each.confidence,
        }
        for each in known.items[:most]
    ]
    return {
        "agent": known.agent,
        "items": items,
        "preferences": known.preferences,
        "performance": known.performance.data(),
        "errors": [each.data() for each in known.errors],
    }


def category(section: str) -> str | None:
    """Return the category of role knowledge in a section of that title, None for no such."""
    name = merge.category(section)
    return name if name != section else None


def rendered(known: Knowledge, most: int) -> str:
    """Return it as Markdown, at most so many items; empty parts are left out."""
    items = [_item(merge.category(each.section), each.text) for each in known.items[:most]]
    wished = [_plain(f"{key}: {value}") for key, value in known.preferences.items()]
    parts = [
        (KNOWLEDGE, items),
        (PREFERENCES, wished),
        (PERFORMANCE, performance.told(known.performance)),
        (ERRORS, performance.rendered(known.errors)),
    ]
    return "\n\n".join(_part(title, lines) for title, lines in parts if lines)


def _part(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *lines])


def _item(section: str, text: str) -> str:
    """Return an item with its section; behind that nothing of the text begins a block."""
    label = section.replace("]", ")").rstrip(" \\")
    return f"- [{label}] {text}" if label else _plain(text)


def _plain(text: str) -> str:
    return f"- {markdown.escape(text)}"
