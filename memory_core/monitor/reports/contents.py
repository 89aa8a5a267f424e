"""Collect what a report on some weeks of a project says.

`html_page` and `markdown_text` print it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any, NamedTuple

from memory_core import __version__
from memory_core.memory.project import Project
from memory_core.monitor.counts import WEEK_DAYS, Bucket, Counts, find_first, find_today
from memory_core.monitor.memory_numbers import ItemUse
from memory_core.monitor.numbers import AgentNumbers, Numbers
from memory_core.text import sanitize, secrets
from memory_core.text.phrases import format_count
from memory_core.text.times import format_utc

DEFAULT_DAYS = 30
MIDNIGHT = "T00:00:00.000Z"

# Of so many days each is a place in a chart, of more each week, then every four weeks.
MOST_DAYS = 14
MOST_WEEKS = 53

MOST_AGENTS = 50
MOST_USED = 10
MOST_WAITING = 20
MOST_NAMES = 5
MOST_TEXT = 300

DOCTOR, REVIEW = "agent-memory doctor", "agent-memory review"


class Notice(NamedTuple):
    """Something that needs a person, and the command that shows or solves it.

    `names` are the agents that it is about, and `detail` is text of other origin.
    """

    what: str
    command: str
    names: tuple[str, ...] = ()
    detail: str = ""


class AgentReport(NamedTuple):
    """The numbers of an agent, and its counts in each period of the report."""

    numbers: AgentNumbers
    periods: list[Bucket]


class WaitingReport(NamedTuple):
    """A learning that waits for a person; the texts are one line each, without secrets."""

    agent: str
    id: str
    day: str
    text: str
    reason: str


class ProjectReport(NamedTuple):
    """The numbers of a project from the day `begin` to `end`, both included (UTC).

    `items` counts those of all memory files, and `days` is the length of a period.  `agents` are
    those with the most changes and runs first, at most MOST_AGENTS; `more_agents` counts the
    others.  `waiting` has the oldest learnings that wait, and `waiting_count` counts all.
    `log_begin` is the day of the first event that the log still has.
    """

    project: str
    begin: str
    end: str
    created: str
    version: str
    items: int
    total: Counts
    days: int
    periods: list[Bucket]
    agents: list[AgentReport]
    more_agents: int
    used: list[ItemUse]
    waiting: list[WaitingReport]
    waiting_count: int
    log_begin: str
    notices: list[Notice]

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is known of any agent."""
        return not self.agents


def build_report(project: Project, since: str = "") -> ProjectReport:
    """Return the report of a project on the days (UTC) that begin at the time `since` or later.

    It begins with the first day that has a number, if that is later, and has today in any case.
    The last period ends today, so the first one may be shorter.
    """
    end = find_today()
    begin = _find_begin(since, end)
    numbers = Numbers(project, since=begin)
    numbers.refresh()
    begin = min(max(begin, numbers.first_day), end)
    number, days = _divide(begin, end)

    def split(agent: str | None = None) -> list[Bucket]:
        first, *others = numbers.by_period(number, days, agent)
        return [first._replace(day=begin), *others]

    rows = sorted(numbers.by_agent(), key=_rank)
    waiting = sorted(_list_waiting(numbers, rows), key=lambda entry: (entry.day, entry.agent))
    return ProjectReport(
        project=project.name,
        begin=begin,
        end=end,
        created=format_utc(time.time()),
        version=__version__,
        items=sum(row.memory.items for row in rows),
        total=numbers.total(),
        days=days,
        periods=split(),
        agents=[AgentReport(row, split(row.agent)) for row in rows[:MOST_AGENTS]],
        more_agents=len(rows[MOST_AGENTS:]),
        used=[
            use._replace(text=_shorten(use.text) or use.id)
            for use in numbers.most_used_items(MOST_USED)
        ],
        waiting=waiting[:MOST_WAITING],
        waiting_count=len(waiting),
        log_begin=numbers.log_begin[:10],
        notices=list(_list_notices(rows, numbers.total(), len(waiting))),
    )


def _find_begin(since: str, end: str) -> str:
    """Return the first day of a report, so that "7d" are seven days with today."""
    if not since:
        return find_first(DEFAULT_DAYS)
    day = since[:10]
    if day >= end:
        return end
    is_whole = not since[10:] or since[10:] == MIDNIGHT
    return day if is_whole else (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _divide(begin: str, end: str) -> tuple[int, int]:
    """Return the number and the length in days of the periods of a report."""
    days = (date.fromisoformat(end) - date.fromisoformat(begin)).days + 1
    if days <= MOST_DAYS:
        return days, 1
    length = WEEK_DAYS if days <= MOST_WEEKS * WEEK_DAYS else 4 * WEEK_DAYS
    return -(-days // length), length


def _rank(row: AgentNumbers) -> tuple[int, str]:
    counts = row.counts
    changes = counts.learned + counts.confirmed + counts.removed
    return -(changes + counts.runs + counts.loaded + counts.sessions), row.agent


def _list_waiting(numbers: Numbers, rows: list[AgentNumbers]) -> Iterator[WaitingReport]:
    for row in rows:
        for entry in numbers.waiting(row.agent):
            yield WaitingReport(
                row.agent,
                str(entry["id"]),
                str(entry["time"])[:10],
                _shorten(_join(entry)),
                _shorten(entry["reason"]),
            )


def _join(entry: dict[str, Any]) -> str:
    return f"{entry['content']}\n{entry['nested']}"


def _shorten(text: str) -> str:
    """Return a text without secrets as one line of visible characters."""
    return sanitize.shorten(sanitize.join_visible(secrets.redact(text)), MOST_TEXT)


def _list_notices(rows: list[AgentNumbers], total: Counts, waiting: int) -> Iterator[Notice]:
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        yield Notice(f"{format_count(waiting, 'learning')} {verb} for your review", REVIEW)
    spooled = sum(row.spooled for row in rows)
    if spooled:
        what = f"{format_count(spooled, 'learning')} not merged yet"
        yield Notice(what, "agent-memory tidy")
    for count, what in ((total.lost, "did not arrive"), (total.doubled, "arrived twice")):
        if count:
            yield Notice(f"{count:,} of {total.checked:,} deliveries {what}", DOCTOR)
    if total.errors:
        yield Notice(f"{format_count(total.errors, 'error')} of hooks", DOCTOR)
    if total.slow:
        yield Notice(f"{format_count(total.slow, 'hook')} took more than a second", DOCTOR)
    for row in rows:
        if row.problem:
            yield Notice(" cannot be read: ", DOCTOR, (row.agent,), row.problem)
    full = [row.agent for row in rows if row.memory.size > row.memory.limit]
    if full:
        kept = tuple(full[:MOST_NAMES])
        more = f" and {len(full) - len(kept)} more" if len(full) > len(kept) else ""
        files = "memory file" if len(full) == 1 else "memory files"
        yield Notice(f"{more}: {files} larger than the limit", "agent-memory status", kept)
