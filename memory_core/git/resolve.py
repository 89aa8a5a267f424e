"""Resolve git's conflicts in memory and archive files.

No file is changed or locked unless `write` is set.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memory_core.document import conflicts, dated_entries
from memory_core.document.diff import TextChange
from memory_core.memory import maintained_files
from memory_core.memory.maintained_files import MaintainedFiles
from memory_core.storage.project import Project
from memory_core.storage.store import FileSnapshot, Store


class Resolution(NamedTuple):
    """A file with conflict markers.

    `archived` are entries for the archive: text that does not fit into one file (front matter, a
    second title).  `refused` is the reason why nothing can be done, or "".
    """

    agent: str
    change: TextChange
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
    agents = names or maintained_files.list_agents_with_files(store)
    return [
        resolution
        for target in maintained_files.list_targets(project, store, agents)
        for path in _list_files(store, target.agent)
        for resolution in _resolve_file(target, path, write)
    ]


def _list_files(store: Store, agent: str) -> list[str]:
    """Return the agent's memory and archive files; of links to one file only one."""
    files: dict[str, str] = {}
    for path in sorted(store.list_files(agent), key=os.path.islink):
        files.setdefault(os.path.realpath(path), path)
    archive = store.archive_path(agent)
    return [*files.values(), *([archive] if store.files.is_file(archive) else [])]


def _resolve_file(target: MaintainedFiles, path: str, write: bool) -> Iterator[Resolution]:
    """Yield the resolution of a file with conflict markers, or the error."""
    try:
        resolution = _plan(target, target.read(path))
        if resolution and write:
            with target.store.lock(target.agent):
                target.record_hand_edits()
                snapshot = target.read(path)
                resolution = _plan(target, snapshot)
                if resolution:
                    target.archive(resolution.archived)
                    target.store.write_file(path, resolution.change.after, snapshot)
    except (OSError, ValueError) as error:
        change = TextChange(target.name(path), "", "")
        resolution = Resolution(target.agent, change, [], target.describe_error(error, path))
    if resolution:
        yield resolution


def _plan(target: MaintainedFiles, snapshot: FileSnapshot) -> Resolution | None:
    merged = conflicts.merge_sides(snapshot.text)
    if merged.text == snapshot.text:
        return None
    after, archived = merged.text, maintained_files.format_leftovers(snapshot.path, merged)
    if os.path.dirname(snapshot.path) == target.store.folder:
        after = target.update_header(after)
    else:
        after, archived = dated_entries.add(after, archived, target.now[:10]), []
    change = TextChange(target.name(snapshot.path), snapshot.text, after)
    return Resolution(target.agent, change, archived, "")
