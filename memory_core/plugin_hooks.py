"""The hooks that plugins of Claude Code bring, read from where they are installed.

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

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from memory_core import fastjson

INSTALLED, MARKETPLACES = "installed_plugins.json", "known_marketplaces.json"

MANIFEST = os.path.join(".claude-plugin", "plugin.json")
MARKETPLACE = os.path.join(".claude-plugin", "marketplace.json")
USUAL = os.path.join("hooks", "hooks.json")


class Plugin(NamedTuple):
    """A plugin that is installed: its folder, its marketplace's, and what that says of it."""

    name: str
    folder: str
    market: str
    entry: dict[str, Any]


class Source(NamedTuple):
    """Hooks of a plugin: its folder, the file they stand in, the hooks by event, or the fault."""

    plugin: str
    folder: str
    path: str
    hooks: Any
    problem: str


def enabled(settings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the plugins that settings switch on; of several files the last one counts."""
    told: dict[str, Any] = {}
    for value in settings:
        plugins = value.get("enabledPlugins")
        told |= plugins if isinstance(plugins, dict) else {}
    return [str(name) for name, on in told.items() if on]


def installed(config: str, root: str, names: Iterable[str]) -> Iterator[Plugin]:
    """Give these plugins, as far as they are installed.

    `config` is Claude Code's own folder, `root` the project's.
    """
    folder = os.path.join(config, "plugins")
    told, known = (_read(os.path.join(folder, name))[0] for name in (INSTALLED, MARKETPLACES))
    copies, markets = _object(told, "plugins"), _object(known)
    for name in names:
        entry = _listed(markets, name)
        path = _in_place(markets, name, entry) or _copy(copies.get(name), root)
        if path:
            yield Plugin(name, path, _market(markets, name), entry)


def sources(plugin: Plugin) -> Iterator[Source]:
    """Give the hooks of a plugin, from all places where they may stand."""
    name, folder, market, entry = plugin
    manifest = os.path.join(folder, MANIFEST)
    value, problem = _read(manifest)
    if problem:
        yield Source(name, folder, manifest, {}, problem)
    seen: set[str] = set()
    for stands_in, hooks in (
        (os.path.join(folder, USUAL), USUAL),
        (manifest, _object(value).get("hooks")),
        (os.path.join(market, MARKETPLACE), entry.get("hooks")),
    ):
        for source in _named(name, folder, stands_in, hooks):
            if source.path not in seen or source.path == stands_in:
                seen.add(source.path)
                yield source


def _read(path: str) -> tuple[Any, str]:
    """Return what a JSON file says, and what is wrong with it; (None, "") for no file."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return fastjson.loads(file.read()), ""
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        return None, error.strerror or "unreadable"
    except ValueError as error:  # UnicodeDecodeError is one
        return None, f"no JSON: {error}"


def _object(value: Any, key: str = "") -> dict[str, Any]:
    if key and isinstance(value, dict):
        value = value.get(key)
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _copy(records: Any, root: str) -> str:
    """Return the folder of the copy that this project uses."""
    ranked = sorted(_objects(records), key=lambda each: each.get("projectPath") != root)
    return next((str(each["installPath"]) for each in ranked if each.get("installPath")), "")


def _market(markets: dict[str, Any], name: str) -> str:
    """Return the folder of the marketplace that a plugin is from."""
    told = _object(markets, name.rpartition("@")[2]).get("installLocation")
    return told if isinstance(told, str) else ""


def _listed(markets: dict[str, Any], name: str) -> dict[str, Any]:
    """Return what its marketplace says of a plugin."""
    value, _problem = _read(os.path.join(_market(markets, name), MARKETPLACE))
    own = name.rpartition("@")[0]
    found = (each for each in _objects(_object(value).get("plugins")) if each.get("name") == own)
    return next(found, {})


def _in_place(markets: dict[str, Any], name: str, entry: dict[str, Any]) -> str:
    """Return the folder of a plugin whose marketplace is a local folder, "" for others."""
    origin = _object(_object(markets, name.rpartition("@")[2]), "source")
    source = entry.get("source")
    if origin.get("source") != "directory" or not isinstance(source, str):
        return ""
    path = os.path.normpath(os.path.join(_market(markets, name), source))
    return path if os.path.isdir(path) else ""


def _named(name: str, folder: str, stands_in: str, told: Any) -> Iterator[Source]:
    """Give the hooks that stand there, or in the files that are named there."""
    if isinstance(told, dict):
        yield Source(name, folder, stands_in, told, "")
    for part in told if isinstance(told, list) else [told]:
        if isinstance(part, str):
            path = os.path.normpath(os.path.join(folder, part))
            value, problem = _read(path)
            if value is not None or problem:
                yield Source(name, folder, path, _object(value).get("hooks"), problem)
