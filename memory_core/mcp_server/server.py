"""The SDK server: route each request to its function and turn each error into a sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from memory_core import __version__
from memory_core.mcp_server import INSTRUCTIONS, SERVER_NAME, TITLE, prompts, resources, tools
from memory_core.mcp_server.served_project import ServedProject, format_error

Context = ServerRequestContext[Any, Any]
Answer = TypeVar("Answer")
PageParams = types.PaginatedRequestParams | None


def create(served: ServedProject) -> Server[None]:
    """Return the server of a project; the caller runs it on a transport."""
    handlers = _Handlers(served)

    return Server(
        SERVER_NAME,
        version=__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


def _say(sentence: str) -> None:
    """Write a line to stderr, if it is open: stdout belongs to the protocol."""
    if sys.stderr is not None:  # otherwise `print` would write to stdout
        with suppress(OSError):
            print(" ".join(sentence.splitlines()), file=sys.stderr, flush=True)


class _Handlers:
    """The request handlers of one server.  They read and write files in threads."""

    def __init__(self, served: ServedProject) -> None:
        self._served = served
        # One writer at a time: the names of waiting learnings differ only between processes.
        self._writers = anyio.CapacityLimiter(1)

    # Tools.

    async def list_tools(self, _ctx: Context, _params: PageParams) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool.listing for tool in tools.TOOLS.values()])

    async def call_tool(
        self, _ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        name, given = params.name, params.arguments or {}
        if name not in tools.TOOLS:
            names = ", ".join(tools.TOOLS)
            raise MCPError(types.INVALID_PARAMS, f"no tool {name!r}; there are {names}")
        # Readers need not wait for a writer that waits for a lock.
        limiter = None if tools.TOOLS[name].is_read_only else self._writers
        try:
            return await self._run(name, lambda: tools.call(self._served, name, given), limiter)
        except MCPError as error:  # the model reads the error and can try again
            content = types.TextContent(type="text", text=error.message)
            return types.CallToolResult(content=[content], is_error=True)

    # Resources.

    async def list_resources(self, _ctx: Context, _params: PageParams) -> types.ListResourcesResult:
        listing = await self._run(
            "resources", lambda: resources.list_all(self._served.project_with_tasks)
        )
        return types.ListResourcesResult(resources=listing)

    async def list_templates(
        self, _ctx: Context, _params: PageParams
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def read_resource(
        self, _ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = params.uri
        text, kind = await self._run(uri, lambda: resources.read(self._served, uri))
        contents = types.TextResourceContents(uri=uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[contents])

    # Prompts.

    async def list_prompts(self, _ctx: Context, _params: PageParams) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[prompt.listing for prompt in prompts.PROMPTS.values()]
        )

    async def get_prompt(
        self, _ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        given = params.arguments or {}
        return await self._run(params.name, lambda: prompts.get(self._served, params.name, given))

    # Threads and errors.

    async def _run(
        self, what: str, work: Callable[[], Answer], limiter: anyio.CapacityLimiter | None = None
    ) -> Answer:
        """Run `work` in a thread; its errors become MCPError."""
        return await anyio.to_thread.run_sync(self._run_guarded, what, work, limiter=limiter)

    def _run_guarded(self, what: str, work: Callable[[], Answer]) -> Answer:
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - the client gets every error
            served = self._served
            sentence = format_error(error, lambda: served.list_agents(served.project))
            if sentence:
                raise MCPError(types.INVALID_PARAMS, sentence) from None
            sentence = f"internal error in {what}, {type(error).__name__}: {error}"
            _say(f"{SERVER_NAME}: {sentence}")
            raise MCPError(types.INTERNAL_ERROR, sentence) from None
