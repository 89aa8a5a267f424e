"""Items that are named by their ids: with or without an agent, one or several."""

import pytest

from memory_core.history import item_history
from support.command_line import ITEM, Person, check_refused

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


def test_several_items_are_one_change(team: Person) -> None:
    before = {agent: list_texts(team, agent) for agent in ("engineer", "qa")}
    for words, removed in (
        ([short(ITEM).upper()], {ITEM}),
        ([short(ITEM), short(OTHER)], {ITEM, OTHER}),
        (["Engineer", short(ITEM), short(SHARED), short(ITEM)], {ITEM, SHARED}),
        (["engineer", "event", "bus"], {ITEM}),
    ):
        assert team.succeed("remove", *words).stdout.count("Archived: ") == len(removed)
        gone = {text for agent in before for text in before[agent] - list_texts(team, agent)}
        assert gone == removed
        assert team.run("undo").returncode == 0
        assert {agent: list_texts(team, agent) for agent in before} == before


def test_an_unclear_item_changes_nothing(team: Person) -> None:
    for verb in ("show", "log", "restore", "pin", "edit"):
        check_refused(team, {f"{verb} dead": "no item has the id 'dead'"})
    item, shared = short(ITEM), short(SHARED)
    cases = {
        f"remove {shared}": "engineer, qa have",
        f"remove {item} redis": "invalid id 'redis': agent-memory search lists ids",
        f"confirm engineer {item} dead": "no item matches 'dead'",
        "pin engineer": "missing item: agent-memory list engineer",
        f"unpin enginer {item}": "did you mean engineer?",
        "remove ''": "invalid agent name ''",
        "restore engineer ''": "missing item",
        "edit nosuch x": "use agent-memory edit ID TEXT",
        "remove redis": "and no item has this id: name an agent and its item",
        f"show {item} engineer": "invalid id 'engineer'",
        f"edit {item} ' '": "the new text is empty",
    }
    check_refused(team, cases)


def test_a_sentence_is_changed_in_the_editor(team: Person) -> None:
    path = team.sandbox.memories / "engineer.md"
    path.write_text(f"{path.read_text()}\n## Rules\nSQL lives in\nsrc/db only.\n")
    way = "agent-memory edit engineer changes a text without list sign"
    cases = {f"{verb} engineer lives in src/db": way for verb in ("remove", "pin", "confirm")}
    check_refused(team, cases)


def test_items_are_restored_by_id(team: Person) -> None:
    team.run("remove", short(ITEM), short(OTHER))
    assert team.run("restore", short(ITEM), short(OTHER)).stdout.count("Restored to") == 2
    assert ITEM in list_texts(team, "engineer")
    assert OTHER in list_texts(team, "qa")
    team.run("undo")  # it is one change
    assert ITEM not in list_texts(team, "engineer")
    assert OTHER not in list_texts(team, "qa")


def test_an_item_does_not_get_the_text_of_another_one(team: Person) -> None:
    before = team.sandbox.read_memory("engineer")
    refused = team.run("edit", "engineer", short(ITEM), SHARED.upper())
    assert refused.returncode == 2
    assert f"item {item_history.id_of(SHARED)} has this text already" in refused.stderr
    assert team.sandbox.read_memory("engineer") == before


def test_an_item_gets_a_new_text(team: Person) -> None:
    """A text with other words is still the same item."""
    team.run("confirm", short(OTHER))
    for text in ("Tests need redis 7", "Ask first"):
        assert team.run("edit", short(OTHER), *text.split()).stdout == "qa: 1 item changed\n"
        assert list_texts(team, "qa") == {text, SHARED}
        told = [(record["kind"], record["id"]) for record in team.read_json("log", short(text))]
        assert told[0] == ("edited", item_history.id_of(text))
        assert ("confirmed", item_history.id_of(OTHER)) in told
        team.run("undo")
        assert list_texts(team, "qa") == {OTHER, SHARED}
    # The agent is named for an item that two of them have.
    assert team.run("edit", "qa", short(SHARED), "Run", "make lint first").returncode == 0
    assert "Run make lint first" in list_texts(team, "qa")
    assert SHARED in list_texts(team, "engineer")
    assert team.read_json("show", "engineer", short(SHARED))["agent"] == "engineer"


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


def test_show_accepts_several_names(team: Person) -> None:
    shown = team.run("show", "engineer", "QA").stdout
    assert shown == team.sandbox.read_memory("engineer") + team.sandbox.read_memory("qa")
    assert [row["agent"] for row in team.read_json("show", "engineer", "qa")] == ["engineer", "qa"]
    rows = team.read_json("show", short(ITEM), short(OTHER))
    assert [row["text"] for row in rows] == [ITEM, OTHER]


def test_a_list_of_one_section(team: Person) -> None:
    team.sandbox.write_memory("qa", "Use the event bus")
    team.run("add", "qa", "mistake", "Never retry a refund")
    assert "refund" in team.run("list", "qa", "--section", "common mistakes to avoid").stdout
    assert "event bus" not in team.run("list", "qa", "--section", "Common Mistakes to Avoid").stdout
    done = team.run("list", "qa", "--section", "Nothing")
    assert (done.stdout, done.returncode) == ("", 0)
    assert "has no items in the section Nothing" in done.stderr
    assert team.run("list", "--section", "Nothing").returncode == 2


def test_n_limits_a_list(team: Person) -> None:
    team.run("add", "qa", "another one")
    for words in ("list", "list engineer", "search e", "log"):
        assert len(team.read_json(*words.split(), "-n", "1")) == 1
        assert len(team.run(*words.split(), "-n", "1").stdout.splitlines()) == 1
        done = team.run(*words.split(), "-n", "no")
        assert (done.returncode, "'-n': 'no' is not a valid int" in done.stderr) == (2, True)
