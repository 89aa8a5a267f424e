"""The numbers of a level: what its agents learned and used, what arrived, and what it costs.

`status`, the dashboard and the doctor have their numbers from here: of runs and deliveries
from the database, of learnings from the histories.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta, timezone
from functools import cache, cached_property, partial
from typing import NamedTuple

from memory_core.claude_code import agent_names, agent_spelling
from memory_core.history import item_history
from memory_core.history.item_history import Record
from memory_core.history.performance import Row
from memory_core.monitor import waiting_list
from memory_core.storage import hook_files
from memory_core.storage.database import run_table, state_db
from memory_core.storage.database.run_table import Delivery, RecentUse
from memory_core.storage.project import Project
from memory_core.storage.store import Store

WEEK_DAYS = 7

# Days of the first page of the dashboard, and of `status --markdown`.
DAYS = 30

COUNTED_KINDS = {
    **dict.fromkeys(("learned", "approved"), "learned"),
    **dict.fromkeys(("reinforced", "confirmed"), "confirmed"),
    **dict.fromkeys(item_history.DEPARTURE_KINDS, "removed"),
}


class Counts(Counter[str]):
    """What happened in some time, to one agent or to several: numbers by these names.

    From the history: items `learned` (new ones, also from the review), `confirmed` (reported again,
    or by a person) and `removed` (also evicted and archived).

    From the database: finished `runs`, of which `failed` ones; items that these runs were `given`,
    and `used` of them; runs of the last half year with memory in their prompt (`loaded`), with how
    many `tokens` in sum; deliveries that arrived once, twice or not at all (`delivered`, `doubled`,
    `lost`).
    """

    NAMES = (
        *("learned", "confirmed", "removed", "runs", "failed", "given", "used"),
        *("loaded", "tokens", "delivered", "doubled", "lost"),
    )

    def __getattr__(self, name: str) -> int:
        if name in self.NAMES:
            return self[name]
        raise AttributeError(name)

    @property
    def checked(self) -> int:
        """Return the deliveries of which it is known whether they arrived."""
        return self.delivered + self.doubled + self.lost

    @property
    def tokens_per_run(self) -> int:
        """Return the mean of the tokens added to the prompt of an agent, 0 without any."""
        return self.tokens // max(self.loaded, 1)


def find_today() -> str:
    """Return the present day (UTC)."""
    return datetime.now(timezone.utc).date().isoformat()


def split_days(counts: Iterable[tuple[str, Counts]], number: int) -> dict[str, Counts]:
    """Return the sums of so many days, such as 2026-11-20, oldest first; the last one is today.

    `counts` are pairs of a day and its counts, in any order.  Later days, of a clock that is ahead,
    belong to today (UTC).
    """
    today = date.fromisoformat(find_today())
    ages = reversed(range(number))
    sums = {(today - timedelta(days=age)).isoformat(): Counts() for age in ages}
    for day, added in counts:
        if (period := min(day, today.isoformat())) in sums:
            sums[period].update(added)
    return sums


class RunNumbers(NamedTuple):
    """What the database knows of the runs and deliveries of each day; `recent` is by agent."""

    days: list[Row]
    recent: dict[str, RecentUse]
    last_delivery: Delivery | None


def _read_runs(db: sqlite3.Connection) -> RunNumbers:
    return RunNumbers(
        run_table.list_days(db) + run_table.list_deliveries(db),
        run_table.read_recent(db),
        run_table.find_last_delivery(db),
    )


class Numbers:
    """All numbers of a level, by default the project's, each read once, when it is asked for."""

    def __init__(self, project: Project, store: Store | None = None) -> None:
        self.project = project
        self.store = store or project.store
        self.waiting = cache(partial(waiting_list.list_entries, self.store))
        self.history = cache(self._read_history)
        self._unmerged = hook_files.list_agents(self.store.paths)

    @cached_property
    def runs(self) -> RunNumbers:
        return state_db.read(self.store.paths.state, _read_runs)

    def measure_hooks(self, since: str) -> tuple[int | None, int | None, int]:
        """Return how long hooks took that gave memory, from a day on, and their number.

        In milliseconds without the start of Python: half of them took at most the first time, and
        95 % at most the second one; both are None without any.
        """
        state = self.store.paths.state
        values = sorted(state_db.read(state, lambda db: run_table.list_hook_times(db, since)))
        ranks = (-(-percent * len(values) // 100) - 1 for percent in (50, 95))
        median, high = ((values[rank] if values else None) for rank in ranks)
        return median, high, len(values)

    def agents_with_files(self) -> set[str]:
        """Return the agents with a memory, or with learnings that wait or are not merged yet."""
        unmerged = {agent_spelling.agent_of_file(f"{stem}.md") for stem in self._unmerged}
        return {*self.store.agents(), *self.store.agents_to_review(), *unmerged}

    def agents(self) -> list[str]:
        """Return these, and agents with a history or runs; PM is last."""
        names = self.agents_with_files() | {*self.store.agents_with_history()}
        names |= {day["agent"] for day in self.runs.days}
        return sorted(names - {""}, key=lambda name: (name == agent_names.PM, name))

    def unmerged(self, agent: str) -> int:
        """Return the number of the agent's reports that are not merged yet."""
        return self._unmerged.get(self.store.stem(agent), 0)

    def recent(self, agent: str) -> RecentUse:
        """Return the use of items in the last runs of an agent."""
        return self.runs.recent.get(agent, RecentUse())

    def total(self, agent: str | None = None) -> Counts:
        """Return the counts of all agents or of one."""
        total = Counts()
        for _day, counts in self._list_days(agent):
            total.update(counts)
        return total

    def by_day(self, days: int) -> dict[str, Counts]:
        """Return the counts of the last days, oldest first; the last one is today (UTC)."""
        return split_days(self._list_days(), days)

    def learned_by_week(self, agent: str, weeks: int) -> list[int]:
        """Return how many items an agent learned in each of the last weeks, oldest first."""
        days = [*split_days(self.history(agent).days.items(), weeks * WEEK_DAYS).values()]
        starts = range(0, len(days), WEEK_DAYS)
        return [sum(day.learned for day in days[at : at + WEEK_DAYS]) for at in starts]

    def _list_days(self, agent: str | None = None) -> Iterator[tuple[str, Counts]]:
        """Yield the days of all agents or of one, in any order, and a day more than once."""
        for row in self.runs.days:
            if agent in (None, row["agent"]):
                counts = {name: row[name] for name in Counts.NAMES if name in row}
                yield row["day"], Counts(counts)
        names = self.store.agents_with_history() if agent is None else [agent]
        for name in names:
            yield from self.history(name).days.items()

    def _read_history(self, agent: str) -> HistoryNumbers:
        """Return the numbers of an agent's history; without one they are 0."""
        try:
            records, problem = self.store.history(agent).read(), ""
            if refusal := self.store.find_refusal(self.store.history_path(agent)):
                problem = refusal.reason
        except OSError as error:
            records, problem = [], error.strerror or str(error)
        return HistoryNumbers(records, problem)


class HistoryNumbers:
    """The numbers of one agent's history, without changes that are undone, and without undos.

    `days` has the counts by day.  `problem` says why the history cannot be read, "" if it can.
    """

    def __init__(self, records: list[Record], problem: str) -> None:
        self.problem = problem
        self.days = defaultdict[str, Counts](Counts)
        records = item_history.sort_records(records)
        undos = {item_history.change_of(one) for one in records if one["kind"] == "undone"}
        left_out, changes = undos | item_history.find_undone(records).keys(), set()
        for record in records:
            name = COUNTED_KINDS.get(record["kind"])
            if name and item_history.change_of(record) not in left_out:
                changes.add((record["time"], record["id"], name))
        for time, _id, name in changes:
            self.days[time[:10]][name] += 1
