"""`agent-memory list`: the agents, or what stands in a memory, item by item."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memory_core.cli.common import AsJson, User, check_user, complete_agents, project_of
from memory_core.cli.output import as_json, cells, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.searching import Listed, Standing
    from memory_core.store import Store


def list_(
    ctx: typer.Context,
    agent: Annotated[
        str | None,
        typer.Argument(
            metavar="AGENT",
            help="Whose items: an agent in any spelling, or PM.",
            show_default="list the agents",
            autocompletion=complete_agents,
        ),
    ] = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Print all agents, or an agent's items with their ids.

    Of the agents, those with a memory, and those that are defined in .claude/agents.
    Of an item, its id, how sure it is, its section, and its text.

    \b
    Example:
      agent-memory list engineer
    """
    check_user(user)
    project = project_of(ctx)
    if agent is None:
        _list_agents(project, project.level(user), user, json)
    else:
        _list_items(project, project.level(user), agent, json)


def _list_agents(project: Project, held: Store, user: bool, json: bool) -> None:
    from memory_core import searching

    found = searching.agents(project, held, os.environ, user)
    if json:
        as_json([_agent_fields(project, each) for each in found])
        return
    width = max((cells(each.agent) for each in found), default=0)
    for each in found:
        out(text_of(f"{each.agent}{' ' * (width - cells(each.agent))}  {_state(each)}"))
    if not found:
        note("No agent has a memory yet, and none is defined in .claude/agents.")


def _state(each: Listed) -> str:
    from memory_core.overview import counted

    if each.error:
        return f"cannot be read: {each.error}"
    return counted(each.items, "item") if each.path else "no memory yet"


def _agent_fields(project: Project, each: Listed) -> dict[str, object]:
    return {
        "agent": text_of(each.agent),
        "file": text_of(project.place.relative(each.path)) or None,
        "items": each.items,
        "error": text_of(each.error) or None,
    }


def _list_items(project: Project, held: Store, name: str, json: bool) -> None:
    from memory_core import searching
    from memory_core.cli.known import known_agent

    agent = known_agent(project, name, held)
    has_memory = held.read(agent) is not None
    found = searching.items(project, held, agent) if has_memory else []
    if json:
        as_json([_item_fields(agent, each) for each in found])
        return
    for each in found:
        _print(each)
    if not has_memory:
        note(f"{agent} has no memory yet.")
    elif not found:
        note(f"The memory of {agent} has no items; agent-memory show {agent} prints all of it.")


def _print(each: Standing) -> None:
    head = f"{each.id}  {each.confidence:.1f}  "
    out(text_of(f"{head}[{each.section}] {each.text}"))
    for line in each.nested.split("\n") if each.nested else ():
        out(text_of(f"{' ' * len(head)}{line}".rstrip()))


def _item_fields(agent: str, each: Standing) -> dict[str, object]:
    return {
        "agent": agent,
        "id": each.id,
        "text": text_of(each.text),
        "section": text_of(each.section) or None,
        "nested": text_of(each.nested) or None,
        "confidence": each.confidence,
    }
