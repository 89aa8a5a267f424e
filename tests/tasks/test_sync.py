"""Task memory with the real Backlog.md: its command, MCP server, board, and hand edits."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from memory_core.tasks import backlog_folder, backlog_format, task_actions
from support.calls import SESSION
from support.command_line import Done
from support.events import make_start_event
from support.imports import EXPENSIVE_MODULES, list_hook_imports
from support.life import write_task
from support.paths import BACKLOG
from support.processes import run_text
from support.requirements import require_backlog
from support.sandbox import Sandbox

USED = {
    "session_id": "s1",
    "hook_event_name": "PostToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "backlog task list"},
    "tool_response": {"stdout": "fine"},
}


class Board:
    """A project with tasks in Backlog.md; the hook runs after each of its commands."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.root = sandbox.root
        sandbox.env["PATH"] = f"{BACKLOG.parent}{os.pathsep}{sandbox.env['PATH']}"
        self.project = sandbox.open_project()

    def set_up(self, *options: str) -> Board:
        self.run("git init -q -b main")
        self.run(" ".join(["backlog init shop --defaults", *options]))
        self.configure("remote_operations", "false")
        return self

    @property
    def folder(self) -> Path:
        return Path(backlog_folder.Folder(self.project.paths.files).path)

    def configure(self, key: str, value: str) -> None:
        """Set a line of config.yml, as a user does in an editor."""
        path = next(self.root.glob("*backlog*/config.yml"), self.root / "backlog.config.yml")
        lines = [line for line in path.read_text().splitlines() if not line.startswith(f"{key}:")]
        path.write_text("\n".join([*lines, f"{key}: {value}\n"]))

    def run(self, command: str) -> Done:
        """Run a shell command, without any hook."""
        env = {**self.sandbox.env, "GIT_CONFIG_GLOBAL": os.devnull, "NO_COLOR": "1"}
        return run_text(["bash", "-c", command], timeout=60, cwd=self.root, env=env)

    def bash(self, command: str) -> dict[str, str]:
        """Run a command as the Bash tool of Claude Code, and the hook; return the states then."""
        failed = "Failure" if self.run(command).returncode else ""
        self.used("Bash", {"command": command}, failed)
        return self.states()

    def used(self, tool: str, arguments: dict[str, Any], failed: str = "") -> None:
        event = {**USED, "hook_event_name": f"PostToolUse{failed}", "tool_name": tool}
        outcome = self.sandbox.run_hook("post_tool_use", {**event, "tool_input": arguments})
        assert (outcome.status, outcome.stdout, outcome.stderr) == (0, b"", b"")
        assert self.sandbox.read_log("agent.memory.error") == []

    def states(self) -> dict[str, str]:
        found = task_actions.list_memories(self.project)
        return {told.id: "active" if told.active else told.state for told in found}

    def file(self, task: str) -> str:
        (path,) = (self.folder / "tasks").glob(f"{task} - *.md")
        return path.read_text(encoding="utf-8")

    def memory(self, task: str) -> str:
        return (self.folder / "memory" / f"{task}.md").read_text(encoding="utf-8")


@pytest.fixture
def empty(sandbox: Sandbox) -> Board:
    require_backlog()
    return Board(sandbox)


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a project with three tasks once, because each command takes half a second."""
    require_backlog()
    board = Board(Sandbox(tmp_path_factory.mktemp("filled"))).set_up()
    board.run("for title in Orders Stock Invoices; do backlog task create $title; done")
    return board.root


@pytest.fixture
def board(empty: Board, filled: Path) -> Board:
    shutil.copytree(filled, empty.root, dirs_exist_ok=True)
    return empty


# Forms of shell commands.


COMMANDS = [
    ("backlog task edit TASK-01 --status='in progress'", {"task-1": "active"}),
    ('S="In Progress"; ID=3; backlog task edit $ID -s "$S" | cat', {"task-3": "active"}),
    ("sh -c \"backlog task edit 1 -s 'In Progress'\"", {"task-1": "active"}),
    ('backlog task create New -s "In Progress" && false', {"task-4": "active"}),
    ("backlog task edit 9 -s 'In Progress'; backlog task edit 1 -s nonsense", {}),
    ("backlog task edit 1 -s 'In Progress' --plain; backlog task edit 1 -s 'to do'", {}),
    ("echo 'backlog task edit 1 -s \"In Progress\"'", {}),
]


@pytest.mark.parametrize(("command", "states"), COMMANDS)
def test_the_task_file_decides(board: Board, command: str, states: dict[str, str]) -> None:
    assert board.bash(command) == states


def test_a_life_by_its_own_command(board: Board) -> None:
    board.bash('backlog task edit 1 -s "In Progress" -t \'A: "quoted" title, with #hash é 😀\'')
    title = 'A: "quoted" title, with #hash é 😀'
    assert task_actions.find(board.project, "1").title == title
    assert f"# task-1: {title}\n" in board.memory("task-1")
    task_actions.add_note(board.project, "", "only for the memory", "Key Decisions")
    assert board.bash("backlog task edit 1 -s Done") == {"task-1": "archived"}
    file = board.file("task-1")
    assert "only for the memory" not in file
    assert "Task Memory: `backlog/memory/archive/task-1.md`\n" in file
    assert board.bash("backlog task complete 1") == {"task-1": "archived"}


def test_the_ways_out_keep_the_memory(board: Board) -> None:
    board.bash('backlog task edit 2 1 3 -s "In Progress"')
    assert sorted(board.states().values()) == ["active", "in progress", "in progress"]
    board.bash("backlog task archive 1")
    board.bash("backlog task demote 2")
    board.bash('backlog task edit 3 -s "To Do"')
    assert board.states() == {"task-1": "kept", "task-2": "kept", "task-3": "kept"}
    assert task_actions.read_status(board.project).active is None


def test_our_own_commands_move_the_task(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", board.sandbox.env["PATH"])
    assert task_actions.start(board.project, "2").problems == []
    assert "status: In Progress" in board.file("task-2")
    task_actions.add_note(board.project, "", "So be it", "Key Decisions")
    assert task_actions.finish(board.project).problems == []
    assert "status: Done" in board.file("task-2")
    assert task_actions.start(board.project, "2", reopens=True).problems == []
    assert "- So be it\n" in board.memory("task-2")


# Settings of Backlog.md.


PREFIXES = [("--task-prefix JIRA", "0", "jira-1"), ("--task-prefix JIRA", "4", "jira-0001")]


@pytest.mark.parametrize(("options", "padding", "task"), PREFIXES)
def test_custom_ids(empty: Board, options: str, padding: str, task: str) -> None:
    empty.set_up(options)
    empty.configure("zero_padded_ids", padding)
    empty.bash('backlog task create Orders -s "In Progress"')
    assert empty.states() == {task: "active"}
    for typed in ("1", task, task.upper(), "jira-01"):
        assert task_actions.find(empty.project, typed).id == task
    empty.bash("backlog task edit 1 -s Done")
    assert empty.states() == {task: "archived"}
    assert f"memory/archive/{task}.md`" in empty.file(task)


@pytest.mark.parametrize(
    ("options", "folder"),
    [("--backlog-dir .backlog", ".backlog"), ("--backlog-dir a/b --config-location root", "a/b")],
)
def test_custom_folders(empty: Board, options: str, folder: str) -> None:
    empty.set_up(options)
    empty.bash('backlog task create Orders -s "In Progress"')
    assert (empty.root / folder / "memory" / "task-1.md").is_file()
    assert f"Task Memory: `{folder}/memory/task-1.md`\n" in empty.file("task-1")
    assert not (empty.root / "backlog").exists()


# Other ways to change tasks.


def test_its_mcp_server(board: Board) -> None:
    board.run('backlog task create Part -p 1 --type bug -s "In Progress"')
    assert board.states() == {}
    board.used("mcp__backlog__task_create", {"title": "Part"})
    assert board.states() == {"task-1.1": "active"}
    assert "## Steps to Reproduce" in board.memory("task-1.1")
    assert task_actions.find(board.project, "task-01.01").id == "task-1.1"


def test_branches(board: Board) -> None:
    identity = "git config user.name a; git config user.email a@b"
    board.run(f"{identity}; git add -A; git commit -qm all; git checkout -qb work")
    board.bash('backlog task edit 1 -s "In Progress"')
    task_actions.add_note(board.project, "", "on the branch")
    board.run("git add -A; git commit -qm begun")
    assert board.bash("git checkout -q main # of the backlog") == {}
    assert task_actions.read_status(board.project).active is None
    assert board.bash("git checkout -q work # of the backlog") == {"task-1": "active"}
    assert "- on the branch\n" in board.memory("task-1")
    assert ".state.yml" not in board.run("git ls-files").stdout


# Without a backlog the hook takes no extra time.


LOOKS = [("make test", False), ("Backlog task list", True), ("backlog", True)]


@pytest.mark.parametrize(("command", "looks"), LOOKS)
def test_other_commands_import_nothing(sandbox: Sandbox, command: str, looks: bool) -> None:
    event = {**USED, "tool_input": {"command": command}}
    found = list_hook_imports(sandbox, "post_tool_use", event)
    ours = {name for name in found if name.startswith("memory_core.")}
    assert ours == {"memory_core.hook"} or (looks and "memory_core.storage.project" in ours)
    assert not sandbox.state.exists()


START = make_start_event("a2")
HOOKS = [("post_tool_use", USED), ("subagent_start", START), ("session_start", SESSION)]


@pytest.mark.parametrize(("hook", "event"), HOOKS)
def test_a_hook_checks_the_tasks(sandbox: Sandbox, hook: str, event: dict[str, object]) -> None:
    sandbox.switch_selection_on()
    write_task(sandbox.root, 1, "In Progress")
    for run in ("a0", "a1"):  # makes the state, then keeps the settings there
        list_hook_imports(sandbox, "post_tool_use", {**USED, "agent_id": run})
    (sandbox.root / "CLAUDE.md").write_text("@backlog/CLAUDE.md\n")
    for status in ("In Progress", "Done"):
        write_task(sandbox.root, 2, status)
        told = {**event, "agent_id": f"a-{status}"}
        found = {name.split(".")[0] for name in list_hook_imports(sandbox, hook, told)}
        assert hook != "post_tool_use" or not found & EXPENSIVE_MODULES  # the worker checks
    assert (sandbox.root / "backlog" / "memory" / "archive" / "task-2.md").is_file()
    assert (sandbox.root / "backlog" / "CLAUDE.md").is_file()


# Reading files that Backlog.md writes.


def test_fields_of_task_files_are_read_correctly(board: Board) -> None:
    options = "-l 'a,y,no,1' --type bug -d 'Some text' --notes 'A note' -s Done"
    board.run(f"backlog task edit 1 -t 'Say \"hi\": now' {options}")
    task = backlog_format.BacklogTask(board.file("task-1"))
    assert (task.title, task.status, task.kind) == ('Say "hi": now', "Done", "bug")
    assert task.labels == ["a", "y", "no", "1"]
