"""`agent-memory context`: all that is known of and to an agent."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import Agent, AsJson, project_of
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, note, out, text_of
from memory_core.cli.show import show_given


def context(
    ctx: typer.Context,
    agent: Agent,
    as_given: Annotated[
        bool, typer.Option("--as-given", help="Print what the agent would be given now.")
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, help="So many items at most.", show_default="memory.context_items, JSON all"
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Print all that is known of an agent, the surest first.

    Items below memory.min_confidence are left out.

    \b
    Example:
      agent-memory context engineer --top 5
    """
    from memory_core import knowledge

    if as_given and top is not None:
        raise Refused("--as-given prints the memory whole: --top does not go with it")
    project = project_of(ctx)
    name = known_agent(project, agent)
    if as_given:
        show_given(project, name, json)
        return
    known = knowledge.context(project, name)
    if json:
        as_json(knowledge.data(known, top))
        return
    text = knowledge.rendered(known, top or project.config["context_items"])
    if text:
        out(text_of(text))
    else:
        note(f"Nothing is known of {name} yet.")
