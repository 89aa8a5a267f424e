"""The latest events of the log."""

from __future__ import annotations

from fnmatch import fnmatchcase

from memory_core.dashboard.page import View, Visit, divide
from memory_core.monitor import log_reading

# Number of events that are searched.
MAX_SEARCHED = 20_000

# What people look for, as suggestions.
PATTERNS = ("agent.memory.*", "agent.memory.learned", "agent.memory.lost", "hook.*", "task.*")

TAGS = {"ok": "good", "warning": "warn", "broken": "bad"}


def show_events(visit: Visit) -> View:
    pattern, agent = visit.query["events"] or "*", visit.query["agent"]
    wanted = [
        event
        for event in log_reading.read(visit.project.paths)[: -MAX_SEARCHED - 1 : -1]
        if fnmatchcase(str(event.get("event")), pattern)
        and (not agent or event.get("agent_id") == agent)
    ]
    part = divide(wanted, visit.query)
    rows = [
        (event, log_reading.format_details(event), TAGS.get(log_reading.find_style(event), ""))
        for event in part.rows
    ]
    values = {
        "part": part._replace(rows=rows),
        "pattern": pattern,
        "agents": visit.numbers.agents(),
        "patterns": PATTERNS,
        "searched": MAX_SEARCHED,
    }
    return View("events.html", values)
