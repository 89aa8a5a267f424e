"""`agent-memory experiment`: compare runs with and without memory."""

from __future__ import annotations

from typing import Any

from memory_core.cli.app import find_project
from memory_core.cli.command_types import App
from memory_core.cli.common.arguments import OptionalAgent
from memory_core.cli.common.entries import Column, print_sentence, print_table
from memory_core.cli.common.scopes import find_agent
from memory_core.cli.output import print_json, print_line
from memory_core.history.performance import GIVEN, HELD_OUT
from memory_core.monitor import experiment as experiments
from memory_core.monitor.experiment import GroupComparison
from memory_core.text.phrases import format_count

COLUMNS = [
    Column("AGENT", 0, align_right=False),
    Column("MEASURE", 0, align_right=False),
    Column("RUNS", 4),
    Column("WITH", 6),
    Column("WITHOUT", 5),
    Column("DIFFERENCE", 2),
    Column("95% INTERVAL", 3),
    Column("RESULT", 0, align_right=False, least_width=23),
]

# The name, the factor and the decimals of each measure.
FORMATS = {
    "tokens": ("tokens", 1.0, 0),
    "duration_ms": ("seconds", 0.001, 1),
    "tool_uses": ("tool uses", 1.0, 1),
    experiments.FAILURES: ("failures, %", 100.0, 1),
}

START_HINT = "agent-memory config set experiment.hold_out 10%"
STOP_HINT = "agent-memory config unset experiment.hold_out"

app = App()


@app.callback()
def experiment() -> None:
    """Measure whether memory pays: some runs get none, for comparison.

    \b
    Example:
      agent-memory experiment report
    """


def report(agent: OptionalAgent = None) -> None:
    """Compare tokens, time, tool uses and failures of runs with and without memory.

    WITH, WITHOUT: means of the runs, RUNS: their numbers. 95% INTERVAL: of the
    difference; one that contains 0 shows no difference.

    \b
    Example:
      agent-memory experiment report
    """
    project = find_project()
    name = find_agent(agent)[1] if agent else ""
    runs = experiments.list_runs(project)
    rows = experiments.compare_runs(run for run in runs if name in ("", run["agent"]))
    share, groups = project.config["experiment"]["hold_out"], [run["experiment"] for run in runs]
    state = {"hold_out": share, "given": groups.count(GIVEN), "held_out": groups.count(HELD_OUT)}
    fields = [
        {**row._asdict(), "difference": row.difference, "visible": row.is_visible} for row in rows
    ]
    print_json({**state, "comparisons": fields})
    if rows:
        print_table(COLUMNS, list(map(_format_row, rows)))
        print_line()
    else:
        print_line(f"No run of {name or 'an experiment'} to compare yet.")
    print_sentence(_describe_state(state))


def _describe_state(state: dict[str, Any]) -> str:
    running = f"{100 * state['hold_out']:.3g}% of runs get no memory (end: {STOP_HINT})"
    what = running if state["hold_out"] else f"not running (start: {START_HINT})"
    runs = f"{format_count(state['given'], 'run')} with memory, {state['held_out']} without so far"
    return f"Experiment: {what}; {runs}."


def _format_row(row: GroupComparison) -> list[str]:
    name, factor, digits = FORMATS[row.measure]

    def show(value: float | None, sign: str = "") -> str:
        return "-" if value is None else f"{value * factor:{sign},.{digits}f}"

    interval = "-" if row.low is None else f"{show(row.low, '+')} to {show(row.high, '+')}"
    return [
        row.agent,
        name,
        f"{row.given_runs} + {row.held_out_runs}",
        show(row.given),
        show(row.held_out),
        show(row.difference, "+"),
        interval,
        _judge(row),
    ]


def _judge(row: GroupComparison) -> str:
    if row.low is None:
        return f"fewer than {experiments.MIN_RUNS} runs in a group"
    if not row.is_visible:
        return "no difference visible"
    return f"{'lower' if (row.difference or 0) < 0 else 'higher'} with memory"


app.add(report)
