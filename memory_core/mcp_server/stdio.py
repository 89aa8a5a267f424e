"""Serve one client over stdin and stdout."""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from typing import Any

import anyio
from mcp.server.stdio import stdio_server
from mcp_types import JSONRPCRequest

from memory_core.mcp_server import SERVER_NAME
from memory_core.mcp_server.served_project import ServedProject
from memory_core.mcp_server.server import MemoryServer

PAUSE_SECONDS = 0.01  # between looks at the open requests, once stdin has ended

END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def serve(served: ServedProject) -> None:
    """Serve until stdin ends; a signal ends the process."""
    logging.disable(logging.CRITICAL)  # libraries would write tracebacks to stderr
    warnings.simplefilter("ignore")
    if sys.stdin.isatty():
        print(f"{SERVER_NAME}: waiting for a client on stdin; Ctrl-C ends it", file=sys.stderr)
    for number in END_SIGNALS:
        signal.signal(number, _exit)
    anyio.run(_serve, served)


def _exit(number: int, _frame: object) -> None:
    """Exit at once: a thread is blocked on stdin, and cannot be cancelled.

    This is safe during a write: an interrupted write leaves no partial data.
    """
    os._exit(128 + number)


async def _serve(served: ServedProject) -> None:
    try:
        await _answer_all(MemoryServer(served))
    except BaseException as error:
        ends = (OSError, anyio.BrokenResourceError)
        if not hasattr(error, "split") or error.split(ends)[1]:  # no group, or others in it
            raise  # otherwise, the client closed its end of the pipe


async def _answer_all(app: MemoryServer) -> None:
    """Serve until stdin ends and each request has its answer: the SDK would cancel open ones."""
    requests, incoming = anyio.create_memory_object_stream[Any]()
    outgoing, answers = anyio.create_memory_object_stream[Any]()
    waiting: set[str] = set()

    async def read(stdin: Any) -> None:
        async with requests:
            async for item in stdin:
                message: Any = getattr(item, "message", None)  # of a line that is none: an error
                if isinstance(message, JSONRPCRequest):
                    waiting.add(str(message.id))
                elif getattr(message, "method", "") == "notifications/cancelled":
                    waiting.discard(str((message.params or {}).get("requestId")))
                await requests.send(item)
            while waiting:
                await anyio.sleep(PAUSE_SECONDS)

    async with stdio_server() as (stdin, stdout), stdout, anyio.create_task_group() as group:
        group.start_soon(read, stdin)
        group.start_soon(app.run_on, incoming, outgoing)
        async for item in answers:
            await stdout.send(item)
            waiting.discard(str(getattr(item.message, "id", None)))
