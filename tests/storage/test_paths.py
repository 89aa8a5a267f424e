"""Finding the project folder of an event."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.delegation import run_outcomes
from memory_core.storage import paths
from memory_core.storage.project import Project
from support.events import FACT, LEARNED, make_post_event
from support.git import git
from support.sandbox import Sandbox


def project_root(cwd: Path, home: Path, **env: str) -> str:
    return paths.find_project_level(str(cwd), {"HOME": str(home), **env}).root


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
    (deep / ".git").write_text("gitdir: ../../.git/modules/lib\n")
    assert project_root(deep, home) == str(deep), "a submodule"


def loop(path: Path) -> None:
    """Make a path that cannot be examined, as on a failing disk; root gets the error too."""
    path.symlink_to(path.name)


def memory_on_a_bad_disk(project: Path) -> None:
    loop(project / ".claude-mpm")


def main_tree_on_a_bad_disk(project: Path) -> None:
    loop(project / "disk")
    (project / ".git").write_text(f"gitdir: {project}/disk/shop/.git/worktrees/lib\n")


def closed(project: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may look into every folder")
    project.chmod(0)


@pytest.mark.parametrize("spoil", [memory_on_a_bad_disk, main_tree_on_a_bad_disk, closed])
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


def test_a_lost_disk_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lib = tmp_path / "shop" / "lib"
    lib.mkdir(parents=True)
    (tmp_path / "shop" / ".claude-mpm").mkdir()
    (lib / ".claude-mpm").symlink_to(tmp_path / "gone" / "lib")
    assert project_root(lib, tmp_path) == str(lib)
    loop(tmp_path / "disk")
    with pytest.raises(OSError, match="disk"):
        project_root(tmp_path, tmp_path, CLAUDE_PROJECT_DIR=str(tmp_path / "disk" / "shop"))
    monkeypatch.chdir(tmp_path)
    assert project_root(Path("a\0b"), tmp_path / "home") == str(tmp_path), "no path at all"


@pytest.mark.parametrize("spoil", [memory_on_a_bad_disk, closed])
def test_a_report_waits_for_its_project(sandbox: Sandbox, spoil: Callable[[Path], None]) -> None:
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


@pytest.mark.parametrize("reason", ["open to all", "a link", "of somebody else"])
def test_a_memory_above_that_others_may_change_is_not_used(tmp_path: Path, reason: str) -> None:
    shop, memory = tmp_path / "common" / "shop", tmp_path / "common" / ".claude-mpm"
    for folder in (shop, memory):
        folder.mkdir(parents=True)
    assert project_root(shop, tmp_path) == str(shop.parent)
    if reason == "open to all":
        memory.chmod(0o777)
    elif reason == "a link":
        memory.rename(tmp_path / "elsewhere")
        memory.symlink_to(tmp_path / "elsewhere")
    elif os.geteuid() != 0:
        pytest.skip("only root gives files away")
    else:
        os.chown(memory, 12345, 12345)
    assert project_root(shop, tmp_path) == str(shop)
    assert project_root(shop.parent, tmp_path) == str(shop.parent), "but where one works"
    if reason == "of somebody else":
        (shop.parent / ".git").mkdir()
        os.chown(shop.parent / ".git", 12345, 12345)
        assert project_root(shop, tmp_path) == str(shop)


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    """Return a working tree of the repository `shop`."""
    shop = tmp_path / "shop"
    shop.mkdir()
    git(shop, "init", "-q")
    git(shop, "commit", "-m", "First", "--allow-empty")
    git(shop, "worktree", "add", "../tree")
    return tmp_path / "tree"


def test_a_working_tree_is_of_its_repository(tmp_path: Path, worktree: Path) -> None:
    (worktree / "src").mkdir()
    assert project_root(worktree, tmp_path) == str(tmp_path / "shop")
    assert project_root(worktree / "src", tmp_path) == str(tmp_path / "shop")
    # Relative paths, as newer versions of git write them on demand.
    (worktree / ".git").write_text("gitdir: ../shop/.git/worktrees/tree\n")
    (tmp_path / "shop/.git/worktrees/tree/gitdir").write_text("../../../../tree/.git\n")
    git(worktree, "status")
    assert project_root(worktree, tmp_path) == str(tmp_path / "shop")


@pytest.mark.parametrize("target", ["../shop/.git/worktrees/tree", "../shop/.git/worktrees/none"])
def test_an_unknown_git_file_is_not_followed(tmp_path: Path, worktree: Path, target: str) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / ".git").write_text(f"gitdir: {target}\n")
    assert project_root(clone, tmp_path) == str(clone)
    (clone / ".git").unlink()
    (clone / ".git").symlink_to(worktree / ".git")
    assert project_root(clone, tmp_path) == str(clone)


def test_the_folders_of_a_project(tmp_path: Path, worktree: Path) -> None:
    project = Project(paths.LevelPaths(str(tmp_path / "shop"), {}), {})
    (tmp_path / "link").symlink_to("shop")
    inside = ["shop", "shop/src", "shop/gone/for/good", "tree", "link/src"]
    outside = ["shop-api", "shop/..", "shop/../other", ".", "none"]
    paths_in = [str(tmp_path / name) for name in inside + outside]
    given = [run_outcomes.contains(project, path) for path in paths_in]
    assert given == [True] * len(inside) + [False] * len(outside)
    assert not any(run_outcomes.contains(project, name) for name in ("", "shop", "../shop", "/"))
