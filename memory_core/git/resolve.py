"""Resolve git's conflicts in memory and archive files.

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
from memory_core.storage.store import FileSnapshot, Store
from memory_core.text.times import format_utc


class Resolution(NamedTuple):
    """A file with conflict markers.

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
    """Resolve the conflicts in memory and archive files of these agents, or of all."""
    store = project.level(user)
    agents = names or store.agents_with_files()
    resolutions = [
        _resolve(project, store, agent, path, write)
        for agent in agents
        for path in (store.path(agent), store.archive_path(agent))
    ]
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
        left = [dated_entries.format_entry(origin, text) for text in merged.left]
        if write and path == store.path(agent):  # a write resolves what it reads
            transaction.change_memory(project, agent, lambda _memory: None, store)
        elif write:
            _write_archive(store, agent, snapshot, merged.text, left)
    except (OSError, ValueError) as error:
        reason = problems.describe_expected(error) or str(error)
        return Resolution(agent, compare_texts(name, "", ""), [], reason)
    return Resolution(agent, compare_texts(name, snapshot.text, merged.text), left, "")


def _write_archive(
    store: Store, agent: str, snapshot: FileSnapshot, text: str, left: list[str]
) -> None:
    text = dated_entries.add(text, left, format_utc(time.time())[:10])
    with store.lock(agent):
        store.write_file(snapshot.path, text, snapshot)
