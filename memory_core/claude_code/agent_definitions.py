"""The agents that Claude Code knows in a project: files of the user and project, and plugins."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from memory_core.claude_code import agent_names, settings_files
from memory_core.text import front_matter

# Agents that every Claude Code has (seen in 2.1.329).
BUILT_IN_AGENTS = ("general-purpose", "Explore", "Plan")

# A front matter that is longer is not read.
MAX_HEADER_LINES = 100


class AgentDefinition(NamedTuple):
    """An agent's definition: name, path, and its own `memory:` setting ("" for none).

    Claude Code skips a file without `name:`; then `name` is the file's name.
    """

    name: str
    path: str
    memory: str
    has_name: bool


def read_agents(
    root: str, environ: Mapping[str, str], report: Callable[[OSError], object] | None = None
) -> list[AgentDefinition]:
    """Return the agents that are defined for a project, its user, and all users (2.1.63).

    `report` gets the errors of files and folders that cannot be read.
    """
    paths = [path for top in _list_agent_folders(root, environ) for path in _walk(top, report)]
    return [definition for path in paths if (definition := _try_read(path, report))]


def _walk(top: str, report: Callable[[OSError], object] | None = None) -> Iterator[str]:
    """Yield the definitions below a folder, also through links to folders."""
    seen = set()
    for folder, folders, names in os.walk(top, followlinks=True, onerror=report):
        real = os.path.realpath(folder)
        if real in seen:  # a link to a folder above
            folders.clear()
            continue
        seen.add(real)
        paths = [os.path.join(folder, name) for name in sorted(names)]
        # A link that leads nowhere may be one to a folder: reading it reports an error.
        yield from (path for path in paths if path.endswith(".md") or not os.path.exists(path))


def _list_agent_folders(root: str, environ: Mapping[str, str]) -> list[str]:
    levels = (
        os.path.join(root, ".claude"),
        settings_files.find_config_folder(environ),
        os.path.join(settings_files.MANAGED_FOLDER, ".claude"),
    )
    return [os.path.join(folder, "agents") for folder in levels]


def read_plugin_agents(root: str, environ: Mapping[str, str]) -> Iterator[AgentDefinition]:
    """Yield the agents of enabled plugins as PLUGIN:NAME, with the folders between them."""
    for plugin in settings_files.find_enabled_plugins(root, environ):
        top = os.path.join(plugin.folder, "agents")
        for path in _walk(top):
            inner = os.path.relpath(os.path.dirname(path), top).split(os.sep)
            scopes = [plugin.name.rpartition("@")[0], *(part for part in inner if part != ".")]
            if definition := _try_read(path):
                yield definition._replace(name=":".join([*scopes, definition.name]))


def _try_read(
    path: str, report: Callable[[OSError], object] | None = None
) -> AgentDefinition | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            header = "".join(itertools.islice(file, MAX_HEADER_LINES))
    except OSError as error:
        if report:
            report(error)
        return None
    fields = front_matter.read_fields(header)
    name, memory = (str(fields.get(key) or "") for key in ("name", "memory"))
    stem = os.path.basename(path).removesuffix(".md")
    return AgentDefinition(name or stem, path, memory, bool(name))


class AgentCatalog:
    """The ids of all agents in a project: from files, plugins, and built in.

    An agent is known by the name in its file and by the file's name.  Every agent of an
    installed plugin counts as known.  `unread` has the errors of files and folders that could
    not be read: they may define more agents.
    """

    def __init__(self, root: str, environ: Mapping[str, str]) -> None:
        self.unread: list[OSError] = []
        names = [*BUILT_IN_AGENTS]
        for definition in read_agents(root, environ, self._note):
            names += definition.name, os.path.basename(definition.path).removesuffix(".md")
        self._ids = set(map(agent_names.id_of, names))
        self._plugins = settings_files.list_plugin_ids(root, environ)

    def _note(self, error: OSError) -> None:
        """Record an error; a missing folder has no agents."""
        is_missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
        if not is_missing or os.path.islink(error.filename):
            self.unread.append(error)

    def has(self, agent: str) -> bool:
        plugin, colon, _name = agent.partition(":")
        is_of_plugin = bool(colon) and (self._plugins is None or plugin in self._plugins)
        return agent in self._ids or is_of_plugin
