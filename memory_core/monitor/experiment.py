"""Evaluate an experiment: does memory pay?

Success is what Claude Code's events say: a run failed if its record has this outcome.  The words of
a report do not count.  Intervals come from a bootstrap with a fixed seed, so equal records give
equal intervals.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from statistics import fmean
from typing import NamedTuple

from memory_core.history import performance
from memory_core.history.performance import GIVEN, HELD_OUT, Row
from memory_core.storage.database import run_table, state_db
from memory_core.storage.project import Project

FAILURES = "failures"
MEASURES = ("tokens", "duration_ms", "tool_uses", FAILURES)

# With fewer runs in a group a bootstrap interval is too narrow: with 90 runs in the other group and
# lognormal numbers (sigma 0.6), 10 runs showed a difference by chance in 10 %, 15 runs in 6 %.
MIN_RUNS = 15

REPLICATES = 2000
SEED = 15


class GroupComparison(NamedTuple):
    """A measure of the runs of an agent with and without memory.

    `given` and `held_out` are means, None without a run that has the measure; `low` and `high` are
    the 95 % interval of their difference, None with fewer than MIN_RUNS runs in a group.
    """

    agent: str
    measure: str
    given_runs: int
    held_out_runs: int
    given: float | None
    held_out: float | None
    low: float | None
    high: float | None

    @property
    def difference(self) -> float | None:
        """The mean with memory minus the mean without."""
        if self.given is None or self.held_out is None:
            return None
        return self.given - self.held_out

    @property
    def is_visible(self) -> bool:
        """Return whether the interval excludes that memory makes no difference."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def list_runs(project: Project) -> list[Row]:
    """Return the finished runs of experiments of the last half a year, also of earlier ones."""
    return state_db.read(project.paths.state, lambda db: run_table.list_runs(db, experiment=True))


def compare_runs(runs: Iterable[Row]) -> list[GroupComparison]:
    """Compare runs of experiments by agent; nothing chose other runs at random."""
    by_agent = groupby(sorted(runs, key=itemgetter("agent")), itemgetter("agent"))
    groups = [(agent, list(group)) for agent, group in by_agent]
    return [_compare(agent, measure, own) for agent, own in groups for measure in MEASURES]


def _compare(agent: str, measure: str, runs: Sequence[Row]) -> GroupComparison:
    values = [(run["experiment"], _read_measure(run, measure)) for run in runs]
    with_memory, without = (
        [value for own, value in values if own == group and value is not None]
        for group in (GIVEN, HELD_OUT)
    )
    low = high = None
    if min(len(with_memory), len(without)) >= MIN_RUNS:
        low, high = _bootstrap(_smooth(with_memory, measure), _smooth(without, measure))
    counts = len(with_memory), len(without)
    given, held_out = (fmean(group) if group else None for group in (with_memory, without))
    return GroupComparison(agent, measure, *counts, given, held_out, low, high)


def _read_measure(run: Row, measure: str) -> float | None:
    if measure == FAILURES:
        return float(run["outcome"] == performance.FAILED)
    value = run.get(measure)
    return None if value is None else float(value)


def _smooth(values: list[float], measure: str) -> list[float]:
    """Add a failed and a successful run to shares of failures.

    Without them no run of a group failing would seem to be certain (Agresti and Caffo, 2000).
    """
    return [*values, 0.0, 1.0] if measure == FAILURES else values


def _bootstrap(given: Sequence[float], held_out: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % percentile interval of the difference of two means (Efron, 1979).

    Samples have one value less than the group, else the interval is too narrow (Hesterberg, 2015).
    """
    chance = random.Random(SEED)  # noqa: S311 - equal records give equal intervals
    differences = sorted(
        _resample_mean(given, chance) - _resample_mean(held_out, chance)
        for _replicate in range(REPLICATES)
    )
    edge = REPLICATES // 40
    return differences[edge], differences[-edge - 1]


def _resample_mean(values: Sequence[float], chance: random.Random) -> float:
    return fmean(chance.choices(values, k=len(values) - 1))
