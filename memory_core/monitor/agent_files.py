"""Read the files of all agents of a level."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

from memory_core.claude_code import agent_spelling
from memory_core.monitor import waiting_list
from memory_core.monitor.memory_numbers import HistoryNumbers
from memory_core.storage import hook_files
from memory_core.storage.project import Project
from memory_core.storage.store import Store


class AgentFiles:
    """The histories and waiting learnings of the agents of a level.

    Each is read when it is asked for, and once.  `store` is the level, by default the project's.
    """

    def __init__(self, project: Project, store: Store | None = None) -> None:
        self.store = store or project.store
        self._project = project
        self._unmerged = hook_files.list_agents(self.store.paths)
        self.history = cache(self._read_history)
        self.waiting = cache(self._list_waiting)

    def agents(self) -> set[str]:
        """Return the agents with a memory, or with learnings that wait or are not merged yet."""
        unmerged = {agent_spelling.agent_of_file(f"{stem}.md") for stem in self._unmerged}
        return {*self.store.agents(), *self.store.agents_to_review(), *unmerged}

    def agents_with_history(self) -> set[str]:
        return set(self.store.agents_with_history())

    def unmerged(self, agent: str) -> int:
        """Return the number of the agent's reports that are not merged yet."""
        return self._unmerged.get(self.store.stem(agent), 0)

    def find_last_expiry(self) -> tuple[str, int]:
        """Return the last change that archived unused items, and how many; ("", 0) for none."""
        counts: Counter[str] = Counter()
        for agent in self.agents_with_history():
            counts.update(self.history(agent).expired)
        last = max(counts, default="")  # ids begin with the clock time
        return last, counts[last]

    def _list_waiting(self, agent: str) -> list[dict[str, Any]]:
        """Return what waits for a person, with all fields of `storage.database.review_table`."""
        return waiting_list.list_entries(self.store, agent)

    def _read_history(self, agent: str) -> HistoryNumbers:
        """Return the numbers of an agent's history; without one they are 0."""
        try:
            records, problem = self.store.history(agent).read(), ""
            if refusal := self.store.find_refusal(self.store.history_path(agent)):
                problem = refusal.reason
        except OSError as error:
            records, problem = [], error.strerror or str(error)
        return HistoryNumbers(agent, records, problem)
