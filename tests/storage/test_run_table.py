"""Runs and errors of versions without a database are taken over once; a failing database waits."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from memory_core.history import performance
from memory_core.memory import rename, run_history
from memory_core.storage.project import Project, find_project
from memory_core.storage.store import Store
from memory_core.text.times import format_utc
from support.calls import SESSION
from support.database import execute
from support.memory_files import pack_history
from support.runs import add_runs, list_errors, list_runs, make_run
from support.sandbox import Sandbox

TIME = "2026-11-20T08:00:00.000Z"
OLD_RUNS: list[dict[str, Any]] = [
    {"id": "1", "outcome": "stopped", "type": "docs", "duration_ms": 5},
    {"id": "1", "outcome": "done", "run": "a1", "tokens": 7, "given": "x y", "used": "y z"},
    {"id": "2", "outcome": "failed", "experiment": "held_out", "tokens": -1},
    {"id": "3", "outcome": "won"},
]


def write_lines(path: Path, *rows: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows) + "torn")


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


def open_project(sandbox: Sandbox) -> Project:
    return find_project(str(sandbox.root), sandbox.env)


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
        uses, abouts = run_history.read_use(open_project(sandbox).store, "engineer")
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
    project = open_project(sandbox)
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
    runs = [
        make_run("a1", "failed", old, **use),
        make_run("a2", time=format_utc(time.time()), **use),
    ]
    add_runs(sandbox.paths, *runs)
    store = open_project(sandbox).store
    before = run_history.measure(store, "engineer").data(), run_history.read_use(store, "engineer")
    sandbox.run_hook("session_start", SESSION)
    assert [run["key"] for run in list_runs(sandbox.paths)] == [runs[1]["key"]]
    now = run_history.measure(store, "engineer").data(), run_history.read_use(store, "engineer")
    assert now == before
