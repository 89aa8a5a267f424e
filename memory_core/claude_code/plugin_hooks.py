"""The hooks of Claude Code's installed plugins.

    CONFIG/plugins/installed_plugins.json         the folders, by PLUGIN@MARKETPLACE
    CONFIG/plugins/known_marketplaces.json        where each marketplace is
    MARKETPLACE/.claude-plugin/marketplace.json   its plugins
    PLUGIN/hooks/hooks.json                       {"hooks": {event: groups}}
    PLUGIN/.claude-plugin/plugin.json             "hooks": {event: groups}, a path or several

The hooks of both files run side by side (seen in 2.1.63 and 2.1.329).  Of a
marketplace that is a local folder, 2.1.329 runs the plugins where they are, and 2.1.63 the
copies that were installed; here the former counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from memory_core.files.safe_files import SafeFiles

INSTALLED_FILE, MARKETPLACES_FILE = "installed_plugins.json", "known_marketplaces.json"

PLUGIN_MANIFEST = os.path.join(".claude-plugin", "plugin.json")
MARKETPLACE_MANIFEST = os.path.join(".claude-plugin", "marketplace.json")
DEFAULT_HOOKS = os.path.join("hooks", "hooks.json")


class Plugin(NamedTuple):
    """An installed plugin."""

    name: str
    folder: str


def list_enabled(settings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the plugins that settings enable; of several files the last one counts."""
    enabled: dict[str, Any] = {}
    for value in settings:
        enabled |= _object(value, "enabledPlugins")
    return [str(name) for name, on in enabled.items() if on]


def find_installed(config: str, root: str, names: Iterable[str]) -> Iterator[Plugin]:
    """Yield these plugins if they are installed.

    `config` is Claude Code's own folder, `root` the project's.
    """
    files = SafeFiles(os.path.join(config, "plugins"), follows_links=True)
    copies = _object(_read(files, INSTALLED_FILE)[0], "plugins")
    markets = _object(_read(files, MARKETPLACES_FILE)[0])
    for name in names:
        folder = _find_in_place(markets, name) or _find_copy(copies.get(name), root)
        if folder:
            yield Plugin(name, folder)


def read_hooks(plugin: Plugin) -> Iterator[tuple[str, Any, str]]:
    """Yield (path, hooks by event, problem) of all files that may contain hooks of a plugin."""
    files = SafeFiles(plugin.folder)
    manifest = files.locate(PLUGIN_MANIFEST)
    value, problem = _read(files, PLUGIN_MANIFEST)
    hooks = _object(value).get("hooks")
    if problem or isinstance(hooks, dict):
        yield manifest, hooks or {}, problem
    parts = [DEFAULT_HOOKS, *(hooks if isinstance(hooks, list) else [hooks])]
    paths = [os.path.join(plugin.folder, part) for part in parts if isinstance(part, str)]
    for path in dict.fromkeys(map(os.path.normpath, paths)):
        value, problem = _read(files, path)
        if value is not None or problem:
            yield path, _object(value).get("hooks"), problem


def _read(files: SafeFiles, path: str) -> tuple[Any, str]:
    """Return the value of a JSON file and its problem; (None, "") if it does not exist."""
    try:
        opened = files.read_with_status(path)
        if refusal := files.refused.get(files.relative(path)):
            raise refusal
        return (json.loads(opened[0].decode("utf-8-sig")), "") if opened else (None, "")
    except OSError as error:
        return None, error.strerror or "unreadable"
    except ValueError as error:  # UnicodeDecodeError is one
        return None, f"not JSON: {error}"


def _object(value: Any, key: str = "") -> dict[str, Any]:
    if key and isinstance(value, dict):
        value = value.get(key)
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _find_copy(records: Any, root: str) -> str:
    """Return the folder of the copy that this project uses."""
    ranked = sorted(_objects(records), key=lambda record: record.get("projectPath") != root)
    return next((str(record["installPath"]) for record in ranked if record.get("installPath")), "")


def _find_in_place(markets: dict[str, Any], name: str) -> str:
    """Return the folder of a plugin whose marketplace is a local folder, "" for others."""
    own, _at, market = name.rpartition("@")
    marketplace = _object(markets, market)
    if _object(marketplace, "source").get("source") != "directory":
        return ""
    folder = str(marketplace.get("installLocation"))
    value, _problem = _read(SafeFiles(folder), MARKETPLACE_MANIFEST)
    entries = _objects(_object(value).get("plugins"))
    source = next((entry.get("source") for entry in entries if entry.get("name") == own), None)
    path = os.path.normpath(os.path.join(folder, source)) if isinstance(source, str) else ""
    return path if os.path.isdir(path) else ""
