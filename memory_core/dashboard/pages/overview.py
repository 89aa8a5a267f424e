"""The first page: all agents, and how well their memories work."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from memory_core.curation import agent_status
from memory_core.curation.agent_status import MemoryStatus
from memory_core.dashboard import rendering
from memory_core.dashboard.page import Fields, View, Visit, divide
from memory_core.dashboard.rendering import Series
from memory_core.monitor.numbers import DAYS, Counts, find_today
from memory_core.storage.project import Project

# The columns of the agents that can be sorted, and by what; numbers with the largest first.
SORTS = {
    "agent": lambda row: row.memory.agent.casefold(),
    "items": lambda row: -row.memory.items,
    "full": lambda row: -row.memory.size / row.memory.limit if row.memory.limit else 0.0,
    "learned": lambda row: -row.counts.learned,
    "runs": lambda row: -row.counts.runs,
    "used": lambda row: -row.counts.used / (row.counts.given or 1),
    "waiting": lambda row: -row.memory.review,
    "changed": lambda row: -row.memory.changed,
}


# The counts of each chart with their colours, and the names that differ.
CHARTS = {
    "learnings": {"learned": 1, "confirmed": 2, "removed": 3},
    "deliveries": {"delivered": 2, "doubled": 3, "lost": 4},
    "tokens": {"tokens_per_run": 1},
}
NAMES = {"doubled": "twice", "tokens_per_run": "tokens"}


STYLE = os.path.join(os.path.dirname(rendering.__file__), "static", "style.css")


class AgentRow(NamedTuple):
    """An agent with its counts of all time."""

    memory: MemoryStatus
    counts: Counts


def show_overview(visit: Visit) -> View:
    numbers = visit.numbers
    status = agent_status.read_status(numbers)
    by_agent = {memory.agent: memory for memory in status.memories}
    agents = [
        # The others have only a history, or were only called.
        by_agent.get(agent) or agent_status.read_memory_status(numbers, agent)
        for agent in numbers.agents()
    ]
    days = numbers.by_day(DAYS)
    total = Counts()
    for counts in days.values():
        total.update(counts)
    sort = visit.query["sort"]
    rows = [AgentRow(one, numbers.total(one.agent)) for one in agents]
    if sort in SORTS:
        rows.sort(key=SORTS[sort])
    values = {
        "status": status,
        "agents": agents,
        "part": divide(rows, visit.query),
        "sort": sort if sort in SORTS else "",
        "total": total,
        "hook_time": numbers.measure_hooks(min(days)),
        "waiting": sum(memory.review for memory in agents),
        "days": DAYS,
        "labels": [day[5:] for day in days],
        **_list_series(days.values()),
    }
    return View("overview.html", values)


def _list_series(days: Collection[Counts]) -> dict[str, list[Series]]:
    """Return the series of each chart, [] without any number."""
    series: dict[str, list[Series]] = {}
    for chart, colours in CHARTS.items():
        for count, colour in colours.items():
            values = [getattr(day, count) or None for day in days]
            series.setdefault(chart, []).append(Series(NAMES.get(count, count), values, colour))
    return {
        chart: rows if any(any(row.values) for row in rows) else []
        for chart, rows in series.items()
    }


def make_page(project: Project) -> str:
    """Return the overview as one file to send: it has no links and scripts, and loads nothing."""
    style, nothing = Path(STYLE).read_text(encoding="utf-8"), Fields(str)
    view = show_overview(Visit(project, nothing, nothing, nothing))
    templates = rendering.make_templates(
        project.environ, project_name=project.name, saved_style=style, day=find_today()
    )
    page = templates.get_template(view.template).render(view.values)
    return re.sub(r"</?a\b[^>]*>", "", page)
