"""`agent-memory list`: the agents, or the items of one agent."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memory_core.cli import suggestions
from memory_core.cli.arguments import AsJson, LevelScope, User, find_agents, find_level
from memory_core.cli.output import align_columns, print_json, print_line, print_note
from memory_core.curation import searching
from memory_core.text.phrases import format_count


def list_(
    agent: Annotated[
        str | None,
        typer.Argument(
            metavar="AGENT",
            help="Agent name in any spelling, or PM.",
            show_default="list the agents",
            autocompletion=suggestions.suggest_agents,
        ),
    ] = None,
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
    agents = searching.list_agents(project, level, os.environ, user)
    if json:
        print_json(
            [
                {
                    "agent": agent.agent,
                    "file": project.place.relative(agent.path) or None,
                    "items": agent.items,
                    "error": agent.error or None,
                }
                for agent in agents
            ]
        )
        return
    for line in align_columns([[agent.agent, _describe_agent(agent)] for agent in agents]):
        print_line(line)
    if not agents:
        print_note("No agent has a memory yet, and none is defined in .claude/agents.")


def _describe_agent(agent: searching.AgentSummary) -> str:
    if agent.error:
        return f"cannot be read: {agent.error}"
    return format_count(agent.items, "item") if agent.path else "no memory yet"


def _list_items(scope: LevelScope, name: str, json: bool) -> None:
    project, level = scope
    (agent,) = find_agents(scope, [name])
    has_memory = level.read(agent) is not None
    items = searching.list_items(project, level, agent) if has_memory else []
    if json:
        print_json(
            [
                {
                    "agent": agent,
                    "id": item.id,
                    "text": item.text,
                    "section": item.section or None,
                    "nested": item.nested or None,
                    "confidence": item.confidence,
                }
                for item in items
            ]
        )
        return
    for item in items:
        head = f"{item.id}  {item.confidence:.1f}  "
        print_line(f"{head}[{item.section}] {item.text}")
        for line in item.nested.split("\n") if item.nested else ():
            print_line(f"{' ' * len(head)}{line}".rstrip())
    if not has_memory:
        print_note(f"{agent} has no memory yet.")
    elif not items:
        print_note(f"{agent}'s memory has no items; see agent-memory show {agent}")
