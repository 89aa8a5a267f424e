"""A repository may hold links, pipes and thousands of files wherever task memory looks."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.files import safe_files
from memory_core.storage.project import find_project
from memory_core.tasks import backlog_folder, claude_md_import, task_actions, task_events
from support.events import make_start_event
from support.files import read_files
from support.life import write, write_task
from support.sandbox import Sandbox

# Places below the backlog folder that a hook or a command uses.
FOLDERS = ("", "tasks", "memory", "memory/archive", "memory/.sessions", "../.claude-mpm/templates")
FILES = (
    *("config.yml", "CLAUDE.md", ".gitignore", ".state.yml", "../CLAUDE.md"),
    *("tasks/task-1 - Unload.md", "memory/task-1.md", "memory/archive/task-2.md"),
    *("memory/.sessions/task-1.md", "../.claude-mpm/templates/default.md"),
)
SESSION = {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}
USED = {"tool_name": "Bash", "tool_input": {"command": "backlog"}, "tool_response": {"stdout": ""}}
SECRET = "the password of the neighbour"


@pytest.fixture
def project(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Create a project with all files of task memory, on a machine without Backlog.md."""
    monkeypatch.setenv("PATH", str(sandbox.home))
    sandbox.env["PATH"] = str(sandbox.home)
    write_task(sandbox.root, 1, "In Progress")
    write_task(sandbox.root, 2, "Done")
    write(sandbox.root / "backlog" / "config.yml", "statuses: [To Do, In Progress, Done]\n")
    write(sandbox.root / ".claude-mpm" / "templates" / "default.md", "## Context\n")
    write(sandbox.root / "CLAUDE.md", "@backlog/CLAUDE.md\n")
    own = find_project(str(sandbox.root), sandbox.env)
    task_actions.reopen(own, "2")
    task_actions.archive(own, "2")
    task_actions.start(own, "1")
    task_actions.add_note(own, "1", "see @../../.env")
    for path in (*FOLDERS, *FILES):
        assert (sandbox.root / "backlog" / path).exists(), path
    return sandbox


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Create a folder with files of the names that task memory uses, and old ones."""
    folder = tmp_path / "outside"
    for name in ("task-1", "task-2", "task-1 - Unload", "CLAUDE", "default"):
        path = folder / f"{name}.md"
        write(path, f"---\ntitle: {SECRET}\nstatus: In Progress\n---\n{SECRET}\n")
        os.utime(path, (1, 1))
    return folder


def run_hooks(sandbox: Sandbox) -> str:
    """Run the hooks that look at tasks; return all that they say."""
    said = ""
    used = {**SESSION, "hook_event_name": "PostToolUse", **USED}
    hooks = {"session_start": SESSION, "post_tool_use": used, "subagent_start": make_start_event()}
    for name, event in hooks.items():
        begin = time.monotonic()
        outcome = sandbox.run_hook(name, event)
        assert outcome.status == 0
        assert time.monotonic() - begin < 4  # the hook's own limit is 5
        said += outcome.stdout.decode() + outcome.stderr.decode()
    return said


def live(sandbox: Sandbox) -> str:
    """Run the hooks and the actions on tasks; return all that they say."""
    said = run_hooks(sandbox)
    project = find_project(str(sandbox.root), sandbox.env)
    for action in ACTIONS:
        try:
            said += repr(action(project))
        except (OSError, task_actions.TaskError) as error:
            said += str(error)
    return said


ACTIONS: tuple[Callable[..., object], ...] = (
    lambda project: task_actions.add_note(project, "1", "a note of a person"),
    lambda project: task_actions.start(project, "2"),
    lambda project: task_actions.finish(project, "1"),
    lambda project: task_actions.reopen(project, "1"),
    lambda project: task_actions.search(project, "password"),
    lambda project: task_actions.list_memories(project),
    lambda project: task_actions.delete(project, task_actions.find(project, "2")),
    lambda project: claude_md_import.set_up(project),
    lambda project: claude_md_import.remove(project.paths),
)


def read_tree(folder: Path) -> dict[str, tuple[bytes, float]]:
    return {
        name: (data, (folder / name).stat().st_mtime) for name, data in read_files(folder).items()
    }


@pytest.mark.parametrize("place", [*FOLDERS, *FILES])
def test_a_link_leads_nowhere(project: Sandbox, outside: Path, place: str) -> None:
    path = project.root / "backlog" / place
    if path.is_dir():
        shutil.rmtree(path)
        path.symlink_to(outside)
    else:
        path.unlink()
        path.symlink_to(outside / "task-1.md")
    before = read_tree(outside)
    assert SECRET not in live(project)
    assert read_tree(outside) == before
    if path.is_symlink():
        path.unlink()
    assert SECRET not in repr(read_files(project.root))


@pytest.mark.parametrize("place", FILES)
@pytest.mark.parametrize("kind", ["pipe", "folder", "huge"])
def test_what_is_not_a_usual_file_stalls_nothing(project: Sandbox, place: str, kind: str) -> None:
    path = project.root / "backlog" / place
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.touch()
        os.truncate(path, 10**10)
    mode = path.lstat().st_mode
    live(project)
    if path.exists():
        assert path.lstat().st_mode == mode


def test_of_the_copies_only_files_of_ours_are_deleted(project: Sandbox) -> None:
    copies = project.root / "backlog" / "memory" / ".sessions"
    for name in ("task-7.md", "id_rsa", "Upper.md", ".hidden.md"):
        (copies / name).write_text("x")
    (copies / "folder.md").mkdir()
    own = find_project(str(project.root), project.env)
    task_actions.finish(own, "1")
    names = {path.name for path in copies.iterdir()}
    assert names == {".gitignore", "id_rsa", "Upper.md", ".hidden.md", "folder.md"}


def test_one_refused_memory_does_not_stop_the_others(project: Sandbox, outside: Path) -> None:
    memory = project.root / "backlog" / "memory"
    (memory / "task-3.md").symlink_to(outside / "task-2.md")
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


def test_a_hook_handles_many_new_tasks_in_steps(project: Sandbox) -> None:
    """Those without work, such as tasks to do, cost nothing."""
    memory = project.root / "backlog" / "memory"
    for number in range(3, 63):
        write_task(project.root, number, "To Do")
    write_task(project.root, 63, "In Progress")
    own = find_project(str(project.root), project.env)
    task_events.handle_tool_use(own)
    assert (memory / "task-63.md").is_file()
    for number in range(3, 63):
        write_task(project.root, number, "In Progress")
    counts = []
    for _ in range(4):
        task_events.handle_tool_use(own)
        counts.append(len(list(memory.glob("*.md"))))
    assert counts[0] < counts[1] < counts[2] == counts[3]


@pytest.mark.slow
def test_more_entries_than_are_listed_do_not_stall_a_hook(project: Sandbox) -> None:
    tasks = project.root / "backlog" / "tasks"
    for number in range(safe_files.MAX_ENTRIES + 1000):
        os.link(tasks / "task-1 - Unload.md", tasks / f"task-{number + 10} - Orders.md")
    run_hooks(project)
    assert not project.read_log("agent.memory.error")
