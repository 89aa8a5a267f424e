"""Read the files of all agents of a level, each again only if it changed."""

from __future__ import annotations

import os
from collections import Counter
from functools import lru_cache
from typing import Any

from memory_core.claude_code import agent_names
from memory_core.document import markdown
from memory_core.monitor import waiting_list
from memory_core.monitor.memory_numbers import HistoryNumbers, MemorySize, measure
from memory_core.storage import hook_files, state_folder
from memory_core.storage.paths import DECIDED_FOLDER
from memory_core.storage.project import Project
from memory_core.storage.store import Store

Stamp = tuple[Any, ...]


class AgentFiles:
    """The histories, memory files and waiting learnings of the agents of a level.

    `refresh` looks which files have another status (inode, size, time) than at the last call; the
    other methods read a file if it has, else they have the numbers already.  `store` is the level,
    by default the project's.
    """

    def __init__(self, project: Project, store: Store | None = None) -> None:
        self.store = store or project.store
        self._project = project
        self._stamps: dict[str, dict[str, Stamp]] = {}
        cache = lru_cache(maxsize=1000)
        self._histories, self._memories = cache(self._read_history), cache(self._measure)
        self._waiting = cache(self._list_waiting)
        self.refresh()

    def refresh(self) -> bool:
        """Look for changes; return whether there are any."""
        before, self._stamps = self._stamps, self._make_stamps()
        return self._stamps != before

    def agents(self) -> set[str]:
        """Return the agents with a memory, or with learnings that wait or are not merged yet."""
        return {agent for kind in ("memory", "review") for agent in self._stamps[kind]} | {
            *self._unmerged
        }

    def agents_with_history(self) -> set[str]:
        return set(self._stamps["history"])

    def history(self, agent: str) -> HistoryNumbers:
        """Return the numbers of an agent's history; without one they are 0."""
        return self._histories(agent, self._find_stamps(agent, "history"))

    def memory(self, agent: str) -> tuple[MemorySize, str]:
        """Return the size of an agent's memory file, and why it cannot be read or ""."""
        return self._memories(agent, self._find_stamps(agent, "memory"))

    def unmerged(self, agent: str) -> int:
        """Return the number of the agent's reports that are not merged yet."""
        return self._unmerged.get(agent, 0)

    def waiting(self, agent: str) -> list[dict[str, Any]]:
        """Return what waits for a person, with all fields of `storage.review_file`."""
        stamps = self._find_stamps(agent, "memory", "review", "decided")
        return self._waiting(agent, stamps)

    def find_last_expiry(self) -> tuple[str, int]:
        """Return the last change that archived unused items, and how many; ("", 0) for none."""
        counts: Counter[str] = Counter()
        for agent in self.agents_with_history():
            counts.update(self.history(agent).expired)
        last = max(counts, default="")  # ids begin with the clock time
        return last, counts[last]

    def stamp(self, agent: str) -> Stamp:
        """Return a value that is another one if any file of the agent is."""
        return self._find_stamps(agent, *self._stamps)

    def _find_stamps(self, agent: str, *kinds: str) -> Stamp:
        return tuple(self._stamps[kind].get(agent) for kind in kinds)

    def _make_stamps(self) -> dict[str, dict[str, Stamp]]:
        """Return stamps of the files of each agent, by kind; a folder is listed once."""
        store, state = self.store, self.store.paths.state
        history = os.path.join(store.folder, "history")
        stamps = {
            "memory": _stamp_files(store.files.scan(store.folder), ".md"),
            "history": _stamp_files(store.files.scan(history), ".jsonl"),
            "review": _stamp_files(state.scan(state_folder.REVIEW_FOLDER), ".jsonl"),
            "decided": _stamp_files(state.scan(DECIDED_FOLDER), ""),
        }
        self._unmerged = {
            _find_agent(stem): count for stem, count in hook_files.list_agents(store.paths).items()
        }
        return stamps

    def _list_waiting(self, agent: str, _stamp: Stamp) -> list[dict[str, Any]]:
        return waiting_list.list_entries(self.store, agent)

    def _read_history(self, agent: str, _stamp: Stamp) -> HistoryNumbers:
        try:
            records, problem = self.store.history(agent).read(), ""
            if refusal := self.store.find_refusal(self.store.history_path(agent)):
                problem = refusal.reason
        except OSError as error:
            records, problem = [], error.strerror or str(error)
        return HistoryNumbers(agent, records, problem)

    def _measure(self, agent: str, _stamp: Stamp) -> tuple[MemorySize, str]:
        limit = self._project.limits(agent, self.store).size
        try:
            snapshot = self.store.read(agent)
        except OSError as error:
            return MemorySize(limit=limit), error.strerror or str(error)
        document = markdown.parse_document(snapshot.text if snapshot else "")
        return measure(snapshot, document, limit), ""


def _stamp_files(files: list[tuple[str, os.stat_result]], ending: str) -> dict[str, Stamp]:
    """Return a stamp of the files of each agent that end like this."""
    stamps: dict[str, Stamp] = {}
    for name, status in sorted(files, key=lambda file: file[0]):
        agent = _find_agent(name.removesuffix(ending)) if name.endswith(ending) else ""
        if agent:
            own = name, status.st_ino, status.st_size, status.st_mtime_ns
            stamps[agent] = (*stamps.get(agent, ()), own)
    return stamps


@lru_cache(maxsize=10_000)
def _find_agent(stem: str) -> str:
    """Return the agent of a file, "" for another file."""
    name = f"{stem}.md"
    if agent_names.find_file([name], agent_names.PM_FILE_NAMES):
        return agent_names.PM
    return agent_names.agent_of_file(name)
