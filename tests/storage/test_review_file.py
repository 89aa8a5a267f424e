"""Learnings that wait for a person: each once, outside of the project, and none is lost."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memory_core.storage import review_file
from memory_core.storage.project import find_project
from memory_core.storage.store import Store
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


def list_contents(store: Store, agent: str = "qa") -> list[str]:
    return [entry["content"] for entry in store.read_review(agent)]


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
    one, two, three = (entry["id"] for entry in store.read_review("qa"))
    store.remove_from_review("qa", [one, three, "0123456789"])
    assert list_contents(store) == ["Two"]
    store.remove_from_review("qa", [two])
    assert store.agents_to_review() == []
    assert os.listdir(sandbox.state / "review") == []
    store.remove_from_review("qa", [two])
    add(store, "One")
    assert [entry["id"] for entry in store.read_review("qa")] == [one]


def test_lines_that_are_not_entries_are_skipped_and_stay(sandbox: Sandbox, store: Store) -> None:
    add(store, "One", "Two")
    path = sandbox.state / "review" / "qa.jsonl"
    bad = '{"content": 1}\n[1]\n{"type": "pattern"}\ntorn {\n'
    path.write_text(bad + path.read_text())
    assert list_contents(store) == ["One", "Two"]
    store.remove_from_review("qa", [store.read_review("qa")[0]["id"]])
    assert list_contents(store) == ["Two"]
    assert path.read_text().startswith(bad)


# Lines as older versions and people write them: the fields, and those of the entry.
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
def test_fields_of_other_versions_and_of_people(
    sandbox: Sandbox, store: Store, line: dict[str, object], fields: dict[str, object]
) -> None:
    add(store, "Zero")
    path = sandbox.state / "review" / "qa.jsonl"
    path.write_text(f"{path.read_text()}{json.dumps(line)}\n")
    entry = store.read_review("qa")[1]
    assert {name: entry[name] for name in fields} == fields
    assert len(entry) == len(review_file.FIELDS) + len(review_file.LISTS)


def test_a_long_list_is_added_to_and_read(sandbox: Sandbox, store: Store) -> None:
    texts = [f"Fact {number} {'long ' * 200}" for number in range(1200)]
    add(store, *texts)
    assert (sandbox.state / "review" / "qa.jsonl").stat().st_size > review_file.MAX_COMPARED_BYTES
    add(store, texts[0], "New")
    assert list_contents(store) == [*texts, "New"]


def test_without_a_state_folder_they_go_to_the_archive(tmp_path: Path) -> None:
    store = find_project(str(tmp_path), {"CLAUDE_PROJECT_DIR": str(tmp_path)}).store
    add(store, "One", nested="    - Why: so")
    text = Path(store.archive_path("qa")).read_text()
    assert text == "## 2026-11-20\n\n- [pattern] One (why)\n      - Why: so\n"
    assert store.read_review("qa") == []
    assert store.agents_to_review() == []


def test_one_line_holds_one_learning(sandbox: Sandbox, store: Store) -> None:
    add(store, 'quoted "id": "0123456789"', "\ud800 odd\u2028", "\udcff")
    lines = (sandbox.state / "review" / "qa.jsonl").read_text().splitlines()
    assert [json.loads(line)["content"] for line in lines] == list_contents(store)
