"""The results as Markdown tables or as JSON."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Iterable
from typing import NamedTuple

from reads import Timed
from timing import Summary

BEGIN, END = "<!-- bench/run.py --write -->", "<!-- end of what it wrote -->"
RSS_LIMIT, INJECT_MS, DELEGATION_MS = 20.0, 20.0, 50.0


class Line(NamedTuple):
    name: str
    summary: Summary | None  # None where it could not be measured
    limit: float | None = None
    note: str = ""


class Goal(NamedTuple):
    name: str
    measured: float
    limit: float
    unit: str
    cpu: float | None = None  # the same by CPU time, which other work on the machine moves less

    @property
    def verdict(self) -> str:
        return "met" if self.measured <= self.limit else "MISSED"


class Report(NamedTuple):
    facts: dict[str, str]
    floors: list[Line]
    own_hooks: list[Line]
    delegation: list[Line]
    commands: list[Line]
    rivals: list[Line]
    served: list[Timed]
    goals: list[Goal]
    floor: float  # MiB; less cannot be seen


def facts(python: str, rounds: int) -> dict[str, str]:
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    return {
        "machine": f"{_cpu()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        "python": _interpreter(python),
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "rounds": f"{rounds}" + (" (a quick look, not to be quoted)" if rounds < 30 else ""),
        "load": f"{load} (1, 5, 15 minutes before)",
    }


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            models = [line.partition(":")[2].strip() for line in file if "model name" in line]
        return models[0]
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


def _interpreter(python: str) -> str:
    ask = "import sys; print(*sys.version.split()[:1], 're' in sys.modules)"
    process = subprocess.run([python, "-I", "-c", ask], capture_output=True, text=True, check=True)
    version, burdened = process.stdout.split()
    if burdened == "True":
        version += "; ITS SITE-PACKAGES IMPORT MODULES AT EVERY START: every x here flatters"
    return version


def text(report: Report) -> str:
    head = "\n".join(f"- {name}: {value}" for name, value in report.facts.items())
    tables = {
        "Our hooks": _table(report.floors + report.own_hooks, report.floor),
        "A whole delegation": _table(report.delegation, report.floor, ""),
        "The command line": _table(report.commands, report.floor, ""),
        "Rivals doing the same work": _table(report.rivals, report.floor, "does it"),
        "The MCP server, 100 agents and 1,000 tasks": _served(report.served),
        "Goals": _goals(report.goals),
    }
    return head + "".join(f"\n\n### {title}\n\n{table}" for title, table in tables.items())


def compared(rows: Iterable[tuple[str, Summary, Summary]]) -> str:
    """Return a table of two clones: multiples of a bare interpreter, and their difference."""
    head = ["| | then x | now x | x | then CPU x | now CPU x | CPU x |", "| --- |" + " ---: |" * 6]
    lines = [
        f"| {name} | {then.x:.2f} | {now.x:.2f} | {now.x - then.x:+.2f} "
        f"| {then.cpu_x:.2f} | {now.cpu_x:.2f} | {now.cpu_x - then.cpu_x:+.2f} |"
        for name, then, now in rows
    ]
    return "\n".join(head + lines)


def written(text: str, page: str, first: str = BEGIN, last: str = END) -> str:
    """Return a page with what stands between its two marks replaced."""
    before, begin, rest = page.partition(first)
    _, end, after = rest.partition(last)
    if not end:
        raise ValueError(f"there is no {first} ... {last} to write between")
    return f"{before}{begin}\n{text}{end}{after}"


def _table(lines: list[Line], floor: float, last: str = "goal") -> str:
    head = f"| | x | CPU x | ms | +ms | p10 / p90 ms | peak MiB | {last} |"
    return "\n".join([head, "| --- |" + " ---: |" * 6 + " --- |", *(_row(x, floor) for x in lines)])


def _row(line: Line, floor: float) -> str:
    if line.summary is None:
        return f"| {line.name} | | | | | | | {line.note} |"
    s = line.summary
    goal = Goal("", s.x, line.limit, "") if line.limit else None
    last = f"<= {goal.limit} {goal.verdict}" if goal else line.note
    rss = f"<= {floor:.1f}" if s.rss <= floor else f"{s.rss:.1f}"
    return (
        f"| {line.name} | {s.x:.2f} | {s.cpu_x:.2f} | {s.ms:.1f} | {s.added:+.1f} "
        f"| {s.p10:.1f} / {s.p90:.1f} | {rss} | {last} |"
    )


def _served(rows: list[Timed]) -> str:
    head = ["| | tries | median ms | p99 ms | max ms |", "| --- |" + " ---: |" * 4]
    return "\n".join(head + [_timed(row) for row in rows])


def _timed(row: Timed) -> str:
    p99 = f"{row.p99:.1f}" if len(row.tries) >= 100 else ""
    return f"| {row.name} | {len(row.tries)} | {row.median:.1f} | {p99} | {max(row.tries):.1f} |"


def _goals(goals: list[Goal]) -> str:
    head = ["| goal | | measured | by CPU time | |", "| --- | ---: | ---: | ---: | --- |"]
    return "\n".join(head + [_goal(goal) for goal in goals])


def _goal(goal: Goal) -> str:
    cpu = "" if goal.cpu is None else f"{goal.cpu:.2f}"
    limit = f"<= {goal.limit:g} {goal.unit}"
    return f"| {goal.name} | {limit} | {goal.measured:.2f} | {cpu} | {goal.verdict} |"


def data(report: Report) -> dict:
    """Return the same as values for JSON."""
    groups = ("floors", "own_hooks", "delegation", "commands", "rivals")
    return {
        "facts": report.facts,
        **{group: [_values(line) for line in getattr(report, group)] for group in groups},
        "served": [row._asdict() for row in report.served],
        "goals": [goal._asdict() | {"verdict": goal.verdict} for goal in report.goals],
    }


def _values(line: Line) -> dict:
    measured = line.summary._asdict() if line.summary else {}
    return {"name": line.name, "limit": line.limit, "note": line.note} | measured
