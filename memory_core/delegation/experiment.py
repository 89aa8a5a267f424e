"""Evaluate an experiment: does memory pay?"""

from __future__ import annotations

from typing import Any, NamedTuple

from memory_core.history import comparison, performance
from memory_core.history.comparison import GroupComparison
from memory_core.monitor.agent_files import AgentFiles
from memory_core.storage.project import Project


class ExperimentState(NamedTuple):
    """The share of runs that get no memory, 0 without an experiment, and the finished runs of all.

    `given` received memory, `held_out` did not; runs of earlier experiments count, too.
    """

    hold_out: float
    given: int
    held_out: int


def read_state(project: Project) -> ExperimentState:
    groups = [run["experiment"] for runs in list_runs(project).values() for run in runs]
    share = project.config["experiment"]["hold_out"]
    counts = map(groups.count, performance.GROUPS)
    return ExperimentState(share, *counts)


def compare_agents(project: Project, agent: str = "") -> list[GroupComparison]:
    """Compare the runs with and without memory, of one agent or of all."""
    return [
        row
        for name, runs in list_runs(project).items()
        if agent in ("", name)
        for row in comparison.compare_runs(name, runs)
    ]


def list_runs(project: Project) -> dict[str, list[dict[str, Any]]]:
    """Return the runs of experiments by agent; an unreadable history does not count."""
    files = AgentFiles(project)
    return {agent: files.history(agent).experiment for agent in sorted(files.agents_with_history())}
