"""The settings files of Claude Code on this machine and its plugins, and the hooks in them.

    CONFIG/plugins/installed_plugins.json         the folders, by PLUGIN@MARKETPLACE
    CONFIG/plugins/known_marketplaces.json        where each marketplace is
    MARKETPLACE/.claude-plugin/marketplace.json   its plugins
    PLUGIN/hooks/hooks.json                       {"hooks": {event: groups}}

Of a marketplace that is a local folder, 2.1.329 runs the plugins where they are, and 2.1.63 the
copies that were installed; here the former counts.
"""

from __future__ import annotations

import json
import os
import re
import string
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memory_core.claude_code import settings_json
from memory_core.claude_code.events import DELEGATION_TOOLS
from memory_core.claude_code.run_fields import get_object
from memory_core.files.safe_files import Refused, SafeFiles
from memory_core.text import fastjson

# Claude Code's folder of a user without a home directory: one that does not exist.
NO_HOME = "/nonexistent"

# Where the administrators of a machine define agents: on Linux (seen in 2.1.63 and 2.1.329) and,
# by the documentation, on macOS.
MANAGED_FOLDER = {"darwin": "/Library/Application Support/ClaudeCode"}.get(
    sys.platform, "/etc/claude-code"
)

# The settings files of a project, below its root: the second one is not committed.
PROJECT_SETTINGS = os.path.join(".claude", "settings.json")
LOCAL_SETTINGS = os.path.join(".claude", "settings.local.json")

# Below MANAGED_FOLDER; with the second key in it, Claude Code runs only hooks of this file.
MANAGED_SETTINGS = "managed-settings.json"
DISABLE_ALL, MANAGED_ONLY = "disableAllHooks", "allowManagedHooksOnly"

# Below the user's folder of plugins, of a marketplace, and of a plugin.
INSTALLED_FILE, MARKETPLACES_FILE = "installed_plugins.json", "known_marketplaces.json"
MARKETPLACE_MANIFEST = os.path.join(".claude-plugin", "marketplace.json")
PLUGIN_HOOKS = os.path.join("hooks", "hooks.json")

# Levels of settings files that may come with a clone, and the variables that those may set.
UNTRUSTED_LEVELS = ("project", "local")
SAFE_VARIABLES = (
    *("AGENT_MEMORY", "AGENT_MEMORY_LEARNING", "AGENT_MEMORY_LIMIT_KB"),
    "AGENT_MEMORY_SELECTION",
)

# Events whose hooks must see delegations.
DELEGATION_EVENTS = ("PreToolUse", "PostToolUse")

_QUOTED = re.compile(rf'({settings_json.COMMAND_PREFIX}|-x |)"([^"]*)"')


class SettingsFile(NamedTuple):
    """A settings file with its value and the hooks of agent-memory, or why it is not readable.

    `level` is user, project, local, managed or plugin.  The file of a plugin has the plugin's
    name and folder.
    """

    level: str
    path: str
    value: dict[str, Any]
    own_hooks: list[settings_json.HookEntry]
    problem: str
    plugin: str = ""
    folder: str = ""

    @property
    def off_switch(self) -> str:
        """The key by which the file switches our hooks off, "" for none."""
        if self.value.get(DISABLE_ALL) is True:
            return DISABLE_ALL
        is_exclusive = self.level == "managed" and self.value.get(MANAGED_ONLY) is True
        return MANAGED_ONLY if is_exclusive and not self.own_hooks else ""


def find_config_folder(environ: Mapping[str, str]) -> str:
    """Return the folder in which Claude Code keeps the user's settings."""
    home = environ.get("HOME", "")
    # A relative home would lead into the project.
    home = home if os.path.isabs(home) else NO_HOME
    return environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")


def find_transcript_folder(root: str, environ: Mapping[str, str]) -> str:
    """Return the folder with the transcripts of a project's sessions."""
    slug = re.sub("[^0-9A-Za-z]", "-", root)
    return os.path.join(find_config_folder(environ), "projects", slug)


def list_transcript_folders(root: str, environ: Mapping[str, str]) -> list[str]:
    """Return the transcript folders of a project and of Claude Code's worktrees in it.

    For "" as the root they are those of all projects.
    """
    parent, slug = os.path.split(find_transcript_folder(root, environ))
    try:
        names = os.listdir(parent)
    except OSError:
        return []
    own = [name for name in names if name == slug or name.startswith(f"{slug}--claude-")]
    return [os.path.join(parent, name) for name in (own if root else names)]


def find_session_folder(root: str, environ: Mapping[str, str]) -> str:
    """Return the nearest folder with hooks of ours in its settings, else `root`.

    In a repository of several projects, sessions may start below the root with the memories.  They
    have the settings of the folder in which they start, not those above it (seen with 2.1.329).
    """
    folder = os.getcwd()
    while folder.startswith(root + os.sep):
        files = read_settings(folder, environ)
        if any(file.own_hooks for file in files if file.level in UNTRUSTED_LEVELS):
            return folder
        folder = os.path.dirname(folder)
    return root


def read_settings(root: str, environ: Mapping[str, str]) -> list[SettingsFile]:
    """Return the settings files of user, project and machine, those that prevail later."""
    config = find_config_folder(environ)
    places = [("user", SafeFiles(config, follows_links=True), "settings.json")]
    if os.path.join(root, ".claude") != config:  # the same if the home directory is the project
        places.append(("project", SafeFiles(root), PROJECT_SETTINGS))
    places.append(("local", SafeFiles(root), LOCAL_SETTINGS))
    places.append(("managed", SafeFiles(MANAGED_FOLDER, follows_links=True), MANAGED_SETTINGS))
    read = (read_file(*place) for place in places)
    return [file for file in read if file is not None]


def read_file(level: str, files: SafeFiles, name: str) -> SettingsFile | None:
    """Return a settings file, None if there is none."""
    path = files.locate(name)
    try:
        text = files.read(name).decode("utf-8-sig")
        for refusal in files.refused.values():
            raise refusal
        if not text and not files.has_entry(name):
            return None
        own_hooks = settings_json.find_entries(text)
        value = json.loads(text) if text.strip() else {}
        if isinstance(value, dict):
            return SettingsFile(level, path, value, own_hooks, "")
        problem = "is not a JSON object"
    except Refused as refusal:
        path, problem = files.locate(refusal.path), refusal.reason
    except (OSError, ValueError) as error:  # UnicodeDecodeError and InvalidSettings
        problem = getattr(error, "strerror", None) or str(error)
    return SettingsFile(level, path, {}, [], problem)


def read_hook_files(root: str, environ: Mapping[str, str]) -> list[SettingsFile]:
    """Return every file that can contain hooks of a session: settings and plugins."""
    root = find_session_folder(root, environ)
    files = read_settings(root, environ)
    for name, folder in _find_plugins(files, root, find_config_folder(environ)):
        if file := read_file("plugin", SafeFiles(folder), PLUGIN_HOOKS):
            # Only the hooks of a plugin count, whatever else the file sets.
            files.append(file._replace(value={}, plugin=name, folder=folder))
    return files


def _find_plugins(
    settings: list[SettingsFile], root: str, config: str
) -> Iterator[tuple[str, str]]:
    """Yield (name, folder) of the installed plugins that settings enable, the last one counts."""
    enabled: dict[str, Any] = {}
    for file in settings:
        enabled |= get_object(file.value, "enabledPlugins")
    files = SafeFiles(os.path.join(config, "plugins"), follows_links=True)
    copies = get_object(_load(files, INSTALLED_FILE), "plugins")
    markets = _load(files, MARKETPLACES_FILE)
    for name, is_on in enabled.items():
        folder = _find_in_place(markets, name) or _find_copy(copies.get(name), root)
        if is_on and folder:
            yield name, folder


def _load(files: SafeFiles, name: str) -> dict[str, Any]:
    return fastjson.load_object(files.read_text(name))


def _list_objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _find_copy(records: Any, root: str) -> str:
    """Return the folder of the copy that this project uses."""
    ranked = sorted(_list_objects(records), key=lambda record: record.get("projectPath") != root)
    return next((str(record["installPath"]) for record in ranked if record.get("installPath")), "")


def _find_in_place(markets: dict[str, Any], name: str) -> str:
    """Return the folder of a plugin whose marketplace is a local folder, "" for others."""
    own, _at, market = name.rpartition("@")
    marketplace = get_object(markets, market)
    if get_object(marketplace, "source").get("source") != "directory":
        return ""
    folder = str(marketplace.get("installLocation"))
    entries = _list_objects(_load(SafeFiles(folder), MARKETPLACE_MANIFEST).get("plugins"))
    source = next((entry.get("source") for entry in entries if entry.get("name") == own), None)
    path = os.path.normpath(os.path.join(folder, source)) if isinstance(source, str) else ""
    return path if os.path.isdir(path) else ""


def read_hook_variables(files: list[SettingsFile]) -> dict[str, str]:
    """Return the environment variables that settings set for hooks, over the user's own ones.

    Of settings that come with a repository only the settings for one run count: others, such as
    PATH or CLAUDE_CONFIG_DIR, would choose the programs that run here.
    """
    variables = {}
    for file in files:
        for name, value in get_object(file.value, "env").items():
            is_safe = file.level not in UNTRUSTED_LEVELS or name in SAFE_VARIABLES
            if is_safe and isinstance(value, str):
                variables[name] = value
    return variables


def find_disabling_file(files: list[SettingsFile]) -> SettingsFile | None:
    """Return the file that switches our hooks off; its `off_switch` is the key."""
    deciding = [file for file in files if DISABLE_ALL in file.value or file.off_switch]
    return deciding[-1] if deciding and deciding[-1].off_switch else None


# Hooks of agent-memory that cannot work.  None is run: settings may come with a repository.


class HookFault(NamedTuple):
    """Why some hooks of a settings file do nothing."""

    file: SettingsFile
    reason: str
    hooks: list[settings_json.HookEntry]

    def __str__(self) -> str:
        events = dict.fromkeys(hook.event for hook in self.hooks)
        return f"{self.reason}: the hooks of {', '.join(events)} do nothing"


def list_faults(files: list[SettingsFile], environ: Mapping[str, str]) -> list[HookFault]:
    """Return the faults of all hooks of agent-memory, one for each file and cause.

    Another hook of the same event may work, for example that of a plugin.
    """
    reasons = [
        (file, hook, find_fault(file, hook, environ)) for file in files for hook in file.own_hooks
    ]
    working = {hook.event for _file, hook, reason in reasons if not reason}
    faults: dict[tuple[str, str], HookFault] = {}
    for file, hook, reason in reasons:
        if reason and hook.event not in working:
            fault = faults.setdefault((file.path, reason), HookFault(file, reason, []))
            fault.hooks.append(hook)
    return list(faults.values())


def list_missing(files: list[SettingsFile]) -> list[str]:
    """Return the events of delegations for which no file has a hook of agent-memory."""
    events = {hook.event for file in files for hook in file.own_hooks}
    return [event for event in DELEGATION_EVENTS if event not in events]


def find_fault(
    file: SettingsFile, hook: settings_json.HookEntry, environ: Mapping[str, str]
) -> str:
    """Return why a hook does nothing: a missing path or a wrong matcher; "" if it may work."""
    variables = {"HOME": environ.get("HOME", ""), "CLAUDE_PLUGIN_ROOT": file.folder}
    for path, right in _list_paths(hook.command, variables):
        if problem := _find_problem(path, right):
            return problem
    matcher = hook.matcher or ""
    if hook.event in DELEGATION_EVENTS and not _matches_delegations(matcher):
        return f"the matcher {matcher} does not match Agent"
    return ""


def _list_paths(command: str, variables: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the absolute paths that one of our commands quotes, with the right that it needs."""
    values = dict(variables)
    for before, word in _QUOTED.findall(command):
        path = string.Template(word).safe_substitute(values)
        if before == settings_json.COMMAND_PREFIX:
            values[before[:-1]] = path
        if os.path.isabs(path):
            yield path, os.X_OK if before == "-x " else os.R_OK


def _find_problem(path: str, right: int) -> str:
    """Return why a path cannot be used; "" if it can."""
    try:
        os.stat(path)
    except FileNotFoundError:
        link = f" is a link to {os.readlink(path)}, which" if os.path.islink(path) else ""
        return f"{path}{link} does not exist"
    except (OSError, ValueError) as error:
        return f"{path} cannot be used ({getattr(error, 'strerror', None) or error})"
    return "" if os.access(path, right) else f"{path} cannot be used"


def _matches_delegations(matcher: str) -> bool:
    """Check a matcher, which has names with "|" between them or is a regular expression."""
    try:
        return matcher == "*" or any(re.search(matcher, tool) for tool in DELEGATION_TOOLS)
    except re.error:
        return False
