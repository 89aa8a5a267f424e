"""The project, the level and the agents that a command works on, and who runs it.

An agent in its shell may do less than a person.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from memory_core.claude_code import acting
from memory_core.cli.app import find_project
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_problem
from memory_core.curation import lookup
from memory_core.files.problems import describe_expected
from memory_core.history import item_history
from memory_core.storage import paths
from memory_core.storage.project import Project
from memory_core.storage.store import Store

REFUSAL = (
    "this shell is an agent's, and only a person may {}:"
    " do it in a terminal of your own, or in agent-memory dashboard"
)


class Scope(NamedTuple):
    """A project and the memories of one of its levels."""

    project: Project
    level: Store

    @property
    def is_user(self) -> bool:
        return self.level.paths is not self.project.paths


def find_level(user: bool = False) -> Scope:
    """Return the project, with its own memories or the user's."""
    if user and paths.find_user_level(os.environ) is None:
        raise CommandRefused("--user needs a home directory, but HOME is not set")
    project = find_project()
    return Scope(project, project.level(user))


def find_synced_project() -> Project:
    """Return the project, after its task memories are updated from the files of Backlog.md."""
    from memory_core.tasks import sync

    project = find_project()
    try:
        sync.update(project)
    except OSError as error:
        print_problem(f"The task files could not be read: {describe_expected(error)}")
    return project


def find_agent(name: str, user: bool = False, accept_new: bool = False) -> tuple[Scope, str]:
    """Return the project with a level, and the id of the agent, as `find_agents` does."""
    scope = find_level(user)
    (agent,) = find_agents(scope, [name], accept_new)
    return scope, agent


def find_agents_or_ids(scope: Scope, names: list[str] | None) -> tuple[list[str], list[str]]:
    """Return the agents among these names, without any all agents, and the ids of items."""
    project, level = scope
    ids = [name for name in names or [] if lookup.is_item_id(project, name, level)]
    agents = find_agents(scope, [name for name in names or [] if name not in ids])
    return agents or lookup.list_agents(level), ids


def find_agents(scope: Scope, names: list[str] | None, accept_new: bool = False) -> list[str]:
    """Return the ids of the agents; refuse an agent that does not exist here.

    With `accept_new`, an agent may be new, and only a misspelt name is refused.
    """
    project, level = scope
    return [lookup.find_agent(project, name, level, accept_new=accept_new) for name in names or []]


def require_person(project: Project, what: str) -> None:
    """Refuse a command in the shell of an agent; `what` is what it does."""
    if acting.is_agents_shell(project.environ):
        raise CommandRefused(REFUSAL.format(what), 1)


def find_source(project: Project, texts: Iterable[str]) -> str:
    """Return the source of items: a person, also if an agent saves what a person typed."""
    root, environ = project.paths.root, project.environ
    is_persons = not acting.is_agents_shell(environ) or all(
        acting.has_typed(root, environ, text) for text in texts
    )
    return item_history.PERSON_SOURCE if is_persons else "agent"
