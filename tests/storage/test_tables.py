"""The table of changes: texts before and after, versions, changes that an editor had not seen."""

import itertools
import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from memory_core.history import performance
from memory_core.memory import rename, run_history
from memory_core.origin import text_origins
from memory_core.storage.database import change_table, review_table, state_db
from memory_core.storage.database.change_table import LAST, OLD, TextStep
from memory_core.storage.paths import LevelPaths
from memory_core.storage.project import find_project
from memory_core.storage.store import Store
from memory_core.text import digests
from memory_core.text.times import format_utc
from support import life
from support.calls import SESSION
from support.database import execute
from support.files import read_files
from support.memory_files import pack_history
from support.review import make_waiting
from support.runs import add_runs, list_errors, list_runs, make_run
from support.sandbox import Sandbox

QA = "qa"


@pytest.fixture
def paths(sandbox: Sandbox) -> LevelPaths:
    return sandbox.paths


def write(paths: LevelPaths, *texts: str | None, stem: str = QA) -> None:
    """Write the texts one after the other; the change to "b" is "b", at the time "tb"."""
    number = change_table.read_sequence(paths)
    for before, after in itertools.pairwise(texts):
        number += 1
        times = (f"t{before}" if before else "", f"t{after}" if after else "")
        name = f"{after}{len(change_table.list_changes(paths, stem))}"
        change_table.begin(paths, stem, number, TextStep(name, before, after, *times))
        change_table.finish(paths, stem, name)


STEPS = [
    (None, "a"),
    ("a", None),
    ("a", "b"),
    ("a", "a"),
    ("\udce9\ud83d", "é\0\r\n"),
    ("", "x" * 10**6),
]


@pytest.mark.parametrize("texts", STEPS)
def test_a_step_keeps_both_texts(paths: LevelPaths, texts: tuple[str | None, str | None]) -> None:
    change_table.begin(paths, QA, 1, TextStep("c1", *texts))
    assert change_table.read_steps(paths, QA, ["c1", "c2"]) == {"c1": TextStep("c1", *texts)}
    assert change_table.read_steps(paths, "ops", ["c1"]) == {}


def test_older_changes_lose_their_texts(paths: LevelPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_table, "KEPT_TEXTS", 2)
    write(paths, "x", "y", stem="ops")
    write(paths, "a", "b", "c", "d")
    steps = change_table.read_steps(paths, QA, ["b0", "c1", "d2"])
    assert [step and step.before for step in steps.values()] == [None, "b", "c"]
    assert change_table.identify(paths, QA, "a") == OLD
    assert change_table.read_steps(paths, "ops", ["y0"])["y0"] == TextStep("y0", "x", "y")
    monkeypatch.setattr(change_table, "KEPT_ROWS", 3)
    write(paths, "d", "e")
    assert change_table.list_changes(paths, QA) == ["c1", "d2", "e3"]
    assert change_table.list_kept(paths, QA) == ["d2", "e3"]


def test_two_writes_of_one_change_are_one_step(paths: LevelPaths) -> None:
    for texts in (("x", "a"), ("a", "b")):  # the first try has failed
        change_table.begin(paths, QA, 1, TextStep("c1", *texts))
    change_table.finish(paths, QA, "c1")
    change_table.begin(paths, QA, 2, TextStep("c1", "b", "c"))
    assert change_table.read_steps(paths, QA, ["c1"]) == {"c1": TextStep("c1", "a", "c")}


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [("a", "c", True), ("b", "c", True), ("c", "c", True), ("a", "b", False), ("x", "c", False)],
)
def test_only_writes_of_this_machine_continue_a_text(
    paths: LevelPaths, before: str, text: str, expected: bool
) -> None:
    write(paths, "a", "b", "c")
    assert change_table.is_continued(paths, QA, digests.hash_text(before), text) == expected


def test_of_an_unknown_version_no_change_is_later_or_all(paths: LevelPaths) -> None:
    write(paths, "a", "b")
    assert change_table.list_later(paths, QA, "tx") == []
    assert change_table.list_later(paths, QA, "tx", or_all=True) == ["b0"]


def test_the_number_of_a_change_is_that_of_all_agents(paths: LevelPaths) -> None:
    assert change_table.read_sequence(paths) == 0
    write(paths, "a", "b", "c")
    write(paths, "x", "y", stem="ops")
    assert change_table.read_sequence(paths) == 3


def test_a_locked_database_keeps_a_change_from_beginning(paths: LevelPaths) -> None:
    write(paths, "a", "b")
    paths.state.busy_seconds = 0.01
    other = sqlite3.connect(paths.state.locate(state_db.FILE_NAME), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OSError, match="locked"):
        write(paths, "b", "c")
    change_table.finish(paths, QA, "b0")  # the file is written: nothing is to be done again
    other.close()
    assert change_table.list_changes(paths, QA) == ["b0"]


def test_older_files_are_taken_over(paths: LevelPaths) -> None:
    a, b, c = map(digests.hash_text, "abc")
    paths.state.append("versions/qa", f"- c1 t1\n{a}\n{b}\nt1 c2 t2\nt2 c3 t3\n{b}\n{c}\n".encode())
    paths.state.append("versions/ops", b"damaged\n- c4 t4\n\xff\n")
    paths.state.append("sequence", b"6\n8\n7\n-1\nx\n")
    assert change_table.read_sequence(paths) == 8
    write(paths, "x", "y", stem="new")
    assert not [name for name in ("versions", "sequence") if paths.state.status(name)]
    assert change_table.list_changes(paths, QA) == ["c1", "c2", "c3"]
    assert change_table.list_changes(paths, "ops") == ["c4"]
    assert change_table.list_kept(paths, QA) == []  # nothing to undo
    found = {text: change_table.identify(paths, QA, text) for text in "abc"}
    assert found == {"a": OLD, "b": OLD, "c": LAST}
    assert change_table.list_later(paths, QA, "t1") == ["c2", "c3"]
    assert change_table.read_steps(paths, QA, ["c1", "c2"]) == {"c1": None, "c2": None}


# Learnings that wait for a person: each once, outside of the project, and none is lost.


NOW = "2026-11-20T10:00:00.000Z"


@pytest.fixture
def store(sandbox: Sandbox) -> Store:
    return sandbox.open_project().store


def add(store: Store, *contents: str, agent: str = "qa", **fields: str) -> None:
    with store.lock(agent):
        store.add_to_review(agent, [make_waiting(text, **fields) for text in contents], NOW)


def remove(store: Store, *contents: str) -> None:
    ids = [one["id"] for one in store.read_review("qa") if one["content"] in contents]
    store.remove_from_review("qa", dict.fromkeys(ids, "rejected"), NOW)


def list_contents(store: Store, agent: str = "qa") -> list[str]:
    return [entry["content"] for entry in store.read_review(agent)]


def read_journal(sandbox: Sandbox) -> list[dict[str, str]]:
    lines = (sandbox.state / state_db.JOURNAL).read_text().splitlines()
    return [json.loads(line) for line in lines]


def lose_database(sandbox: Sandbox) -> None:
    (sandbox.state / state_db.FILE_NAME).unlink()


def test_learnings_wait_outside_of_the_project(sandbox: Sandbox, store: Store) -> None:
    lists = {"reading": ["WebFetch a.org"], "reasons": ["overrides orders"]}
    fields = {"run": "a1", "session": "s1", "source": "agent", "nested": "    - Why: so"}
    waiting = make_waiting("One", origin="tainted", **fields)
    with store.lock("qa"):
        store.add_to_review("qa", [{**waiting, **lists}], NOW)
    (entry,) = store.read_review("qa")
    texts = {"type": "pattern", "content": "One", "reason": "why", "other": "", "origin": "tainted"}
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
    add(store, "One")
    assert [entry["id"] for entry in store.read_review("qa")] == [one]


def test_a_lost_database_loses_no_learning_and_no_decision(sandbox: Sandbox, store: Store) -> None:
    add(store, "One", "Two", "Three")
    add(store, "Two", agent="engineer")
    remove(store, "One", "Two")
    add(store, "One")
    before = store.read_review("qa") + store.read_review("engineer")
    lose_database(sandbox)
    assert store.read_review("qa") + store.read_review("engineer") == before
    assert list_contents(store) == ["Three", "One"]
    add(store, "Three")
    assert list_contents(store) == ["Three", "One"], "nothing waits twice"


def test_a_long_journal_keeps_what_waits_and_what_is_known(sandbox: Sandbox, store: Store) -> None:
    add(store, "Gone", "Waits")
    remove(store, "Gone")
    state, text = store.paths.state, ("Prices are in cents", "  - Why: law")
    text_origins.add_origins(store, "qa", {text: "agent"}, [{"id": "a", "kind": "learned"}])
    text_origins.add_origins(store, "qa", {text: "accepted"})
    text_origins.add_origins(store, "qa", {text: "person"}, taken_back={text: ["person"]})
    text_origins.add_origins(store, "qa", {text: "accepted", ("Two", ""): "import"})
    state_db.write(state, lambda db: state_db.shorten_journal(db, state))
    before = (sandbox.state / state_db.JOURNAL).stat().st_size
    state_db.write(state, lambda db: state_db.shorten_journal(db, state, before))
    lines = read_journal(sandbox)
    assert [line["content"] for line in lines if "id" in line] == ["Waits"]
    known = text_origins.read_origins(store, "qa")
    records = execute(sandbox.state, "SELECT * FROM own_records")
    lose_database(sandbox)
    assert list_contents(store) == ["Waits"]
    assert vars(known) == vars(text_origins.read_origins(store, "qa"))
    assert execute(sandbox.state, "SELECT * FROM own_records") == records != []
    assert [known.find(*text), known.find("Two")] == ["accepted", "import"]


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
    path = sandbox.state / state_db.JOURNAL
    path.write_text(f"{noise}\n{path.read_text()}{noise}\n")
    lose_database(sandbox)
    assert list_contents(store) == ["One", "Two"]


# Lines as older versions and people wrote them: the fields, and those of the entry.
LINES: list[tuple[dict[str, object], dict[str, object]]] = [
    ({"content": "One"}, {"content": "One", "type": "", "reason": "", "reading": []}),
    ({"content": "One", "origin": "agent", "reading": ["Bash: gh"]}, {"reading": ["Bash: gh"]}),
    ({"content": "One", "tier": "mcp"}, {"origin": "mcp", "source": ""}),
    ({"content": "One", "origin": 5, "reading": {"a": 1}}, {"origin": "", "reading": []}),
    ({"content": "One", "reading": "WebFetch a.org"}, {"reading": ["WebFetch a.org"]}),
    ({"content": "One", "reading": [1, "", None, "MCP x"]}, {"reading": ["MCP x"]}),
    ({"content": "One", "reading": list("abcdefg")}, {"reading": list("abcde")}),
    ({"content": "One", "reasons": ["a", "b"], "new": 1}, {"reasons": ["a", "b"], "origin": ""}),
]


@pytest.mark.parametrize(("line", "fields"), LINES)
def test_the_files_of_older_versions_are_taken_over(
    sandbox: Sandbox, store: Store, line: dict[str, object], fields: dict[str, object]
) -> None:
    path = sandbox.state / "review" / "qa.jsonl"
    life.write(path, f"torn {{\n[1]\n{json.dumps(line)}\n")
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
    (sandbox.state / state_db.JOURNAL).unlink()
    (sandbox.state / state_db.JOURNAL).mkdir()
    add(store, "Two")
    assert "Two" in Path(store.archive_path("qa")).read_text()
    assert execute(sandbox.state, "SELECT count(*) FROM reviews") == [(1,)]


# Runs and errors of versions without a database are taken over once; a failing database waits.


TIME = "2026-11-20T08:00:00.000Z"
OLD_RUNS: list[dict[str, Any]] = [
    {"id": "1", "outcome": "stopped", "type": "docs", "duration_ms": 5},
    {"id": "1", "outcome": "done", "run": "a1", "tokens": 7, "given": "x y", "used": "y z"},
    {"id": "2", "outcome": "failed", "experiment": "held_out", "tokens": -1},
    {"id": "3", "outcome": "won"},
]


def write_lines(path: Path, *rows: object) -> None:
    life.write(path, "".join(f"{json.dumps(row)}\n" for row in rows) + "torn")


def write_old_state(sandbox: Sandbox) -> None:
    """Write runs, errors and subjects as older versions did."""
    runs = [{"time": TIME, "kind": "task", **run} for run in OLD_RUNS]
    learned = {"time": TIME, "kind": "learned", "id": "x", "text": "A fact", "run": "a1"}
    write_lines(sandbox.memories / "history" / "engineer.jsonl", *runs, learned)
    error = {"time": TIME, "kind": "error", "id": "old", "text": "boom", "run": "a1"}
    solved = {**error, "text": "bang", "tool": "Bash", "resolution": "wait", "source": "mcp"}
    errors = [error, error, solved, {**error, "text": 5}]
    write_lines(sandbox.state / "errors" / "engineer.jsonl", *errors)
    (sandbox.state / "errors" / "engineer.txt").write_text("- bang → wait\n")
    rows = [{"run": "a1", "about": "pay"}, {"run": "a1", "about": "pay twice"}, [], {}]
    write_lines(sandbox.state / "subjects" / "engineer.jsonl", *rows)


@pytest.mark.parametrize("is_packed", [False, True])
def test_old_files_are_taken_over_once(sandbox: Sandbox, is_packed: bool) -> None:
    write_old_state(sandbox)
    history = Store(sandbox.paths).history("engineer")
    if is_packed:
        pack_history(sandbox.memories / "history" / "engineer.jsonl")
    before = history.read()
    add_runs(sandbox.paths, make_run("later"))
    for _again in range(2):
        first, second, _later = sorted(list_runs(sandbox.paths), key=lambda run: str(run["key"]))
        assert {"key": "1", "outcome": "done", "type": "docs", "tokens": 7}.items() <= first.items()
        assert (first["duration_ms"], first["given"], first["used"]) == (5, "x y", "y")
        assert {"outcome": "failed", "experiment": "held_out"}.items() <= second.items()
        assert "tokens" not in second
        found = [(row["text"], row["resolution"]) for row in list_errors(sandbox.paths)]
        assert found == [("boom", ""), ("bang", "wait")]
        uses, abouts = run_history.read_use(sandbox.open_project().store, "engineer")
        assert (uses["y"]["used"], abouts) == (1, {"a1": "pay twice"})
        assert not (sandbox.state / "errors").exists()
        assert not (sandbox.state / "subjects").exists()
    assert history.read() == before


def test_a_database_of_version_1_learns_of_deliveries(sandbox: Sandbox) -> None:
    add_runs(sandbox.paths, make_run("r1"))
    for column in performance.DELIVERY + performance.COSTS:
        execute(sandbox.state, f"ALTER TABLE runs DROP COLUMN {column}")
    execute(sandbox.state, "PRAGMA user_version = 1")
    costs = {"prompt_tokens": 412, "hook_ms": 9}
    add_runs(sandbox.paths, make_run("r2", arrived="lost", arrived_by="prompt", **costs))
    first, second = list_runs(sandbox.paths)
    assert "arrived" not in first
    assert (second["arrived"], second["prompt_tokens"]) == ("lost", 412)


def test_a_new_name_takes_runs_and_errors_along(sandbox: Sandbox) -> None:
    write_old_state(sandbox)
    sandbox.write_memory("engineer", "A fact")
    project = sandbox.open_project()
    add_runs(sandbox.paths, make_run("b1", agent="coder"))
    rename.rename_agent(project, project.store, "engineer", "coder")
    assert len(list_runs(sandbox.paths, "coder")) == 3
    assert len(list_errors(sandbox.paths, "coder")) == 2
    assert run_history.read_use(project.store, "coder")[1] == {"a1": "pay twice"}
    assert list_runs(sandbox.paths) == list_errors(sandbox.paths) == []


def test_a_session_start_sums_up_runs_of_half_a_year_ago(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", "A fact")
    old = format_utc(time.time() - 181 * 86400)
    use = {"given": "x y", "used": "x", "tokens": 5}
    now = make_run("a2", time=format_utc(time.time()), **use)
    add_runs(sandbox.paths, make_run("a1", "failed", old, **use), now)
    store = sandbox.open_project().store
    before = run_history.measure(store, "engineer").data(), run_history.read_use(store, "engineer")
    sandbox.run_hook("session_start", SESSION)
    assert [run["key"] for run in list_runs(sandbox.paths)] == [now["key"]]
    after = run_history.measure(store, "engineer").data(), run_history.read_use(store, "engineer")
    assert after == before
