"""`agent-memory mcp`: serve the memories over the Model Context Protocol."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memory_core.cli.app import read_environment, shared
from memory_core.cli.common.arguments import flag, make_number_parser
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_note


def mcp(
    http: Annotated[
        bool, flag("--http", "Serve HTTP on 127.0.0.1 with a token instead of stdio.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=make_number_parser(0, 65535),
            help="Port of --http; 0 = any free port.",
            show_default="8735",
        ),
    ] = None,
) -> None:
    """Serve memories to other tools over MCP.

    A client starts this command and talks to it on stdin and stdout; docs/mcp.md
    has the settings for Claude Code, VS Code, Cursor and Codex.
    With --http you start it; the token is AGENT_MEMORY_TOKEN or a new one each time.

    \b
    Example:
      claude mcp add agent-memory -- agent-memory mcp
    """
    if port is not None and not http:
        raise CommandRefused("--port requires --http")
    from memory_core.mcp_server import transports
    from memory_core.mcp_server.served_project import ServedProject

    project = ServedProject(shared.project, read_environment())
    if http:
        token = transports.read_token(os.environ)
        number = transports.PORT if port is None else port
        transports.serve_http(project, number, token, lambda text: print_note(text, has_token=True))
    else:
        transports.serve_stdio(project)
