"""Claude Code on this machine: its settings files, agents, transcripts, and itself, asked."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from memory_core import agents, fastjson, settings
from memory_core.events import DELEGATION

if TYPE_CHECKING:
    from subprocess import Popen

# Agents that every Claude Code brings along (seen in 2.1.329).
BUILT_IN = ("general-purpose", "Explore", "Plan")

# A front matter that has not ended by then is none.
FRONT_MATTER = 100


class SettingsFile(NamedTuple):
    """A settings file: whose, where, what it says, our hooks in it, or why it is not read.

    `level` is user, project, local, managed or plugin; a plugin has a `folder`, and is named.
    """

    level: str
    path: str
    value: dict[str, Any]
    ours: list[settings.Entry]
    problem: str
    plugin: str = ""
    folder: str = ""

    def argv(self, hook: Mapping[str, Any]) -> list[str]:
        """Return what Claude Code runs for one of the file's hooks: a shell, or the exec form."""
        arguments = hook.get("args")
        if not isinstance(arguments, list):
            return ["sh", "-c", str(hook.get("command"))]
        parts = [str(hook.get("command")), *map(str, arguments)]
        return [part.replace("${CLAUDE_PLUGIN_ROOT}", self.folder) for part in parts]


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
    """An agent's definition: its name, where, and its native `memory:` (empty: none).

    Without `name:` it is called as its file is; Claude Code passes such a file over.
    """

    name: str
    path: str
    memory: str
    is_named: bool


def config_folder(environ: Mapping[str, str]) -> str:
    """Return Claude Code's own folder of this user, one that is nowhere where there is no home.

    A relative one would be the project's.
    """
    home = environ.get("HOME", "")
    home = home if os.path.isabs(home) else NOWHERE
    return environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")


# The home of those who have none, as Debian's list of users has it.
NOWHERE = "/nonexistent"


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
        value = fastjson.loads(text) if text.strip() else {}
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, settings.Refused) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return SettingsFile(level, path, {}, [], reason or "unreadable")
    if not isinstance(value, dict):
        return SettingsFile(level, path, {}, [], "is no JSON object")
    return SettingsFile(level, path, value, ours, "")


# Where those who manage a machine put their settings: on Linux (seen in 2.1.63 and 2.1.329; the
# folder managed-settings.d beside the file in 2.1.329) and, by the documentation, on macOS.
MANAGED = {"darwin": "/Library/Application Support/ClaudeCode"}.get(
    sys.platform, "/etc/claude-code"
)


def hook_files(root: str, environ: Mapping[str, str]) -> list[SettingsFile]:
    """Return every file that can bring hooks: settings, managed ones behind them, and plugins."""
    files = [*settings_files(root, environ), *_managed()]
    return [*files, *_of_plugins(root, environ, files)]


def _managed() -> Iterator[SettingsFile]:
    single = os.path.join(MANAGED, "managed-settings.json")
    folder = os.path.join(MANAGED, "managed-settings.d")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    parts = [os.path.join(folder, name) for name in names if name.endswith(".json")]
    found = (_settings_file("managed", path) for path in (single, *parts))
    yield from (file for file in found if file is not None)


def _of_plugins(
    root: str, environ: Mapping[str, str], files: list[SettingsFile]
) -> Iterator[SettingsFile]:
    if not any("enabledPlugins" in file.value for file in files):
        return
    from memory_core import plugin_hooks

    names = plugin_hooks.enabled(file.value for file in files)
    for plugin in plugin_hooks.installed(config_folder(environ), root, names):
        for told in plugin_hooks.sources(plugin):
            value, problem = {"hooks": told.hooks}, told.problem
            ours = [] if problem else settings.entries(fastjson.dumps(value))
            yield SettingsFile("plugin", told.path, value, ours, problem, told.plugin, told.folder)


def variables(files: list[SettingsFile]) -> dict[str, str]:
    """Return the environment that settings give to hooks; it stands over the user's (seen).

    Of settings that come with a repository, only what agent-memory and Claude Code look at:
    others, such as PATH or LD_PRELOAD, would choose the programs that are run here.
    """
    return {
        name: value
        for file in files
        if file.level != "plugin" and isinstance(env := file.value.get("env"), dict)
        for name, value in env.items()
        if isinstance(value, str) and _can_be_set(name, value)
        if file.level not in OF_REPOSITORIES or name.startswith(HARMLESS)
    }


# Levels of settings files that may have come with a clone, and what they may set.
OF_REPOSITORIES = ("project", "local")
HARMLESS = ("AGENT_MEMORY", "CLAUDE_")


def _can_be_set(name: str, value: str) -> bool:
    """Say whether a process can have this variable."""
    try:
        os.fsencode(name + value)
    except UnicodeEncodeError:
        return False
    return bool(name) and "=" not in name and "\0" not in name + value


def is_switched_off(files: list[SettingsFile]) -> SettingsFile | None:
    """Return the file that switches all hooks off, if one does; of several the last one counts."""
    telling = [file for file in files if "disableAllHooks" in file.value]
    return telling[-1] if telling and telling[-1].value["disableAllHooks"] is True else None


def is_managed_only(files: list[SettingsFile]) -> SettingsFile | None:
    """Return the managed file that lets only managed hooks run, if one does."""
    managed = (file for file in files if file.level == "managed")
    return next((file for file in managed if file.value.get("allowManagedHooksOnly") is True), None)


def foreign_hooks(file: SettingsFile) -> list[Foreign]:
    """Return other tools' hooks that could rewrite a delegation's prompt as well."""
    return [
        Foreign(_named(hook), matcher, file.path)
        for matcher, hook in _before_tools(file.value)
        if not settings.is_ours(hook) and _sees_delegations(matcher)
    ]


def _named(hook: dict[str, Any]) -> str:
    told = hook.get("command") or hook.get("url") or hook.get("type")
    arguments = hook.get("args")
    return " ".join(map(str, [told, *arguments] if isinstance(arguments, list) else [told]))


def _before_tools(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give (matcher, hook) of every PreToolUse hook, whatever else may stand there."""
    hooks = value.get("hooks")
    groups = hooks.get("PreToolUse") if isinstance(hooks, dict) else None
    for group in groups if isinstance(groups, list) else []:
        members = group.get("hooks") if isinstance(group, dict) else None
        for hook in members if isinstance(members, list) else []:
            if isinstance(hook, dict):
                yield str(group.get("matcher") or ""), hook


def _sees_delegations(matcher: str) -> bool:
    """Say whether a matcher matches: names, with | between them, or else a pattern."""
    if matcher in EVERY_TOOL:
        return True
    if matcher.replace("|", "").replace("_", "").isalnum():
        return any(tool in matcher.split("|") for tool in DELEGATION)
    try:
        return any(re.search(matcher, tool) for tool in DELEGATION)
    except re.error:
        return False


def agent_files(root: str, environ: Mapping[str, str]) -> list[AgentFile]:
    """Return the agents that are defined for a project, its user, and all users (2.1.63)."""
    paths = [
        os.path.join(folder, name)
        for top in _agent_folders(root, environ)
        for folder, _folders, names in os.walk(top)
        for name in sorted(names)
        if name.endswith(".md")
    ]
    return [file for path in paths if (file := _agent_file(path))]


def _agent_folders(root: str, environ: Mapping[str, str]) -> list[str]:
    own = os.path.join(root, ".claude")
    levels = (own, config_folder(environ), os.path.join(MANAGED, ".claude"))
    return [os.path.join(folder, "agents") for folder in levels]


def plugin_agents(root: str, environ: Mapping[str, str]) -> Iterator[AgentFile]:
    """Give the agents of the plugins that are switched on, as PLUGIN:NAME, with folders between."""
    from memory_core import plugin_hooks

    files = [*settings_files(root, environ), *_managed()]
    names = plugin_hooks.enabled(file.value for file in files)
    for plugin in plugin_hooks.installed(config_folder(environ), root, names):
        top = os.path.join(plugin.folder, "agents")
        for folder, _folders, found in os.walk(top):
            inner = os.path.relpath(folder, top)
            scopes = [plugin.name.rpartition("@")[0], *inner.split(os.sep)]
            for name in sorted(name for name in found if name.endswith(".md")):
                file = _agent_file(os.path.join(folder, name))
                if file:
                    parts = [*(scope for scope in scopes if scope != "."), file.name]
                    yield file._replace(name=":".join(parts))


def _agent_file(path: str) -> AgentFile | None:
    try:
        return _read_agent_file(path)
    except OSError:
        return None


def _read_agent_file(path: str) -> AgentFile:
    with open(path, encoding="utf-8", errors="replace") as file:
        told = _front_matter([file.readline() for _ in range(FRONT_MATTER)])
    name = told.get("name") or os.path.basename(path).removesuffix(".md")
    return AgentFile(name, path, told.get("memory", ""), bool(told.get("name")))


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


def plugins(root: str, environ: Mapping[str, str]) -> set[str] | None:
    """Return the ids of the plugins that are installed or switched on; None: nobody knows."""
    told = [file.value.get("enabledPlugins") for file in settings_files(root, environ)]
    path = os.path.join(config_folder(environ), "plugins", "installed_plugins.json")
    try:
        with open(path, encoding="utf-8") as file:
            told.append(fastjson.loads(file.read())["plugins"])
    except FileNotFoundError:
        pass
    except (OSError, ValueError, LookupError, TypeError):
        return None
    # PLUGIN@MARKETPLACE (seen in 2.1.63)
    names = (str(key).partition("@")[0] for each in told if isinstance(each, dict) for key in each)
    return set(map(agents.agent_id, names))


class Defined:
    """The agents that Claude Code knows in a project: files, plugins, and what it brings along.

    A class since 200 agents may be asked for, and the files are read once.  All that an
    installed plugin may bring counts as known, and so does a file's own name beside that which
    it tells.  `unread` has the errors of what could not be read: there may be agents in it.
    """

    def __init__(self, root: str, environ: Mapping[str, str]) -> None:
        self.unread: list[OSError] = []
        self._ids = {agents.agent_id(name) for name in BUILT_IN}
        for top in _agent_folders(root, environ):
            for path in self._files(top):
                self._define(path)
        self._plugins = plugins(root, environ)

    def _files(self, top: str) -> Iterator[str]:
        """Give the definitions below a folder, through links to folders as well."""
        seen = set()
        for folder, folders, names in os.walk(top, followlinks=True, onerror=self._note):
            real = os.path.realpath(folder)
            if real in seen:  # a link that leads back
                folders.clear()
                continue
            seen.add(real)
            paths = [os.path.join(folder, name) for name in names]
            yield from (path for path in paths if path.endswith(".md") or not os.path.exists(path))

    def _note(self, error: OSError) -> None:
        """Note what cannot be listed; a folder that is not there has no agents."""
        is_missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
        if not is_missing or os.path.islink(error.filename):
            self.unread.append(error)

    def _define(self, path: str) -> None:
        names = [os.path.basename(path).removesuffix(".md")]
        try:
            names.append(_read_agent_file(path).name)
        except OSError as error:
            self.unread.append(error)
        self._ids |= set(map(agents.agent_id, names))

    def has(self, agent: str) -> bool:
        plugin, colon, _name = agent.partition(":")
        by_plugin = bool(colon) and (self._plugins is None or plugin in self._plugins)
        return agent in self._ids or by_plugin


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
    from memory_core import learnings

    try:
        run = fastjson.loads(told.decode("utf-8", "replace"))
    except ValueError:
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


# Claude Code at work, as a person has it.

# It can do nothing but delegate, nor can an agent that it calls; all else is as people have it.
# Nothing is kept of the session: it would stand in the list of the person's own.
WORKING = (
    *("-p", "--tools", "Agent,Task", "--strict-mcp-config"),
    *("--disable-slash-commands", "--no-session-persistence"),
)

# Seconds between two looks at whether it is over.
REST = 0.1


class Worked(NamedTuple):
    """A run of Claude Code: its exit status, None where it was stopped, and its last words."""

    status: int | None
    said: str
    complained: str


def work(
    question: str,
    root: str,
    environ: Mapping[str, str],
    patience: float,
    is_over: Callable[[], bool],
) -> Worked:
    """Have the user's own Claude Code delegate something in a project.

    It is stopped once it `is_over`, or after `patience` seconds.  Raises NotAnswered where
    there is none.
    """
    from subprocess import Popen
    from tempfile import TemporaryFile

    claude = program(environ)
    if claude is None:
        raise NotAnswered("there is no `claude` on PATH")
    kept = {name: value for name, value in environ.items() if name not in WITHIN}
    with TemporaryFile() as given, TemporaryFile() as said, TemporaryFile() as wrong:
        given.write(question.encode())
        given.seek(0)
        try:
            process = Popen(
                [claude, *WORKING],
                cwd=root,
                env=kept,
                start_new_session=True,  # to be ended with all that it starts
                stdin=given,
                stdout=said,
                stderr=wrong,
            )
        except OSError as error:
            raise NotAnswered(f"{claude} cannot be run: {error.strerror or error}") from None
        try:
            status = _watched(process, patience, is_over)
        finally:
            _end(process)
        return Worked(status, _last_words(said), _last_words(wrong))


def _watched(process: Popen[bytes], patience: float, is_over: Callable[[], bool]) -> int | None:
    """Return the status of a process that ends in time, None for one that is to be ended."""
    import time

    until = time.monotonic() + patience
    while process.poll() is None:
        if time.monotonic() > until or is_over():
            return None
        time.sleep(REST)
    return process.returncode


def _last_words(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(ANSWER).decode("utf-8", "replace").strip()
