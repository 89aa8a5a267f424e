"""The files of an agent's memory for commands that maintain them: init and tidy."""

from __future__ import annotations

import os

from memory_core.claude_code import agent_spelling
from memory_core.document import template
from memory_core.files.safe_files import SafeFiles
from memory_core.memory.reading import read_memory
from memory_core.storage.config_yml import project_rules
from memory_core.storage.project import Project
from memory_core.storage.store import Store

SUBFOLDERS = ("archive", "history")


def list_agents_with_files(store: Store) -> list[str]:
    """Return the ids of all agents with a memory or an archive file."""
    names = store.files.list_names(os.path.join(store.folder, "archive"))
    return sorted({*store.agents(), *map(agent_spelling.agent_of_file, names)} - {""})


def describe_refusal(store: Store, path: str) -> str:
    """Return "PATH REASON" if a file is, or is reached through, a link or the like, else "".

    At the user's level, links are followed otherwise.  Raises OSError.
    """
    files = SafeFiles(store.paths.root)
    files.read_end(path, 1)
    return "; ".join(map(str, files.refused.values()))


def create_memory(project: Project, agent: str, store: Store) -> bool:
    """Create a memory without items for an agent; return False if it has one already."""
    with store.lock(agent):
        if store.read(agent) is not None:
            return False
        memory = read_memory(project, agent, store)
        store.write(agent, memory.text + template.render_headings(memory.limits), None)
        return True


def add_title(project: Project, agent: str, store: Store) -> bool:
    """Add the title to a memory that has none; return whether it was added.  Raises OSError."""
    with store.lock(agent):
        snapshot = store.read(agent)
        if snapshot is None:
            return False
        name, limits = agent_spelling.format_title(agent), project_rules.find_limits(project, agent)
        text = template.add_title(snapshot.text, name, project.name, limits)
        if text != snapshot.text:
            store.write(agent, text, snapshot)
        return text != snapshot.text
