"""agent-memory status: the tokens that memory adds, and the share of items that runs used."""

from __future__ import annotations

from typing import Any

import pytest

from memory_core.history import item_history
from support.command_line import ITEM, Person, read_fields
from support.runs import add_runs, make_run

OTHER = "Tests need redis"
KEYS = [item_history.id_of(text) for text in (ITEM, OTHER)]


def record_task(person: Person, day: int, **fields: Any) -> None:
    time = f"2026-11-{day:02}T08:00:00.000Z"
    add_runs(person.sandbox.paths, make_run(f"a{day}", time=time, **fields))


@pytest.fixture
def team(person: Person) -> Person:
    """Return a user whose engineer has two items with a history."""
    person.sandbox.write_memory("engineer", ITEM, OTHER)
    person.run("confirm", "engineer", "redis")
    return person


def find_line(person: Person) -> str:
    lines = person.run("status").stdout.splitlines()
    return next((line for line in lines if line.startswith("Use: ")), "")


def test_tokens_per_run(team: Person) -> None:
    assert find_line(team) == ""
    use = team.read_json("status")["use"]
    assert use == {"runs": 0, "tokens": 0, "given": 0, "used": 0}
    assert set(use) == read_fields("`status`, in `use`")
    runs = [make_run(f"t{tokens}", prompt_tokens=tokens) for tokens in (190, 207)]
    add_runs(team.sandbox.paths, *runs)
    assert find_line(team) == "Use: memory adds about 198 tokens to a prompt"
    assert team.read_json("status")["use"]["runs"] == 2


def test_share_of_used_items(team: Person) -> None:
    for day, fields, share in (
        (1, {"used": KEYS[0]}, ""),
        (2, {"given": KEYS[0]}, "0% of 1"),
        (3, {"given": KEYS[0]}, "0% of 2"),
        (4, {"used": "beef"}, "0% of 2"),
        (5, {"given": " ".join(KEYS), "used": KEYS[0]}, "25% of 4"),
    ):
        record_task(team, day, **fields)
        assert find_line(team) == (f"Use: {share} delivered items were used" if share else "")
