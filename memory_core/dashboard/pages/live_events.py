"""The latest events of the log."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import islice

from memory_core.dashboard.page import Page, View, Visit
from memory_core.monitor.latest_events import read_latest

# Number of events on the page, and of those that are searched for them.
MAX_EVENTS = 200
MAX_SEARCHED = 20_000


def show_events(visit: Visit) -> View:
    pattern, agent = visit.query.get("events") or "*", visit.query.get("agent", "")
    wanted = (
        event
        for event in islice(read_latest(visit.project.paths.state), MAX_SEARCHED)
        if fnmatchcase(str(event.get("event")), pattern)
        and (not agent or event.get("agent_id") == agent)
    )
    values = {"events": [*islice(wanted, MAX_EVENTS)], "pattern": pattern, "agent": agent}
    return View("events.html", values)


PAGES = [Page("/events", show_events, "Events", "e")]
