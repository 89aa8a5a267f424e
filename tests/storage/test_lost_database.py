"""A database that is damaged, locked or newer: no learning is lost, and hooks never notice."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memory_core.storage.database import journal, state_db
from memory_core.storage.paths import StateFiles
from support.calls import call_agent, end_agent
from support.command_line import Person
from support.database import execute
from support.events import make_report
from support.git import git

MINE, TYPED, AGENTS = "Prices are in cents", "Orders have numbers", "Staging has no queue"
WAITS, REJECTED, LATER = "far too " + "long " * 80, "much too " + "wide " * 80, "Tests are fast"
PAGE = 4096


def list_waiting(person: Person) -> list[str]:
    return [one["content"].strip() for one in person.read_json("review", "--list")]


def list_rows(person: Person) -> list[dict[str, Any]]:
    items = person.read_json("list", "engineer")
    return list(items["items"] if isinstance(items, dict) else items)


def list_tiers(person: Person) -> dict[str, str]:
    return {one["text"]: person.read_json("show", one["id"])["tier"] for one in list_rows(person)}


@pytest.fixture
def shop(person: Person) -> Person:
    """A project with an item of a person, one of an agent, and learnings with and without a
    decision.
    """
    git(person.sandbox.root, "init", "-q")
    assert person.run("add", "engineer", "pattern", MINE).returncode == 0
    assert person.run("pin", "engineer", MINE).returncode == 0
    end_agent(person.sandbox, "a1", make_report(AGENTS, WAITS, REJECTED))
    for run in ("b1", "b2"):
        end_agent(person.sandbox, run, make_report(AGENTS))
    (key,) = [one["id"] for one in person.read_json("review") if "wide" in one["content"]]
    assert person.run("review", "--reject", key).returncode == 0
    git(person.sandbox.root, "add", "-A")
    git(person.sandbox.root, "commit", "-qm", "one")
    person.sandbox.append_to_memory("engineer", f"- {TYPED}\n")
    assert list_tiers(person) == {MINE: "person", AGENTS: "agent", TYPED: "hand"}
    assert list_waiting(person) == [WAITS.strip()]
    return person


def check_recovery(shop: Person, is_set_aside: bool) -> None:
    """The agent gets its memory; nothing is lost or asked twice; pins and confidences stay."""
    sandbox = shop.sandbox
    prompt = call_agent(sandbox)
    assert all(text in prompt for text in (MINE, TYPED, AGENTS))
    end_agent(sandbox, "a2", make_report(LATER, WAITS, REJECTED))
    assert list_waiting(shop) == [WAITS.strip()]
    told = shop.run("status").stdout + shop.run("doctor").stdout
    assert told.count("database was damaged") == 2 * is_set_aside
    assert list_tiers(shop) == {MINE: "person", AGENTS: "agent", TYPED: "hand", LATER: "agent"}
    assert shop.read_json("review", "--new")["items"] == []
    rows = {row["text"]: shop.read_json("show", row["id"]) for row in list_rows(shop)}
    assert (rows[MINE]["pinned"], rows[AGENTS]["confidence"]) == (True, 0.7)


def test_a_deleted_database(shop: Person) -> None:
    (shop.sandbox.state / state_db.FILE_NAME).unlink()
    check_recovery(shop, is_set_aside=False)


def test_a_database_that_is_lost_with_its_journal(shop: Person) -> None:
    """The lines that a person wrote are unknown until one question is answered."""
    for name in (state_db.FILE_NAME, journal.FILE_NAME):
        (shop.sandbox.state / name).unlink()
    tiers = {MINE: "unknown", AGENTS: "agent", TYPED: "unknown"}
    assert list_tiers(shop) == tiers
    texts = [one["text"] for one in shop.read_json("review", "--new")["items"]]
    assert sorted(texts) == sorted([MINE, TYPED])
    done = shop.run("review", "--mine")
    assert done.returncode == 0
    assert MINE in done.stdout
    assert AGENTS not in done.stdout
    assert list_tiers(shop) == {**tiers, MINE: "hand", TYPED: "hand"}
    assert shop.read_json("review", "--new")["items"] == []


def test_a_database_of_random_bytes(shop: Person) -> None:
    path = shop.sandbox.state / state_db.FILE_NAME
    path.write_bytes(b"\x01\xff garbage" * 2000)
    check_recovery(shop, is_set_aside=True)
    (aside,) = shop.sandbox.state.glob("state.db.*")
    assert aside.read_bytes().startswith(b"\x01\xff garbage")


@pytest.mark.slow
def test_a_database_that_is_cut_at_every_page(shop: Person, tmp_path: Path) -> None:
    whole = (shop.sandbox.state / state_db.FILE_NAME).read_bytes()
    trees = (shop.sandbox.root, shop.sandbox.state)
    for number, tree in enumerate(trees):
        shutil.copytree(tree, tmp_path / f"copy{number}")
    for size in range(0, len(whole), PAGE):
        for number, tree in enumerate(trees):
            shutil.rmtree(tree)
            shutil.copytree(tmp_path / f"copy{number}", tree)
        (shop.sandbox.state / state_db.FILE_NAME).write_bytes(whole[:size])
        check_recovery(shop, is_set_aside=size > 0)


def test_a_newer_database(shop: Person) -> None:
    """Commands say what to do; hooks deliver and collect as ever."""
    sandbox = shop.sandbox
    (version,) = execute(sandbox.state, "PRAGMA user_version")[0]
    execute(sandbox.state, "PRAGMA user_version = 99")
    before = (sandbox.state / state_db.FILE_NAME).read_bytes()
    assert MINE in call_agent(sandbox)
    outcome = end_agent(sandbox, "a2", make_report(LATER))
    assert (outcome.status, outcome.stdout, outcome.stderr) == (0, b"", b"")
    said = "is of a newer version: run agent-memory upgrade"
    for words in ("status", "review", "list engineer", f"add engineer pattern {LATER}"):
        done = shop.run(*words.split(" ", 3))
        assert (done.returncode, done.stdout) == (1, ""), words
        assert said in done.stderr, words
    found = json.loads(shop.run("doctor", "--json").stdout)["findings"]
    (state,) = [one for one in found if one["check"] == "state"]
    assert (state["level"], state["mend"]) == ("broken", "agent-memory upgrade")
    assert state["what"].startswith(said)
    assert "settings" in {one["check"] for one in found}, "the other checks are done"
    assert LATER not in sandbox.read_memory("engineer")
    assert (sandbox.state / state_db.FILE_NAME).read_bytes() == before
    execute(sandbox.state, f"PRAGMA user_version = {version}")
    assert shop.run("tidy").returncode == 0
    assert LATER in sandbox.read_memory("engineer")


# state.db: made when something is kept, taken over, set aside when damaged, left when newer.


@pytest.fixture
def state(tmp_path: Path) -> StateFiles:
    (tmp_path / "shop").mkdir()
    return StateFiles(str(tmp_path / "shop"), str(tmp_path / "state"))


def add(state: StateFiles, name: str, value: str = "1") -> None:
    state_db.write(state, lambda db: db.execute("INSERT INTO notes VALUES (?, ?)", (name, value)))


def list_names(state: StateFiles) -> list[str]:
    rows = state_db.read(state, lambda db: db.execute("SELECT name FROM notes").fetchall())
    return [name for (name,) in rows if name != "id"]


def locate(state: StateFiles) -> Path:
    return Path(state.locate(state_db.FILE_NAME))


def test_reading_makes_no_file(state: StateFiles) -> None:
    assert list_names(state) == []
    assert not Path(state.root).exists()


def test_a_failed_change_is_gone_as_a_whole(state: StateFiles) -> None:
    add(state, "a")
    insert = "INSERT INTO notes VALUES (?, '1')"
    with pytest.raises(OSError, match="UNIQUE"):
        state_db.write(state, lambda db: db.executemany(insert, ["b", "a"]))
    assert list_names(state) == ["a"]


@pytest.mark.parametrize("size", [0, 100, 4096, 8192])
def test_a_cut_file_is_set_aside(state: StateFiles, size: int) -> None:
    add(state, "a", "x" * 20_000)
    locate(state).write_bytes(locate(state).read_bytes()[:size])
    assert list_names(state) == []
    add(state, "b")
    assert list_names(state) == ["b"]
