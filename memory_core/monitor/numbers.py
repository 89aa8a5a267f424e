"""The numbers of a project: what its agents learned and used, what arrived, and what it costs.

`status`, the dashboard, the report and `experiment` have their numbers from here.  The event log is
rotated, so it has some weeks; histories have all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from memory_core.claude_code import agent_names
from memory_core.memory.project import Project
from memory_core.monitor.agent_files import AgentFiles
from memory_core.monitor.counts import (
    WEEK_DAYS,
    Bucket,
    Counts,
    Tallies,
    find_first,
    find_today,
    is_day,
    split_days,
)
from memory_core.monitor.log_numbers import Delivery, LogNumbers
from memory_core.monitor.memory_numbers import ItemUse, MemorySize
from memory_core.storage.store import Store
from memory_core.text import secrets

Value = TypeVar("Value")


class AgentNumbers(NamedTuple):
    """The numbers of one agent.

    `waiting` counts the learnings that wait for a person, and `spooled` those that are not merged
    yet.  `problem` says why its memory file or history cannot be read, "" if they can.
    """

    agent: str
    memory: MemorySize
    counts: Counts
    waiting: int
    spooled: int
    problem: str


class Numbers:
    """All numbers of a project, from the time `since` on; "" for all of it.

    `refresh` reads what changed since the last call: new lines of the event log, and the files of
    agents whose status (inode, size, time) is another one.  Then all other methods are cheap, apart
    from `waiting`, `of` and `by_agent`: they read and check memory files that changed.  `store` is
    the level of the memories, by default the project's.
    """

    def __init__(self, project: Project, store: Store | None = None, since: str = "") -> None:
        self.files = AgentFiles(project, store, since)
        self._log = LogNumbers(project.paths.state, since)
        self._cache: dict[tuple[Any, ...], Any] = {}

    def refresh(self) -> bool:
        """Read what is new; return whether any number may be another one."""
        is_changed = self._log.refresh() | self.files.refresh() | (not self._cache)
        if is_changed:
            self._cache.clear()
            for agent in self.files.agents_with_history():
                self.files.history(agent)
        return is_changed

    @property
    def first_day(self) -> str:
        """Return the first day that has a number, "" without any."""
        days = {day for tallies in self._list_tallies(None) for day, _counts in tallies.items()}
        return min(filter(is_day, days), default="")

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
            self.files.spooled(agent),
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

    def most_used_items(self, count: int = 10, agent: str | None = None) -> list[ItemUse]:
        """Return the items that most runs used, also items that are archived now.

        Of one agent they are at most MOST_USED.
        """

        def choose() -> list[ItemUse]:
            agents = self.files.agents_with_history() if agent is None else [agent]
            items = [item for name in agents for item in self.files.history(name).most_used]
            items.sort(key=lambda item: (-item.used, item.agent, item.id))
            return [item._replace(text=secrets.redact(item.text)) for item in items[:count]]

        return self._keep(("used", count, agent), choose)

    def waiting(self, agent: str) -> list[dict[str, Any]]:
        """Return what waits for a person of an agent, with all fields of `storage.review_file`."""
        return self.files.waiting(agent)

    @property
    def last_delivery(self) -> Delivery | None:
        """Return the last delivery of which it is known whether it arrived."""
        return self._log.find_last()

    @property
    def log_begin(self) -> str:
        """Return the time of the first event that counts, "" without any."""
        return self._log.begin

    def _list_tallies(self, agent: str | None) -> list[Tallies]:
        names = self.files.agents_with_history() if agent is None else [agent]
        return [*self._log.tallies, *(self.files.history(name).tallies for name in names)]

    def _keep(self, key: tuple[Any, ...], compute: Callable[[], Value]) -> Value:
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]  # type: ignore[no-any-return]
