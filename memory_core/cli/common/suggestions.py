"""Values that the shell completion suggests: agents, items, types, tasks, templates.

An error in a provider is not shown: the shell then gets no suggestion.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
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


def suggest_types(incomplete: str) -> Suggestions:
    """Return the types of learnings, with their sections."""
    from memory_core.document import template
    from memory_core.learning import classify

    return _make_safe([(name, template.section_of(name)) for name in classify.TYPES], incomplete)


def suggest_preference_keys(incomplete: str) -> list[str]:
    from memory_core.document import preferences

    return [key for key in preferences.SUGGESTED_KEYS if key.startswith(incomplete)]


def _suggest_states(*states: str) -> Callable[[str], Suggestions]:
    def suggest(incomplete: str) -> Suggestions:
        """Return the tasks whose memories are in one of these states, with their titles."""
        from memory_core.tasks import task_actions

        memories = task_actions.list_memories(find_project())
        tasks = [(memory.id, memory.title) for memory in memories if memory.state in states]
        return _make_safe(tasks, incomplete)

    return suggest


suggest_tasks = _suggest_states("in progress", "kept", "archived")
suggest_open_tasks = _suggest_states("in progress", "kept")
suggest_archived_tasks = _suggest_states("archived")


def suggest_backlog_tasks(incomplete: str) -> Suggestions:
    """Return the open tasks of Backlog.md, with the titles from their file names."""
    from memory_core.tasks import backlog_folder, backlog_format

    folder = backlog_folder.Folder(find_project().paths.files)
    names = sorted(name for name, _status in folder.list_task_files())
    tasks = ((backlog_format.parse_file_name(name), name.partition(" - ")[2]) for name in names)
    return _make_safe([(task, title.rpartition(".")[0]) for task, title in tasks], incomplete)


def suggest_templates(incomplete: str) -> Suggestions:
    from memory_core.tasks import task_templates

    templates = task_templates.find_templates(find_project())
    return _make_safe([(name, path or "built in") for name, path in templates.items()], incomplete)
