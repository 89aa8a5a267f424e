"""The numbers of a level: what its agents learned and used, what arrived, and what it costs.

`status`, the dashboard and the doctor have their numbers from here: of runs from the database, of
learnings from the histories, of deliveries from the event log, which has some weeks.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

from memory_core.claude_code import agent_names, agent_spelling
from memory_core.history import item_history
from memory_core.history.item_history import Record
from memory_core.memory import expiry
from memory_core.monitor import waiting_list
from memory_core.monitor.counts import WEEK_DAYS, Bucket, Counts, Tallies, split_days
from memory_core.monitor.log_numbers import LogNumbers
from memory_core.storage import hook_files
from memory_core.storage.database import run_table, state_db
from memory_core.storage.database.run_table import DayOfRuns, RecentUse
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text import digests

COUNTED_KINDS = {
    **dict.fromkeys(("learned", "approved"), "learned"),
    **dict.fromkeys(("reinforced", "confirmed"), "confirmed"),
    **dict.fromkeys(item_history.DEPARTURE_KINDS, "removed"),
}


class Numbers:
    """All numbers of a level, by default the project's, each read once, when it is asked for."""

    def __init__(self, project: Project, store: Store | None = None) -> None:
        self.project = project
        self.store = store or project.store
        self.waiting = cache(self._list_waiting)
        self.history = cache(self._read_history)
        self._unmerged = hook_files.list_agents(self.store.paths)

    @cached_property
    def log(self) -> LogNumbers:
        return LogNumbers(self.store.paths)

    @cached_property
    def _runs(self) -> tuple[list[DayOfRuns], dict[str, RecentUse]]:
        def read(db: sqlite3.Connection) -> tuple[list[DayOfRuns], dict[str, RecentUse]]:
            return run_table.list_days(db), run_table.read_recent(db)

        return state_db.read(self.store.paths.state, read)

    def agents_with_files(self) -> set[str]:
        """Return the agents with a memory, or with learnings that wait or are not merged yet."""
        unmerged = {agent_spelling.agent_of_file(f"{stem}.md") for stem in self._unmerged}
        return {*self.store.agents(), *self.store.agents_to_review(), *unmerged}

    def agents(self) -> list[str]:
        """Return these, and agents with a history, runs or events; PM is last."""
        names = self.agents_with_files() | {*self.store.agents_with_history()}
        names |= {agent for agent, _day in self.log.tallies} | {day.agent for day in self._runs[0]}
        return sorted(names - {""}, key=lambda name: (name == agent_names.PM, name))

    def unmerged(self, agent: str) -> int:
        """Return the number of the agent's reports that are not merged yet."""
        return self._unmerged.get(self.store.stem(agent), 0)

    def recent(self, agent: str) -> RecentUse:
        """Return the use of items in the last runs of an agent."""
        return self._runs[1].get(agent, RecentUse())

    def total(self, agent: str | None = None) -> Counts:
        """Return the counts of all agents or of one."""
        total = Counts()
        for _day, counts in self._list_days(agent):
            total.update(counts)
        return total

    def by_day(self, days: int = 30) -> list[Bucket]:
        """Return the counts of the last days, oldest first; the last one is today (UTC)."""
        return split_days(self._list_days(), days)

    def learned_by_week(self, agent: str, weeks: int) -> list[int]:
        """Return how many items an agent learned in each of the last weeks, oldest first."""
        days = ((day, counts) for (_agent, day), counts in self.history(agent).tallies.items())
        return [week.counts.learned for week in split_days(days, weeks, WEEK_DAYS)]

    def find_last_expiry(self) -> tuple[str, int]:
        """Return the short id of the last change that archived unused items, and their number.

        Without such a change it is ("", 0).
        """
        counts: Counter[str] = Counter()
        for agent in filter(None, self.store.agents_with_history()):
            counts.update(self.history(agent).expired)
        last = max(counts, default="")  # ids begin with the clock time
        return last and digests.shorten_change(last), counts[last]

    def _list_days(self, agent: str | None = None) -> Iterator[tuple[str, Counts]]:
        """Yield the days of all agents or of one, in any order, and a day more than once."""
        for day in self._runs[0]:
            if agent in (None, day.agent):
                numbers = {"failed": day.failed, "given": day.given, "used": day.used}
                yield day.day, Counts(runs=day.runs, **numbers)
        names = self.store.agents_with_history() if agent is None else [agent]
        for tallies in [self.log.tallies, *(self.history(name).tallies for name in names)]:
            for (name, day_name), counts in tallies.items():
                if agent in (None, name):
                    yield day_name, counts

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


class HistoryNumbers:
    """The numbers of one agent's history, without changes that are undone, and without undos.

    `expired` has how many unused items each change archived.  `problem` says why the history cannot
    be read, "" if it can.
    """

    def __init__(self, agent: str, records: list[Record], problem: str = "") -> None:
        self.problem = problem
        self.tallies = Tallies(Counts)
        self.expired: Counter[str] = Counter()
        records = item_history.sort_records(records)
        undos = {item_history.change_of(one) for one in records if one["kind"] == "undone"}
        left_out, changes = undos | item_history.find_undone(records).keys(), set()
        for record in records:
            name, change = COUNTED_KINDS.get(record["kind"]), item_history.change_of(record)
            if name and change not in left_out:
                changes.add((record["time"], record["id"], name))
                self.expired[change] += record.get("source") == expiry.SOURCE
        self.expired = +self.expired
        for time, _id, name in changes:
            self.tallies[agent, time[:10]][name] += 1
