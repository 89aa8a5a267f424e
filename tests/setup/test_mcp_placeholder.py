"""The plugin's MCP server, and its placeholder while the environment is built."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from memory_core.setup import mcp_placeholder, plugin, plugin_environment
from support.paths import REPO
from support.plugin import (
    ITEM,
    Plugged,
    base_python,
    install_builder,
    is_over,
    make_borrowing_script,
)
from support.processes import wait_until

RECALL = {"name": "recall", "arguments": {"agent": "engineer"}}


class McpClient:
    """A client of the plugin's MCP server; each message is one line of JSON."""

    def __init__(self, plugged: Plugged, *command: str, **env: str) -> None:
        words = command or ("/bin/sh", str(plugged.folder / "hooks" / "plugin.sh"), "mcp")
        place: dict[str, Any] = {"cwd": plugged.sandbox.root, "env": plugged.env(**env)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, **place)
        self._number = 0

    def send(self, **message: Any) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request, and return the result or the error."""
        assert self._process.stdout
        self._number += 1
        self.send(id=self._number, method=method, params=params)
        reply = json.loads(self._process.stdout.readline())
        assert (reply["jsonrpc"], reply["id"]) == ("2.0", self._number)
        return reply.get("result", reply.get("error"))

    def connect(self) -> Any:
        client = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "test", "version": "1"}}
        result = self.ask("initialize", capabilities={}, **client)
        self.send(method="notifications/initialized")
        return result

    def end(self) -> tuple[int, bytes, bytes]:
        """Disconnect; return the exit status and the remaining output."""
        out, err = self._process.communicate(timeout=60)
        return self._process.returncode, out, err


def test_the_server_waits_for_the_environment(plugged: Plugged) -> None:
    plugged.sandbox.write_memory("engineer", ITEM)
    install_builder(plugged, f"sleep 1\n{make_borrowing_script(plugged)}")
    mcp = McpClient(plugged)
    assert mcp.connect()["protocolVersion"] == "2025-06-18"
    assert "recall" in [tool["name"] for tool in mcp.ask("tools/list")["tools"]]
    assert ITEM in mcp.ask("tools/call", **RECALL)["content"][0]["text"]
    assert mcp.end() == (0, b"", b"")


def test_a_placeholder_connects_while_the_build_takes_longer(plugged: Plugged) -> None:
    """Claude Code 2.1.329 does not restart a failed server for 15 minutes."""
    install_builder(
        plugged, f'until [ -e "$HOME/go" ]; do sleep 0.05; done\n{make_borrowing_script(plugged)}'
    )
    program = (
        f"import sys; sys.path += [{str(REPO)!r}, {str(REPO / 'hooks')!r}]\n"
        "import agent_memory_plugin\n"
        "from memory_core.setup import plugin_environment\n"
        "plugin_environment.SERVER_WAIT = 0\n"
        "sys.exit(agent_memory_plugin.run_verb('mcp', []))"
    )
    command = [base_python(), "-I", "-c", program]
    mcp = McpClient(plugged, *command, **{plugin.DATA_VARIABLE: str(plugged.data)})
    mcp.send(method="notifications/early")
    result = mcp.connect()
    assert (result["capabilities"], result["protocolVersion"]) == ({}, "2025-06-18")
    assert mcp.ask("ping") == {}
    error = mcp.ask("tools/list")
    assert error["code"] == mcp_placeholder.METHOD_NOT_FOUND
    assert error["message"] == f"agent-memory: {plugin_environment.STILL_BUILDING}"
    assert mcp.end() == (0, b"", b"")
    (plugged.sandbox.home / "go").touch()
    wait_until(lambda: is_over(plugged))
