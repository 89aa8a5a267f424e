"""`agent-memory list`: the agents, or the items of one agent."""

from __future__ import annotations

import os
from typing import Annotated

from memory_core.cli.common.arguments import AsJson, User, agent_argument
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.scopes import LevelScope, find_agents, find_level
from memory_core.cli.output import print_json, print_note, select_fields
from memory_core.curation import agent_status, initialize, item_actions
from memory_core.curation.agent_status import MemoryStatus
from memory_core.memory.reading import read_memory
from memory_core.text.phrases import format_count


def list_(
    agent: Annotated[str | None, agent_argument(show_default="list the agents")] = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """List all agents, or the items of one agent.

    Without AGENT: all agents with a memory or defined in .claude/agents.
    With AGENT: its items with id, confidence and section.

    \b
    Example:
      agent-memory list engineer
    """
    scope = find_level(user)
    if agent is None:
        _list_agents(scope, user, json)
    else:
        _list_items(scope, agent, json)


def _list_agents(scope: LevelScope, user: bool, json: bool) -> None:
    project, level = scope
    memories = [
        memory
        for memory in agent_status.list_memories(project, level)
        if memory.exists or memory.error
    ]
    without_memory = initialize.list_agents_without_memory(level, os.environ, user)
    if json:
        rows = [(memory.agent, memory.path, memory.items, memory.error) for memory in memories]
        rows += [(agent, "", 0, "") for agent in without_memory]
        print_json(
            [
                {"agent": agent, "file": path or None, "items": items, "error": error or None}
                for agent, path, items, error in rows
            ]
        )
        return
    lines = [(memory.agent, _describe_memory(memory)) for memory in memories]
    lines += [(agent, "no memory yet") for agent in without_memory]
    print_entries([Entry((), (), (agent,), text) for agent, text in lines])
    if not lines:
        print_note("No agent has a memory yet, and none is defined in .claude/agents.")


def _describe_memory(memory: MemoryStatus) -> str:
    return f"cannot be read: {memory.error}" if memory.error else format_count(memory.items, "item")


def _list_items(scope: LevelScope, name: str, json: bool) -> None:
    project, level = scope
    (agent,) = find_agents(scope, [name])
    has_memory = agent_status.read_file(level, agent) is not None
    items = item_actions.list_items(read_memory(project, agent, level)) if has_memory else []
    if json:
        names = ("id", "text", "section", "nested", "confidence")
        print_json([{"agent": agent, **select_fields(item, *names)} for item in items])
        return
    print_entries(
        [
            Entry((agent,), (), (item.id, f"{item.confidence:.1f}"), item.whole, item.section)
            for item in items
        ]
    )
    if not has_memory:
        print_note(f"{agent} has no memory yet.")
    elif not items:
        print_note(f"{agent}'s memory has no items; see agent-memory show {agent}")
