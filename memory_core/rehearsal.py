"""Running a hook as Claude Code does, for real or on a copy of the project's memory.

What a hook would change is found by looking: every file of ours before and after.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memory_core import log, memory, places

# Which script answers an event; settings.template.json says the same to Claude Code.
SCRIPTS = {
    "PreToolUse": "pre_tool_use",
    "SubagentStart": "subagent_start",
    "SessionStart": "session_start",
    "PostToolUse": "post_tool_use",
    "PostToolUseFailure": "post_tool_use",
    "SubagentStop": "subagent_stop",
}

# Seconds: the `timeout` that the settings give a hook.
TIMEOUT = 10.0

# Status of a hook that had to be stopped, and of one that could not be started, as a shell
# tells them.
STOPPED = 124
NOT_STARTED = 127

# Claude Code finds its shell whatever PATH its settings give to hooks.
SHELL = "/bin/sh"


class Unknown(ValueError):
    """An event that no hook of ours answers; the message says why."""


class Change(NamedTuple):
    """A file as it was and as it became; None is no file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def kind(self) -> str:
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"

    def diff(self) -> str:
        """Return the change as a unified diff."""
        old = os.devnull if self.before is None else f"a/{self.path}"
        new = os.devnull if self.after is None else f"b/{self.path}"
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), old, new)
        return "".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines)


NO_NEWLINE = "\\ No newline at end of file\n"


class Outcome(NamedTuple):
    """What a hook's run came to: its process, the files it changed, the errors it logged."""

    status: int
    stdout: bytes
    stderr: str
    milliseconds: float
    changes: list[Change]
    errors: list[str]

    @property
    def reply(self) -> dict[str, Any] | None:
        """Return the reply, or None where there is none; raises ValueError for no JSON object."""
        if not self.stdout.strip():
            return None
        value = json.loads(self.stdout)
        if not isinstance(value, dict):
            raise ValueError("the reply is no JSON object")
        return value

    @property
    def fault(self) -> str:
        """Return what is wrong with the run, or an empty string."""
        if self.status == STOPPED:
            return f"was stopped after {TIMEOUT:g} s"
        if self.status:
            return f"ended with status {self.status}: {self.stderr.strip()[-300:]}"
        try:
            _reply = self.reply
        except ValueError as error:
            return f"did not reply with one JSON object ({error})"
        told = [*self.errors, self.stderr.strip()]
        return next((f"reported: {error}" for error in told if error), "")

    @property
    def did_something(self) -> bool:
        return bool(self.stdout.strip() or self.changes)


def script_of(event: Mapping[str, Any]) -> str:
    """Return the name of the script that answers an event; raises Unknown."""
    name = event.get("hook_event_name") or _guessed(event)
    if not name:
        raise Unknown("it has no hook_event_name")
    script = SCRIPTS.get(str(name))
    if script is None:
        raise Unknown(f"no hook of ours answers {name}; there are {', '.join(SCRIPTS)}")
    return script


def _guessed(event: Mapping[str, Any]) -> str:
    """Name the event of a short example that does not say it."""
    if "tool_response" in event:
        return "PostToolUse"
    return "PreToolUse" if "tool_input" in event else ""


def script_path(script: str) -> str:
    """Return where a hook script is: beside memory_core, in a clone as once installed."""
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = [os.path.join(packages, name, f"{script}.py") for name in FOLDERS]
    found = next((path for path in paths if os.path.isfile(path)), None)
    if found is None:
        raise FileNotFoundError(f"{paths[0]} is missing: the installation is not complete")
    return found


FOLDERS = ("agent_memory_hooks", "hooks")


def command_of(script: str) -> list[str]:
    """Return the command that runs a script, as the installed settings have it."""
    return [sys.executable, "-I", "-S", script_path(script)]


def for_real(
    project: memory.Project, command: list[str], data: bytes, environ: Mapping[str, str]
) -> Outcome:
    """Run a hook on the project itself."""
    return _run(project, command, data, environ)


def on_copy(
    project: memory.Project, command: list[str], data: bytes, environ: Mapping[str, str]
) -> Outcome:
    """Run a hook on a copy of what the project remembers; the project stays as it is."""
    with tempfile.TemporaryDirectory(prefix="agent-memory-") as folder:
        # A new memory is titled by the project's name.
        root = os.path.join(folder, project.name)
        os.makedirs(os.path.join(root, places.FOLDER))  # or a folder above would be taken
        _copy(project, root)
        # Settings are compiled here, where YAML is sure to be there.
        copy = memory.Project(places.Place(root), environ)
        return _run(copy, command, data, environ)


def _run(
    project: memory.Project, command: list[str], data: bytes, environ: Mapping[str, str]
) -> Outcome:
    before = _snapshot(project)
    root = project.place.root
    since, began = log.utc(time.time()), time.perf_counter()
    status, stdout, stderr = _process(command, data, root, {**environ, "CLAUDE_PROJECT_DIR": root})
    took = (time.perf_counter() - began) * 1000
    changes = _changes(before, _snapshot(project))
    logged = log.read(project.place) if changes else []
    errors = [
        str(event.get("error"))
        for event in logged
        if event.get("event") == "agent.memory.error" and str(event.get("timestamp") or "") >= since
    ]
    return Outcome(status, stdout, stderr, took, changes, errors)


def run_in(root: str, command: list[str], data: bytes, environ: Mapping[str, str]) -> bytes:
    """Run a hook in a folder, whatever comes of it; return its reply."""
    _status, stdout, _stderr = _process(
        command, data, root, {**environ, "CLAUDE_PROJECT_DIR": root}
    )
    return stdout


def _process(
    command: list[str], data: bytes, root: str, environ: Mapping[str, str]
) -> tuple[int, bytes, str]:
    try:
        done = subprocess.run(
            with_shell(command),
            input=data,
            capture_output=True,
            cwd=root,
            env=environ,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return STOPPED, b"", ""
    except (OSError, ValueError) as error:  # of what settings name or set
        return NOT_STARTED, b"", str(error)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def with_shell(command: list[str]) -> list[str]:
    """Return a command with the machine's shell for `sh`."""
    is_shell = command[0] == "sh" and os.path.exists(SHELL)
    return [SHELL, *command[1:]] if is_shell else command


def _folders(project: memory.Project) -> Iterator[tuple[str, list[str]]]:
    """Give the folders of ours with the names of their files.

    The memories may be elsewhere, among files that are none of ours, or be a link.
    """
    for folder, _folders, names in os.walk(project.place.folder):
        yield folder, names
    for folder, folders, names in os.walk(project.store.folder):
        folders[:] = [name for name in folders if name in ("archive", "history", "quarantine")]
        yield folder, [name for name in names if name.endswith((".md", ".jsonl"))]


def _files(project: memory.Project) -> list[str]:
    """Return the files of ours, each once, from the root."""
    paths = (os.path.join(folder, name) for folder, names in _folders(project) for name in names)
    files = (os.path.relpath(path, project.place.root) for path in paths if os.path.isfile(path))
    return list(dict.fromkeys(files))


def _copy(project: memory.Project, root: str) -> None:
    for folder, _names in _folders(project):
        os.makedirs(os.path.join(root, os.path.relpath(folder, project.place.root)), exist_ok=True)
    for path in _files(project):
        source, target = os.path.join(project.place.root, path), os.path.join(root, path)
        if _leaves(source):
            # The store refuses such a link, and has to here as well.
            os.symlink(os.path.realpath(source), target)
        else:
            _copy_file(source, target)


def _copy_file(source: str, target: str) -> None:
    try:
        shutil.copy2(source, target)
    except PermissionError:
        # The hook shall stumble over the same file.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT, 0))


def _leaves(path: str) -> bool:
    folder = os.path.realpath(os.path.dirname(path))
    return os.path.islink(path) and not os.path.realpath(path).startswith(folder + os.sep)


def _snapshot(project: memory.Project) -> dict[str, bytes]:
    contents = {}
    for path in _files(project):
        try:
            with open(os.path.join(project.place.root, path), "rb") as file:
                contents[path] = file.read()
        except OSError:
            continue  # not for us to read, or just taken away by a real hook
    return contents


def _changes(before: dict[str, bytes], after: dict[str, bytes]) -> list[Change]:
    paths = sorted({*before, *after})
    found = [Change(path, before.get(path), after.get(path)) for path in paths]
    return [change for change in found if change.before != change.after]


def _lines(data: bytes | None) -> list[str]:
    from memory_core import markdown

    return markdown.split_lines((data or b"").decode("utf-8", "surrogateescape"))
