"""Runs with and without memory: differences and their intervals."""

import random
from collections.abc import Iterable
from typing import Any

from memory_core.history.performance import GIVEN, HELD_OUT
from memory_core.monitor import experiment
from memory_core.storage.database import run_table
from support.runs import make_run, open_tables
from support.tables import for_each


def make_runs(group: str, tokens: Iterable[int], **fields: Any) -> list[dict[str, Any]]:
    """Return the record of a run for each number of tokens."""
    fields = {"type": "bugfix", "experiment": group, **fields}
    return [
        make_run(f"{group} {fields} {at}", tokens=number, **fields)
        for at, number in enumerate(tokens)
    ]


def draw(mean: int, count: int, seed: int = 1, spread: float = 0.3) -> list[int]:
    chance = random.Random(seed)
    return [max(0, round(chance.gauss(mean, spread * mean))) for _run in range(count)]


def compare_all(records: list[dict[str, Any]]) -> list[experiment.GroupComparison]:
    with open_tables() as db:
        run_table.add(db, records)
        return experiment.compare_runs(run_table.list_runs(db, experiment=True))


def compare(records: list[dict[str, Any]], measure: str = "tokens") -> experiment.GroupComparison:
    return next(row for row in compare_all(records) if row.measure == measure)


def test_runs_outside_of_an_experiment_do_not_count() -> None:
    outside = make_runs("", [1000] * 20) + make_runs("lost", [1000] * 20)
    assert compare_all([]) == compare_all(outside) == []
    row = compare([*outside, *make_runs(GIVEN, [5]), *make_runs(HELD_OUT, [7])])
    assert (row.given_runs, row.held_out_runs, row.given, row.held_out) == (1, 1, 5, 7)
    assert row.difference == -2


def test_equal_records_give_equal_intervals_in_any_order() -> None:
    records = make_runs(GIVEN, draw(30_000, 30)) + make_runs(HELD_OUT, draw(30_000, 12))
    expected = compare_all(records)
    random.Random(3).shuffle(records)
    assert compare_all(records) == expected


def test_most_intervals_contain_the_real_difference() -> None:
    hits = 0
    for seed in range(50):
        given, held_out = draw(40_000, 60, seed), draw(40_000, 20, -seed)
        hits += not compare(make_runs(GIVEN, given) + make_runs(HELD_OUT, held_out)).is_visible
    assert 44 <= hits <= 50


@for_each(
    ("failed", "held_out_failed", "is_visible"),
    [
        (5, 0, False),  # no failure among fifteen runs proves nothing
        (0, 0, False),
        (2, 12, True),
        (5, 1, False),
    ],
)
def test_failures(failed: int, held_out_failed: int, is_visible: bool) -> None:
    records = [
        record
        for group, bad, count in ((GIVEN, failed, 90), (HELD_OUT, held_out_failed, 15))
        for outcome, number in (("failed", bad), ("done", count - bad))
        for record in make_runs(group, [100] * number, outcome=outcome)
    ]
    row = compare(records, "failures")
    assert row.is_visible == is_visible
    assert row.given == failed / 90


def test_runs_without_a_measure_do_not_count_for_it() -> None:
    records = make_runs(GIVEN, [5, 7]) + make_runs(HELD_OUT, [9])
    assert compare(records, "tool_uses").given is None
    assert compare(records, "failures").given_runs == 2
