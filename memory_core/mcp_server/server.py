"""All of it as one server of the SDK: each request to what answers it, each error to a sentence."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from mcp.server import NotificationOptions, Server, ServerRequestContext
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
)

from memory_core import __version__, plugin_lobby, recording
from memory_core.mcp_server import NAME, prompts, resources, tools
from memory_core.mcp_server.changes import LIST, Changes
from memory_core.mcp_server.served import Served, told

# What never changes while a server runs may be kept by clients: milliseconds.
HOUR = CacheHint(ttl_ms=3_600_000)
FIXED: tuple[CacheableMethod, ...] = (
    "tools/list",
    "prompts/list",
    "resources/templates/list",
)

# The files of tasks are looked at once a second, but with no more than this share of the time.
PAUSE, SHARE = 1.0, 200

# As many suggestions may be made at once, by the protocol.
SUGGESTED = 100

Context = ServerRequestContext[Any, Any]
Answer = TypeVar("Answer")
Page = PaginatedRequestParams | None


class Announcing(Server[None]):
    """A server that tells the older clients that the list of resources may change.

    A class because over HTTP the SDK asks for these options itself.
    """

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        options = notification_options or NotificationOptions(resources_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def made(served: Served) -> Announcing:
    """Return the server of a project, to be run on a transport."""
    door = _Door(served)

    @asynccontextmanager
    async def lifespan(_server: Server[None]) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(door.changes.watch)
            group.start_soon(door.keep_up)
            yield
            group.cancel_scope.cancel()

    server = Announcing(
        NAME,
        version=__version__,
        title=plugin_lobby.TITLE,
        instructions=plugin_lobby.INSTRUCTIONS,
        lifespan=lifespan,
        cache_hints=dict.fromkeys(FIXED, HOUR),
        on_list_tools=door.list_tools,
        on_call_tool=door.call_tool,
        on_list_resources=door.list_resources,
        on_list_resource_templates=door.list_templates,
        on_read_resource=door.read_resource,
        on_subscribe_resource=door.changes.subscribe,
        on_unsubscribe_resource=door.changes.unsubscribe,
        on_subscriptions_listen=door.changes.listen,
        on_list_prompts=door.list_prompts,
        on_get_prompt=door.get_prompt,
        on_completion=door.complete,
    )
    server.add_notification_handler(
        "notifications/initialized", NotificationParams, door.changes.joined
    )
    return server


def _say(sentence: str) -> None:
    """Write a line to stderr, if anybody has it open: stdout is the protocol's."""
    if sys.stderr is not None:  # `print` would take stdout then
        with suppress(OSError):
            print(" ".join(sentence.splitlines()), file=sys.stderr, flush=True)


class _Door:
    """What answers the requests of one server.  Files are read and written in threads."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self.changes = Changes(self._stamp)
        self._is_up = anyio.Event()  # the files of tasks have been looked at
        # Writers one after the other: a temporary file's name is that of its process.
        self._one = anyio.CapacityLimiter(1)

    async def keep_up(self) -> None:
        """Look at the files of tasks now and then, so that no read has to wait for that."""
        while True:
            began = time.monotonic()
            try:
                await self._done("the look at tasks", lambda: self._served.with_tasks)
            except MCPError as error:
                if error.code == INTERNAL_ERROR:
                    return  # it is told, and would be at each look
            finally:
                self._is_up.set()
            await anyio.sleep(max(PAUSE, (time.monotonic() - began) * SHARE))

    def _stamp(self, uri: str) -> object:
        """Return what is another once a resource is; a memory that is switched off is none."""
        try:
            project = self._served.project
            return resources.names(project) if uri == LIST else resources.stamp(project, uri)
        except (recording.Refused, OSError):
            return None

    # Tools.

    async def list_tools(self, _ctx: Context, _params: Page) -> ListToolsResult:
        return ListToolsResult(tools=tools.listed())

    async def call_tool(self, _ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        name, given = params.name, params.arguments or {}
        if name not in tools.TOOLS:
            known = ", ".join(tools.TOOLS)
            raise MCPError(INVALID_PARAMS, f"no tool {name!r}; there are {known}")
        # A reader need not wait for a writer that waits for a lock.
        limiter = None if tools.TOOLS[name].reads else self._one
        try:
            return await self._done(name, lambda: tools.called(self._served, name, given), limiter)
        except MCPError as error:  # for the model to read, who can do better
            content = TextContent(type="text", text=error.message)
            return CallToolResult(content=[content], is_error=True)

    # Resources.

    async def list_resources(self, _ctx: Context, _params: Page) -> ListResourcesResult:
        found = await self._done("resources", lambda: resources.listed(self._served.with_tasks))
        return ListResourcesResult(resources=found)

    async def list_templates(self, _ctx: Context, _params: Page) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def read_resource(
        self, _ctx: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        uri = params.uri
        if resources.is_of_task(uri):
            await self._is_up.wait()
        read = await self._done(uri, lambda: resources.read(self._served.project, uri))
        contents = TextResourceContents(uri=uri, mime_type=read.kind, text=read.text)
        return ReadResourceResult(contents=[contents])

    # Prompts, and what may stand in their arguments and in URIs.

    async def list_prompts(self, _ctx: Context, _params: Page) -> ListPromptsResult:
        return ListPromptsResult(prompts=prompts.listed())

    async def get_prompt(self, _ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        given = params.arguments or {}
        return await self._done(params.name, lambda: prompts.got(self._served, params.name, given))

    async def complete(self, _ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        name, typed = params.argument.name, params.argument.value
        found = await self._done(name, lambda: self._suggested(name, typed))
        completion = Completion(
            values=found[:SUGGESTED], total=len(found), has_more=len(found) > SUGGESTED
        )
        return CompleteResult(completion=completion)

    def _suggested(self, name: str, typed: str) -> list[str]:
        """Return the names that have what was typed, those that begin with it first."""
        project = self._served.project
        known = {"agent": self._served.names, "task_id": resources.task_ids}
        names = known[name](project) if name in known else []
        low = typed.strip().casefold()
        having = [each for each in names if low in each.casefold()]
        return sorted(having, key=lambda each: not each.casefold().startswith(low))

    # Threads and errors.

    async def _done(
        self, what: str, work: Callable[[], Answer], limiter: anyio.CapacityLimiter | None = None
    ) -> Answer:
        """Do a piece of work in a thread; its errors become those of the protocol."""
        return await anyio.to_thread.run_sync(self._guarded, what, work, limiter=limiter)

    def _guarded(self, what: str, work: Callable[[], Answer]) -> Answer:
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - whoever asked is told, whatever it is
            sentence = told(error, self._names)
            if sentence:
                raise MCPError(INVALID_PARAMS, sentence) from None
            sentence = f"internal error in {what}, {type(error).__name__}: {error}"
            _say(f"{NAME}: {sentence}")
            raise MCPError(INTERNAL_ERROR, sentence) from None

    def _names(self) -> list[str]:
        return self._served.names(self._served.project)
