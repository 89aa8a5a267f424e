#!/usr/bin/env python3
"""Measure the dashboard of a large project: each page, the start, and the memory of the process.

    python bench/dashboard.py                 20 agents of 80 items each, 20,000 events
    python bench/dashboard.py --quick         a tenth of it, to see that every page answers
    python bench/dashboard.py --write PAGE    put the table into a page, between its marks, too

The client is a socket on this machine, so the server is measured.  Before each request a run ends,
so there is something new to read.  Exit status 1: a goal is missed.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from statistics import median, quantiles
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import big_project
import report
from scene import Broken, Scene

REPO = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What the installed command does, out of this clone.
START = f"import sys; sys.path.insert(0, {REPO!r}); from memory_core.cli import program; program()"

MARKS = "<!-- bench/dashboard.py --write -->", "<!-- end of what bench/dashboard.py wrote -->"
PAGE_MS, START_MS, MEMORY_MIB = 1000.0, 1500.0, 100.0
ROUNDS, QUICK_ROUNDS, STARTS = 30, 5, 5
PATIENCE = 120  # seconds for an answer

TASK = "Speed up the import of the ledger before each checkout"
PAGES = {
    "overview": "/dashboard",
    "agent": "/dashboard/agents/agent-001",
    "history": "/dashboard/agents/agent-001/history",
    "diff": "/dashboard/agents/agent-001/diff?from=",
    "explain": f"/dashboard/explain?agent=agent-001&task={quote(TASK)}",
    "review": "/dashboard/review",
    "search": "/dashboard/search?q=ledger",
    "tasks": "/dashboard/tasks",
    "events": "/dashboard/events",
}


class Row(NamedTuple):
    """What was measured, in `unit`; `first` is the time of the first request, None elsewhere."""

    name: str
    tries: list[float]
    limit: float
    unit: str = "ms"
    first: float | None = None

    @property
    def median(self) -> float:
        return median(self.tries)

    @property
    def p95(self) -> float:
        return quantiles(self.tries, n=20)[18] if len(self.tries) > 1 else self.tries[0]

    @property
    def is_met(self) -> bool:
        return self.median <= self.limit

    def format(self) -> str:
        first = "" if self.first is None else f"{self.first:.0f}"
        verdict = f"<= {self.limit:g} {self.unit} {'met' if self.is_met else 'MISSED'}"
        return f"| {self.name} | {self.median:.1f} | {self.p95:.1f} | {first} | {verdict} |"


class Dashboard:
    """A process of `agent-memory dashboard`, and a client that its token has let in."""

    def __init__(self, python: str, place: Scene) -> None:
        job = place.job([python, "-c", START, "dashboard", "--port", str(_find_port())])
        began = time.perf_counter()
        self._process: Any = subprocess.Popen(
            job.argv,
            cwd=job.cwd,
            env=job.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._url = urlsplit(self._read_url())
        self._cookie = ""
        self._open()
        self.start_ms = (time.perf_counter() - began) * 1000

    def _read_url(self) -> str:
        for line in self._process.stdout:
            if found := re.search(r"http://\S+", line):
                return found[0]
        raise Broken("the dashboard ended before it printed its address")

    def _open(self) -> None:
        """Exchange the token in the address for a cookie."""
        answer = self._ask(f"{self._url.path}?{self._url.query}")
        self._cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
        if not self._cookie:
            raise Broken(f"no cookie: {answer.status}")

    def _ask(self, path: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(
            self._url.hostname or "", self._url.port, timeout=PATIENCE
        )
        connection.request("GET", path, headers={"Cookie": self._cookie} if self._cookie else {})
        answer = connection.getresponse()
        self._body = answer.read()
        connection.close()
        return answer

    def read(self, path: str) -> float:
        """Read a page, and return the milliseconds."""
        began = time.perf_counter()
        answer = self._ask(path)
        if answer.status != 200 or b"</html>" not in self._body:
            raise Broken(f"{path}: {answer.status} {self._body[:200]!r}")
        return (time.perf_counter() - began) * 1000

    @property
    def mebibytes(self) -> float:
        """The physical memory of the process."""
        with open(f"/proc/{self._process.pid}/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(30)


def _find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> int:
    args = arguments()
    rounds, scale = (QUICK_ROUNDS, 0.1) if args.quick else (ROUNDS, 1.0)
    with tempfile.TemporaryDirectory() as folder:
        place = big_project.make_project(os.path.join(folder, "big"), time.time(), scale)
        rows = list(measure(args.python, place, rounds))
    facts = [f"- {name}: {value}" for name, value in report.facts(args.python, rounds).items()]
    output = "\n".join([*facts, "", *table(rows)])
    print(output)
    if args.write:
        write(args.write, output)
    return int(not all(row.is_met for row in rows))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    say = parser.add_argument
    say("--quick", action="store_true", help="a tenth of the project, a few rounds")
    say("--write", metavar="PAGE", help="put the table into a page, between its marks, too")
    say("--python", default=sys.executable, help="the interpreter to measure with")
    return parser.parse_args()


def write(path: str, output: str) -> None:
    with open(path, encoding="utf-8") as file:
        page = report.written(output, file.read(), *MARKS)
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def measure(python: str, place: Scene, rounds: int) -> Iterator[Row]:
    """Yield the rows: the start, each page by turns, the memory before and after all requests."""
    starts = []
    for _ in range(STARTS):
        dashboard = Dashboard(python, place)
        starts.append(dashboard.start_ms)
        dashboard.end()
    yield Row("start, until it answers", starts, START_MS)
    dashboard = Dashboard(python, place)
    yield Row("memory after the start", [dashboard.mebibytes], MEMORY_MIB, "MiB")
    first = {name: dashboard.read(path) for name, path in PAGES.items()}
    tries: dict[str, list[float]] = {name: [] for name in PAGES}
    for number in range(rounds):
        for at, (name, path) in enumerate(PAGES.items()):
            big_project.log_run(place, number * len(PAGES) + at)
            tries[name].append(dashboard.read(path))
    for name in PAGES:
        yield Row(name, tries[name], PAGE_MS, first=first[name])
    yield Row("memory after all pages", [dashboard.mebibytes], MEMORY_MIB, "MiB")
    dashboard.end()


def table(rows: list[Row]) -> list[str]:
    head = [
        "| | median | p95 | first | goal for the median |",
        "| --- |" + " ---: |" * 3 + " --- |",
    ]
    return head + [row.format() for row in rows]


if __name__ == "__main__":
    raise SystemExit(main())
