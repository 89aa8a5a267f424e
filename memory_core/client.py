"""Claude Code on this machine: its settings files, agents, transcripts, and itself, asked."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from memory_core import learnings, settings
from memory_core.events import DELEGATION

if TYPE_CHECKING:
    from subprocess import Popen

# Agents that every Claude Code brings along (seen in 2.1.329).
BUILT_IN = ("general-purpose", "Explore", "Plan")

# A front matter that has not ended by then is none.
FRONT_MATTER = 100


class SettingsFile(NamedTuple):
    """A settings file: whose, where, what it says, our hooks in it, or why it is not read."""

    level: str  # user, project or local
    path: str
    value: dict[str, Any]
    ours: list[settings.Entry]
    problem: str


class Foreign(NamedTuple):
    """Another tool's hook that sees delegations before they run."""

    command: str
    matcher: str
    path: str

    @property
    def is_for_delegations(self) -> bool:
        """Say whether it asks for delegations by name; the others look at every tool."""
        return self.matcher not in EVERY_TOOL


EVERY_TOOL = ("", "*", ".*")


class AgentFile(NamedTuple):
    """An agent's definition: its name, where, and its native `memory:` (empty: none)."""

    name: str
    path: str
    memory: str


def config_folder(environ: Mapping[str, str]) -> str:
    """Return Claude Code's own folder of this user."""
    return environ.get("CLAUDE_CONFIG_DIR") or os.path.join(environ.get("HOME", ""), ".claude")


def transcripts(root: str, environ: Mapping[str, str]) -> str:
    """Return where the transcripts of a project's sessions are."""
    slug = re.sub("[^0-9A-Za-z]", "-", root)
    return os.path.join(config_folder(environ), "projects", slug)


def settings_files(root: str, environ: Mapping[str, str]) -> list[SettingsFile]:
    """Return the settings files that are there, the user's first, those of more weight later."""
    own = os.path.join(root, ".claude")
    paths = [
        ("user", os.path.join(config_folder(environ), "settings.json")),
        ("project", os.path.join(own, "settings.json")),
        ("local", os.path.join(own, "settings.local.json")),
    ]
    if own == config_folder(environ):  # the home directory as a project
        del paths[1]
    found = (_settings_file(level, path) for level, path in paths)
    return [file for file in found if file is not None]


def _settings_file(level: str, path: str) -> SettingsFile | None:
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
        ours = settings.entries(text)
        value = json.loads(text) if text.strip() else {}
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, settings.Refused) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return SettingsFile(level, path, {}, [], reason or "unreadable")
    if not isinstance(value, dict):
        return SettingsFile(level, path, {}, [], "is no JSON object")
    return SettingsFile(level, path, value, ours, "")


def is_switched_off(files: list[SettingsFile]) -> SettingsFile | None:
    """Return the file that switches all hooks off, if one does."""
    telling = [file for file in files if "disableAllHooks" in file.value]
    return telling[-1] if telling and telling[-1].value["disableAllHooks"] is True else None


def foreign_hooks(file: SettingsFile) -> list[Foreign]:
    """Return other tools' hooks that could rewrite a delegation's prompt as well."""
    ours = {str(entry.value["command"]) for entry in file.ours}
    return [
        Foreign(command, matcher, file.path)
        for matcher, command in _commands(file.value)
        if command not in ours and _sees_delegations(matcher)
    ]


def _commands(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give (matcher, command) of every PreToolUse hook, whatever else may stand there."""
    hooks = value.get("hooks")
    groups = hooks.get("PreToolUse") if isinstance(hooks, dict) else None
    for group in groups if isinstance(groups, list) else []:
        members = group.get("hooks") if isinstance(group, dict) else None
        for hook in members if isinstance(members, list) else []:
            if isinstance(hook, dict):
                told = hook.get("command") or hook.get("url") or hook.get("type")
                yield str(group.get("matcher") or ""), str(told)


def _sees_delegations(matcher: str) -> bool:
    if matcher in EVERY_TOOL:
        return True
    try:
        return any(re.fullmatch(matcher, tool) for tool in DELEGATION)
    except re.error:
        return False


def agent_files(root: str, environ: Mapping[str, str]) -> list[AgentFile]:
    """Return the agents that are defined for a project and its user."""
    folders = [
        os.path.join(folder, "agents")
        for folder in (os.path.join(root, ".claude"), config_folder(environ))
    ]
    paths = [
        os.path.join(folder, name)
        for top in folders
        for folder, _folders, names in os.walk(top)
        for name in sorted(names)
        if name.endswith(".md")
    ]
    return [file for path in paths if (file := _agent_file(path))]


def _agent_file(path: str) -> AgentFile | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            told = _front_matter([file.readline() for _ in range(FRONT_MATTER)])
    except OSError:
        return None
    name = told.get("name") or os.path.basename(path).removesuffix(".md")
    return AgentFile(name, path, told.get("memory", ""))


def _front_matter(lines: list[str]) -> dict[str, str]:
    """Return the plain `key: value` lines of a front matter; that is all we ask of it."""
    told: dict[str, str] = {}
    if not lines[0].rstrip().startswith("---"):
        return told
    for line in lines[1:]:
        if line.rstrip() == "---":
            return told
        key, colon, value = line.partition(":")
        if colon and key == key.strip():
            told[key] = value.partition(" #")[0].strip().strip("\"'")
    return {}


# Claude Code, asked one question.

# Seconds that an answer may take: a model writes a page in one minute.
PATIENCE = 120

# Bytes that an answer may have, with all that the client tells of the run.
ANSWER = 1_000_000

# As much of what went wrong is told.
REASON = 200

# No tools, no hooks, nothing of a project, nothing kept: all known to 2.1.63 as to 2.1.329.  The
# user's own settings stay in force, for they may say how the client signs in.
ALONE = (
    *("-p", "--output-format", "json", "--tools", "", "--setting-sources", "user"),
    *("--settings", '{"disableAllHooks": true}', "--strict-mcp-config"),
    *("--disable-slash-commands", "--no-session-persistence"),
)

# What a session tells its own children: with it, the client takes itself for one of them.
WITHIN = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR")


class NotAnswered(Exception):
    """Claude Code gave no answer; the message is the reason, on one line."""

    status = 1


def program(environ: Mapping[str, str]) -> str | None:
    """Return where `claude` is: on PATH, or where its own installer puts it."""
    own = os.path.join(environ.get("HOME", ""), ".claude", "local", "claude")
    return shutil.which("claude", path=environ.get("PATH")) or shutil.which(own)


def ask(question: str, manner: str, environ: Mapping[str, str], patience: float = PATIENCE) -> str:
    """Return what the user's own Claude Code answers; `manner` is the system prompt.

    It runs by itself, in an empty folder, for at most `patience` seconds.  Raises NotAnswered.
    """
    from tempfile import TemporaryDirectory

    claude = program(environ)
    if claude is None:
        raise NotAnswered("there is no `claude` on PATH to ask")
    kept = {name: value for name, value in environ.items() if name not in WITHIN}
    command = [claude, *ALONE, "--system-prompt", manner]
    try:
        # What the client still writes there at its end must not be an error.
        with TemporaryDirectory(prefix="agent-memory-", ignore_cleanup_errors=True) as folder:
            # Should a hook of ours be run in spite of all, it does nothing.
            return _asked(command, question, folder, {**kept, "AGENT_MEMORY": "off"}, patience)
    except OSError as error:
        raise NotAnswered(f"{claude} cannot be run: {error.strerror or error}") from None


def _asked(
    command: list[str], question: str, folder: str, environ: Mapping[str, str], patience: float
) -> str:
    from subprocess import PIPE, Popen
    from tempfile import TemporaryFile

    with TemporaryFile() as given, TemporaryFile() as wrong:
        given.write(question.encode("utf-8", "replace"))
        given.seek(0)
        process = Popen(
            command,
            stdin=given,
            stdout=PIPE,
            stderr=wrong,
            cwd=folder,
            env=environ,
            start_new_session=True,  # to be ended with all that it starts
        )
        try:
            told = _read(process, patience)
        finally:
            _end(process)
        return _answer(process.returncode, told, wrong)


def _read(process: Popen[bytes], patience: float) -> bytes:
    """Return what a process prints, and wait for its end."""
    import select
    import time
    from subprocess import TimeoutExpired

    until, told = time.monotonic() + patience, b""
    assert process.stdout is not None
    try:
        while select.select([process.stdout], [], [], max(0, until - time.monotonic()))[0]:
            part = os.read(process.stdout.fileno(), 65536)
            if not part:
                process.wait(max(0, until - time.monotonic()))
                return told
            told += part
            if len(told) > ANSWER:
                raise NotAnswered(f"claude answered with more than {ANSWER:,} bytes")
    except TimeoutExpired:
        pass
    raise NotAnswered(f"claude gave no answer within {patience:g} s")


def _end(process: Popen[bytes]) -> None:
    import signal

    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout:
        process.stdout.close()


def _answer(status: int, told: bytes, wrong: IO[bytes]) -> str:
    """Return the answer among what the client tells of its run."""
    try:
        run = json.loads(told.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        run = None
    result = run.get("result") if isinstance(run, dict) else None
    if status == 0 and isinstance(result, str) and not run.get("is_error"):
        return result
    wrong.seek(0)
    lines = [
        result if isinstance(result, str) else "",
        wrong.read(ANSWER).decode("utf-8", "replace"),
    ]
    reason = next((line for text in lines for line in text.split("\n") if line.strip()), "")
    said = learnings.clean(reason)[:REASON] or f"it ended with status {status}, and no result"
    raise NotAnswered(f"claude failed: {said}")
