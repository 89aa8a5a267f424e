"""The numbers of a project: what its agents learned and used, what arrived, and what it costs.

`status`, the dashboard and `experiment` have their numbers from here.  The event log is
rotated, so it has some weeks; histories have all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from memory_core.claude_code import agent_names
from memory_core.monitor.agent_files import AgentFiles
from memory_core.monitor.counts import (
    WEEK_DAYS,
    Bucket,
    Counts,
    Tallies,
    find_first,
    find_today,
    split_days,
)
from memory_core.monitor.log_numbers import Delivery, LogNumbers
from memory_core.monitor.memory_numbers import MemorySize
from memory_core.storage.project import Project

Value = TypeVar("Value")


class AgentNumbers(NamedTuple):
    """The numbers of one agent.

    `waiting` counts the learnings that wait for a person, and `unmerged` the reports that are not
    merged yet.  `problem` says why its memory file or history cannot be read, "" if they can.
    """

    agent: str
    memory: MemorySize
    counts: Counts
    waiting: int
    unmerged: int
    problem: str


class Numbers:
    """All numbers of a project, at the level of the project.

    `refresh` reads what changed since the last call: new lines of the event log, and the files of
    agents whose status (inode, size, time) is another one.  Then all other methods are cheap, apart
    from `waiting`, `of` and `by_agent`: they read and check memory files that changed.
    """

    def __init__(self, project: Project) -> None:
        self.files = AgentFiles(project)
        self._log = LogNumbers(project.paths.state)
        self._cache: dict[tuple[Any, ...], Any] = {}

    def refresh(self) -> bool:
        """Read what is new; return whether any number may be another one."""
        is_changed = self._log.refresh() | self.files.refresh() | (not self._cache)
        if is_changed:
            self._cache.clear()
            for agent in self.files.agents_with_history():
                self.files.history(agent)
        return is_changed

    def agents(self) -> list[str]:
        """Return all agents with a memory, a history, events or waiting learnings; PM is last."""
        names = {*self.files.agents(), *self.files.agents_with_history()}
        for tallies in self._log.tallies:
            names |= {*tallies.agents()}
        return sorted(names - {""}, key=lambda name: (name == agent_names.PM, name))

    def by_agent(self) -> list[AgentNumbers]:
        """Return the numbers of each of `agents`."""
        return self._keep(("by_agent",), lambda: list(map(self.of, self.agents())))

    def of(self, agent: str) -> AgentNumbers:
        """Return the numbers of an agent; of one that does not exist all are 0."""
        memory, problem = self.files.memory(agent)
        return AgentNumbers(
            agent,
            memory,
            self.total(agent),
            len(self.waiting(agent)),
            self.files.unmerged(agent),
            problem or self.files.history(agent).problem,
        )

    def total(self, agent: str | None = None) -> Counts:
        """Return the counts of all agents or of one."""

        def add_all() -> Counts:
            total = Counts()
            for tallies in self._list_tallies(agent):
                for name in tallies.agents() if agent is None else [agent]:
                    total.add(tallies.total(name))
            return total

        return self._keep(("total", agent), add_all)

    def by_day(self, days: int = 30, agent: str | None = None) -> list[Bucket]:
        """Return the counts of the last days, oldest first; the last one is today (UTC)."""
        return self.by_period(days, 1, agent)

    def by_week(self, weeks: int = 8, agent: str | None = None) -> list[Bucket]:
        """Return the counts of the last weeks, oldest first.

        The last one has the seven days up to and including today (UTC).
        """
        return self.by_period(weeks, WEEK_DAYS, agent)

    def by_period(self, number: int, days: int, agent: str | None = None) -> list[Bucket]:
        """Return the counts of so many periods of `days`, oldest first; the last one ends today."""

        def split() -> list[Bucket]:
            first = find_first(number, days)
            tallies = self._list_tallies(agent)
            counts = (day for one in tallies for day in one.items(agent, first))
            return split_days(counts, number, days)

        return self._keep(("period", number, days, agent, find_today()), split)

    def waiting(self, agent: str) -> list[dict[str, Any]]:
        """Return what waits for a person of an agent, with all fields of `storage.review_file`."""
        return self.files.waiting(agent)

    @property
    def last_delivery(self) -> Delivery | None:
        """Return the last delivery of which it is known whether it arrived."""
        return self._log.find_last()

    def _list_tallies(self, agent: str | None) -> list[Tallies]:
        names = self.files.agents_with_history() if agent is None else [agent]
        return [*self._log.tallies, *(self.files.history(name).tallies for name in names)]

    def _keep(self, key: tuple[Any, ...], compute: Callable[[], Value]) -> Value:
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]  # type: ignore[no-any-return]
