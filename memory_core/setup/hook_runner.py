"""Run a hook as Claude Code does, on a project or on a copy of its memory.

The changes on disk are found by comparing all files of agent-memory before and after the run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from memory_core.claude_code import settings_json
from memory_core.document.diff import FileChange
from memory_core.files import tree
from memory_core.monitor import log_reading
from memory_core.storage import hook_files, paths, state_owner
from memory_core.storage.project import Project
from memory_core.storage.store import MAX_DATED_BYTES, is_text
from memory_core.text.times import format_utc

# Start of the paths of files that are kept outside of the project.
STATE_LABEL = f"state{os.sep}"

# Seconds: the `timeout` of a hook in settings.template.json.
TIMEOUT = 10.0

# The names of an error in the event log; older versions have only the second one.
ERROR_EVENTS = ("hook.error", "agent.memory.error")

# Exit status of a hook that was stopped, and of one that could not start, as in a shell.
STOPPED = 124
NOT_STARTED = 127

# Claude Code finds its shell whatever PATH its settings set for hooks.
SHELL = "/bin/sh"


class HookResult(NamedTuple):
    """The result of a run: its exit status and output, changed files and logged errors."""

    status: int
    stdout: bytes
    stderr: str
    milliseconds: float
    changes: list[FileChange]
    errors: list[str]

    @property
    def reply(self) -> dict[str, Any] | None:
        """The reply, None if the hook printed nothing; raises ValueError if it is invalid."""
        if not self.stdout.strip():
            return None
        value = json.loads(self.stdout)
        if not isinstance(value, dict):
            raise ValueError("the reply is not a JSON object")
        return value

    @property
    def fault(self) -> str:
        """The problem of the run, to follow "the hook"; "" for none."""
        if self.status == STOPPED:
            return f"was stopped after {TIMEOUT:g} s"
        if self.status:
            reason = self.stderr.strip()[-300:] or "no error message"
            return f"ended with status {self.status}: {reason}"
        try:
            _reply = self.reply
        except ValueError as error:
            return f"did not reply with one JSON object ({error})"
        errors = [*self.errors, self.stderr.strip()]
        return next((f"reported: {error}" for error in errors if error), "")


def find_script_path(script: str) -> str:
    """Return the path of a hook script; raises FileNotFoundError."""
    return find_own_file(f"agent_memory_hooks/{script}.py", f"hooks/{script}.py")


def find_own_file(installed: str, in_clone: str) -> str:
    """Return the path of a file that a package has elsewhere than a clone.

    Both are relative to the folder of memory_core.  Raises FileNotFoundError.
    """
    folder = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 2))
    for path in (os.path.join(folder, name) for name in (installed, in_clone)):
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"{folder}/{installed} is missing: run ./install.sh again")


def read_template() -> str:
    """Return settings.template.json; raises FileNotFoundError."""
    name = "settings.template.json"
    with open(find_own_file(f"memory_core/{name}", name), encoding="utf-8") as file:
        return file.read()


def list_scripts() -> dict[str, str]:
    """Return the script that answers each event; raises FileNotFoundError."""
    hooks = settings_json.build_hooks(read_template(), build=str)
    return {event: groups[0]["hooks"][0]["command"] for event, groups in hooks.items()}


def build_command(script: str) -> list[str]:
    """Return the command that runs a hook script of this installation."""
    return [sys.executable, "-I", "-S", find_script_path(script)]


def run(
    project: Project, command: list[str], data: bytes, environ: Mapping[str, str]
) -> HookResult:
    """Run a hook command with an event on its stdin, in the project itself."""
    before = _read_files(project)
    root = project.paths.root
    since, began = format_utc(time.time()), time.perf_counter()
    done = _run_process(command, data, root, {**environ, "CLAUDE_PROJECT_DIR": root})
    milliseconds = (time.perf_counter() - began) * 1000
    hook_files.await_worker(project.paths, TIMEOUT)  # what it saves is an effect of the hook
    after = _read_files(project)
    changes = [
        FileChange(path, before.get(path), after.get(path))
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]
    errors = list_errors(project, since) if changes else []
    stderr = done.stderr.decode("utf-8", "replace")
    return HookResult(done.returncode, done.stdout, stderr, milliseconds, changes, errors)


def run_on_copy(
    project: Project, command: list[str], data: bytes, environ: Mapping[str, str]
) -> HookResult:
    """Run a hook command on a copy of the project's memory; the project does not change."""
    with tempfile.TemporaryDirectory(prefix="agent-memory-") as folder:
        # The name of the project is the title of new memories.
        root = os.path.join(folder, "copy", project.name)
        os.makedirs(os.path.join(root, paths.FOLDER_NAME))  # else a parent folder is the project
        environ = {**environ, "XDG_STATE_HOME": os.path.join(folder, "state")}
        copy = paths.LevelPaths(root, environ)
        _copy_files(project, copy)
        # This compiles config.yml; the hook itself cannot parse YAML.
        return run(Project(copy, environ), command, data, environ)


def list_errors(project: Project, since: str) -> list[str]:
    """Return the errors that hooks logged after a time, oldest first."""
    return [
        str(event.get("error"))
        for event in log_reading.read(project.paths, ERROR_EVENTS)
        if str(event.get("timestamp") or "") > since
    ]


def _run_process(
    command: list[str], data: bytes, root: str, environ: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            command,
            input=data,
            capture_output=True,
            cwd=root,
            env=environ,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, STOPPED, b"", b"")
    except (OSError, ValueError) as error:  # ValueError: a null byte in a variable
        return subprocess.CompletedProcess(command, NOT_STARTED, b"", str(error).encode())


def _copy_files(project: Project, copy: paths.LevelPaths) -> None:
    copy.state.make_root()  # with its own file about the project that it belongs to
    for path, data in _read_files(project).items():
        name = path.removeprefix(STATE_LABEL)
        is_usable = is_text(data) or not name.endswith(".md")  # check_memories reports it
        if is_usable and name != state_owner.OWNER_FILE:
            target = copy.files if name == path else copy.state
            target.replace(name, data, durable=False)


def _read_files(project: Project) -> dict[str, bytes]:
    """Return the content of all files of agent-memory, by path.

    Paths are relative to the project's root, or begin with STATE_LABEL.
    """
    contents = {}
    own, state = project.paths.files, project.paths.state
    for label, files, top in (("", own, project.paths.folder), (STATE_LABEL, state, "")):
        for folder, names in tree.walk(files, top):
            for path in (files.relative(os.path.join(folder, name)) for name in names):
                # One may be too large, unreadable, or just removed by a real hook.
                with suppress(OSError):
                    contents[f"{label}{path}"] = files.read(path, MAX_DATED_BYTES)
    return contents
