"""Who is told when something changes on the disk, whoever changed it: a hook, a person, git.

Clients up to protocol 2025-11-25 subscribe to a resource, and are told of the list of
resources without asking; from 2026-07-28 on they open a stream and say what they want to
hear of.  Files are looked at once a second, and only those that somebody waits for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    EmptyResult,
    NotificationParams,
    ResourceListChangedNotification,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

# Seconds between two looks.
PAUSE = 1.0

# Over HTTP nobody says when a session has ended: the one that was not heard of longest goes.
SESSIONS = 256

# One client needs no more; each is looked at once a second.
SUBSCRIPTIONS = 1000

# The header by which a session of HTTP is known; on stdio there is one.
SESSION = "mcp-session-id"

LIST = ""  # in the place of a URI: the list of all resources

Context = ServerRequestContext[Any, Any]


def _check(count: int) -> None:
    if count > SUBSCRIPTIONS:
        sentence = f"at most {SUBSCRIPTIONS} resources can be subscribed to"
        raise MCPError(INVALID_PARAMS, sentence)


class _Client:
    """A client of the older protocols, and what it subscribed to."""

    def __init__(self, session: ServerSession) -> None:
        self.session = session
        self.uris: set[str] = set()


class Changes:
    """Who waits for which change, and how each thing was when it was last looked at.

    A class because requests add to it, and the watch goes by it.  `stamp` returns for a URI,
    or for LIST, what is another once that is another.
    """

    def __init__(self, stamp: Callable[[str], object]) -> None:
        self._stamp = stamp
        self._seen: dict[str, object] = {}
        self._clients: dict[str, _Client] = {}
        self._streams: Counter[str] = Counter()
        self._bus = InMemorySubscriptionBus()
        self._handler = ListenHandler(self._bus)

    # Older clients.

    async def joined(self, ctx: Context, _params: NotificationParams) -> None:
        """Have a client that is ready told of the list."""
        self._client(ctx)
        await self._look(LIST)

    async def subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        client = self._client(ctx)
        _check(len(client.uris) + 1)
        client.uris.add(params.uri)
        await self._look(params.uri)
        return EmptyResult()

    async def unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        self._client(ctx).uris.discard(params.uri)
        return EmptyResult()

    def _client(self, ctx: Context) -> _Client:
        key = ctx.request.headers.get(SESSION, "") if ctx.request is not None else ""
        client = self._clients.pop(key, None) or _Client(ctx.session)
        self._clients[key] = client
        if len(self._clients) > SESSIONS:
            del self._clients[next(iter(self._clients))]
        return client

    # Newer ones.

    async def listen(
        self, ctx: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve a stream of changes until the client closes it."""
        asked = params.notifications
        uris = {
            *(asked.resource_subscriptions or ()),
            *([LIST] * bool(asked.resources_list_changed)),
        }
        _check(len(uris))
        self._streams.update(uris)
        try:
            for uri in uris:
                await self._look(uri)
            return await self._handler(ctx, params)
        finally:
            self._streams.subtract(uris)

    # The watch.

    async def watch(self) -> None:
        """Look at what somebody waits for, and tell them, until cancelled."""
        while True:
            await anyio.sleep(PAUSE)
            wanted = self._wanted()
            self._seen = {uri: seen for uri, seen in self._seen.items() if uri in wanted}
            for uri in wanted:
                if await self._look(uri):
                    await self._tell(uri)

    def _wanted(self) -> set[str]:
        subscribed = (uri for client in self._clients.values() for uri in client.uris)
        listening = {LIST} if self._clients else set()
        return {
            *subscribed,
            *listening,
            *(uri for uri, count in self._streams.items() if count > 0),
        }

    async def _look(self, uri: str) -> bool:
        """Say whether a thing is another than when it was last looked at."""
        now = await anyio.to_thread.run_sync(self._stamp, uri)
        before = self._seen.get(uri, now)
        self._seen[uri] = now
        return before != now

    async def _tell(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri=uri) if uri else ResourcesListChanged())
        for client in list(self._clients.values()):
            if not uri:
                await client.session.send_notification(ResourceListChangedNotification())
            elif uri in client.uris:
                await client.session.send_resource_updated(uri)
