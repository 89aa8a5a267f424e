"""Agents that a command needs to know of: those with a memory, or that Claude Code has."""

from __future__ import annotations

import os

from memory_core.cli.output import note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.store import Store


def known_agent(project: Project, name: str, level: Store | None = None) -> str:
    """Return the agent's id; raise where nothing here is of that name."""
    from memory_core import roster

    return roster.agent_known(project, name, os.environ, level)


def known_or_new(project: Project, name: str, level: Store) -> str:
    """Return the agent's id, also of an unknown one; raise for a slip of the hand."""
    from memory_core import roster

    return roster.agent_known_or_new(project, name, os.environ, level)


def note_undefined(project: Project, agent: str) -> None:
    """Say of an agent that nothing was found that defines it: nobody may be given its memory."""
    from memory_core import client, memory

    if agent != memory.PM and not client.Defined(project.place.root, os.environ).has(agent):
        note(f"No {agent} is defined here so far: its memory waits for an agent of that name.")
