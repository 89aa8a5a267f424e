"""`agent-memory mcp`: serve the memories over the Model Context Protocol."""

from __future__ import annotations

from memory_core.cli.app import read_environment, shared


def mcp() -> None:
    """Serve memories to other tools over MCP.

    docs/mcp.md has the settings of MCP clients.

    \b
    Example:
      claude mcp add agent-memory -- agent-memory mcp
    """
    from memory_core.mcp_server import stdio
    from memory_core.mcp_server.served_project import ServedProject

    stdio.serve(ServedProject(shared.project, read_environment()))
