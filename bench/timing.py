"""Whole processes, from spawn to reap, each with a bare interpreter just before it."""

from __future__ import annotations

import marshal
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from statistics import median, quantiles
from typing import Any, NamedTuple

SPAWNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spawner.py")


class Sample(NamedTuple):
    status: int
    wall: float
    cpu: float
    rss: float


class Pair(NamedTuple):
    bare: Sample
    case: Sample


class Job(NamedTuple):
    argv: list[str]
    env: dict[str, str]
    cwd: str
    stdin: str
    stdout: str
    stderr: str


class Summary(NamedTuple):
    x: float
    cpu_x: float
    ms: float
    cpu: float
    added: float
    p10: float
    p90: float
    rss: float


class Spawner:
    """Holds the lean child process that starts all measured commands."""

    def __init__(self, python: str) -> None:
        self._child: Any = subprocess.Popen(
            [python, "-I", "-S", SPAWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.floor = self._floor()

    def __enter__(self) -> Spawner:
        return self

    def __exit__(self, *_: object) -> None:
        marshal.dump(None, self._child.stdin, 2)
        self._child.stdin.close()
        self._child.wait()

    def run(self, job: Job) -> Sample:
        marshal.dump(tuple(job), self._child.stdin, 2)
        self._child.stdin.flush()
        return Sample(*marshal.load(self._child.stdout))

    def _floor(self) -> float:
        """Return the smallest peak memory that can be seen: the spawner's own."""
        true = shutil.which("true") or "/bin/true"
        nothing = Job([true], {}, "/", os.devnull, os.devnull, os.devnull)
        return max(self.run(nothing).rss for _ in range(5))


def in_turn(
    spawner: Spawner,
    cases: Iterable[Any],
    bare: list[str],
    rounds: int,
    tick: Callable[[], None],
) -> dict[str, list[Pair]]:
    """Run bare A bare B bare C ..., over and over; return each case's pairs by its name.

    A case has `name`, `job(argv=None)`, `before()` and `after(status)`; the
    latter two are not timed, and `after` raises when the work was not done.
    """
    pairs: dict[str, list[Pair]] = {case.name: [] for case in cases}
    for _ in range(rounds):
        for case in cases:
            case.before()
            pair = Pair(spawner.run(case.job(bare)), spawner.run(case.job()))
            case.after(pair.case.status)
            pairs[case.name].append(pair)
        tick()
    return pairs


def summary(pairs: list[Pair]) -> Summary:
    """Return the medians and deciles of the measured pairs, and the peak memory."""
    walls = [pair.case.wall for pair in pairs]
    deciles = quantiles(walls, n=10) if len(walls) > 1 else walls * 9
    return Summary(
        x=median(pair.case.wall / pair.bare.wall for pair in pairs),
        cpu_x=median(pair.case.cpu / pair.bare.cpu for pair in pairs),
        ms=median(walls),
        cpu=median(pair.case.cpu for pair in pairs),
        added=median(pair.case.wall - pair.bare.wall for pair in pairs),
        p10=deciles[0],
        p90=deciles[-1],
        rss=max(pair.case.rss for pair in pairs),
    )


def together(runs: Iterable[list[Pair]]) -> list[Pair]:
    """Add up, round by round, what several cases cost."""
    return [
        Pair(_sum(pair.bare for pair in pairs), _sum(pair.case for pair in pairs))
        for pairs in zip(*runs, strict=True)
    ]


def _sum(samples: Iterable[Sample]) -> Sample:
    _, wall, cpu, rss = zip(*samples, strict=True)
    return Sample(0, sum(wall), sum(cpu), max(rss))
