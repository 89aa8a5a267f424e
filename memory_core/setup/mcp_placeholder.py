"""A stand-in for the plugin's MCP server while its Python environment is still being built.

Claude Code 2.1.329 stops waiting for a server after 30 seconds, and does not start a plugin's
server again for 15 minutes if it failed, in new sessions either (measured).  So this server
connects, has no tools, and ends with the session; the next session starts the real server.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from memory_core import __version__
from memory_core.setup import plugin

METHOD_NOT_FOUND = -32601


def serve(reason: str) -> int:
    """Answer a client on stdin until it disconnects; `reason` says why there are no tools."""
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if isinstance(message, dict) and "id" in message and "method" in message:
            reply = {"jsonrpc": "2.0", "id": message["id"], **_answer(message, reason)}
            print(json.dumps(reply), flush=True)
    return 0


def _answer(request: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return the `result` or the `error` of a request."""
    if request["method"] == "ping":
        return {"result": {}}
    if request["method"] != "initialize":
        message = f"{plugin.NAME}: {reason}"
        return {"error": {"code": METHOD_NOT_FOUND, "message": message}}
    return {
        "result": {
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {},
            "serverInfo": {"name": plugin.NAME, "version": __version__},
            "instructions": f"No tools in this session: {reason}",
        }
    }
