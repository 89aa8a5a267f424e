"""Evaluate an experiment: does memory pay?"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from memory_core.history import comparison, performance
from memory_core.history.comparison import GroupComparison
from memory_core.history.performance import Row
from memory_core.storage.database import run_table, state_db
from memory_core.storage.project import Project


class ExperimentState(NamedTuple):
    """The share of runs that get no memory, 0 without an experiment, and the finished runs of all.

    `given` received memory, `held_out` did not; runs of earlier experiments count, too.
    """

    hold_out: float
    given: int
    held_out: int


def read_state(project: Project) -> ExperimentState:
    groups = [run["experiment"] for run in _list_runs(project)]
    share = project.config["experiment"]["hold_out"]
    return ExperimentState(share, *map(groups.count, performance.GROUPS))


def compare_agents(project: Project, agent: str = "") -> list[GroupComparison]:
    """Compare the runs with and without memory of the last half a year, of one agent or of all."""
    runs = sorted(_list_runs(project), key=lambda run: str(run["agent"]))
    return [
        row
        for name, group in groupby(runs, lambda run: str(run["agent"]))
        if agent in ("", name)
        for row in comparison.compare_runs(name, list(group))
    ]


def _list_runs(project: Project) -> list[Row]:
    return state_db.read(project.paths.state, lambda db: run_table.list_runs(db, experiment=True))
