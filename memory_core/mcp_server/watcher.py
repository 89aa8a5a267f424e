"""Notify clients about changed resources, whoever changed the files: a hook, a person or git.

Clients of protocols up to 2025-11-25 subscribe to single resources, and are always notified of
changes of the resource list.  Since 2026-07-28 clients open a stream and name the resources to
watch.
Once a second the watcher checks the list and the resources that somebody waits for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)

PAUSE_SECONDS = 1.0

# HTTP clients do not announce the end of a session: beyond this, the oldest one is dropped.
MAX_SESSIONS = 256

# The HTTP header that names a session; stdio has one session.
SESSION_HEADER = "mcp-session-id"

ALL_RESOURCES = ""  # stands for the list of all resources where a URI is expected

Context = ServerRequestContext[Any, Any]


class _Client(NamedTuple):
    """A client of an older protocol and the URIs it subscribed to."""

    session: ServerSession
    uris: set[str]


class ChangeWatcher:
    """Watches resources for clients, and keeps the last state of each resource.

    `read_fingerprint` returns a value that changes when the resource with a URI changes, or
    when the list does, for ALL_RESOURCES.
    """

    def __init__(self, read_fingerprint: Callable[[str], object]) -> None:
        self._read_fingerprint = read_fingerprint
        self._fingerprints: dict[str, object] = {}
        self._clients: dict[str, _Client] = {}
        self._streams: Counter[str] = Counter()
        self._bus = InMemorySubscriptionBus()
        self._handler = ListenHandler(self._bus)

    # Clients of older protocols.

    async def add_client(self, ctx: Context, _params: types.NotificationParams) -> None:
        """Register a client for changes of the resource list."""
        self._find_client(ctx)

    async def subscribe(
        self, ctx: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        client = self._find_client(ctx)
        client.uris.add(params.uri)
        await self._has_changed(params.uri)
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        self._find_client(ctx).uris.discard(params.uri)
        return types.EmptyResult()

    def _find_client(self, ctx: Context) -> _Client:
        key = ctx.request.headers.get(SESSION_HEADER, "") if ctx.request is not None else ""
        client = self._clients.pop(key, None) or _Client(ctx.session, set())
        self._clients[key] = client
        if len(self._clients) > MAX_SESSIONS:
            del self._clients[next(iter(self._clients))]
        return client

    # Clients of newer protocols.

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve a stream of changes until the client closes it."""
        wanted = params.notifications
        uris = set(wanted.resource_subscriptions or ())
        if wanted.resources_list_changed:
            uris.add(ALL_RESOURCES)
        self._streams.update(uris)
        try:
            for uri in uris:
                await self._has_changed(uri)
            return await self._handler(ctx, params)
        finally:
            self._streams.subtract(uris)

    # Checking.

    async def start(self) -> None:
        """Record the resource list, before any client can change or wait for it."""
        await self._has_changed(ALL_RESOURCES)

    async def watch(self) -> None:
        """Check the watched resources once a second and notify clients, until cancelled."""
        while True:
            await anyio.sleep(PAUSE_SECONDS)
            uris = self._list_watched()
            self._fingerprints = {
                uri: value for uri, value in self._fingerprints.items() if uri in uris
            }
            for uri in uris:
                if await self._has_changed(uri):
                    await self._notify(uri)

    def _list_watched(self) -> set[str]:
        subscribed = (uri for client in self._clients.values() for uri in client.uris)
        streamed = (uri for uri, count in self._streams.items() if count > 0)
        return {ALL_RESOURCES, *subscribed, *streamed}

    async def _has_changed(self, uri: str) -> bool:
        """Check a resource against the last check, and record it; the first check is False."""
        now = await anyio.to_thread.run_sync(self._read_fingerprint, uri)
        before = self._fingerprints.get(uri, now)
        self._fingerprints[uri] = now
        return before != now

    async def _notify(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri=uri) if uri else ResourcesListChanged())
        for client in list(self._clients.values()):
            if not uri:
                await client.session.send_notification(types.ResourceListChangedNotification())
            elif uri in client.uris:
                await client.session.send_resource_updated(uri)
