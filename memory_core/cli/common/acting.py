"""Who acts: a person, or an agent in its shell, which may do less."""

from __future__ import annotations

from collections.abc import Iterable

from memory_core.claude_code import acting
from memory_core.cli.common.scopes import Scope
from memory_core.cli.errors import CommandRefused
from memory_core.curation import item_actions, lookup
from memory_core.history import item_history, rights
from memory_core.memory.reading import read_memory
from memory_core.origin import text_origins
from memory_core.storage.project import Project

AGENT_SOURCE = "agent"

REFUSAL = (
    "this shell is an agent's, and only a person may {}:"
    " do it in a terminal of your own, or in agent-memory dashboard"
)


def require_person(project: Project, what: str) -> None:
    """Refuse a command in the shell of an agent; `what` is what it does."""
    if acting.is_agents_shell(project.environ):
        raise CommandRefused(REFUSAL.format(what), 1)


def require_person_for(scope: Scope, items: Iterable[tuple[str, str]], what: str) -> None:
    """Refuse to change items of a person, given as (agent, name), in the shell of an agent."""
    project, level = scope
    if not acting.is_agents_shell(project.environ):
        return
    for agent, name in items:
        item = lookup.find_item(name, item_actions.list_items(read_memory(project, agent, level)))
        if text_origins.read_tiers(project, level, agent).get(item.text) in rights.DECIDED:
            require_person(project, what)


def find_source(project: Project, texts: Iterable[str]) -> str:
    """Return the source of items: a person, also if an agent saves what a person typed."""
    environ = project.environ
    if not acting.is_agents_shell(environ):
        return item_history.PERSON_SOURCE
    is_typed = all(acting.has_typed(project.paths.root, environ, text) for text in texts)
    return item_history.PERSON_SOURCE if is_typed else AGENT_SOURCE
