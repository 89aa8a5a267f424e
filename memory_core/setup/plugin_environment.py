"""The Python environment of the Claude Code plugin: its dependencies, nothing else.

A session starts the build in the background if there is no environment with the dependencies of
this version.  Until it is ready, any Python from 3.10 on
runs this module, so it imports the standard library only.
"""

from __future__ import annotations

import ast
import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout, suppress

from memory_core.files.safe_files import SafeFiles
from memory_core.git import merge_driver
from memory_core.setup import builder, plugin
from memory_core.storage import config, typed_command
from memory_core.text import digests

# Seconds that a command waits for the environment: Claude Code stops a shell command after 120.
COMMAND_WAIT = 100.0

# Seconds that the MCP server waits for it: Claude Code 2.1.329 stops waiting after 30.
SERVER_WAIT = 20.0

LOCK_NAME, LOG_NAME = "build.lock", "build.log"

BUILD_STARTED = (
    "agent-memory: building its Python environment in the background (once, about a minute)."
    " Agents have their memory already; commands and the MCP server need the environment."
)
STILL_BUILDING = "its Python environment is still being built; try again in a minute"


def root() -> str:
    """Return the plugin's folder."""
    return os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 2))


def read_dependencies() -> list[str]:
    """Return the requirements in pyproject.toml with those of the MCP server.

    Without `tomllib`, which Python 3.10 lacks.
    """
    with open(os.path.join(root(), "pyproject.toml"), encoding="utf-8") as file:
        text = file.read()
    lists = (text.partition(f"\n{key} = ")[2].partition("]")[0] for key in ("dependencies", "mcp"))
    return [str(one) for listing in lists for one in ast.literal_eval(f"{listing}]")]


def hash_dependencies() -> str:
    """Return a hash of the requirements; an environment's name starts with it."""
    return digests.hash_text("\n".join(read_dependencies()))


def read_failure(data: str) -> str:
    """Return why the last build failed: the last line of its log, "" without one."""
    return "".join(SafeFiles(data).read_text(LOG_NAME).splitlines()[-1:])


def is_ready(data: str) -> bool:
    """Say whether the environment in use works and has the dependencies of this version."""
    link = os.path.join(data, "venv")
    python = os.path.join(link, "bin", "python")
    key = os.path.basename(os.path.realpath(link)).partition("-")[0]
    return os.access(python, os.X_OK) and key == hash_dependencies()


# --- when a session starts ---


def handle_session_start(environ: Mapping[str, str]) -> None:
    """Start the build if it is needed, and print a message for the user."""
    data = environ[plugin.DATA_VARIABLE]
    _link_plugin(data)
    _note_command(data, environ)
    if config.is_off(environ) or is_ready(data):
        return
    message = BUILD_STARTED
    if read_failure(data):
        message = f"agent-memory: {_explain_failure(data)} Trying again."
    if start_build(data):
        print(json.dumps({"systemMessage": message}))


def _link_plugin(data: str) -> None:
    """Link the plugin's folder, whose path has its version, to a path that stays."""
    link = os.path.join(data, merge_driver.PLUGIN_LINK)
    with suppress(OSError):
        if os.path.realpath(link) != os.path.realpath(root()):
            os.makedirs(data, exist_ok=True)
            builder.replace_link(link, root())


def _note_command(data: str, environ: Mapping[str, str]) -> None:
    """Note what people type in their own shell if it has no program of this name.

    Claude Code adds the plugin's folder of commands only to the PATH of its own shell.
    """
    typed = shutil.which(typed_command.NAME, path=environ.get("PATH", "")) or ""
    is_typed = typed and os.path.realpath(os.path.dirname(typed)) != os.path.join(root(), "bin")
    folder = SafeFiles(os.path.join(environ.get("HOME", os.devnull), typed_command.FOLDER))
    path = os.path.join(data, merge_driver.PLUGIN_LINK, "bin", typed_command.NAME)
    word = f"{shlex.quote(path)}\n"
    with suppress(OSError):
        if not is_typed and folder.status("venv") is None:
            folder.replace(typed_command.FILE, word.encode())
        elif folder.read_text(typed_command.FILE) == word:
            folder.remove(typed_command.FILE)


def start_build(data: str) -> subprocess.Popen[bytes] | None:
    """Start a build in the background, which waits for one that runs; None if that fails."""
    command = ["/bin/sh", os.path.join(root(), "hooks", "plugin.sh"), "build"]
    # As this process got it: the shell in Claude Code lacks the first, the folder is another one.
    project = os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()
    environ = {**os.environ, "CLAUDE_PLUGIN_DATA": data, "CLAUDE_PROJECT_DIR": project}
    try:
        os.makedirs(data, exist_ok=True)
        SafeFiles(data).remove(LOG_NAME)
        return subprocess.Popen(
            command,
            cwd=data,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # the build goes on when this session ends
        )
    except OSError:  # the folder cannot be written: hooks need no environment
        return None


# --- commands and the MCP server ---


def wait_until_ready(environ: Mapping[str, str], seconds: float) -> str:
    """Start the build if it is needed and wait for it; return why it is not ready, or ""."""
    data = environ[plugin.DATA_VARIABLE]
    if is_ready(data):
        return ""
    try:
        if process := start_build(data):
            process.wait(seconds)
    except subprocess.TimeoutExpired:
        return STILL_BUILDING
    return "" if is_ready(data) else _explain_failure(data)


def _explain_failure(data: str) -> str:
    reason = read_failure(data) or "the build was stopped."
    log = os.path.join(data, LOG_NAME)
    return f"could not build its Python environment: {reason} Details: {log}"


def run_in_environment(arguments: list[str], environ: Mapping[str, str]) -> None:
    """Replace this process by the environment's own Python, unless it is that already."""
    environment = os.path.join(environ[plugin.DATA_VARIABLE], "venv")
    if os.path.realpath(sys.prefix) != os.path.realpath(environment):
        python = os.path.join(environment, "bin", "python")
        command = [python, "-I", "-c", plugin.LAUNCH_CODE, root(), "run", *arguments]
        os.execv(python, command)  # noqa: S606 - no shell needed


# --- building ---


def build(environ: Mapping[str, str]) -> None:
    """Build the environment, unless another process has tried it meanwhile."""
    data = environ[plugin.DATA_VARIABLE]
    log = os.path.join(data, LOG_NAME)
    with open(os.path.join(data, LOCK_NAME), "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (is_ready(data) or read_failure(data)):
            with open(log, "w", encoding="utf-8") as file, redirect_stdout(file):
                _build(data)


def _build(data: str) -> None:
    try:
        with builder.add_environment(data, f"{hash_dependencies()}-") as new:
            builder.create(new, read_dependencies())
            builder.switch_to(data, new)
    except (builder.InstallRefused, OSError) as error:
        reason = f"{error.strerror}." if isinstance(error, OSError) else str(error)
        print(f"{getattr(error, 'output', '')}\n{reason}", flush=True)
