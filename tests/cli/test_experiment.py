"""What runs with and without memory cost: `experiment report`, and the use line of `status`."""

from typing import Any

import pytest

from memory_core.history.item_history import id_of
from support.command_line import ITEM, Person, read_fields
from support.runs import add_runs, make_run

OTHER = "Tests need redis"


def record_runs(person: Person, group: str, tokens: list[int], kind: str = "bugfix") -> None:
    runs = [
        make_run(f"{group} {kind} {at}", type=kind, experiment=group, tokens=number)
        for at, number in enumerate(tokens)
    ]
    add_runs(person.sandbox.paths, *runs)


@pytest.fixture
def team(person: Person) -> Person:
    person.sandbox.write_memory("engineer", ITEM, OTHER)
    person.run("confirm", "engineer", "redis")
    return person


def report(person: Person, *agents: str) -> str:
    """Run `agent-memory experiment report` successfully; return what it prints."""
    done = person.succeed("experiment", "report", *agents)
    return done.stdout + done.stderr


START = ("config", "set", "experiment.hold_out")


def test_the_share_is_a_setting(team: Person) -> None:
    for text in ("51%", "-5%", "0.001", "0.1%", "abc", "nan"):
        assert team.run(*START, "--", text).returncode == 2
    assert team.read_json("experiment", "report")["hold_out"] == 0
    for text, share in {"10%": 0.1, "0.1": 0.1, "12.5%": 0.125, "50": 0.5}.items():
        assert team.run(*START, text).returncode == 0
        assert team.read_json("experiment", "report")["hold_out"] == share
    assert "\nExperiment: 50% of runs get no memory (end: agent-memory" in report(team)
    assert "\nExperiment: 50% of runs get no memory (" in team.run("status").stdout
    record_runs(team, "held_out", [5])
    team.run("config", "unset", "experiment.hold_out")
    state = {"hold_out": 0, "given": 0, "held_out": 1}
    assert team.read_json("experiment", "report").items() >= state.items()
    assert "Experiment" not in team.run("status").stdout


def test_a_report_without_runs(team: Person) -> None:
    said = "No run of an experiment to compare yet.\nExperiment: not running (start: "
    assert report(team).startswith(said)
    assert report(team, "ENGINEER").startswith("No run of engineer to compare yet.")
    assert team.run("experiment", "report", "nobody").returncode == 2


def find_row(person: Person, *cells: str) -> str:
    rows = [line.split() for line in report(person).splitlines()]
    return " ".join(next(row for row in rows if row[: len(cells)] == list(cells)))


# The tokens of runs with and without memory, and what the row says.
FEW, MANY = [20_000, 22_000, 24_000] * 5, [40_000, 42_000, 44_000] * 10
ROWS = [
    (FEW, MANY, "15 + 30 22,000 42,000 -20,000 -21,", " lower with memory"),
    (MANY, FEW, "30 + 15 42,000 22,000 +20,000 +18,", " higher with memory"),
    ([10_000, 40_000] * 15, [10_000, 40_000] * 15, "30 + 30 ", " no difference visible"),
    ([100] * 90, [100] * 15, "90 + 15 100 100 +0 +0 to +0", " no difference visible"),
    (FEW, MANY[:14], "15 + 14 ", " fewer than 15 runs in a group"),
    (FEW[:14], MANY, "14 + 30 ", " fewer than 15 runs in a group"),
    ([], MANY, "0 + 30 - 42,000 - - ", " fewer than 15 runs in a group"),
]


@pytest.mark.parametrize(("memory", "held_out", "begin", "end"), ROWS)
def test_a_difference(
    team: Person, memory: list[int], held_out: list[int], begin: str, end: str
) -> None:
    record_runs(team, "memory", memory)
    record_runs(team, "held_out", held_out)
    row = find_row(team, "engineer", "tokens")
    assert row.startswith(f"engineer tokens {begin}")
    assert row.endswith(end)


def test_the_fields_of_json(team: Person) -> None:
    record_runs(team, "memory", [100, 300])
    record_runs(team, "held_out", [400])
    answer: dict[str, Any] = team.read_json("experiment", "report")
    assert set(answer) == read_fields("`experiment report`")
    first = answer["comparisons"][0]
    assert set(first) == read_fields("`experiment report`, in `comparisons`")
    assert (first["given"], first["held_out"], first["difference"]) == (200, 400, -200)
    assert (first["low"], first["high"], first["visible"]) == (None, None, False)


# The use line of `status`.


def find_use(person: Person) -> str:
    lines = person.run("status").stdout.splitlines()
    return next((line for line in lines if line.startswith("Use: ")), "")


def test_tokens_per_run(team: Person) -> None:
    assert find_use(team) == ""
    use = team.read_json("status")["use"]
    assert use == {"runs": 0, "tokens": 0, "given": 0, "used": 0}
    assert set(use) == read_fields("`status`, in `use`")
    runs = [make_run(f"t{tokens}", prompt_tokens=tokens) for tokens in (190, 207)]
    add_runs(team.sandbox.paths, *runs)
    assert find_use(team) == "Use: memory adds about 198 tokens to a prompt"
    assert team.read_json("status")["use"]["runs"] == 2


def test_share_of_used_items(team: Person) -> None:
    item, other = id_of(ITEM), id_of(OTHER)
    for number, (fields, share) in enumerate(
        (
            ({"used": item}, ""),
            ({"given": item}, "0% of 1"),
            ({"given": item}, "0% of 2"),
            ({"used": "beef"}, "0% of 2"),
            ({"given": f"{item} {other}", "used": item}, "25% of 4"),
        )
    ):
        add_runs(team.sandbox.paths, make_run(f"a{number}", **fields))
        assert find_use(team) == (f"Use: {share} delivered items were used" if share else "")
