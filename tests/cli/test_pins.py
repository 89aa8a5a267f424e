"""Pins: items that an agent receives with every task."""

from __future__ import annotations

import pytest

from memory_core.history import item_history
from support.calls import call_agent
from support.command_line import ITEM, Person, hide_change
from support.terminal import run_on_terminal

OTHER = "Tests need redis"
TASK = "Fix the typo in the heading of the readme"


@pytest.fixture
def team(person: Person) -> Person:
    """Return a user whose engineer has two items, with the default settings."""
    person.sandbox.switch_selection_on()
    person.env.pop("AGENT_MEMORY_SELECTION")
    person.sandbox.configure("memory: {selection: {whole_below_tokens: 0}}\n")
    person.sandbox.write_memory("engineer", ITEM, OTHER)
    return person


def id_of(text: str) -> str:
    return item_history.id_of(text)


def read_block(person: Person, task: str = TASK) -> str:
    """Return the prompt that the installed hook hands to the agent."""
    return call_agent(person.sandbox, prompt=task)


def list_pinned(person: Person) -> set[str]:
    return {row["text"] for row in person.read_json("list", "engineer") if row["pinned"]}


def test_pinned_items_are_given_with_every_task(team: Person) -> None:
    before = team.sandbox.read_memory("engineer")
    assert ITEM not in read_block(team)
    for words, pinned in (
        (["engineer", "event", "bus"], {ITEM}),
        ([id_of(ITEM)[:4], id_of(OTHER)[:5], id_of(OTHER)], {ITEM, OTHER}),
    ):
        done = team.run("pin", *words)
        assert done.stdout.count("Pinned: ") == len(pinned)
        assert hide_change(done.stderr) == "Undo with: agent-memory undo ID\n"
        block = read_block(team)
        assert {text for text in (ITEM, OTHER) if text in block} == pinned == list_pinned(team)
        team.run("undo")
        assert not list_pinned(team)
        assert ITEM not in read_block(team)
        team.run("redo")
        assert list_pinned(team) == pinned
        assert team.run("unpin", *words).stdout.count("Unpinned: ") == len(pinned)
        assert not list_pinned(team)
    assert team.sandbox.read_memory("engineer").endswith(before[-60:])


def test_list_and_show_mark_pinned_items(team: Person) -> None:
    team.run("pin", id_of(OTHER)[:4])
    plain = team.run("list", "engineer").stdout.splitlines()
    assert [line.endswith(f"{OTHER}  (pinned)") for line in plain] == [False, True]
    assert f"{OTHER} (pinned)" in run_on_terminal(team, "list engineer")
    assert "pinned      yes\n" in team.run("show", id_of(OTHER)[:4]).stdout
    assert "pinned" not in team.run("show", id_of(ITEM)[:4]).stdout
    assert team.read_json("show", id_of(OTHER)[:4])["pinned"] is True
    assert team.read_json("pin", id_of(ITEM)[:4])["kind"] == "pinned"


def test_pins_use_the_whole_budget_and_a_warning_names_the_rest(team: Person) -> None:
    team.sandbox.configure("memory: {selection: {budget_tokens: 150}}\n")
    parts = ["basket", "stock", "invoice", "refund", "login", "mail", "price", "order", "rating"]
    rest = "reads its queue from the start after a restart: each item in it is computed again"
    items = [f"The {part} service {rest}, {part} after {part}" for part in parts]
    team.sandbox.write_memory("engineer", *items)
    done = team.run("pin", *[id_of(item) for item in items])
    given = [item for item in items if item in read_block(team)]
    assert given == items[: len(given)]
    left = [item for item in items if item not in given]
    assert 3 <= len(left) < len(items)
    assert (
        f"{len(left)} of {len(items)} pins of engineer do not fit into 150 tokens: " in done.stdout
    )
    assert id_of(left[0])[:4] in done.stdout
