"""Create the memory folder of a project, and empty memories."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from memory_core.claude_code import agent_definitions, agent_names, agent_spelling, settings_files
from memory_core.curation import edit_session
from memory_core.document import template
from memory_core.files import file_actions
from memory_core.storage import history_file
from memory_core.storage.project import Project
from memory_core.storage.store import README_TEXT, Store


def create_folder(store: Store) -> list[str]:
    """Create the memory folder and its fixed files; return the files that were missing.

    The README explains the folder, and history/.gitattributes makes git keep the lines of both
    sides when it merges histories.
    """
    texts = {
        os.path.join(store.folder, "README.md"): README_TEXT,
        os.path.join(store.folder, "history", ".gitattributes"): history_file.GIT_ATTRIBUTES,
    }
    written = [path for path in texts if file_actions.write_once(store.files, path, texts[path])]
    return [store.paths.relative(path) for path in written]


def list_agents_without_memory(
    store: Store, environ: Mapping[str, str], user: bool = False
) -> list[str]:
    """Return the agents with a definition file but without a memory at this level.

    With `user`, only files in the user's own agents folder count.
    """
    own = os.path.join(settings_files.find_config_folder(environ), "agents") + os.sep
    agents = {
        agent_names.id_of(file.name)
        for file in agent_definitions.AgentCatalog(store.paths.root, environ).definitions
        if file.has_name and (not user or file.path.startswith(own))
    }
    with_letters = {agent for agent in agents if any(char.isalnum() for char in agent)}
    return sorted(with_letters - set(store.agents()))


def create_memories(project: Project, store: Store, agents: Iterable[str]) -> list[tuple[str, str]]:
    """Create an empty memory for each agent without one; return them as (agent, file)."""
    created = []
    for agent in dict.fromkeys(agents):
        with store.lock(agent):
            if store.read(agent) is None:
                store.write(agent, edit_session.open_copy(project, agent, store), None)
                created.append((agent, store.paths.relative(store.path(agent))))
    return created


def add_titles(project: Project, store: Store, agents: Iterable[str]) -> list[str]:
    """Add the title to each memory without one; return their files.  Raises OSError."""
    titled = []
    for agent in agents:
        with store.lock(agent):
            snapshot = store.read(agent)
            name, before = agent_spelling.format_title(agent), snapshot.text if snapshot else ""
            text = template.add_title(before, name, project.name)
            if snapshot and text != before:
                store.write(agent, text, snapshot)
                titled.append(store.paths.relative(snapshot.path))
    return titled
