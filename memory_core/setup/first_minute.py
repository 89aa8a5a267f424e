"""Show after the installation how memory will look in a project."""

from __future__ import annotations

import shlex

from memory_core.claude_code import agent_names
from memory_core.claude_code.agent_definitions import BUILT_IN_AGENTS
from memory_core.setup import initialize, program
from memory_core.storage.project import Project

# Agents that are listed at most.
MOST_AGENTS = 12

NO_MEMORY = "no memory yet"
OF_CLAUDE_CODE = f"{NO_MEMORY} (an agent of Claude Code)"


def describe_agents(project: Project) -> list[str]:
    """Return lines for a person: each agent, whether it has a memory, and the next step."""
    with_memory = [agent for agent in project.store.agents() if project.serves(agent)]
    without = initialize.list_agents_without_memory(project.store, project.environ)
    states = dict.fromkeys(with_memory, "has a memory") | dict.fromkeys(without, NO_MEMORY)
    for name in BUILT_IN_AGENTS:
        if not {name, agent_names.id_of(name)} & states.keys():
            states[name] = OF_CLAUDE_CODE
    rows = {name: text for name, text in states.items() if project.serves(name)}
    if not rows:
        return ["config.yml gives no agent a memory here."]
    lines = [f"  {name:<16}  {text}" for name, text in rows.items()]
    if len(lines) > MOST_AGENTS:
        lines[MOST_AGENTS - 1 :] = [f"  and {len(lines) - MOST_AGENTS + 1} more"]
    return ["Agents in this project:", *lines, *_advise(list(rows), with_memory)]


def _advise(agents: list[str], with_memory: list[str]) -> list[str]:
    command = program.format_command()
    if with_memory:
        return [f"To see a memory: {command} show {shlex.quote(with_memory[0])}"]
    first = shlex.quote(agents[0])
    return [
        "An agent gets its memory file with its first finding.",
        f'To write a first rule yourself: {command} add {first} "Amounts are integer cents"',
    ]
