"""The agents that Claude Code knows in a project: files of the user and project, and plugins."""

from __future__ import annotations

import os
from collections.abc import Mapping
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


class AgentCatalog:
    """The agents that are defined for a project, its user, and all users (2.1.63).

    Links are followed in the user's folders only.  `unread` has the errors of files and folders
    that are refused or could not be read: they may define more agents.
    """

    def __init__(self, root: str, environ: Mapping[str, str]) -> None:
        user, managed = settings_files.find_config_folder(environ), settings_files.MANAGED_FOLDER
        folders = (
            (SafeFiles(root), os.path.join(".claude", AGENTS_FOLDER)),
            (SafeFiles(user, follows_links=True), AGENTS_FOLDER),
            (SafeFiles(managed, follows_links=True), os.path.join(".claude", AGENTS_FOLDER)),
        )
        self.definitions: list[AgentDefinition] = []
        self.unread: list[OSError] = []
        self._ids = set(map(agent_names.id_of, BUILT_IN_AGENTS))
        for files, top in folders:
            for folder, names in tree.walk(files, top, self.unread.append):
                for name in names:
                    if name.endswith(".md"):
                        self._read(files, os.path.join(folder, name))

    def _read(self, files: SafeFiles, path: str) -> None:
        try:
            text = files.read(path).decode("utf-8", "replace")
        except OSError as error:
            self.unread.append(error)
            return
        fields = front_matter.read_fields("".join(text.splitlines(True)[:MAX_HEADER_LINES]))
        name, stem = str(fields.get("name") or ""), os.path.basename(path).removesuffix(".md")
        self.definitions.append(AgentDefinition(name or stem, path, bool(name)))
        self._ids |= {agent_names.id_of(name or stem), agent_names.id_of(stem)}

    def has(self, agent: str) -> bool:
        """Say whether an agent is defined, built in, or of a plugin, with a colon in its name.

        It is known by the name in its file and by the file's name.
        """
        return agent in self._ids or ":" in agent
