"""Serve over stdio, or over HTTP on this machine for clients that cannot start a process."""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import signal
import socket
import sys
import warnings
from collections.abc import Callable, Mapping

import anyio
from mcp.server.stdio import stdio_server
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from memory_core.mcp_server import SERVER_NAME, server
from memory_core.mcp_server.served_project import ServedProject

HOST = "127.0.0.1"
PATH = "/mcp"
PORT = 8735

TOKEN_VARIABLE = "AGENT_MEMORY_TOKEN"  # noqa: S105 - the variable's name
MIN_TOKEN_CHARS = 16  # a shorter token is too easy to guess

# Seconds that open streams have to finish when the server stops.
GRACE_SECONDS = 2

END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class CannotServe(ValueError):
    """The server cannot start; the message is the reason."""

    status = 2


def _quiet() -> None:
    """Silence libraries, which would write tracebacks to stderr."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")


# stdio.


def serve_stdio(served: ServedProject) -> None:
    """Serve until stdin ends; a signal ends the process."""
    _quiet()
    if sys.stdin is None or sys.stdout is None:
        raise CannotServe("a client talks to it over stdin and stdout: neither may be closed")
    if sys.stdin.isatty():
        print(f"{SERVER_NAME}: waiting for a client on stdin; Ctrl-C ends it", file=sys.stderr)
    for number in END_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _exit)
    anyio.run(_serve_stdio, served)


def _exit(number: int, _frame: object) -> None:
    """Exit at once: a thread is blocked on stdin, and cannot be cancelled.

    This is safe during a write: an interrupted write leaves no partial data.
    """
    os._exit(128 + number)


async def _serve_stdio(served: ServedProject) -> None:
    app = server.create(served)
    try:
        async with stdio_server() as (incoming, outgoing):
            await app.run(incoming, outgoing, app.create_initialization_options())
    except BaseException as error:
        if not all(isinstance(single, OSError) for single in _flatten(error)):
            raise  # otherwise, the client closed its end of the pipe


def _flatten(error: BaseException) -> list[BaseException]:
    """Return the single errors of nested exception groups."""
    group = getattr(error, "exceptions", None)
    return [error] if group is None else [leaf for child in group for leaf in _flatten(child)]


# HTTP.


def read_token(environ: Mapping[str, str]) -> str:
    """Return the token from the environment, "" for none; raises CannotServe if it is unsafe."""
    token = environ.get(TOKEN_VARIABLE, "").strip()
    if token and (len(token) < MIN_TOKEN_CHARS or not token.isascii() or not token.isprintable()):
        raise CannotServe(
            f"{TOKEN_VARIABLE}: at least {MIN_TOKEN_CHARS} ASCII characters are expected"
        )
    return token


def serve_http(served: ServedProject, port: int, token: str, say: Callable[[str], None]) -> None:
    """Serve on 127.0.0.1 until a signal; without a token, create one and print it with `say`.

    Raises OSError if the port is in use.
    """
    _quiet()
    own = _socket(port)
    say(f"{SERVER_NAME}: serving {served.project.paths.root}")
    say(f"at http://{HOST}:{own.getsockname()[1]}{PATH}")
    if not token:
        token = secrets.token_urlsafe(32)
        say(f"with the header  Authorization: Bearer {token}")
    with own:
        anyio.run(_serve_http, served, own, token)


def _socket(port: int) -> socket.socket:
    """Listen already: a client may connect as soon as the address is printed."""
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        raise OSError(error.errno, f"port {port}: {reason}; --port chooses another") from None


async def _serve_http(served: ServedProject, own: socket.socket, token: str) -> None:
    import uvicorn

    app = TokenGuard(
        server.create(served).streamable_http_app(host=HOST, streamable_http_path=PATH), token
    )
    settings = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        lifespan="on",
    )
    await uvicorn.Server(settings).serve(sockets=[own])


class TokenGuard:
    """An app that requires a token; the SDK checks the headers Host and Origin."""

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
