"""What waits for a project whose folder got another name is taken over when a person says so."""

import time
from pathlib import Path

import pytest

from memory_core.storage.project import Project, find_project
from memory_core.text.times import format_utc
from support.command_line import Person
from support.events import make_report
from support.inbox import add_report
from support.review import make_waiting
from support.sandbox import Sandbox


def open_project(sandbox: Sandbox, root: Path) -> Project:
    return find_project(str(root), {**sandbox.env, "CLAUDE_PROJECT_DIR": str(root)})


@pytest.mark.parametrize("is_renamed", [True, False])
def test_tidy_asks_before_it_takes_over_what_waits(
    sandbox: Sandbox, person: Person, tmp_path: Path, is_renamed: bool
) -> None:
    old = sandbox.root.parent / "before" if is_renamed else tmp_path / "old" / sandbox.root.name
    if is_renamed:
        sandbox.root.rename(old)
    else:
        old.mkdir(parents=True)
    other = open_project(sandbox, old)
    add_report(other.paths, "qa", text=make_report("Prices are in cents"))
    other.store.add_to_review("qa", [make_waiting("An event")], format_utc(time.time()))
    if is_renamed:
        old.rename(sandbox.root)
        sandbox.paths.state.make_folder("")
    else:
        sandbox.paths.state.make_root()
        old.rmdir()
    what = f"learnings wait that belong to {old}, which no longer exists"
    assert what in person.run("status").stdout
    done = person.run("tidy")
    assert f"2 files with learnings of {old}, which does not exist any more\n" in done.stdout
    assert "Nothing is changed yet; run it with --yes to change it.\n" in done.stderr
    assert person.read_json("review") == []
    assert person.read_json("tidy", "--yes")["gone"] == {"written": True, "projects": [str(old)]}
    assert what not in person.run("status").stdout
    assert "Prices are in cents" in sandbox.read_memory("qa")
    assert [entry["content"] for entry in person.read_json("review")] == ["An event"]


def test_other_projects_keep_what_waits(sandbox: Sandbox, person: Person, tmp_path: Path) -> None:
    for name, is_gone in (("other", True), (sandbox.root.name, False)):
        root = tmp_path / "old" / name
        root.mkdir(parents=True)
        add_report(open_project(sandbox, root).paths, "qa")
        if is_gone:
            root.rmdir()
    sandbox.paths.state.make_root()
    assert "no longer exists" not in person.run("status").stdout
    assert person.read_json("tidy", "--yes")["gone"] == {"written": False, "projects": []}
