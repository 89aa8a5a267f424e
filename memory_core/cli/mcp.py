"""`agent-memory mcp`: the memories for other tools, over the Model Context Protocol."""

from __future__ import annotations

import gc
import os
from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.output import note


def mcp(
    ctx: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="On http://127.0.0.1, with a token, not on stdio.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="With --http; 0 is any that is free.", show_default="8735"
        ),
    ] = None,
) -> None:
    """Serve memories to other tools over MCP.

    A client starts it, and talks to it on stdin and stdout; docs/mcp.md has the
    settings for Claude Code, VS Code, Cursor and Codex.
    With --http you start it; the token is AGENT_MEMORY_TOKEN, else a new one each time.

    \b
    Example:
      claude mcp add agent-memory -- agent-memory mcp
    """
    if port is not None and not http:
        raise Refused("--port goes with --http")
    folder = (ctx.find_root().obj or {}).get("project") or ""
    environ = {**os.environ}
    if folder:
        environ.pop("CLAUDE_PROJECT_DIR", None)
    gc.disable()  # there is nothing to collect while a hundred modules are loaded
    from memory_core.mcp_server import transports
    from memory_core.mcp_server.served import Served

    gc.freeze()
    gc.enable()
    ours = Served(folder, environ)
    if http:
        token = transports.token_of(os.environ)
        transports.over_http(ours, transports.PORT if port is None else port, token, note)
    else:
        transports.over_stdio(ours)
