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
import select
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
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
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
    """Answer each request with the child's id and its exit status; only a child returns."""
    wake, awaken = os.pipe()
    os.set_blocking(awaken, False)
    signal.set_wakeup_fd(awaken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([control, wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            report_ends(answers)
        if control in ready:
            request, files = receive(control)
            if not request:
                os._exit(0)
            child = os.fork()
            if not child:
                become(request, files)
                return
            for file in files[:3]:
                os.close(file)
            answers[child] = files[3]
            os.write(files[3], struct.pack("!i", child))


def report_ends(answers: dict[int, int]) -> None:
    """Send the exit status of each child that has ended."""
    while answers:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        answer = answers.pop(child)
        os.write(answer, struct.pack("!i", os.waitstatus_to_exitcode(status)))
        os.close(answer)


if __name__ == "__main__":
    has_mcp = "mcp" in sys.argv
    import_all(LEFT_OUT if has_mcp else (*LEFT_OUT, MCP_SERVER))
    with socket.socket(fileno=int(sys.argv[1])) as control:
        control.set_inheritable(False)
        serve(control)
    if sys.argv[1:2] == [HOOK]:
        hook.run(sys.argv[2])
    program()
