"""What the doctor says of links, pipes and huge files in our places, of rights, and of state."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.doctor import path_checks, state_checks
from memory_core.doctor.examination import BROKEN, WARNING, Examination, Finding
from memory_core.files import safe_files
from memory_core.storage import paths
from memory_core.storage.project import Project
from support.command_line import Person
from support.inbox import add_report
from support.life import write
from support.sandbox import Sandbox

ENGINEER = ".claude-mpm/memories/engineer.md"

OURS = (".claude-mpm/config.yml", ENGINEER, ".claude-mpm/memories/history/engineer.jsonl")
FILES = [
    *((place, BROKEN) for place in (*OURS, ".claude-mpm/locks/engineer.lock")),
    (".claude-mpm/memories/archive/engineer.md", BROKEN),
    *((f"backlog/{name}", WARNING) for name in ("config.yml", ".state.yml", "CLAUDE.md")),
    *((f"backlog/{name}", WARNING) for name in ("tasks/task-1 - A.md", "memory/task-1.md")),
    ("backlog/memory/archive/task-2.md", WARNING),
]
FOLDERS = [
    *((f".claude-mpm{name}", BROKEN) for name in ("", "/memories", "/locks", "/memories/history")),
    *((f"backlog/{name}", WARNING) for name in ("tasks", "memory")),
]


def link(path: Path) -> None:
    path.symlink_to(path.parent)


OBSTACLES: list[tuple[Callable[[Path], object], str, list[tuple[str, str]]]] = [
    (link, "is a link", [*FILES, *FOLDERS, ("backlog", WARNING)]),
    (os.mkfifo, "is a pipe", [*FILES, *FOLDERS]),
    (Path.mkdir, "is a folder", FILES),
    (Path.touch, "is a file", FOLDERS),
]


def find(sandbox: Sandbox) -> list[Finding]:
    project = Project(sandbox.paths, sandbox.env)
    return list(path_checks.check_paths(Examination(project, sandbox.env)))


@pytest.mark.parametrize(
    ("put", "reason", "place", "level"),
    [(put, reason, *place) for put, reason, places in OBSTACLES for place in places],
)
def test_a_place_with_something_else_in_it_is_named(
    sandbox: Sandbox, put: Callable[[Path], object], reason: str, place: str, level: str
) -> None:
    path = sandbox.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path)
    (finding,) = find(sandbox)
    assert (finding.level, finding.where) == (level, place)
    assert finding.what.startswith(reason)
    assert finding.advice


@pytest.mark.parametrize(
    ("place", "megabytes", "level"),
    [
        (".claude-mpm/config.yml", 1, BROKEN),
        (ENGINEER, 2, BROKEN),
        (".claude-mpm/memories/archive/engineer.md", 9, BROKEN),
        (".claude-mpm/memories/history/engineer.jsonl", 9, WARNING),
    ],
)
def test_a_file_that_is_too_large_is_named_once(
    settled: Person, place: str, megabytes: int, level: str
) -> None:
    write(settled.sandbox.root / place, "")
    os.truncate(settled.sandbox.root / place, megabytes * 1_000_000)
    (finding,) = find(settled.sandbox)
    assert (finding.level, finding.where) == (level, place)
    assert finding.what.startswith("is larger than ")
    results = settled.list_findings(WARNING, BROKEN)
    checks = ("paths", "config", "memory")
    assert [result for result in results if result[1] in checks] == [(level, "paths")]


def test_a_folder_with_too_many_files_is_named(sandbox: Sandbox) -> None:
    locks = sandbox.root / ".claude-mpm" / "locks"
    locks.mkdir(parents=True)
    for number in range(safe_files.MAX_ENTRIES + 1):
        (locks / f"{number}.x").touch()
    (finding,) = find(sandbox)
    assert (finding.level, finding.where) == (WARNING, ".claude-mpm/locks")
    assert finding.what.startswith("has more than 10,000 entries")


def test_links_of_the_user_are_used_and_a_file_called_backlog_is_not_for_tasks(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    dotfiles = tmp_path / "dotfiles"
    write(dotfiles / "engineer.md", "- A fact\n")
    write(sandbox.root / "backlog", "- A fact\n")
    sandbox.user_memories.parent.mkdir()
    sandbox.user_memories.symlink_to(dotfiles)
    assert find(sandbox) == []
    os.mkfifo(dotfiles / "qa.md")
    (pipe,) = [finding for finding in find(sandbox) if finding.level == BROKEN]
    assert pipe.where == str(sandbox.user_memories / "qa.md")


def test_files_that_others_may_change_are_reported(sandbox: Sandbox) -> None:
    engineer = sandbox.write_memory("engineer", "A fact")
    qa = sandbox.write_memory("qa", "A fact")
    engineer.chmod(0o666)
    qa.chmod(0o666)
    (finding,) = find(sandbox)
    what = "everybody on this machine may write to it, and 1 more"
    assert (finding.level, finding.what, finding.where) == (WARNING, what, ENGINEER)
    assert finding.advice == f"chmod -R o-w {ENGINEER} .claude-mpm/memories/qa.md"
    sandbox.memories.parent.chmod(0o777)
    (finding,) = find(sandbox)
    assert finding.advice == "chmod -R o-w .claude-mpm"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_files_of_another_user_are_reported(sandbox: Sandbox) -> None:
    os.chown(sandbox.write_memory("engineer", "A fact"), 54321, -1)
    (finding,) = find(sandbox)
    assert (finding.level, finding.where) == (WARNING, ENGINEER)
    assert finding.what == "belongs to the user 54321"


# State.


def check_state(sandbox: Sandbox, **env: str) -> list[Finding]:
    environ = {**sandbox.env, **env}
    project = Project(paths.LevelPaths(str(sandbox.root), environ), environ)
    return list(state_checks.check_state(Examination(project, environ)))


def test_a_state_that_cannot_be_written_or_that_others_may_read_is_reported(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    assert check_state(sandbox) == []
    blocked = tmp_path / "blocked"
    blocked.touch()
    (finding,) = check_state(sandbox, XDG_STATE_HOME=str(blocked))
    assert (finding.level, finding.where) == (WARNING, str(blocked))
    assert finding.what.startswith("is not a folder: agents still get their memory")
    sandbox.paths.state.make_root()
    assert check_state(sandbox) == []
    sandbox.state.chmod(0o755)
    (finding,) = check_state(sandbox)
    assert (finding.level, finding.advice) == (WARNING, f"chmod go-rwx {sandbox.state}")


def test_learnings_of_a_project_that_is_gone_are_reported(sandbox: Sandbox, tmp_path: Path) -> None:
    gone = tmp_path / "old" / "shop"
    gone.mkdir(parents=True)
    old = paths.LevelPaths(str(gone), sandbox.env)
    old.state.make_root()
    assert check_state(sandbox) == []
    shutil.rmtree(gone)
    assert check_state(sandbox) == []
    add_report(old)
    (finding,) = check_state(sandbox)
    assert (finding.level, finding.where) == (WARNING, str(gone))
    assert "agent-memory tidy" in finding.advice
    gone.mkdir()
    assert check_state(sandbox) == []
