"""stdio, which a client starts us with, and HTTP on this machine for clients that cannot."""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import signal
import socket
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping

import anyio
from mcp.server.stdio import stdio_server
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from memory_core.mcp_server import NAME, server
from memory_core.mcp_server.served import Served

HOST = "127.0.0.1"
PATH = "/mcp"
PORT = 8735

TOKEN = "AGENT_MEMORY_TOKEN"  # noqa: S105 - the variable's name
SHORTEST = 16  # characters of a token: what can be guessed is none

# Seconds that open streams have to end when the server does.
GRACE = 2

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Refused(ValueError):
    """What cannot be served; the message is the reason."""

    def __init__(self, sentence: str, status: int = 2) -> None:
        super().__init__(sentence)
        self.status = status


def _quiet() -> None:
    """Keep stderr for our own sentences: libraries log tracebacks there."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")


# stdio.


def over_stdio(served: Served) -> None:
    """Serve until stdin ends; a signal ends the process."""
    _quiet()
    if sys.stdin is None or sys.stdout is None:
        raise Refused("a client talks to it over stdin and stdout: neither may be closed")
    if sys.stdin.isatty():
        print(f"{NAME}: waiting for a client on stdin; Ctrl-C ends it", file=sys.stderr)
    anyio.run(_serve_stdio, served)


async def _serve_stdio(served: Served) -> None:
    made = server.made(served)
    async with anyio.create_task_group() as group:
        group.start_soon(_end_by_signal)
        async with _ClientGone(), stdio_server() as (incoming, outgoing):
            await made.run(incoming, outgoing, made.create_initialization_options())
        group.cancel_scope.cancel()


class _ClientGone:
    """Around a server: that its client reads no more is no error."""

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        return error is not None and all(isinstance(each, OSError) for each in _leaves(error))


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Give the errors of a group of groups."""
    inner = getattr(error, "exceptions", None)
    if inner is None:
        yield error
    else:
        for each in inner:
            yield from _leaves(each)


async def _end_by_signal() -> None:
    """End the process at once: a thread waits for stdin, and nothing else would end that.

    What is being written is whole or not there at all, however a writer ends.
    """
    heeded = [each for each in ENDING if signal.getsignal(each) != signal.SIG_IGN]
    with anyio.open_signal_receiver(*heeded) as signals:
        async for number in signals:
            os._exit(128 + number)


# HTTP.


def token_of(environ: Mapping[str, str]) -> str:
    """Return the token that is told, "" for none; raises Refused for one that is no secret."""
    told = environ.get(TOKEN, "").strip()
    if told and (len(told) < SHORTEST or not told.isascii() or not told.isprintable()):
        raise Refused(f"{TOKEN}: at least {SHORTEST} ASCII characters are expected")
    return told


def over_http(served: Served, port: int, token: str, say: Callable[[str], None]) -> None:
    """Serve on this machine's own address until a signal.

    Without a token one is made, and said.  Raises Refused where the port is taken.
    """
    _quiet()
    own = _socket(port)
    say(f"{NAME}: serving {served.project.place.root}")
    say(f"at http://{HOST}:{own.getsockname()[1]}{PATH}")
    if not token:
        token = secrets.token_urlsafe(32)
        say(f"with the header  Authorization: Bearer {token}")
    with own:
        anyio.run(_serve_http, served, own, token)


def _socket(port: int) -> socket.socket:
    own = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        own.bind((HOST, port))
        own.listen()  # who is told the address may come at once
    except OSError as error:
        own.close()
        sentence = f"port {port}: {error.strerror}; --port chooses another"
        raise Refused(sentence, 1) from None
    return own


async def _serve_http(served: Served, own: socket.socket, token: str) -> None:
    import uvicorn

    app = Guarded(
        server.made(served).streamable_http_app(host=HOST, streamable_http_path=PATH), token
    )
    settings = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
    )
    await uvicorn.Server(settings).serve(sockets=[own])


class Guarded:
    """An app behind a token; that Host and Origin are ours is the SDK's to check."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_known(scope):
            await self._app(scope, receive, send)
            return
        headers = {"WWW-Authenticate": "Bearer"}
        answer = PlainTextResponse("the token is missing, or another", 401, headers)
        await answer(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        given = dict(scope["headers"]).get(b"authorization", b"")
        return hmac.compare_digest(given, self._wanted)
