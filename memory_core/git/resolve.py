"""Resolve git's conflicts in memory, archive and quarantine files.

Without `write` no file is changed or locked.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memory_core.claude_code import agent_names
from memory_core.document import combine, conflicts, dated_entries, merge, template
from memory_core.document.diff import TextChange
from memory_core.history import item_history
from memory_core.memory import transaction
from memory_core.memory.project import Project
from memory_core.memory.reading import read_memory
from memory_core.storage import event_log, history_file, store
from memory_core.text import digests

HEADER_AUTHOR = "agent-memory"  # in the header, as of a new file


class Resolution(NamedTuple):
    """A file with conflict markers; `kept` and `refused` are as in a Migration."""

    agent: str
    change: TextChange
    archived: list[str]
    refused: str


class MaintainedFiles(NamedTuple):
    """Whose files are seen to: of which level and agent, within which limits, at what time."""

    project: Project
    held: store.Store
    agent: str
    limits: template.Limits
    now: str

    def settle(self) -> None:
        """Put into the history what people did so far: what comes now is ours."""
        if os.path.exists(self.held.history(self.agent)):
            transaction.write(
                read_memory(self.project, self.agent, self.held, solve_conflicts=False)
            )

    def name(self, path: str) -> str:
        return self.held.place.relative(path)

    def text(self, path: str) -> store.FileSnapshot:
        read = self.held.read_file(path)
        if read is None:
            raise FileNotFoundError(f"{self.name(path)} is a link to nothing")
        return read

    @property
    def past(self) -> item_history.History:
        return item_history.History(
            history_file.read(self.held.history(self.agent)), self.project.weights
        )

    def fitted(self, text: str) -> tuple[str, list[str]]:
        """Return a memory's text within its limits, and what leaves it as archive entries."""
        stamped = template.update_header(text, self.limits, self.now, HEADER_AUTHOR)
        trimmed = merge.evict_excess(
            stamped, self.limits, self.now, HEADER_AUTHOR, ages=self.past.age_of
        )
        return trimmed.text, [dated_entries.format_entry(*each) for each in trimmed.evicted]

    def archive(self, kept: list[str]) -> None:
        """Put entries into the archive, and into the history that these items had to leave."""
        if kept:
            self.held.append("archive", self.agent, kept, self.now)
            known, time = self.past, f"{self.now.replace(' ', 'T')}.000Z"
            change = digests.hash_text(f"{self.agent} {time}")
            texts = [dated_entries.parse_entry(entry)[1].partition("\n")[0] for entry in kept]
            left = [
                item_history.make_record("evicted", time, text, agent=self.agent, change=change)
                for text in texts
                if known.find(text)
            ]
            history_file.append(self.held.history(self.agent), left)

    def reason(self, error: Exception, path: str) -> str:
        """Say what failed, and with which file; our own errors name it."""
        if not isinstance(error, OSError) or not error.strerror:
            return str(error)
        named = error.filename if isinstance(error.filename, str) else path
        folder, name = os.path.split(named)
        if name.startswith("."):  # a file of ours that nobody looks for
            named = path if folder == os.path.dirname(path) else folder
        return f"{self.name(named)}: {error.strerror}"


def list_targets(
    project: Project, held: store.Store, names: Sequence[str]
) -> list[MaintainedFiles]:
    return [MaintainedFiles(project, held, name, project.limits(name), _now()) for name in names]


def find_links(files: list[str]) -> Iterator[str]:
    """Find the links that lead to another of the files, or where another one leads, too."""
    real = {path for path in files if not os.path.islink(path)}
    led = {os.path.realpath(path) for path in real}
    for path in files:
        if path not in real:
            end = os.path.realpath(path)
            if end in led:
                yield path
            led.add(end)


def format_leftovers(path: str, done: combine.CombinedText) -> list[str]:
    """Return what a file's text has no place for, as entries for the archive."""
    return [
        dated_entries.format_entry(dated_entries.format_file_origin(os.path.basename(path)), left)
        for left in done.left
    ]


def _now() -> str:
    return event_log.format_utc(time.time())[:19].replace("T", " ")


def resolve_files(
    project: Project,
    names: Sequence[str] = (),
    user: bool = False,
    write: bool = False,
    along: transaction.ProgressWrapper = iter,
) -> list[Resolution]:
    """Make a union of each file with conflict markers: memories, archive and quarantine."""
    held = project.level(user)
    return [
        done
        for owner in along(list_targets(project, held, names or list_agents_with_files(held)))
        for path in _all_files(held, owner.agent)
        for done in _resolved(owner, path, write)
    ]


def list_agents_with_files(held: store.Store) -> list[str]:
    """Return the ids of all agents with a memory, an archive or something to review."""
    found = set(held.agents())
    for kind in ENTRY_KINDS:
        try:
            names = os.listdir(os.path.join(held.folder, kind))
        except OSError:
            continue
        found |= {
            agent_names.PM if name == f"{agent_names.PM}.md" else agent_names.agent_of_file(name)
            for name in names
        }
    return sorted(found - {""})


ENTRY_KINDS = ("archive", "quarantine")


def _all_files(held: store.Store, agent: str) -> list[str]:
    files = held.files(agent)
    links = set(find_links(files))
    beside = [held.dated_path(kind, agent) for kind in ENTRY_KINDS]
    return [
        *(path for path in files if path not in links),
        *(path for path in beside if os.path.lexists(path)),
    ]


def _resolved(owner: MaintainedFiles, path: str, write: bool) -> list[Resolution]:
    """Return what is done, or would be, with a file: one resolution or none."""
    try:
        found = _united(owner, owner.text(path))
        if found and write:
            with owner.held.lock(owner.agent):
                owner.settle()
                read = owner.text(path)
                found = _united(owner, read)
                for done in found:
                    owner.archive(done.archived)
                    owner.held.write_file(path, done.change.after, read)
    except (OSError, ValueError) as error:
        change = TextChange(owner.name(path), "", "")
        return [Resolution(owner.agent, change, [], owner.reason(error, path))]
    return found


def _united(owner: MaintainedFiles, read: store.FileSnapshot) -> list[Resolution]:
    is_memory = os.path.dirname(read.path) == owner.held.folder
    done = conflicts.merge_sides(
        read.text, owner.limits.sections if is_memory else combine.NO_SECTION_LIMIT
    )
    if done.text == read.text:
        return []
    after, kept = done.text, format_leftovers(read.path, done)
    if is_memory:
        after, left = owner.fitted(after)
        kept += left
    elif read.path == owner.held.dated_path("archive", owner.agent):
        after, kept = dated_entries.add(after, kept, owner.now[:10]), []
    return [Resolution(owner.agent, TextChange(owner.name(read.path), read.text, after), kept, "")]
