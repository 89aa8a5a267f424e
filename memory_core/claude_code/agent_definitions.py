"""The agents that Claude Code knows in a project: files of the user and project, and plugins."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from memory_core.claude_code import agent_names, settings_files
from memory_core.files import tree
from memory_core.files.safe_files import SafeFiles
from memory_core.text import front_matter

# Agents that every Claude Code has (seen in 2.1.329).
BUILT_IN_AGENTS = ("general-purpose", "Explore", "Plan")

AGENTS_FOLDER = "agents"

# A front matter that is longer is not read.
MAX_HEADER_LINES = 100


class AgentDefinition(NamedTuple):
    """An agent's definition: its name and path.

    Claude Code skips a file without `name:`; then `name` is the file's name.
    """

    name: str
    path: str
    has_name: bool


def read_agents(
    root: str, environ: Mapping[str, str], report: Callable[[OSError], object] | None = None
) -> list[AgentDefinition]:
    """Return the agents that are defined for a project, its user, and all users (2.1.63).

    Links are followed in the user's folders only.  `report` gets an error for each file and
    folder that is refused or cannot be read.
    """
    folders = (
        (SafeFiles(root), os.path.join(".claude", AGENTS_FOLDER)),
        (SafeFiles(settings_files.find_config_folder(environ), True), AGENTS_FOLDER),
        (SafeFiles(settings_files.MANAGED_FOLDER, True), os.path.join(".claude", AGENTS_FOLDER)),
    )
    return [
        definition
        for files, top in folders
        for folder, names in tree.walk(files, top, report)
        for name in names
        if name.endswith(".md")
        if (definition := _try_read(files, os.path.join(folder, name), report))
    ]


def _try_read(
    files: SafeFiles, path: str, report: Callable[[OSError], object] | None
) -> AgentDefinition | None:
    try:
        text = files.read(path).decode("utf-8", "replace")
    except OSError as error:
        if report:
            report(error)
        return None
    header = "".join(text.splitlines(True)[:MAX_HEADER_LINES])
    fields = front_matter.read_fields(header)
    name = str(fields.get("name") or "")
    stem = os.path.basename(path).removesuffix(".md")
    return AgentDefinition(name or stem, path, bool(name))


class AgentCatalog:
    """The ids of all agents in a project: from files, and built in.

    An agent is known by the name in its file and by the file's name.  Every agent of a plugin,
    which has a colon in its name, counts as known.  `unread` has the errors of files and folders
    that could not be read: they may define more agents.
    """

    def __init__(self, root: str, environ: Mapping[str, str]) -> None:
        self.unread: list[OSError] = []
        names = [*BUILT_IN_AGENTS]
        for definition in read_agents(root, environ, self.unread.append):
            names += definition.name, os.path.basename(definition.path).removesuffix(".md")
        self._ids = set(map(agent_names.id_of, names))

    def has(self, agent: str) -> bool:
        return agent in self._ids or ":" in agent
