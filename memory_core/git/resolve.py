"""Resolve git's conflicts in memory, archive and quarantine files.

No file is changed or locked unless `write` is set.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memory_core.claude_code import agent_names
from memory_core.document import conflicts, dated_entries, merge_learnings, merge_versions, template
from memory_core.document.diff import TextChange
from memory_core.history import item_history
from memory_core.memory import transaction
from memory_core.memory.project import Project
from memory_core.memory.reading import read_memory
from memory_core.storage import history_file
from memory_core.storage.store import FileSnapshot, Store
from memory_core.text import digests
from memory_core.text.times import format_utc

HEADER_AUTHOR = "agent-memory"  # as in the header of a new file
DATED_KINDS = ("archive", "quarantine")


class Resolution(NamedTuple):
    """A file with conflict markers; `archived` and `refused` have the meaning as in Migration."""

    agent: str
    change: TextChange
    archived: list[str]
    refused: str


class MaintainedFiles(NamedTuple):
    """The files of an agent at one level, its limits, and the time of the command."""

    project: Project
    store: Store
    agent: str
    limits: template.Limits
    now: str

    def record_hand_edits(self) -> None:
        """Write the edits of people into the history, before the command changes the file."""
        if os.path.exists(self.store.history_path(self.agent)):
            transaction.write(
                read_memory(self.project, self.agent, self.store, solve_conflicts=False)
            )

    def name(self, path: str) -> str:
        return self.store.paths.relative(path)

    def read(self, path: str) -> FileSnapshot:
        snapshot = self.store.read_file(path)
        if snapshot is None:
            raise FileNotFoundError(f"{self.name(path)} is a link to a missing file")
        return snapshot

    def _read_history(self) -> item_history.History:
        return item_history.History(
            history_file.read(self.store.history_path(self.agent)), self.project.weights
        )

    def fit(self, text: str) -> tuple[str, list[str]]:
        """Return a memory's text within its limits, and the archive entries of evicted items."""
        stamped = template.update_header(text, self.limits, self.now, HEADER_AUTHOR)
        ages = self._read_history().age_of
        fitted = merge_learnings.evict_excess(
            stamped, self.limits, self.now, HEADER_AUTHOR, ages=ages
        )
        return fitted.text, [dated_entries.format_entry(*item) for item in fitted.evicted]

    def archive(self, entries: list[str]) -> None:
        """Add entries to the archive, and record in the history that these items were evicted."""
        if not entries:
            return
        self.store.append("archive", self.agent, entries, self.now)
        history, now = self._read_history(), f"{self.now.replace(' ', 'T')}.000Z"
        change = digests.hash_text(f"{self.agent} {now}")
        texts = [dated_entries.parse_entry(entry)[1].partition("\n")[0] for entry in entries]
        records = [
            item_history.make_record("evicted", now, text, agent=self.agent, change=change)
            for text in texts
            if history.find(text)
        ]
        history_file.append(self.store.history_path(self.agent), records)

    def describe_error(self, error: Exception, path: str) -> str:
        """Return the message of an error, with the name of the file."""
        if not isinstance(error, OSError) or not error.strerror:
            return str(error)
        named = error.filename if isinstance(error.filename, str) else path
        folder, name = os.path.split(named)
        if name.startswith("."):  # a temporary file, whose name means nothing to the user
            named = path if folder == os.path.dirname(path) else folder
        return f"{self.name(named)}: {error.strerror}"


def list_targets(project: Project, store: Store, names: Sequence[str]) -> list[MaintainedFiles]:
    return [MaintainedFiles(project, store, name, project.limits(name), _now()) for name in names]


def _now() -> str:
    return format_utc(time.time())[:19].replace("T", " ")


def find_links(files: list[str]) -> Iterator[str]:
    """Yield the links to a file that is also in the list, or is the target of an earlier link."""
    real = {path for path in files if not os.path.islink(path)}
    targets = {os.path.realpath(path) for path in real}
    for path in files:
        if path not in real:
            target = os.path.realpath(path)
            if target in targets:
                yield path
            targets.add(target)


def format_leftovers(path: str, merged: merge_versions.MergedText) -> list[str]:
    """Return the parts that do not fit into the merged text, as entries for the archive."""
    origin = dated_entries.format_file_origin(os.path.basename(path))
    return [dated_entries.format_entry(origin, text) for text in merged.left]


def resolve_files(
    project: Project,
    names: Sequence[str] = (),
    user: bool = False,
    write: bool = False,
    along: transaction.ProgressWrapper = iter,
) -> list[Resolution]:
    """Resolve the conflicts in memory, archive and quarantine files of these agents, or of all."""
    store = project.level(user)
    return [
        resolution
        for target in along(list_targets(project, store, names or list_agents_with_files(store)))
        for path in _list_files(store, target.agent)
        for resolution in _resolve_file(target, path, write)
    ]


def list_agents_with_files(store: Store) -> list[str]:
    """Return the ids of all agents with a memory, an archive or a quarantine file."""
    agents = set(store.agents())
    for kind in DATED_KINDS:
        folder = os.path.join(store.folder, kind)
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            is_pm = name == f"{agent_names.PM}.md"
            agents.add(agent_names.PM if is_pm else agent_names.agent_of_file(name))
    return sorted(agents - {""})


def _list_files(store: Store, agent: str) -> list[str]:
    files = store.files(agent)
    links = set(find_links(files))
    dated = [store.dated_path(kind, agent) for kind in DATED_KINDS]
    return [
        *(path for path in files if path not in links),
        *(path for path in dated if os.path.lexists(path)),
    ]


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
    is_memory = os.path.dirname(snapshot.path) == target.store.folder
    sections = target.limits.sections if is_memory else merge_versions.NO_SECTION_LIMIT
    merged = conflicts.merge_sides(snapshot.text, sections)
    if merged.text == snapshot.text:
        return None
    after, archived = merged.text, format_leftovers(snapshot.path, merged)
    if is_memory:
        after, evicted = target.fit(after)
        archived += evicted
    elif snapshot.path == target.store.dated_path("archive", target.agent):
        after, archived = dated_entries.add(after, archived, target.now[:10]), []
    change = TextChange(target.name(snapshot.path), snapshot.text, after)
    return Resolution(target.agent, change, archived, "")
