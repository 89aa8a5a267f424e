"""Task memory in a repository with links and settings of its own."""

import json

import pytest

from memory_core.tasks import backlog_folder, task_actions
from support.files import write
from support.life import write_task
from support.sandbox import Sandbox

SESSION = {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}


@pytest.fixture
def project(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Create a project with an active task, on a machine without Backlog.md."""
    monkeypatch.setenv("PATH", str(sandbox.home))
    write_task(sandbox.root, 1, "In Progress")
    write(sandbox.root / "CLAUDE.md", "@backlog/CLAUDE.md\n")
    own = sandbox.open_project()
    task_actions.start(own, "1")
    task_actions.add_note(own, "1", "see @../../.env")
    return sandbox


def test_of_the_copies_only_files_of_ours_are_deleted(project: Sandbox) -> None:
    copies = project.root / "backlog" / "memory" / ".sessions"
    for name in ("task-7.md", "id_rsa", "Upper.md", ".hidden.md"):
        (copies / name).write_text("x")
    (copies / "folder.md").mkdir()
    task_actions.finish(project.open_project(), "1")
    names = {path.name for path in copies.iterdir()}
    assert names == {".gitignore", "id_rsa", "Upper.md", ".hidden.md", "folder.md"}


def test_one_refused_memory_does_not_stop_the_others(project: Sandbox) -> None:
    memory = project.root / "backlog" / "memory"
    (memory / "task-3.md").symlink_to(project.home / "task-2.md")
    write_task(project.root, 3, "In Progress")
    write_task(project.root, 4, "In Progress")
    for _ in range(2):
        project.run_hook("session_start", SESSION)
    assert (memory / "task-4.md").is_file()
    (event,) = project.read_log("task.memory.refused")
    assert event["task_id"] == "task-3"
    assert event["error"] == "backlog/memory/task-3.md is a link, which is not followed"


ELSEWHERE = [".git/hooks", ".claude/agents", "a/.vscode", "/etc", "../other", ".", "a\nb"]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_backlog_is_in_no_folder_of_another_tool(sandbox: Sandbox, name: str) -> None:
    (sandbox.root / "backlog.config.yml").write_text(f"backlog_directory: {json.dumps(name)}\n")
    folder = backlog_folder.Folder(sandbox.paths.files)
    assert folder.path == str(sandbox.root / "backlog")


def test_a_new_backlog_is_where_its_settings_are(sandbox: Sandbox) -> None:
    """Git keeps no empty folder, so a clone may have the settings only."""
    (sandbox.root / "backlog").mkdir()
    write(sandbox.root / ".backlog" / "config.yml", "project_name: shop\n")
    assert backlog_folder.Folder(sandbox.paths.files).path == str(sandbox.root / ".backlog")


def test_of_two_spellings_the_memory_of_that_name_is_meant(project: Sandbox) -> None:
    (project.root / "backlog" / "memory" / "1.md").write_text("# of a branch\n")
    folder = backlog_folder.Folder(project.paths.files)
    names = [folder.find_memory(name) for name in ("1", "task-1", "TASK-1")]
    assert names == ["1", "task-1", "task-1"]
