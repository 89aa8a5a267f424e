"""What the doctor says of links, pipes and huge files in our places, of rights, and of state."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.doctor import path_checks
from memory_core.doctor.examination import BROKEN, OK, WARNING, Examination, Finding
from memory_core.files import safe_files
from memory_core.storage import paths
from memory_core.storage.project import Project
from support.command_line import Person
from support.files import write
from support.sandbox import Sandbox

ENGINEER = ".claude-mpm/memories/engineer.md"

FILES = [
    *(".claude-mpm/config.yml", ENGINEER, ".claude-mpm/memories/history/engineer.jsonl"),
    *(".claude-mpm/locks/engineer.lock", ".claude-mpm/memories/archive/engineer.md"),
]
FOLDERS = [f".claude-mpm{name}" for name in ("", "/memories", "/locks", "/memories/history")]


def link(path: Path) -> None:
    path.symlink_to(path.parent)


OBSTACLES: list[tuple[Callable[[Path], object], str, list[str]]] = [
    (link, "is a link", [*FILES, *FOLDERS]),
    (os.mkfifo, "is a pipe", [*FILES, *FOLDERS]),
    (Path.touch, "is a file", FOLDERS),
]


def find(sandbox: Sandbox) -> list[Finding]:
    findings = path_checks.check_paths(Examination(Project(sandbox.paths, sandbox.env)))
    return [finding for finding in findings if finding.severity != OK]


PLACES = [(put, reason, place) for put, reason, places in OBSTACLES for place in places]


@pytest.mark.parametrize(("put", "reason", "place"), PLACES)
def test_a_place_with_something_else_in_it_is_named(
    sandbox: Sandbox, put: Callable[[Path], object], reason: str, place: str
) -> None:
    path = sandbox.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path)
    (finding,) = find(sandbox)
    assert (finding.severity, finding.where) == (BROKEN, place)
    assert finding.what.startswith(reason)
    assert finding.advice


@pytest.mark.parametrize(
    ("place", "megabytes", "level"),
    [
        (".claude-mpm/config.yml", 1, BROKEN),
        (ENGINEER, 2, BROKEN),
        (".claude-mpm/memories/history/engineer.jsonl", 9, WARNING),
    ],
)
def test_a_file_that_is_too_large_is_named(
    settled: Person, place: str, megabytes: int, level: str
) -> None:
    write(settled.sandbox.root / place, "")
    os.truncate(settled.sandbox.root / place, megabytes * 1_000_000)
    findings = json.loads(settled.run("doctor", "--json").stdout)["findings"]
    (what,) = [each for each in findings if place in (each["where"] or "") and each["mend"]]
    assert "is larger than " in what["what"]
    assert what["level"] == level


def test_a_folder_with_too_many_files_is_named(sandbox: Sandbox) -> None:
    locks = sandbox.root / ".claude-mpm" / "locks"
    locks.mkdir(parents=True)
    for number in range(safe_files.MAX_ENTRIES + 1):
        (locks / f"{number}.x").touch()
    (finding,) = find(sandbox)
    assert (finding.severity, finding.where) == (WARNING, ".claude-mpm/locks")
    assert finding.what.startswith("has more than 10,000 entries")


def test_links_of_the_user_are_used(sandbox: Sandbox, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    write(dotfiles / "engineer.md", "- A fact\n")
    sandbox.user_memories.parent.mkdir()
    sandbox.user_memories.symlink_to(dotfiles)
    assert find(sandbox) == []
    os.mkfifo(dotfiles / "qa.md")
    (pipe,) = [finding for finding in find(sandbox) if finding.severity == BROKEN]
    assert pipe.where == str(sandbox.user_memories / "qa.md")


# State.


def test_a_state_that_cannot_be_written_is_reported(sandbox: Sandbox, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.touch()
    environ = {**sandbox.env, "XDG_STATE_HOME": str(blocked)}
    project = Project(paths.LevelPaths(str(sandbox.root), environ), environ)
    (finding,) = path_checks.check_state(Examination(project))
    assert (finding.severity, finding.where) == (WARNING, str(blocked))
    assert finding.what.startswith("is not a folder: agents still get their memory")


def test_a_full_disk_is_named(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    full = os.statvfs_result((4096, 4096, 100, 0, 0, 0, 0, 0, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda _path: full)
    (finding,) = find(sandbox)
    assert (finding.severity, finding.what) == (BROKEN, "the disk is full")
