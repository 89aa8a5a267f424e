"""The hooks of Claude Code's installed plugins.

    CONFIG/plugins/installed_plugins.json         the folders, by PLUGIN@MARKETPLACE
    CONFIG/plugins/known_marketplaces.json        where each marketplace is
    MARKETPLACE/.claude-plugin/marketplace.json   its plugins; "hooks" of an entry
    PLUGIN/hooks/hooks.json                       {"hooks": {event: groups}}
    PLUGIN/.claude-plugin/plugin.json             "hooks": {event: groups}, a path or several

The hooks of all these places run side by side (seen in 2.1.63 and 2.1.329).  Of a
marketplace that is a local folder, 2.1.329 runs the plugins where they are, and 2.1.63 the
copies that were installed; here the former counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

INSTALLED_FILE, MARKETPLACES_FILE = "installed_plugins.json", "known_marketplaces.json"

PLUGIN_MANIFEST = os.path.join(".claude-plugin", "plugin.json")
MARKETPLACE_MANIFEST = os.path.join(".claude-plugin", "marketplace.json")
DEFAULT_HOOKS = os.path.join("hooks", "hooks.json")


class Plugin(NamedTuple):
    """An installed plugin: its folder, the marketplace's folder, and its entry there."""

    name: str
    folder: str
    marketplace_folder: str
    entry: dict[str, Any]


class HookSource(NamedTuple):
    """Hooks of a plugin: its folder, the file, the hooks by event, or the problem."""

    plugin: str
    folder: str
    path: str
    hooks: Any
    problem: str


def list_enabled(settings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the plugins that settings enable; of several files the last one counts."""
    enabled: dict[str, Any] = {}
    for value in settings:
        plugins = value.get("enabledPlugins")
        enabled |= plugins if isinstance(plugins, dict) else {}
    return [str(name) for name, on in enabled.items() if on]


def find_installed(config: str, root: str, names: Iterable[str]) -> Iterator[Plugin]:
    """Yield these plugins if they are installed.

    `config` is Claude Code's own folder, `root` the project's.
    """
    folder = os.path.join(config, "plugins")
    copies = _object(_read(os.path.join(folder, INSTALLED_FILE))[0], "plugins")
    markets = _object(_read(os.path.join(folder, MARKETPLACES_FILE))[0])
    for name in names:
        entry = _read_entry(markets, name)
        path = _find_in_place(markets, name, entry) or _find_copy(copies.get(name), root)
        if path:
            yield Plugin(name, path, _market_folder(markets, name), entry)


def read_hooks(plugin: Plugin) -> Iterator[HookSource]:
    """Yield the hooks of a plugin from all places that may contain them."""
    name, folder, market, entry = plugin
    manifest = os.path.join(folder, PLUGIN_MANIFEST)
    value, problem = _read(manifest)
    if problem:
        yield HookSource(name, folder, manifest, {}, problem)
    seen: set[str] = set()
    for stands_in, hooks in (
        (os.path.join(folder, DEFAULT_HOOKS), DEFAULT_HOOKS),
        (manifest, _object(value).get("hooks")),
        (os.path.join(market, MARKETPLACE_MANIFEST), entry.get("hooks")),
    ):
        for source in _list_sources(name, folder, stands_in, hooks):
            if source.path not in seen or source.path == stands_in:
                seen.add(source.path)
                yield source


def _read(path: str) -> tuple[Any, str]:
    """Return the value of a JSON file and its problem; (None, "") if it does not exist."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return json.load(file), ""
    except FileNotFoundError:
        return None, ""
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


def _market_folder(markets: dict[str, Any], name: str) -> str:
    """Return the folder of the marketplace that a plugin is from."""
    folder = _object(markets, name.rpartition("@")[2]).get("installLocation")
    return folder if isinstance(folder, str) else ""


def _read_entry(markets: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the entry of a plugin in its marketplace."""
    value, _problem = _read(os.path.join(_market_folder(markets, name), MARKETPLACE_MANIFEST))
    own = name.rpartition("@")[0]
    entries = _objects(_object(value).get("plugins"))
    return next((entry for entry in entries if entry.get("name") == own), {})


def _find_in_place(markets: dict[str, Any], name: str, entry: dict[str, Any]) -> str:
    """Return the folder of a plugin whose marketplace is a local folder, "" for others."""
    origin = _object(_object(markets, name.rpartition("@")[2]), "source")
    source = entry.get("source")
    if origin.get("source") != "directory" or not isinstance(source, str):
        return ""
    path = os.path.normpath(os.path.join(_market_folder(markets, name), source))
    return path if os.path.isdir(path) else ""


def _list_sources(name: str, folder: str, path: str, hooks: Any) -> Iterator[HookSource]:
    """Yield the hooks in the file at `path`, or in the files that it names."""
    if isinstance(hooks, dict):
        yield HookSource(name, folder, path, hooks, "")
    for part in hooks if isinstance(hooks, list) else [hooks]:
        if isinstance(part, str):
            other = os.path.normpath(os.path.join(folder, part))
            value, problem = _read(other)
            if value is not None or problem:
                yield HookSource(name, folder, other, _object(value).get("hooks"), problem)
