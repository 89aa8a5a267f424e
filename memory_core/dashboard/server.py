"""The server of the dashboard, and the socket that it listens on."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette

from memory_core.dashboard.security import Access
from memory_core.dashboard.site import Site
from memory_core.storage.project import Project

HOST = "127.0.0.1"
PORT = 5000

# If PORT is taken and nobody chose it, this many ports behind it are tried.
NEXT_PORTS = 20

END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# Seconds that requests have to finish when the server stops.
GRACE_SECONDS = 2


def serve(
    project: Project,
    port: int | None,
    say: Callable[[str], None],
    opens_browser: bool = False,
) -> None:
    """Serve on 127.0.0.1 until a signal; `say` gets the address.

    Without a port, the first free one from PORT on is used, with 0 any free one.  Raises OSError
    if the port is taken.
    """
    with listen(port) as own:
        access = Access(own.getsockname()[1])
        site = Site(project, access)
        server = uvicorn.Server(_make_config(site.make_app()))
        _handle_signals()
        say(access.make_address())
        if opens_browser:
            _open_browser(access.make_address(once=True))
        # Under anyio.run, Ctrl-C ends with CancelledError on Python 3.10.
        site.is_stopping = lambda: server.should_exit
        asyncio.run(server.serve(sockets=[own]))


def _open_browser(address: str) -> None:
    """Open an address that is valid once: other users see it in the list of processes.

    A browser in this terminal ends only when the person closes it, so nobody waits for it.
    """
    threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()


def listen(port: int | None) -> socket.socket:
    """Return a socket that listens; raises OSError if the port, or each of them, is taken."""
    ports = range(PORT, PORT + NEXT_PORTS + 1) if port is None else [port]
    for number in ports:
        try:
            return socket.create_server((HOST, number))
        except OSError as error:
            problem = error
    reason = os.strerror(problem.errno or 0)
    raise OSError(problem.errno, f"port {ports[0]}: {reason}; --port chooses another")


def _make_config(app: Starlette) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def _handle_signals() -> None:
    """Let uvicorn end the server on SIGHUP, too, but not under nohup."""
    handled = [number for number in END_SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    uvicorn.server.HANDLED_SIGNALS = tuple(handled)  # type: ignore[assignment]
