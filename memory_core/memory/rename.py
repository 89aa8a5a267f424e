"""Give an agent's memory, history, archive and waiting learnings to another name."""

from __future__ import annotations

import os

from memory_core.claude_code import agent_names
from memory_core.memory import remember
from memory_core.memory.project import Project
from memory_core.storage import local_changes
from memory_core.storage.store import Store


class NotRenamed(ValueError):
    """An agent that cannot be renamed; the message is the reason."""

    status = 2


def rename_agent(project: Project, store: Store, old: str, new: str) -> list[str]:
    """Rename the files of an agent at one level; return the paths of the renamed files.

    Spooled learnings are merged first.  Raises NotRenamed if the new name is in use or the agent
    has nothing to rename, and OSError.
    """
    _check(store, old, new)
    if store.paths is project.paths:
        remember.merge_spool(project, old)
    with store.lock(old), store.lock(new):
        _check(store, old, new)
        review = store.read_review(old)
        store.add_to_review(new, review, "")
        store.remove_from_review(old, [entry["id"] for entry in review])
        renamed = []
        for path, target in zip(_list_places(store, old), _list_places(store, new), strict=True):
            if store.files.is_file(path):
                store.files.rename(path, target)
                renamed.append(target)
        local_changes.rename(store.paths, store.stem(old), store.stem(new))
        _rename_title(store, old, new)
        for folder in {os.path.dirname(path) for path in renamed}:
            store.files.sync(folder)
    return renamed


def _list_places(store: Store, agent: str) -> list[str]:
    return [store.archive_path(agent), store.history(agent).path, store.path(agent)]


def _check(store: Store, old: str, new: str) -> None:
    if old == new or any(map(store.files.has_entry, _list_places(store, new))):
        raise NotRenamed(
            f"{new} has a memory already; agent-memory share ID... --from {old} --to {new} copies"
            " items to it"
        )
    if agent_names.PM in (old, new):
        raise NotRenamed("PM is the main session and keeps its name")
    if len(store.list_files(old)) > 1:
        raise NotRenamed(f"{old} has several memory files: agent-memory tidy merges them")
    if not any(map(store.files.has_entry, _list_places(store, old))) and not store.read_review(old):
        raise NotRenamed(f"{old} has no memory yet")
    store.read(old)  # raises OSError, before anything is renamed


def _rename_title(store: Store, old: str, new: str) -> None:
    """Replace the agent's name in the first heading, if agent-memory wrote it."""
    snapshot = store.read(new)
    before, after = (f"# {agent_names.format_title(agent)} Memory" for agent in (old, new))
    if snapshot and before in snapshot.text.split("\n", 3)[0]:
        store.write(new, snapshot.text.replace(before, after, 1), snapshot)
