"""The words and numbers of a report, for all formats."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from memory_core.monitor.counts import WEEK_DAYS, Counts
from memory_core.monitor.reports.contents import ProjectReport
from memory_core.text.phrases import format_share

EMPTY = "No agent has a memory yet: the first learning that an agent reports creates it."

# What to do then: a command and its purpose.
STEPS = (
    ("agent-memory install", "install the hooks, if they are not yet"),
    ("agent-memory doctor", "check whether the hooks work"),
    ("agent-memory add AGENT TYPE TEXT", "add an item yourself"),
)


class Tile(NamedTuple):
    """One of the main numbers, and a note on it."""

    name: str
    value: str
    note: str


def list_tiles(report: ProjectReport) -> list[Tile]:
    """Return the main numbers of a report."""
    total, hooks = report.total, report.total.hook_time
    is_fine = not total.lost and not total.doubled
    wrong = "all once" if is_fine else f"{total.lost:,} lost, {total.doubled:,} twice"
    agents = len(report.agents) + report.more_agents
    return [
        Tile("Agents", f"{agents:,}", f"with {_count(report.items, 'item')}"),
        Tile(
            "Items learned",
            f"{total.learned:,}",
            f"{total.confirmed:,} confirmed, {total.removed:,} removed",
        ),
        Tile(
            "Items used",
            format_share(total.used, total.given) or "–",
            f"of {total.given:,} delivered" if total.given else "none delivered yet",
        ),
        Tile("Waiting for review", f"{report.waiting_count:,}", "learnings of agents"),
        Tile("Runs", f"{total.runs:,}", f"{total.failed:,} failed"),
        Tile(
            "Delivered",
            format_share(total.delivered, total.checked) or "–",
            f"of {total.checked:,}: {wrong}" if total.checked else "none checked yet",
        ),
        Tile(
            "Tokens per run",
            f"{total.tokens_per_run:,}" if total.loaded else "–",
            f"added to {_count(total.loaded, 'prompt')}" if total.loaded else "no memory was added",
        ),
        Tile(
            "Hook time",
            f"{hooks.p50_ms} ms" if hooks.hooks else "–",
            f"95 % within {hooks.p95_ms} ms" if hooks.hooks else "not measured yet",
        ),
    ]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def describe_period(report: ProjectReport) -> str:
    """Return from when to when a report is."""
    days = (date.fromisoformat(report.end) - date.fromisoformat(report.begin)).days + 1
    length = "1 day" if days == 1 else f"{days} days"
    begin = format_day(report.begin, with_year=True)
    return f"{begin} to {format_day(report.end, with_year=True)} ({length}, UTC)"


def describe_place(report: ProjectReport) -> str:
    """Return what a place of a chart stands for."""
    names = {1: "per day", WEEK_DAYS: "per week"}
    return names.get(report.days, f"per {report.days // WEEK_DAYS} weeks")


def describe_log(report: ProjectReport) -> str:
    """Return where the numbers come from, and since when."""
    text = "Learnings, runs and used items are from the histories of the agents"
    if not report.log_begin:
        return f"{text}. The event log has no delivery of this time."
    begin = format_day(report.log_begin, with_year=True)
    return f"{text}; deliveries, tokens and times from the event log, which begins on {begin}."


def describe_changes(counts: Counts) -> str:
    """Return the changes of items as marks: "+3 ✓1 −2", "" without any."""
    marks = (("+", counts.learned), ("✓", counts.confirmed), ("−", counts.removed))
    return " ".join(f"{sign}{count}" for sign, count in marks if count)


def format_day(day: str, with_year: bool = False) -> str:
    """Return a day for people: 20 Nov, or 20 Nov 2026; another text unchanged."""
    try:
        when = date.fromisoformat(day)
    except ValueError:
        return day
    return f"{when.day} {when:%b %Y}" if with_year else f"{when.day} {when:%b}"


def format_number(number: int) -> str:
    """Return a number with separators of thousands, "" for 0."""
    return f"{number:,}" if number else ""


def format_hooks(counts: Counts) -> str:
    """Return the times of hooks: 21 ms, 95 % within 45 ms."""
    time = counts.hook_time
    return f"{time.p50_ms} / {time.p95_ms} ms" if time.hooks else ""
