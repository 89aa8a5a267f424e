"""The project, the level and the agents that a command works on."""

from __future__ import annotations

import os
from typing import NamedTuple

from memory_core.cli.app import find_project
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_problem
from memory_core.curation import lookup
from memory_core.files.problems import describe_expected
from memory_core.storage import paths
from memory_core.storage.project import Project
from memory_core.storage.store import Store


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
