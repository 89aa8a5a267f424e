"""Give an agent's memory, history, archive and waiting learnings to another name."""

from __future__ import annotations

import os
import time

from memory_core.claude_code import agent_names, agent_spelling
from memory_core.files import file_actions
from memory_core.history import item_history
from memory_core.memory import agent_memory, preparing, run_history, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.origin import text_origins
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text.times import format_utc


class NotRenamed(ValueError):
    """An agent that cannot be renamed; the message is the reason."""

    status = 2


def rename_agent(project: Project, store: Store, old: str, new: str) -> list[str]:
    """Rename the files of an agent at one level, as one change; return the paths of the files.

    Raises NotRenamed if the new name is in use or the agent
    has nothing to rename, and OSError.
    """
    check(store, old, new)
    renamed = move_files(store, old, new)

    def record(memory: AgentMemory) -> None:
        memory.record("renamed", "", origin=old, source=item_history.PERSON_SOURCE)
        rename_title(memory, old, new)

    change_id = agent_memory.make_change_id("rename")
    transaction.change_memory(project, new, record, store, change_id)
    return renamed


def move_files(store: Store, old: str, new: str) -> list[str]:
    """Give the files and waiting learnings to the new name; return the new paths of the files.

    Raises NotRenamed and OSError.
    """
    with store.lock(old), store.lock(new):
        check(store, old, new)
        review = store.read_review(old)
        store.add_to_review(new, review, "")
        decisions = {entry["id"]: "renamed" for entry in review}
        store.remove_from_review(old, decisions, format_utc(time.time()))
        renamed = []
        for path, target in zip(_list_places(store, old), _list_places(store, new), strict=True):
            if store.files.is_file(path):
                store.files.rename(path, target)
                renamed.append(target)
        preparing.remove(store, old)
        text_origins.rename_origins(store, old, new)
        run_history.rename(store, old, new)
        for folder in {os.path.dirname(path) for path in renamed}:
            file_actions.sync(store.files, folder)
    return renamed


def _list_places(store: Store, agent: str) -> list[str]:
    return [store.archive_path(agent), store.history(agent).path, store.path(agent)]


def check(store: Store, old: str, new: str) -> None:
    """Raise NotRenamed unless the agent can get this name, or OSError."""
    taken = [path for path in _list_places(store, new) if store.files.has_entry(path)]
    if old == new:
        raise NotRenamed(f"{old} has this name already")
    if taken:
        files = ", ".join(map(store.paths.relative, taken))
        raise NotRenamed(
            f"{new} has files already ({files}); agent-memory add {new} TEXT adds an item to it"
        )
    if agent_names.PM in (old, new):
        raise NotRenamed("PM is the main session and keeps its name")
    if len(store.list_files(old)) > 1:
        raise NotRenamed(f"{old} has several memory files: agent-memory tidy merges them")
    if not any(map(store.files.has_entry, _list_places(store, old))) and not store.read_review(old):
        raise NotRenamed(f"{old} has no memory yet")
    store.read(old)  # raises OSError, before anything is renamed


def rename_title(memory: AgentMemory, old: str, new: str) -> None:
    """Replace the agent's name in the first heading, if agent-memory wrote it."""
    before, after = (f"# {agent_spelling.format_title(agent)} Memory" for agent in (old, new))
    if before in memory.text.split("\n", 3)[0]:
        memory.text = memory.text.replace(before, after, 1)


def find_name(records: list[item_history.Record], agent: str) -> str:
    """Return the name that the agent has after its renames; those that are undone do not count."""
    undone = item_history.find_undone(records)
    renames = [
        record for record in records if record["kind"] == "renamed" and "imported" not in record
    ]
    names = [record["agent"] for record in renames if item_history.change_of(record) not in undone]
    return names[-1] if names else next((str(one["origin"]) for one in renames), agent)
