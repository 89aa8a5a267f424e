"""The numbers of a project: what its agents learned and used, what arrived, and what it costs.

`status`, the dashboard and `experiment` have their numbers from here.  The event log is
rotated, so it has some weeks; histories have all.
"""

from __future__ import annotations

from memory_core.claude_code import agent_names
from memory_core.monitor.agent_files import AgentFiles
from memory_core.monitor.counts import (
    Bucket,
    Counts,
    Tallies,
    split_days,
)
from memory_core.monitor.log_numbers import Delivery, LogNumbers
from memory_core.storage.project import Project


class Numbers:
    """All numbers of a project, at the level of the project, of the time when they are read."""

    def __init__(self, project: Project) -> None:
        self.files = AgentFiles(project)
        self._log = LogNumbers(project.paths)

    def agents(self) -> list[str]:
        """Return all agents with a memory, a history, events or waiting learnings; PM is last."""
        names = {*self.files.agents(), *self.files.agents_with_history()}
        names |= {*self._log.tallies.agents()}
        return sorted(names - {""}, key=lambda name: (name == agent_names.PM, name))

    def total(self, agent: str | None = None) -> Counts:
        """Return the counts of all agents or of one."""
        total = Counts()
        for tallies in self.list_tallies(agent):
            for _day, counts in tallies.items(agent):
                total.add(counts)
        return total

    def by_day(self, days: int = 30) -> list[Bucket]:
        """Return the counts of the last days, oldest first; the last one is today (UTC)."""
        return split_days((day for one in self.list_tallies() for day in one.items()), days)

    @property
    def last_delivery(self) -> Delivery | None:
        """Return the last delivery of which it is known whether it arrived."""
        return self._log.find_last()

    def list_tallies(self, agent: str | None = None) -> list[Tallies]:
        """Return the counts of the log and of the histories of all agents or of one."""
        names = self.files.agents_with_history() if agent is None else [agent]
        return [self._log.tallies, *(self.files.history(name).tallies for name in names)]
