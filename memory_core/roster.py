"""The agents that are known here, and what a name that nobody has was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from memory_core import agents, archive, client, memory, store

# One letter in five may be wrong.
CLOSE = 0.8


class Unknown(ValueError):
    """A name that no agent here has; `near` is the one that may be meant, "" for none."""

    status = 2

    def __init__(self, name: str, near: str = "") -> None:
        told = f"did you mean {near}?" if near else ""
        hint = told or "agent-memory status lists those with a memory"
        super().__init__(f"no agent {name!r} here; {hint}")
        self.near = near


def defined(project: memory.Project, environ: Mapping[str, str]) -> list[str]:
    """Return the agents that Claude Code knows here, as they are called there."""
    files = client.agent_files(project.place.root, environ)
    return [*(file.name for file in files), *client.BUILT_IN]


def known(
    project: memory.Project, environ: Mapping[str, str], level: store.Store | None = None
) -> set[str]:
    """Return the ids of the agents with anything here, at this level too, or that are defined."""
    levels = {each.folder: each for each in (project.store, project.level(user=True))}
    if level:
        levels[level.folder] = level
    having = {agent for held in levels.values() for agent in archive.owners(held)}
    return having | set(map(agents.agent_id, defined(project, environ)))


def agent_known(
    project: memory.Project,
    name: str,
    environ: Mapping[str, str],
    level: store.Store | None = None,
) -> str:
    """Return the agent's id; raises Unknown where nothing here is of that name, or NoAgent."""
    agent = memory.named(project, name, level)
    if agent in known(project, environ, level):
        return agent
    agent = agent_named(project, name, environ, level)
    if agent != memory.PM:
        raise Unknown(name)
    return agent


def agent_known_or_new(
    project: memory.Project,
    name: str,
    environ: Mapping[str, str],
    level: store.Store | None = None,
) -> str:
    """Return the agent's id, also of an unknown one; raises Unknown for a slip of the hand."""
    agent = memory.named(project, name, level)
    if agent in known(project, environ, level):
        return agent
    return agent_named(project, name, environ, level)


def agent_named(
    project: memory.Project,
    name: str,
    environ: Mapping[str, str],
    level: store.Store | None = None,
) -> str:
    """Return the agent's id; raises Unknown for a name that is only nearly a known one."""
    agent = memory.named(project, name, level)
    having = (level or project.store).agents()
    if agent != memory.PM and agent not in having:
        _refuse_mistyped(name, [*having, *defined(project, environ)])
    return agent


def _refuse_mistyped(name: str, names: Iterable[str]) -> None:
    """Raise for a name that resembles a known one closely: nobody calls two agents so."""
    ids = {agents.agent_id(each) for each in names}
    agent = agents.agent_id(name)
    near = difflib.get_close_matches(agent, sorted(ids), n=1, cutoff=CLOSE)
    if agent not in ids and near:
        raise Unknown(name, near[0])
