"""Agents that a command needs to know of: those with a memory, or that Claude Code has."""

from __future__ import annotations

from memory_core.cli import Refused
from memory_core.cli.common import agent_named, defined
from memory_core.cli.output import note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.store import Store


def known_agent(project: Project, name: str, level: Store | None = None) -> str:
    """Return the agent's id; raise Refused where nothing here is of that name."""
    from memory_core import memory

    agent = memory.named(project, name, level)
    if agent in _known(project, level):
        return agent
    agent = agent_named(project, name, level)
    if agent != memory.PM:
        raise Refused(f"no agent {name!r} here; agent-memory status lists those with a memory")
    return agent


def known_or_new(project: Project, name: str, level: Store) -> str:
    """Return the agent's id, also of an unknown one; raise Refused for a slip of the hand."""
    from memory_core import memory

    agent = memory.named(project, name, level)
    return agent if agent in _known(project, level) else agent_named(project, name, level)


def note_undefined(project: Project, agent: str) -> None:
    """Say of an agent that nothing was found that defines it: nobody may be given its memory."""
    import os

    from memory_core import client, memory

    if agent != memory.PM and not client.Defined(project.place.root, os.environ).has(agent):
        note(f"No {agent} is defined here so far: its memory waits for an agent of that name.")


def _known(project: Project, level: Store | None) -> set[str]:
    from memory_core import agents, archive

    levels = {each.folder: each for each in (project.store, project.level(user=True))}
    if level:
        levels[level.folder] = level
    having = {agent for held in levels.values() for agent in archive.owners(held)}
    return having | set(map(agents.agent_id, defined(project)))
