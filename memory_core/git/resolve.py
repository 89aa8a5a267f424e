"""Resolve git's conflicts in memory files, archives and task memories.

No file is changed or locked unless `write` is set.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from memory_core.document import dated_entries, merge_versions
from memory_core.document.diff import FileChange, compare_texts
from memory_core.files import problems
from memory_core.memory import transaction
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.tasks import backlog_folder, sync
from memory_core.text.times import format_utc


class Resolution(NamedTuple):
    """A file with conflict markers, of a task if `agent` is "".

    `archived` are entries for the archive: text that does not fit into one file (front matter, a
    second title).  `refused` is the reason why nothing can be done, or "".
    """

    agent: str
    change: FileChange
    archived: list[str]
    refused: str


def resolve_files(
    project: Project,
    names: Sequence[str] = (),
    user: bool = False,
    write: bool = False,
) -> list[Resolution]:
    """Resolve the conflicts in the files of these agents, or of all agents and all tasks."""
    store, folder = project.level(user), backlog_folder.Folder(project.paths.files)
    files = [
        (agent, path)
        for agent in names or store.agents_with_files()
        for path in (store.path(agent), store.archive_path(agent))
    ]
    for archived in () if names or user else (False, True):
        files += [("", folder.memory_path(task, archived)) for task in folder.memories(archived)]
    resolutions = [_resolve(project, store, agent, path, write) for agent, path in files]
    return [resolution for resolution in resolutions if resolution]


def _resolve(
    project: Project, store: Store, agent: str, path: str, write: bool
) -> Resolution | None:
    """Return the resolution of a file with conflict markers, or the error."""
    name = store.paths.relative(path)
    try:
        snapshot = store.read_file(path)
        if snapshot is None and (refusal := store.find_refusal(path)):
            raise refusal
        merged = merge_versions.merge_sides(snapshot.text) if snapshot else None
        if snapshot is None or merged is None or merged.text == snapshot.text:
            return None
        origin = dated_entries.format_file_origin(os.path.basename(path))
        left = [dated_entries.format_entry(origin, text) for text in merged.left if agent]
        if write and path == store.path(agent):  # a write resolves what it reads
            transaction.change_memory(project, agent, lambda _memory: None, store)
        elif write:
            text = dated_entries.add(merged.text, left, format_utc(time.time())[:10])
            with store.lock(agent) if agent else sync.change_memories(project):
                store.write_file(path, text, snapshot)
    except (OSError, ValueError) as error:
        reason = problems.describe_expected(error) or str(error)
        return Resolution(agent, compare_texts(name, "", ""), [], reason)
    return Resolution(agent, compare_texts(name, snapshot.text, merged.text), left, "")
