"""The first page: all agents, and how well their memories work."""

from __future__ import annotations

from typing import Any, NamedTuple

from memory_core.curation import agent_status
from memory_core.curation.agent_status import MemoryStatus
from memory_core.dashboard.page import Page, View, Visit, divide
from memory_core.monitor import charts
from memory_core.monitor.charts import Series
from memory_core.monitor.counts import Bucket, Counts

DAYS = 30

# The columns of the agents that can be sorted, and by what; numbers with the largest first.
SORTS = {
    "agent": lambda row: row.memory.agent.casefold(),
    "items": lambda row: -row.memory.items,
    "full": lambda row: -row.memory.size / row.memory.limit if row.memory.limit else 0.0,
    "learned": lambda row: -row.counts.learned,
    "runs": lambda row: -row.counts.runs,
    "used": lambda row: -(row.counts.used_share or 0),
    "waiting": lambda row: -row.memory.review,
    "changed": lambda row: -row.memory.changed,
}


class AgentRow(NamedTuple):
    """An agent with its counts of all time, and the line of what it learned in the last weeks."""

    memory: MemoryStatus
    counts: Counts
    trend: str


def show_overview(visit: Visit) -> View:
    project, numbers = visit.project, visit.numbers
    status = agent_status.read_status(project, numbers=numbers)
    by_agent = {memory.agent: memory for memory in status.memories}
    agents = [
        # The others have only a history, or were only called.
        by_agent.get(agent) or agent_status.read_memory_status(numbers, agent)
        for agent in numbers.agents()
    ]
    days = numbers.by_day(DAYS)
    total = Counts()
    for day in days:
        total.update(day.counts)
    sort = visit.query.get("sort", "")
    rows = [AgentRow(one, numbers.total(one.agent), _draw_trend(one.trend)) for one in agents]
    if sort in SORTS:
        rows.sort(key=SORTS[sort])
    values = {
        "status": status,
        "agents": agents,
        "part": divide(rows, visit.query),
        "sort": sort if sort in SORTS else "",
        "total": total,
        "hook_time": numbers.measure_hooks(days[0].day),
        "waiting": sum(memory.review for memory in agents),
        "days": DAYS,
        **_draw_charts(days),
    }
    return View("overview.html", values)


def _draw_trend(learned: list[int]) -> str:
    title = f"learned in {len(learned)} weeks: {', '.join(map(str, learned))}"
    return charts.draw_sparkline(title, learned)


def _draw_charts(days: list[Bucket]) -> dict[str, Any]:
    """Return the drawings by name, and their legends; "" for one without any number."""
    labels = [day.day[5:] for day in days]
    counts = [day.counts for day in days]
    learnings = [
        Series("learned", [one.learned for one in counts], 1),
        Series("confirmed", [one.confirmed for one in counts], 2),
        Series("removed", [one.removed for one in counts], 3),
    ]
    deliveries = [
        Series("delivered", [one.delivered for one in counts], 2),
        Series("twice", [one.doubled for one in counts], 3),
        Series("lost", [one.lost for one in counts], 4),
    ]
    tokens = [Series("tokens", [one.tokens_per_run or None for one in counts], 1)]
    return {
        "learnings": _draw("Learnings per day", labels, learnings),
        "deliveries": _draw("Deliveries per day", labels, deliveries),
        "tokens": _draw("Tokens per run", labels, tokens),
    }


def _draw(title: str, labels: list[str], series: list[Series]) -> str:
    if not any(value for row in series for value in row.values):
        return ""
    legend = charts.draw_legend(series) if len(series) > 1 else ""
    return legend + charts.draw_bars(title, labels, series)


PAGES = [Page("", show_overview, "Overview", "o")]
