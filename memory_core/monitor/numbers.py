"""The numbers of a project: what its agents learned and used, what arrived, and what it costs.

`status`, the dashboard, the report and `experiment` have their numbers from here.  The event log
has some weeks, as it is rotated; histories have all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

from memory_core.claude_code import agent_names
from memory_core.document import markdown
from memory_core.memory.project import Project
from memory_core.monitor import waiting_list
from memory_core.monitor.counts import Counts
from memory_core.monitor.log_numbers import Delivery, LogNumbers
from memory_core.monitor.memory_numbers import HistoryNumbers, ItemUse, MemorySize, measure
from memory_core.storage import review_file, run_history, spool
from memory_core.storage.store import Store
from memory_core.text import secrets
from memory_core.trust import ledger

WEEK_DAYS = 7

Value = TypeVar("Value")
Stamp = tuple[Any, ...]


class Bucket(NamedTuple):
    """The counts of a day or of seven days; `day` is the first one, such as 2026-11-20 (UTC)."""

    day: str
    counts: Counts


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
    from `waiting`: it checks the texts of changed memory files.  `store` is the level of the
    memories, by default the project's.
    """

    def __init__(self, project: Project, store: Store | None = None, since: str = "") -> None:
        self._project = project
        self._store = store or project.store
        self._since = since
        self._log = LogNumbers(project.paths.state, since)
        self._stamps: dict[str, dict[str, Stamp]] = {}
        self._histories = _Cache(self._read_history)
        self._memories = _Cache(self._measure)
        self._spooled = _Cache(self._count_spooled)
        self._waiting = _Cache(lambda agent: waiting_list.list_entries(self._store, agent))
        self._cache: dict[tuple[Any, ...], Any] = {}

    def refresh(self) -> bool:
        """Read what is new; return whether any number may be another one."""
        before, self._stamps = self._stamps, self._make_stamps()
        is_changed = self._log.refresh() | (self._stamps != before)
        if is_changed:
            self._cache.clear()
        history, spooled = self._stamps["history"], self._stamps["spool"]
        both = {agent: (history.get(agent), spooled.get(agent)) for agent in {*history, *spooled}}
        self._histories.update(both)
        self._spooled.update(spooled)
        self._memories.update(self._stamps["memory"])
        return is_changed

    # --- views ---

    def agents(self) -> list[str]:
        """Return all agents with a memory, a history, events or waiting learnings; PM is last."""
        names = {agent for stamps in self._stamps.values() for agent in stamps}
        for tallies in self._log.tallies:
            names |= {*tallies.agents()}
        return sorted(names - {""}, key=lambda name: (name == agent_names.PM, name))

    def by_agent(self) -> list[AgentNumbers]:
        """Return the numbers of each of `agents`."""
        return self._keep(("by_agent",), lambda: list(map(self.of, self.agents())))

    def of(self, agent: str) -> AgentNumbers:
        """Return the numbers of an agent; of one that does not exist all are 0."""
        memory, problem = self._memories.values.get(agent, (MemorySize(), ""))
        history = self._histories.values.get(agent)
        problem = problem or (history.problem if history else "")
        return AgentNumbers(
            agent,
            memory,
            self.total(agent),
            len(self.waiting(agent)),
            self._spooled.values.get(agent, 0),
            problem,
        )

    def total(self, agent: str | None = None, without: Collection[str] = ()) -> Counts:
        """Return the counts of all agents or of one, for example without the main session."""

        def add_all() -> Counts:
            total = Counts()
            for name, _day, counts in self._items(agent):
                if name not in without:
                    total.add(counts)
            return total

        return self._keep(("total", agent, *sorted(without)), add_all)

    def by_day(self, days: int = 30, agent: str | None = None) -> list[Bucket]:
        """Return the counts of the last days, oldest first; the last one is today (UTC)."""
        return self._keep(("days", days, agent, _today()), lambda: self._split(days, 1, agent))

    def by_week(self, weeks: int = 8, agent: str | None = None) -> list[Bucket]:
        """Return the counts of the last weeks, oldest first.

        The last one has the seven days up to and including today (UTC).
        """

        def split() -> list[Bucket]:
            return self._split(weeks, WEEK_DAYS, agent)

        return self._keep(("weeks", weeks, agent, _today()), split)

    def most_used_items(self, count: int = 10, agent: str | None = None) -> list[ItemUse]:
        """Return the items that most runs used, also of items that are archived now."""

        def choose() -> list[ItemUse]:
            values = self._histories.values
            histories = [values[name] for name in values if agent in (None, name)]
            items = [item for history in histories for item in history.list_used(count)]
            items.sort(key=lambda item: (-item.used, item.agent, item.id))
            return [item._replace(text=secrets.redact(item.text)) for item in items[:count]]

        return self._keep(("used", count, agent), choose)

    def waiting(self, agent: str) -> list[dict[str, Any]]:
        """Return what waits for a person of an agent, with all fields of `storage.review_file`."""
        names = ("memory", "review", "decided")
        stamp = tuple(self._stamps.get(name, {}).get(agent) for name in names)
        return self._waiting.read(agent, stamp) if any(stamp[:2]) else []

    @property
    def last_delivery(self) -> Delivery | None:
        """Return the last delivery of which it is known whether it arrived."""
        return self._log.last_delivery

    @property
    def log_begin(self) -> str:
        """Return the time of the first event that counts, "" without any."""
        return self._log.begin

    def experiment_runs(self) -> dict[str, list[dict[str, Any]]]:
        """Return the finished runs of experiments by agent, of all times."""
        histories = sorted(self._histories.values.items())
        return {agent: history.experiment for agent, history in histories if history.experiment}

    # --- reading ---

    def _make_stamps(self) -> dict[str, dict[str, Stamp]]:
        """Return stamps of the files of each agent, by kind; a folder is listed once."""
        store, state = self._store, self._store.paths.state
        history = os.path.join(store.folder, "history")
        stamps = {
            "memory": _stamp_files(store.files.scan(store.folder), ".md"),
            "history": _stamp_files(store.files.scan(history), ".jsonl"),
            "review": _stamp_files(state.scan(review_file.FOLDER), ".jsonl"),
            "decided": _stamp_files(state.scan(ledger.FOLDER), ""),
        }
        stamps["spool"] = {
            agent: tuple(state.list_names(os.path.join(spool.FOLDER, stem)))
            for stem, agent in spool.list_agents(store.paths)
        }
        return stamps

    def _read_history(self, agent: str) -> HistoryNumbers:
        try:
            records, problem = run_history.read_records(self._store, agent), ""
            if refusal := self._store.find_refusal(self._store.history_path(agent)):
                problem = refusal.reason
        except OSError as error:
            records, problem = [], error.strerror or str(error)
        return HistoryNumbers(agent, records, self._since, problem)

    def _measure(self, agent: str) -> tuple[MemorySize, str]:
        limit = self._project.limits(agent, self._store).size
        try:
            snapshot = self._store.read(agent)
        except OSError as error:
            return MemorySize(limit=limit), error.strerror or str(error)
        document = markdown.parse_document(snapshot.text if snapshot else "")
        return measure(snapshot, document, limit), ""

    def _count_spooled(self, agent: str) -> int:
        entries = spool.read_entries(self._store.paths, self._store.stem(agent))
        return sum(len(entry["learnings"]) for _path, entry in entries)

    # --- sums ---

    def _items(self, agent: str | None) -> Iterator[tuple[str, str, Counts]]:
        for tallies in self._log.tallies:
            yield from tallies.items(agent)
        histories = self._histories.values
        for name in histories if agent is None else {agent} & histories.keys():
            yield from histories[name].tallies.items()

    def _split(self, number: int, days: int, agent: str | None) -> list[Bucket]:
        last = date.fromisoformat(_today())
        first = last - timedelta(days=number * days - 1)
        buckets = [
            Bucket((first + timedelta(days=at * days)).isoformat(), Counts())
            for at in range(number)
        ]
        place = {
            (first + timedelta(days=at)).isoformat(): at // days for at in range(number * days)
        }
        for _agent, day, counts in self._items(agent):
            if day in place:
                buckets[place[day]].counts.add(counts)
        return buckets

    def _keep(self, key: tuple[Any, ...], compute: Callable[[], Value]) -> Value:
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]  # type: ignore[no-any-return]


class _Cache(Generic[Value]):
    """Values by agent, each read again only if its stamp is another one."""

    def __init__(self, read: Callable[[str], Value]) -> None:
        self._read = read
        self._stamps: dict[str, Stamp] = {}
        self.values: dict[str, Value] = {}

    def update(self, stamps: Mapping[str, Stamp]) -> None:
        """Read all agents of these stamps, and forget others."""
        self.values = {agent: self.read(agent, stamp) for agent, stamp in stamps.items()}
        self._stamps = dict(stamps)

    def read(self, agent: str, stamp: Stamp) -> Value:
        if agent not in self.values or self._stamps[agent] != stamp:
            self.values[agent] = self._read(agent)
            self._stamps[agent] = stamp
        return self.values[agent]


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


def _today() -> str:
    return datetime.now(timezone.utc).date().isoformat()
