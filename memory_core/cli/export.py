"""`agent-memory export`: memories with their history to one file."""

from __future__ import annotations

import json
import os
from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import Agents, User, check_user, project_of
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, counter, note


def export(
    ctx: typer.Context,
    agent: Agents = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to; - is stdout.")
    ] = "-",
    user: User = False,
) -> None:
    """Write memories, and all that belongs to them, as JSON.

    agent-memory import takes it in, here or elsewhere.
    The fields are in docs/sharing.md.

    \b
    Example:
      agent-memory export engineer --output engineer.json
    """
    from memory_core import exchange
    from memory_core.overview import counted

    check_user(user)
    if os.path.isdir(output):
        raise Refused(f"{output} is a folder; --output wants a file")
    project = project_of(ctx)
    level = project.level(user)
    having = exchange.everybody(level)
    names = [known_agent(project, name, level) for name in agent or []] or having
    for name in [name for name in names if name not in having]:
        note(f"{name} has no memory yet")
    if not having:
        note("There is no memory to export.")
    there = [name for name in dict.fromkeys(names) if name in having]
    value = exchange.exported(project, level, there, counter("Exporting"))
    if output == "-":
        as_json(value)
    else:
        exchange.save(output, json.dumps(value, indent=2) + "\n")
        note(f"Exported {counted(len(there), 'agent')} to {output}")
