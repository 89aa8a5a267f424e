"""The files of an agent's memory for commands that maintain them: init and tidy."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memory_core.claude_code import agent_spelling
from memory_core.document import dated_entries, merge_versions, template
from memory_core.files import file_actions
from memory_core.files.safe_files import Refused, SafeFiles
from memory_core.history import item_history
from memory_core.memory import preparing, transaction
from memory_core.memory.reading import read_memory
from memory_core.storage import local_changes
from memory_core.storage.config_yml import project_rules
from memory_core.storage.project import Project
from memory_core.storage.store import FileSnapshot, Store
from memory_core.text import digests
from memory_core.text.times import format_utc

HEADER_AUTHOR = "agent-memory"  # as in the header of a new file
SUBFOLDERS = ("archive", "history")


class MaintainedFiles(NamedTuple):
    """The files of an agent at one level, its limits, and the time of the command."""

    project: Project
    store: Store
    agent: str
    limits: template.Limits
    now: str

    def record_hand_edits(self) -> None:
        """Write the edits of people into the history, before the command changes the file."""
        if self.store.history(self.agent).exists:
            transaction.write(
                read_memory(self.project, self.agent, self.store, solve_conflicts=False)
            )

    def name(self, path: str) -> str:
        return self.store.paths.relative(path)

    def read(self, path: str) -> FileSnapshot:
        snapshot = self.store.read_file(path)
        if snapshot is None:
            missing = FileNotFoundError(f"{self.name(path)} does not exist")
            raise self.store.find_refusal(path) or missing
        return snapshot

    def update_header(self, text: str) -> str:
        return template.update_header(text, self.limits, self.now, HEADER_AUTHOR)

    def archive(self, entries: list[str]) -> None:
        """Add entries to the archive, and record in the history that these items were evicted."""
        if not entries:
            return
        self.store.add_to_archive(self.agent, entries, self.now)
        records = self.store.history(self.agent).read()
        history, now = item_history.History(records), f"{self.now.replace(' ', 'T')}.000Z"
        seq = 1 + max(local_changes.read_sequence(self.store.paths), history.last_seq)
        change = digests.hash_text(f"{self.agent} {now}")
        texts = [dated_entries.parse_entry(entry)[1].partition("\n")[0] for entry in entries]
        records = [
            item_history.make_record("evicted", now, text, agent=self.agent, change=change, seq=seq)
            for text in texts
            if history.find(text)
        ]
        self.store.history(self.agent).append(records)

    def describe_error(self, error: Exception, path: str) -> str:
        """Return the message of an error, with the name of the file."""
        if not isinstance(error, OSError) or not error.strerror or isinstance(error, Refused):
            return str(error)
        named = error.filename if isinstance(error.filename, str) else path
        folder, name = os.path.split(named)
        if name.startswith("."):  # a temporary file, whose name means nothing to the user
            named = path if folder == os.path.dirname(path) else folder
        return f"{self.name(named)}: {error.strerror}"


def list_targets(project: Project, store: Store, names: Sequence[str]) -> list[MaintainedFiles]:
    return [
        MaintainedFiles(
            project, store, name, project_rules.find_limits(project, name, store), _now()
        )
        for name in names
    ]


def _now() -> str:
    return format_utc(time.time())[:19].replace("T", " ")


def format_leftovers(path: str, merged: merge_versions.MergedText) -> list[str]:
    """Return the parts that do not fit into the merged text, as entries for the archive."""
    origin = dated_entries.format_file_origin(os.path.basename(path))
    return [dated_entries.format_entry(origin, text) for text in merged.left]


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


def remove_memory(store: Store, agent: str, is_removable: Callable[[str], bool]) -> bool:
    """Remove an agent's memory file if its text is removable; return whether it was removed."""
    with store.lock(agent):
        snapshot = store.read(agent)
        if snapshot is None or not is_removable(snapshot.text):
            return False
        store.files.delete(snapshot.path)
        preparing.remove(store, agent)
        file_actions.sync(store.files, store.folder)
        return True
