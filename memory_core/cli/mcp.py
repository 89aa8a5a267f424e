"""`agent-memory mcp`: serve the memories over the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

from memory_core.cli.app import read_environment, shared
from memory_core.cli.common.arguments import flag
from memory_core.cli.common.inputs import ask_yes_no, can_ask
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_note
from memory_core.setup import activation

MISSING = "the MCP server needs more packages (23 MB)"


Install = Annotated[bool, flag("--install", "Install the packages that it needs first.")]


def mcp(install: Install = False) -> None:
    """Serve memories to other tools over MCP.

    docs/mcp.md has the settings of MCP clients.

    \b
    Example:
      claude mcp add agent-memory -- agent-memory mcp
    """
    if activation.lacks_mcp():
        if not install and not (can_ask() and ask_yes_no(f"{MISSING}. Install them now?")):
            raise CommandRefused(f"{MISSING}: run agent-memory mcp --install", 1)
        activation.install_program(mcp=True, say=print_note)
        activation.lacks_mcp()  # the program that has them takes over
    from memory_core.mcp_server import stdio
    from memory_core.mcp_server.served_project import ServedProject

    stdio.serve(ServedProject(shared.project, read_environment()))
