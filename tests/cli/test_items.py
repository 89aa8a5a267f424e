"""Items that are named by their ids: with or without an agent, one or several."""

from __future__ import annotations

import json

import pytest

from memory_core.history import item_history
from support.command_line import ITEM, Person
from support.completion import complete
from support.files import read_files

OTHER = "Tests need redis"
SHARED = "Run make lint before each commit"


def short(text: str) -> str:
    return item_history.id_of(text)[:4]


@pytest.fixture
def team(person: Person) -> Person:
    """Return a user with two agents that share an item."""
    person.sandbox.write_memory("engineer", ITEM, SHARED)
    person.sandbox.write_memory("qa", OTHER, SHARED)
    return person


def list_texts(person: Person, agent: str) -> set[str]:
    return {item["text"] for item in person.read_json("list", agent)}


@pytest.mark.parametrize(
    ("words", "removed"),
    [
        ([short(ITEM)], {ITEM}),
        ([short(ITEM).upper()], {ITEM}),
        ([short(ITEM), short(OTHER)], {ITEM, OTHER}),
        (["engineer", short(ITEM), short(SHARED)], {ITEM, SHARED}),
        (["Engineer", short(ITEM), short(ITEM)], {ITEM}),
        (["engineer", "event", "bus"], {ITEM}),
        (["qa", OTHER], {OTHER}),
    ],
)
def test_several_items_are_one_change(team: Person, words: list[str], removed: set[str]) -> None:
    before = {agent: list_texts(team, agent) for agent in ("engineer", "qa")}
    done = team.run("remove", *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Archived: ") == len(removed)
    gone = {text for agent in before for text in before[agent] - list_texts(team, agent)}
    assert gone == removed
    assert team.run("undo").returncode == 0
    assert {agent: list_texts(team, agent) for agent in before} == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["remove", short(SHARED)], "engineer, qa have"),
        (["remove", short(ITEM), "dead"], "no item has the id 'dead'"),
        (["remove", short(ITEM), "redis"], "invalid id 'redis': agent-memory search lists ids"),
        (["confirm", "engineer", short(ITEM), "dead"], "no item matches 'dead'"),
        (["remove", "engineer"], "missing item: agent-memory list engineer"),
        (["remove", "enginer", short(ITEM)], "did you mean engineer?"),
        (["remove", ""], "invalid agent name ''"),
        (["restore", "dead"], "no item has the id 'dead'"),
        (["restore", "engineer", ""], "missing item"),
        (["show", short(SHARED)], "engineer, qa have"),
        (["edit", short(SHARED), "x"], "engineer, qa have"),
        (["edit", "nosuch", "x"], "use agent-memory edit ID TEXT"),
        (["remove", "redis"], "and no item has this id: name an agent and its item"),
        (["show", short(ITEM), "engineer"], "invalid id 'engineer'"),
        (["show", "dead"], "no item has the id 'dead'"),
        (["blame", "dead"], "no item has the id 'dead'"),
        (["log", "dead"], "no item has the id 'dead'"),
        (["edit", "dead", "A new text"], "no item has the id 'dead'"),
        (["edit", short(ITEM), " "], "the new text is empty"),
        (["edit", "engineer", "A new text"], "use agent-memory edit ID TEXT"),
        (["share", "", "--to", "qa"], "no item matches ''"),
    ],
)
def test_an_unclear_item_changes_nothing(team: Person, words: list[str], said: str) -> None:
    before = read_files(team.sandbox.root)
    done = team.run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert read_files(team.sandbox.root) == before


def test_archived_items_are_restored_by_id(team: Person) -> None:
    team.run("remove", short(ITEM), short(OTHER))
    done = team.run("restore", short(ITEM), short(OTHER))
    assert done.stdout.count("Restored to") == 2
    assert ITEM in list_texts(team, "engineer")
    assert OTHER in list_texts(team, "qa")
    assert len(done.stderr.removeprefix("Undo with: agent-memory undo ").split()) == 1
    team.run("undo")
    assert ITEM not in list_texts(team, "engineer")
    assert OTHER not in list_texts(team, "qa")


def test_items_are_shared_by_id(team: Person) -> None:
    team.run("share", short(ITEM), short(OTHER), "--to", "general-purpose")
    assert list_texts(team, "general-purpose") == {ITEM, OTHER}
    team.run("undo")
    assert team.run("list", "general-purpose").stdout == ""


def test_blame_takes_ids(team: Person) -> None:
    rows = team.read_json("blame", short(ITEM), short(SHARED))
    assert {(row["agent"], row["text"]) for row in rows} == {
        ("engineer", ITEM),
        ("engineer", SHARED),
        ("qa", SHARED),
    }
    assert team.run("blame").stdout.count(SHARED) == 2


def test_an_item_gets_a_new_text(team: Person) -> None:
    done = team.run("edit", short(OTHER), "Tests", "need", "redis", "7")
    assert (done.returncode, done.stdout) == (0, "qa: 1 item changed\n")
    assert list_texts(team, "qa") == {f"{OTHER} 7", SHARED}
    old, new = (item_history.id_of(text) for text in (OTHER, f"{OTHER} 7"))
    kinds = [record["kind"] for record in json.loads(team.run("log", new, "--json").stdout)]
    assert len(kinds) == 2
    assert [row["id"] for row in json.loads(team.run("log", new, "--json").stdout)] == [new, old]


def test_a_new_text_with_other_words_is_still_the_same_item(team: Person) -> None:
    team.run("confirm", short(OTHER))
    assert team.run("edit", short(OTHER), "Ask first").stdout == "qa: 1 item changed\n"
    new = item_history.id_of("Ask first")
    kinds = [record["kind"] for record in team.read_json("log", new)]
    assert kinds[:2] == ["edited", "confirmed"]
    team.run("undo")
    assert list_texts(team, "qa") == {OTHER, SHARED}


def test_show_prints_an_item_with_its_origin(team: Person) -> None:
    team.run("confirm", short(OTHER))
    lines = team.run("show", short(OTHER)).stdout.splitlines()
    assert lines[:2] == [OTHER, f"id          {item_history.id_of(OTHER)}"]
    assert {"agent       qa", "section     Project Architecture", "confidence  0.9"} <= {*lines}
    fields = team.read_json("show", short(OTHER))
    assert (fields["place"], fields["source"]) == ("memory", "hand")
    team.run("remove", short(OTHER))
    assert team.read_json("show", short(OTHER))["place"] == "archive"


def test_an_agent_whose_name_looks_like_an_id_is_an_agent(team: Person) -> None:
    team.sandbox.write_memory("cafe", "Coffee is hot in the morning")
    assert "Coffee" in team.run("show", "cafe").stdout
    assert "Coffee" in team.run("log", "cafe").stdout
    assert team.run("remove", "cafe", "coffee").returncode == 0


def test_agents_and_then_items_are_completed(team: Person) -> None:
    assert complete(team, "confirm eng").split() == ["engineer"]
    ids = {item_history.id_of(text) for text in (ITEM, SHARED)}
    assert set(complete(team, "confirm engineer ").split()) == ids


def test_an_item_of_two_agents_is_edited_with_the_agent(team: Person) -> None:
    done = team.run("edit", "qa", short(SHARED), "Run", "make lint first")
    assert done.returncode == 0, done.stderr
    assert "Run make lint first" in list_texts(team, "qa")
    assert SHARED in list_texts(team, "engineer")
    assert team.read_json("show", "engineer", short(SHARED))["agent"] == "engineer"


def test_show_accepts_several_names(team: Person) -> None:
    done = team.run("show", "engineer", "QA")
    assert ITEM in done.stdout
    assert OTHER in done.stdout
    assert [row["agent"] for row in team.read_json("show", "engineer", "qa")] == ["engineer", "qa"]
    rows = team.read_json("show", short(ITEM), short(OTHER))
    assert [row["text"] for row in rows] == [ITEM, OTHER]


@pytest.mark.parametrize("words", ["list", "list engineer", "search e", "log"])
def test_n_limits_a_list(team: Person, words: str) -> None:
    team.run("add", "qa", "another one")
    team.run("add", "qa", "one more")
    assert len(team.read_json(*words.split(), "-n", "1")) == 1
    assert len(team.run(*words.split(), "-n", "1").stdout.splitlines()) == 1
    done = team.run(*words.split(), "-n", "no")
    assert (done.returncode, "'-n': invalid number 'no'" in done.stderr) == (2, True)
