"""A program that imports the command line once and forks a child for each run of it.

A child gets its own arguments, stdin, stdout, stderr, environment and folder, and then does the
same as `python -m memory_core.cli`, or as a hook if its first argument is HOOK and its second the
hook's name. The client of this server is support.forks.
"""

import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import struct
import sys

import memory_core
from memory_core import hook
from memory_core.cli import program

HOOK = "--hook"
# git runs merge_file, and the dashboard is started as a process.  The MCP server is slow to load:
# only a server that needs it has it.
LEFT_OUT = ("memory_core.cli.merge_file", "memory_core.dashboard")
MCP_SERVER = "memory_core.mcp_server"
# Python sets this value for `python -m memory_core.cli`.
PROGRAM = os.path.join(os.path.dirname(memory_core.__file__), "cli", "__main__.py")


def import_all(left_out: tuple[str, ...]) -> None:
    """Import all that a command may need."""
    for module in pkgutil.walk_packages(memory_core.__path__, "memory_core."):
        if not module.name.startswith(left_out) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    gc.collect()
    gc.freeze()


def receive(control: socket.socket) -> tuple[dict[str, object], list[int]]:
    """Return a request and its files; the request is empty if the client has disconnected."""
    head, files, _flags, _address = socket.recv_fds(control, 4, 4)
    if not head:
        return {}, []
    (size,) = struct.unpack("!I", head)
    body = b""
    while len(body) < size:
        body += control.recv(size - len(body))
    return json.loads(body), files


def become(request: dict, files: list[int]) -> None:
    """Apply the arguments, environment, folder and files of a request to this child."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in enumerate(files[:3]):
        os.dup2(file, number)
    for file in files:
        os.close(file)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv[:] = [PROGRAM, *request["arguments"]]
    sys.path[0] = os.getcwd()


def serve(control: socket.socket) -> None:
    """Answer each request with the child's id and its exit status; only a child returns.

    Another process forks the child, and waits for it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait
    while True:
        request, files = receive(control)
        if not request:
            os._exit(0)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            child = os.fork()
            if not child:
                become(request, files)
                return
            await_end(child, files)
        for file in files:
            os.close(file)


def await_end(child: int, files: list[int]) -> None:
    """Send the id of a child and, when it has ended, its exit status."""
    *pipes, answer = files
    for file in pipes:
        os.close(file)
    os.write(answer, struct.pack("!i", child))
    _child, status = os.waitpid(child, 0)
    os.write(answer, struct.pack("!i", os.waitstatus_to_exitcode(status)))
    os._exit(0)


if __name__ == "__main__":
    has_mcp = "mcp" in sys.argv
    import_all(LEFT_OUT if has_mcp else (*LEFT_OUT, MCP_SERVER))
    with socket.socket(fileno=int(sys.argv[1])) as control:
        control.set_inheritable(False)
        serve(control)
    if sys.argv[1:2] == [HOOK]:
        hook.run(sys.argv[2])
    program()
