"""The latest events of the log."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import islice
from typing import Any, NamedTuple

from memory_core.curation.views import timeline
from memory_core.dashboard.page import Page, View, Visit, divide
from memory_core.monitor import log_reading

# Number of events on a page, on all pages, and of those that are searched for them.
EVENTS_ON_A_PAGE = 50
MAX_EVENTS = 1_000
MAX_SEARCHED = 20_000

# What people look for, as suggestions.
PATTERNS = ("agent.memory.*", "agent.memory.learned", "agent.memory.lost", "hook.*", "task.*")

TAGS = {"ok": "good", "warning": "warn", "broken": "bad"}


class EventRow(NamedTuple):
    """An event for the page; `agent` is "" for one of a task, and `tag` a class of the styles."""

    timestamp: str
    name: str
    agent: str
    task: str
    details: str
    tag: str


def show_events(visit: Visit) -> View:
    pattern, agent = visit.query.get("events") or "*", visit.query.get("agent", "")
    wanted = (
        event
        for event in log_reading.read(visit.project.paths)[: -MAX_SEARCHED - 1 : -1]
        if fnmatchcase(str(event.get("event")), pattern)
        and (not agent or event.get("agent_id") == agent)
    )
    part = divide([*islice(wanted, MAX_EVENTS)], visit.query, EVENTS_ON_A_PAGE)
    values = {
        "part": part._replace(rows=[*map(_make_row, part.rows)]),
        "pattern": pattern,
        "agent": agent,
        "agents": visit.numbers.agents(),
        "patterns": PATTERNS,
        "most": MAX_EVENTS,
        "searched": MAX_SEARCHED,
    }
    return View("events.html", values)


def _make_row(event: dict[str, Any]) -> EventRow:
    return EventRow(
        timestamp=str(event.get("timestamp") or ""),
        name=str(event.get("event") or ""),
        agent=str(event.get("agent_id") or ""),
        task=str(event.get("task_id") or ""),
        details=timeline.format_details(event),
        tag=TAGS.get(timeline.find_style(event), ""),
    )


PAGES = [Page("/events", show_events, "Events", "e")]
