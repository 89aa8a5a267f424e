"""The SDK's server with our tools, prompts and resources; each error becomes a sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import anyio.to_thread
import mcp_types as types
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError

from memory_core import __version__
from memory_core.mcp_server import INSTRUCTIONS, SERVER_NAME, prompts, resources, tools
from memory_core.mcp_server.served_project import ServedProject, format_error


class MemoryServer(MCPServer[Any]):
    """The server of a project; the caller runs it on a transport.

    The SDK runs the functions of tools, prompts and resources in threads.
    """

    def __init__(self, served: ServedProject) -> None:
        super().__init__(
            SERVER_NAME,
            title="Memories of agents and tasks",
            instructions=INSTRUCTIONS,
            version=__version__,
            tools=tools.build_tools(served),
            subscriptions=False,
        )
        self._served = served
        prompts.add_prompts(self, served)
        resources.add_resources(self, served)

    async def run_on(self, incoming: Any, outgoing: Any) -> None:
        """Serve the client behind two streams of messages until `incoming` ends."""
        own = self._lowlevel_server
        await own.run(incoming, outgoing, own.create_initialization_options())

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool; an error is a result, which the model reads and can try again."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            _code, sentence = self._describe(name, error)
            content = types.TextContent(type="text", text=sentence)
            return types.CallToolResult(content=[content], is_error=True)

    async def list_resources(self) -> list[types.Resource]:
        """Return the resources that exist now."""
        with self._described("resources"):
            return await anyio.to_thread.run_sync(resources.list_all, self._served)

    async def read_resource(self, uri: Any, context: Any = None) -> Any:
        with self._described(str(uri)):
            return await super().read_resource(uri, context)

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Any = None
    ) -> Any:
        with self._described(name):
            return await super().get_prompt(name, arguments, context)

    @contextmanager
    def _described(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - the client gets every error
            raise MCPError(*self._describe(what, error)) from None

    def _describe(self, what: str, error: BaseException) -> tuple[int, str]:
        """Return the code and the sentence of an error; the innermost cause counts.

        The errors of the SDK say what was invalid; some are just a ValueError.
        """
        cause = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        is_sdks = type(cause) is ValueError or type(cause).__module__.startswith("mcp.")
        if sentence := str(error) if is_sdks else format_error(cause, self._served):
            return types.INVALID_PARAMS, sentence
        sentence = f"internal error in {what}, {type(cause).__name__}: {cause}"
        if sys.stderr is not None:  # stdout belongs to the protocol
            with suppress(OSError):
                print(f"{SERVER_NAME}: {' '.join(sentence.split())}", file=sys.stderr, flush=True)
        return types.INTERNAL_ERROR, sentence
