"""Learnings that wait for a person: each once, outside of the project, and none is lost."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from memory_core.origin import text_origins
from memory_core.storage.database import journal, review_table, state_db
from memory_core.storage.project import find_project
from memory_core.storage.store import Store
from memory_core.text.times import format_utc
from support.database import execute
from support.files import read_files
from support.review import make_waiting
from support.sandbox import Sandbox

NOW = "2026-11-20T10:00:00.000Z"


@pytest.fixture
def store(sandbox: Sandbox) -> Store:
    return find_project(str(sandbox.root), sandbox.env).store


def add(store: Store, *contents: str, agent: str = "qa", **fields: str) -> None:
    with store.lock(agent):
        store.add_to_review(agent, [make_waiting(text, **fields) for text in contents], NOW)


def remove(store: Store, *contents: str, agent: str = "qa", when: str = NOW) -> None:
    ids = [one["id"] for one in store.read_review(agent) if one["content"] in contents]
    store.remove_from_review(agent, dict.fromkeys(ids, "rejected"), when)


def list_contents(store: Store, agent: str = "qa") -> list[str]:
    return [entry["content"] for entry in store.read_review(agent)]


def read_journal(sandbox: Sandbox) -> list[dict[str, str]]:
    lines = (sandbox.state / journal.FILE_NAME).read_text().splitlines()
    return [json.loads(line) for line in lines]


def lose_database(sandbox: Sandbox) -> None:
    (sandbox.state / state_db.FILE_NAME).unlink()


def test_learnings_wait_outside_of_the_project(sandbox: Sandbox, store: Store) -> None:
    lists = {"reading": ["WebFetch a.org"], "reasons": ["overrides orders"]}
    fields = {"run": "a1", "session": "s1", "source": "agent", "nested": "    - Why: so"}
    waiting = make_waiting("One", tier="tainted", **fields)
    with store.lock("qa"):
        store.add_to_review("qa", [{**waiting, **lists}], NOW)
    (entry,) = store.read_review("qa")
    texts = {"type": "pattern", "content": "One", "reason": "why", "other": "", "tier": "tainted"}
    assert entry == {"id": entry["id"], "time": NOW, **texts, **fields, **lists}
    assert store.agents_to_review() == ["qa"]
    assert [name for name in read_files(sandbox.root) if "locks" not in name] == []


def test_a_learning_of_several_runs_waits_once(store: Store) -> None:
    add(store, "Prices are in cents", "Two", run="a1")
    add(store, "`prices` are in cents", "Two", "Three", run="a2")
    add(store, "Two", run="a3", other="It is not two")
    assert list_contents(store) == ["Prices are in cents", "Two", "Three", "Two"]
    ids = [entry["id"] for entry in store.read_review("qa")]
    assert len(set(ids)) == 4
    add(store, "Two", agent="engineer")
    assert store.read_review("engineer")[0]["id"] not in ids


def test_removed_learnings_are_gone_and_may_return(sandbox: Sandbox, store: Store) -> None:
    add(store, "One", "Two", "Three")
    one = store.read_review("qa")[0]["id"]
    remove(store, "One", "Three")
    store.remove_from_review("qa", {"0123456789": "rejected"}, NOW)
    assert list_contents(store) == ["Two"]
    remove(store, "Two")
    assert store.agents_to_review() == []
    assert not (sandbox.state / "waiting").exists()
    add(store, "One")
    assert [entry["id"] for entry in store.read_review("qa")] == [one]


def test_a_lost_database_loses_no_learning_and_no_decision(sandbox: Sandbox, store: Store) -> None:
    add(store, "One", "Two", "Three")
    add(store, "Two", agent="engineer")
    remove(store, "One", "Two")
    add(store, "One")
    before = store.read_review("qa") + store.read_review("engineer")
    told = (sandbox.state / "waiting").read_text()
    lose_database(sandbox)
    assert store.read_review("qa") + store.read_review("engineer") == before
    assert list_contents(store) == ["Three", "One"]
    add(store, "Three")
    assert list_contents(store) == ["Three", "One"], "nothing waits twice"
    assert (sandbox.state / "waiting").read_text() == told


def test_a_long_journal_keeps_what_waits_and_new_decisions(sandbox: Sandbox, store: Store) -> None:
    add(store, "Old", "New", "Waits", "Longer")
    remove(store, "Old", when="2020-01-01T00:00:00.000Z")
    remove(store, "New", when=format_utc(time.time()))
    remove(store, "Longer", when=format_utc(time.time()))
    state, text = store.paths.state, ("Prices are in cents", "  - Why: law")
    text_origins.add_origins(store, "qa", {text: "agent"}, [{"id": "a", "kind": "learned"}])
    text_origins.add_origins(store, "qa", {text: "accepted"})
    text_origins.add_origins(store, "qa", {text: "person"}, taken_back={text: ["person"]})
    text_origins.add_origins(store, "qa", {text: "accepted", ("Two", ""): "import"})
    state_db.write(state, lambda db: journal.shorten(db, state))
    before = (sandbox.state / journal.FILE_NAME).stat().st_size
    state_db.write(state, lambda db: journal.shorten(db, state, before))
    lines = read_journal(sandbox)
    kept = [line.get("content") or line.get("decision") or "texts" for line in lines]
    assert kept == ["rejected", "rejected", "Waits", *["texts"] * (len(kept) - 3)]
    known = text_origins.read_origins(store, "qa"), text_origins.read_times(store, "qa")
    records = execute(sandbox.state, "SELECT * FROM own_records")
    lose_database(sandbox)
    assert list_contents(store) == ["Waits"]
    assert known == (
        text_origins.read_origins(store, "qa"),
        text_origins.read_times(store, "qa"),
    )
    assert execute(sandbox.state, "SELECT * FROM own_records") == records != []
    assert sorted(known[0].values()) == ["accepted", "import"]


# What is not a line of the journal: other lines count all the same.
NOISE = [
    "torn {",
    "[1]",
    "{}",
    '{"agent": 5, "id": "a", "decision": "rejected"}',
    '{"agent": "qa", "id": "a", "content": 1}',
    '{"agent": "qa", "content": "no id"}',
    '{"agent": "qa", "id": ["a"], "content": "odd"}',
    '{"agent": "qa", "origins": {"a": {}}, "records": [[]]}',
    '{"agent": "qa", "origins": 1, "back": {"a": 1}}',
    '{"agent": "qa", "back": {"a": 1}, "name": {}}',
    "\0\0\0",
]


@pytest.mark.parametrize("noise", NOISE)
def test_other_lines_of_the_journal_are_skipped(sandbox: Sandbox, store: Store, noise: str) -> None:
    add(store, "One", "Two")
    path = sandbox.state / journal.FILE_NAME
    path.write_text(f"{noise}\n{path.read_text()}{noise}\n")
    lose_database(sandbox)
    assert list_contents(store) == ["One", "Two"]


# Lines as older versions and people wrote them: the fields, and those of the entry.
LINES: list[tuple[dict[str, object], dict[str, object]]] = [
    ({"content": "One"}, {"content": "One", "type": "", "reason": "", "reading": []}),
    ({"content": "One", "tier": "agent", "reading": ["Bash: gh"]}, {"reading": ["Bash: gh"]}),
    ({"content": "One", "tier": 5, "reading": {"a": 1}}, {"tier": "", "reading": []}),
    ({"content": "One", "reading": "WebFetch a.org"}, {"reading": ["WebFetch a.org"]}),
    ({"content": "One", "reading": [1, "", None, "MCP x"]}, {"reading": ["MCP x"]}),
    ({"content": "One", "reading": list("abcdefg")}, {"reading": list("abcde")}),
    ({"content": "One", "reasons": ["a", "b"], "new": 1}, {"reasons": ["a", "b"], "tier": ""}),
]


@pytest.mark.parametrize(("line", "fields"), LINES)
def test_the_files_of_older_versions_are_taken_over(
    sandbox: Sandbox, store: Store, line: dict[str, object], fields: dict[str, object]
) -> None:
    path = sandbox.state / "review" / "qa.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(f"torn {{\n[1]\n{json.dumps(line)}\n")
    (entry,) = store.read_review("qa")
    assert {name: entry[name] for name in fields} == fields
    assert len(entry) == len(review_table.FIELDS) + len(review_table.LISTS)
    assert not path.parent.exists()
    lose_database(sandbox)
    assert store.read_review("qa") == [entry]


def test_without_a_state_folder_they_go_to_the_archive(tmp_path: Path) -> None:
    store = find_project(str(tmp_path), {"CLAUDE_PROJECT_DIR": str(tmp_path)}).store
    add(store, "One", nested="    - Why: so")
    text = Path(store.archive_path("qa")).read_text()
    assert text == "## 2026-11-20\n\n- [pattern] One (why)\n      - Why: so\n"
    assert store.read_review("qa") == []
    assert store.agents_to_review() == []


def test_one_line_holds_one_learning(sandbox: Sandbox, store: Store) -> None:
    add(store, 'quoted "id": "0123456789"', "\ud800 odd\u2028", "\udcff")
    assert [line["content"] for line in read_journal(sandbox)] == list_contents(store)


def test_a_journal_that_cannot_be_written_stops_nothing(sandbox: Sandbox, store: Store) -> None:
    add(store, "One")
    (sandbox.state / journal.FILE_NAME).unlink()
    (sandbox.state / journal.FILE_NAME).mkdir()
    add(store, "Two")
    assert "Two" in Path(store.archive_path("qa")).read_text()
    assert execute(sandbox.state, "SELECT count(*) FROM reviews") == [(1,)]
