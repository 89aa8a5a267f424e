"""`agent-memory export`: write memories with their history to one file."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from memory_core.cli.common.arguments import Agents, User
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.output import print_json, print_note
from memory_core.curation import export_import, lookup
from memory_core.text.phrases import format_count


def export(
    agent: Agents = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Target file; - is stdout.")
    ] = "-",
    user: User = False,
) -> None:
    """Write memories with their history as JSON.

    agent-memory import reads it, in this project or another.

    \b
    Example:
      agent-memory export engineer --output engineer.json
    """
    scope = find_level(user)
    owners = lookup.list_agents(scope.level)
    agents = list(dict.fromkeys(find_agents(scope, agent) or owners))
    for name in agents:
        if name not in owners:
            print_note(f"{name} has no memory yet")
    if not owners:
        print_note("There is no memory to export.")
    agents = [name for name in agents if name in owners]
    data = export_import.build_export(*scope, agents)
    if output == "-":
        print_json(data)
    else:
        export_import.save_file(scope.project, output, json.dumps(data, indent=2) + "\n")
        print_note(f"Exported {format_count(len(agents), 'agent')} to {output}")
