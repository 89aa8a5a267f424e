"""Run the command line without starting an interpreter, which takes most of the time of a run.

A server has imported the command line and forks a child for each run. The child has its own
memory, environment, signals and exit status, like a process that was started.
"""

import atexit
import contextlib
import functools
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from support.paths import REPO

SERVER = Path(__file__).with_name("fork_server.py")
HOOK = "--hook"  # the first argument of a request to run a hook
ENV = {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPO)}

# Python reads these variables only at its start, so a forked child would ignore them.
READ_AT_START = ("PYTHON", "LC_", "LANG", "TZ", "LD_", "DYLD_")


def can_fork(env: dict[str, str]) -> bool:
    """Say whether a forked child behaves like a new process with these variables."""
    own = {name: value for name, value in env.items() if name.startswith(READ_AT_START)}
    return own == {"PYTHONPATH": ENV["PYTHONPATH"]}


def run(
    arguments: Sequence[str], data: bytes, cwd: Path, env: dict[str, str], timeout: float = 60
) -> tuple[int, bytes, bytes]:
    """Run the command line, or a hook, in a forked child; return exit status, stdout and stderr."""
    stdin, stdout, stderr, answer = (os.pipe() for _ in range(4))
    theirs = [stdin[0], stdout[1], stderr[1], answer[1]]
    try:
        server = _server("mcp") if "mcp" in arguments[:1] else _server()
        server.send({"arguments": arguments, "cwd": str(cwd), "env": env}, theirs)
    finally:
        for file in theirs:
            os.close(file)
    with ThreadPoolExecutor(3) as threads:
        threads.submit(_write, stdin[1], data)
        output, errors = (threads.submit(_read, pipe[0]) for pipe in (stdout, stderr))
        status = _wait(answer[0], timeout)
    if status is None:
        raise subprocess.TimeoutExpired(list(arguments), timeout, output.result(), errors.result())
    return status, output.result(), errors.result()


def _write(file: int, data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(file, "wb") as pipe:
        pipe.write(data)


def _read(file: int) -> bytes:
    with open(file, "rb") as pipe:
        return pipe.read()


def _wait(answer: int, timeout: float) -> int | None:
    """Return a child's exit status; kill the child at the timeout."""
    with open(answer, "rb", buffering=0) as pipe:
        (child,) = struct.unpack("!i", pipe.read(4))
        if select.select([pipe], [], [], timeout)[0]:
            return int(struct.unpack("!i", pipe.read(4))[0])
        os.kill(child, signal.SIGKILL)
        return None


class Server:
    """The server process and the connection to it."""

    def __init__(self, *features: str) -> None:
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        with theirs:
            command = [sys.executable, str(SERVER), str(theirs.fileno()), *features]
            pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
            files = [theirs.fileno()]
            self._process = subprocess.Popen(command, env=ENV, pass_fds=files, **pipes)

    def send(self, request: dict[str, Any], files: list[int]) -> None:
        """Send a request with copies of the child's stdin, stdout, stderr and answer channel."""
        body = json.dumps(request).encode()
        with self._lock:
            socket.send_fds(self._control, [struct.pack("!I", len(body))], files)
            self._control.sendall(body)

    def close(self) -> None:
        """Stop the server."""
        self._control.close()
        with self._process:
            pass


@functools.cache
def _server(*features: str) -> Server:
    server = Server(*features)
    atexit.register(server.close)
    return server
