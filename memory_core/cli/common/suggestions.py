"""Values that the shell completion suggests: agents and items.

An error in a provider is not shown: the shell then gets no suggestion.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from memory_core.cli.app import find_project

Suggestions = list[tuple[str, str]]

MAX_HELP = 60  # characters of an explanation

# Names and texts come from files of other people.  bash inserts a value unquoted, and zsh
# evaluates the explanation.
VALUE_CHARACTERS = frozenset("-_.+@:=")
UNSAFE_HELP = frozenset("\\$`\"'[]")


def _make_safe(suggestions: Iterable[tuple[str, str]], incomplete: str) -> Suggestions:
    def is_safe(char: str) -> bool:
        return char.isprintable() and char not in UNSAFE_HELP

    return [
        (value, "".join(filter(is_safe, " ".join(text.split())))[:MAX_HELP])
        for value, text in suggestions
        if value.startswith(incomplete)
        and all(char.isalnum() or char in VALUE_CHARACTERS for char in value)
    ]


def suggest_agents(ctx: Any, incomplete: str) -> Suggestions:
    """Return the agents with a memory or a history, and those that Claude Code knows."""
    from memory_core.claude_code.agent_names import id_of
    from memory_core.curation import lookup

    project = find_project()
    level = project.level(bool(ctx.params.get("user")))
    owners = {*level.agents(), *level.agents_with_history()} - {""}
    defined = {id_of(name) for name in lookup.list_defined_agents(project, os.environ)}
    agents = [(agent, "has a memory") for agent in sorted(owners)]
    agents += [(agent, "has no memory yet") for agent in sorted(defined - owners)]
    return _make_safe(agents, incomplete)


def suggest_named_items(ctx: Any, incomplete: str) -> Suggestions:
    """Return the agents for the first word, and then the ids of the agent's items."""
    from memory_core.curation import item_actions, lookup
    from memory_core.memory.reading import read_memory

    if not (words := ctx.params.get("items")):
        return suggest_agents(ctx, incomplete)
    project = find_project()
    level = project.level(bool(ctx.params.get("user")))
    agent = lookup.find_agent(project, words[0], os.environ, level, accept_new=True)
    items = item_actions.list_items(read_memory(project, agent, level))
    return _make_safe([(item.id, item.text) for item in items], incomplete)
