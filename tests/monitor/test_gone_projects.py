"""Learnings that wait for a project that was deleted or moved are taken over."""

from __future__ import annotations

import time
from pathlib import Path

from memory_core.monitor import gone_projects
from memory_core.storage import hook_files
from memory_core.storage.project import Project, find_project
from memory_core.text.times import format_utc
from support.command_line import Person
from support.inbox import add_report, make_report
from support.review import make_waiting
from support.sandbox import Sandbox


def make_gone_project(sandbox: Sandbox, gone: Path) -> Project:
    """Return another project, in whose state two learnings wait."""
    gone.mkdir(parents=True)
    other = find_project(str(gone), {**sandbox.env, "CLAUDE_PROJECT_DIR": str(gone)})
    add_report(other.paths, "qa", text=make_report("Prices are in cents"))
    other.store.add_to_review("qa", [make_waiting("An event")], format_utc(time.time()))
    return other


def read_waiting(sandbox: Sandbox) -> list[dict[str, str]]:
    return find_project(str(sandbox.root), sandbox.env).store.read_review("qa")


def test_the_state_of_a_moved_project_is_left_to_the_move(sandbox: Sandbox) -> None:
    add_report(sandbox.paths, "qa")
    (sandbox.root.parent / "elsewhere").mkdir()
    root = sandbox.root.rename(sandbox.root.parent / "elsewhere" / sandbox.root.name)
    moved = find_project(str(root), {**sandbox.env, "CLAUDE_PROJECT_DIR": str(root)})
    left = gone_projects.find(moved.store)
    assert not left.files
    gone_projects.take_over(moved.store, left)
    moved.paths.state.make_root()
    assert hook_files.list_agents(moved.paths) == {"qa": 1}


def test_tidy_asks_before_it_takes_them_over(
    sandbox: Sandbox, person: Person, tmp_path: Path
) -> None:
    gone = tmp_path / "old" / sandbox.root.name
    make_gone_project(sandbox, gone).paths.state.replace("spool/qa/2-1.json", b"{")
    sandbox.paths.state.make_root()
    assert "no longer exists" not in person.run("status").stdout
    gone.rmdir()
    what = f"learnings wait that belong to {gone}, which no longer exists"
    assert what in person.run("status").stdout
    done = person.run("tidy")
    assert done.returncode == 0
    assert "  [pattern] Prices are in cents (it was not merged)\n" in done.stdout
    assert f"included: learnings of {gone}, which does not exist any more\n" in done.stdout
    assert "Nothing is changed yet; run it with --yes to change it.\n" in done.stderr
    assert "2-1.json is kept: is invalid: " in done.stderr
    assert read_waiting(sandbox) == []
    left = person.read_json("tidy", "--yes")["gone"]
    assert (left["projects"], len(left["learnings"]["qa"])) == ([str(gone)], 2)
    assert len(read_waiting(sandbox)) == 2
    assert what not in person.run("status").stdout
    done = person.run("search", "cents", "--in", "review")
    assert "[pattern] Prices are in cents  (to review since " in done.stdout
