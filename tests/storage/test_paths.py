"""Finding the project folder of an event."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.storage import paths
from support.events import FACT, LEARNED, make_post_event
from support.sandbox import Sandbox


def project_root(cwd: Path, home: Path, **env: str) -> str:
    return paths.find_project(str(cwd), {"HOME": str(home), **env}).root


def test_the_root_of_a_project(tmp_path: Path) -> None:
    home = tmp_path / "home"
    shop = home / "code" / "shop"
    deep = shop / "src" / "deep"
    deep.mkdir(parents=True)
    (home / ".claude-mpm").mkdir()
    assert project_root(deep, home) == str(deep), "nothing to go by: stay"
    (shop / ".git").mkdir()
    assert project_root(deep, home) == str(shop), "the git root"
    (shop / "src" / ".claude-mpm").mkdir()
    assert project_root(deep, home) == str(shop / "src"), "a folder with memory comes first"
    assert project_root(home, home) == str(home)
    (home / ".git").mkdir()
    (home / "notes").mkdir()
    assert project_root(home / "notes", home) == str(home / "notes"), "not the settings' repository"
    assert project_root(Path("/nowhere"), home, CLAUDE_PROJECT_DIR=str(deep)) == str(shop / "src")


def test_a_submodule_is_a_separate_project(tmp_path: Path) -> None:
    inner = tmp_path / "shop" / "lib"
    inner.mkdir(parents=True)
    (tmp_path / "shop" / ".git").mkdir()
    (inner / ".git").write_text("gitdir: ../.git/modules/lib\n")
    assert project_root(inner, tmp_path) == str(inner)


def loop(path: Path) -> None:
    """Make a path that cannot be examined, as on a failing disk; root gets the error too."""
    path.symlink_to(path.name)


def memory_on_a_bad_disk(project: Path) -> None:
    loop(project / ".claude-mpm")


def repository_on_a_bad_disk(project: Path) -> None:
    loop(project / ".git")


def main_tree_on_a_bad_disk(project: Path) -> None:
    loop(project / "disk")
    (project / ".git").write_text(f"gitdir: {project}/disk/shop/.git/worktrees/lib\n")


def closed(project: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may look into every folder")
    project.chmod(0)


@pytest.mark.parametrize(
    "spoil", [memory_on_a_bad_disk, repository_on_a_bad_disk, main_tree_on_a_bad_disk, closed]
)
def test_an_unreadable_folder_is_not_skipped(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    shop = tmp_path / "shop"
    lib = shop / "lib"
    lib.mkdir(parents=True)
    (shop / ".claude-mpm").mkdir()
    assert project_root(lib, tmp_path) == str(shop)
    spoil(lib)
    with pytest.raises(OSError, match="lib"):
        project_root(lib, tmp_path)
    lib.chmod(0o755)


def test_an_unreadable_project_is_not_replaced_by_the_current_folder(tmp_path: Path) -> None:
    loop(tmp_path / "disk")
    with pytest.raises(OSError, match="disk"):
        project_root(tmp_path, tmp_path, CLAUDE_PROJECT_DIR=str(tmp_path / "disk" / "shop"))


def test_a_memory_on_an_unmounted_disk_belongs_to_the_project(tmp_path: Path) -> None:
    lib = tmp_path / "shop" / "lib"
    lib.mkdir(parents=True)
    (tmp_path / "shop" / ".claude-mpm").mkdir()
    (lib / ".claude-mpm").symlink_to(tmp_path / "disk" / "lib")
    assert project_root(lib, tmp_path) == str(lib)


def test_an_invalid_path_is_not_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert project_root(Path("a\0b"), tmp_path / "home") == str(tmp_path)


@pytest.mark.parametrize("spoil", [memory_on_a_bad_disk, closed])
def test_a_report_waits_while_its_project_is_unreadable(
    sandbox: Sandbox, spoil: Callable[[Path], None]
) -> None:
    sandbox.write_memory("engineer", FACT)
    lib = sandbox.root / "lib"
    (lib / ".git").mkdir(parents=True)
    sandbox.env["CLAUDE_PROJECT_DIR"] = str(lib)
    spoil(lib)
    outcome = sandbox.run_hook("post_tool_use", make_post_event())
    assert (outcome.status, outcome.stdout) == (0, b""), "the block stays in the report"
    assert re.fullmatch(rb"agent-memory: PostToolUse: \w+: .*lib.*\n", outcome.stderr)
    lib.chmod(0o755)
    (lib / ".claude-mpm").unlink(missing_ok=True)
    sandbox.run_hook("post_tool_use", make_post_event())
    assert LEARNED in (lib / ".claude-mpm" / "memories" / "engineer.md").read_text()
    assert LEARNED not in sandbox.read_memory("engineer")
