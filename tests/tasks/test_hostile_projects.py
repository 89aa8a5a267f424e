"""Task memory in a repository with links, thousands of files, and settings of its own."""

from __future__ import annotations

import json

import pytest

from memory_core.storage.project import find_project
from memory_core.tasks import backlog_folder, sync, task_actions
from support.life import write, write_task
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
    own = find_project(str(project.root), project.env)
    task_actions.finish(own, "1")
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


@pytest.mark.parametrize(
    "name",
    [".git/hooks", ".claude/agents", "a/.vscode", "/etc", "../other", ".", "a\nb", "x" * 200],
)
def test_the_backlog_is_in_no_folder_of_another_tool(sandbox: Sandbox, name: str) -> None:
    (sandbox.root / "backlog.config.yml").write_text(f"backlog_directory: {json.dumps(name)}\n")
    folder = backlog_folder.Folder(sandbox.paths.files)
    assert folder.path == str(sandbox.root / "backlog")


def test_a_task_stays_active_below_many_newer_files(
    project: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = find_project(str(project.root), project.env)
    sync.update(own)
    monkeypatch.setattr(backlog_folder, "MAX_OPEN_FILES", 3)
    for number in range(3, 8):
        write_task(project.root, number, "To Do")
    sync.update(own)
    state = (project.root / "backlog" / ".state.yml").read_text()
    assert "task-1" in state.partition("in_progress:")[2]
