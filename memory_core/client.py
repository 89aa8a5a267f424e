"""What Claude Code is told on this machine: settings files, agents, where transcripts go."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memory_core import settings
from memory_core.events import DELEGATION

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
