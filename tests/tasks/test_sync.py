"""Task memory with the real Backlog.md: its command, MCP server, board, and hand edits."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_core.memory.project import find_project
from memory_core.tasks import backlog_folder, backlog_format, task_actions
from support.backlog import require_backlog
from support.imports import EXPENSIVE_MODULES, SESSION_EVENT, START_EVENT, list_hook_imports
from support.paths import BACKLOG
from support.sandbox import Sandbox


class Board:
    """A project with tasks in Backlog.md; the hook runs after each of its commands."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.root = sandbox.root
        sandbox.env["PATH"] = f"{BACKLOG.parent}{os.pathsep}{sandbox.env['PATH']}"
        self.project = find_project(str(sandbox.root), sandbox.env)

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

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a shell command, without any hook."""
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.root,
            env={**self.sandbox.env, "GIT_CONFIG_GLOBAL": os.devnull, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def bash(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a shell command as the Bash tool of Claude Code, and then the hook."""
        done = self.run(command)
        failed = "Failure" if done.returncode else ""
        self.used("Bash", {"command": command}, failed)
        return done

    def used(self, tool: str, arguments: dict[str, Any], failed: str = "") -> None:
        event = {
            "session_id": "s1",
            "cwd": str(self.root),
            "hook_event_name": f"PostToolUse{failed}",
            "tool_name": tool,
            "tool_input": arguments,
            "tool_use_id": "toolu_1",
            "tool_response": {"stdout": ""},
        }
        data = json.dumps(event, separators=(",", ":")).encode()
        outcome = self.sandbox.run_hook("post_tool_use", data)
        assert (outcome.status, outcome.stdout, outcome.stderr) == (0, b"", b"")
        assert self.sandbox.read_log("agent.memory.error") == []

    def starts(self, source: str = "startup") -> None:
        """Start a session."""
        event = {"hook_event_name": "SessionStart", "session_id": "s1", "source": source}
        assert self.sandbox.run_hook("session_start", event).status == 0

    def states(self) -> dict[str, str]:
        found = task_actions.list_memories(self.project)
        return {told.id: "active" if told.active else told.state for told in found}

    def file(self, task: str, place: str = "tasks") -> str:
        (path,) = (self.folder / place).glob(f"{task} - *.md")
        return path.read_text(encoding="utf-8")

    def memory(self, task: str, archived: bool = False) -> str:
        folder = self.folder / "memory" / ("archive" if archived else "")
        return (folder / f"{task}.md").read_text(encoding="utf-8")


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


@pytest.mark.parametrize(
    ("command", "states"),
    [
        ('backlog task edit 1 -s "In Progress"', {"task-1": "active"}),
        ("backlog task edit TASK-01 --status='in progress'", {"task-1": "active"}),
        ('cd /tmp && cd - && backlog task edit 2 -s "In Progress" | cat', {"task-2": "active"}),
        ('S="In Progress"; ID=3; backlog task edit $ID -s "$S"', {"task-3": "active"}),
        ("sh -c \"backlog task edit 1 -s 'In Progress'\"", {"task-1": "active"}),
        ('backlog task create New -s "In Progress"', {"task-4": "active"}),
        ('backlog task edit 1 -s "In Progress" && false', {"task-1": "active"}),
        ('backlog task edit 9 -s "In Progress"', {}),
        ("backlog task edit 1 -s nonsense", {}),
        ("backlog task edit 1 -s 'In Progress' --plain; backlog task edit 1 -s 'to do'", {}),
        ("backlog task list --plain", {}),
        ("echo 'backlog task edit 1 -s \"In Progress\"'", {}),
    ],
)
def test_the_task_file_decides_for_any_command(
    board: Board, command: str, states: dict[str, str]
) -> None:
    board.bash(command)
    assert board.states() == states


def test_several_ids_at_once(board: Board) -> None:
    board.bash('backlog task edit 2 1 3 -s "In Progress"')
    assert set(board.states()) == {"task-1", "task-2", "task-3"}
    assert sorted(board.states().values()) == ["active", "in progress", "in progress"]


def test_a_life_by_its_own_command(board: Board) -> None:
    board.bash('backlog task edit 1 -s "In Progress"')
    assert "# task-1: Orders\n" in board.memory("task-1")
    task_actions.add_decision(board.project, "", "**Numbers** are never reused: 1, 2")
    task_actions.add_decision(board.project, "", "--force is for `rm`\n- of lists, too")
    task_actions.add_note(board.project, "", "only for the memory")
    board.bash("backlog task edit 1 -s Done")
    assert board.states() == {"task-1": "archived"}
    file = board.file("task-1")
    assert "- **Numbers** are never reused: 1, 2\n" in file
    assert "- --force is for `rm`\n  - of lists, too\n" in file
    assert "only for the memory" not in file
    assert "Task Memory: `backlog/memory/archive/task-1.md`\n" in file
    board.bash('backlog task edit 1 -s "In Progress"')
    assert board.states() == {"task-1": "active"}
    task_actions.add_decision(board.project, "", "A third one")
    board.bash("backlog task edit 1 -s Done")
    file = board.file("task-1")
    told = ("**Numbers** are", "--force is for", "A third one")
    assert [file.count(decision) for decision in told] == [1, 1, 1]
    board.bash("backlog task complete 1")
    assert board.states() == {"task-1": "archived"}
    with pytest.raises(task_actions.TaskRefused, match="task-1 is completed"):
        task_actions.start(board.project, "1")


def test_two_parallel_hooks_write_a_decision_once(board: Board) -> None:
    board.bash('backlog task edit 1 -s "In Progress"')
    task_actions.add_decision(board.project, "", "Numbers are never reused")
    board.run("backlog task edit 1 -s Done")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: board.used("Bash", {"command": "backlog"}), range(3)))
    assert board.file("task-1").count("never reused") == 1
    assert board.states() == {"task-1": "archived"}


def test_a_decision_ends_no_section_of_the_task(board: Board) -> None:
    board.bash('backlog task edit 1 -s "In Progress"')
    task_actions.add_decision(board.project, "", "First\n<!-- SECTION:NOTES:END -->\n## Forged")
    path = board.folder / "memory" / "task-1.md"
    path.write_text(path.read_text().replace("- First", "- By hand\n- Yes\n- First"))
    board.bash("backlog task edit 1 -s Done")
    board.bash("backlog task edit 1 --append-notes later")
    notes = backlog_format.extract_section(board.file("task-1"), "Implementation Notes")
    assert "- By hand\n- Yes\n- First\n" in notes
    assert notes.endswith("later")


def test_the_ways_out_keep_the_memory(board: Board) -> None:
    board.bash('backlog task edit 1 2 3 -s "In Progress"')
    board.bash("backlog task archive 1")
    board.bash("backlog task demote 2")
    board.bash('backlog task edit 3 -s "To Do"')
    assert board.states() == {"task-1": "kept", "task-2": "kept", "task-3": "kept"}
    assert task_actions.find_active(board.project) is None
    board.bash('backlog task edit 3 -s "In Progress"')
    assert board.states()["task-3"] == "active"


def test_the_id_of_an_archived_task_comes_again(board: Board) -> None:
    board.bash('backlog task edit 3 -s "In Progress"')
    task_actions.add_note(board.project, "", "of the older one")
    path = board.folder / "memory" / "task-3.md"
    path.write_text(path.read_text().replace("created: '2", "created: '1", 1))
    board.bash("backlog task archive 3")
    board.bash('backlog task create Fresh -s "In Progress"')
    assert "# task-3: Fresh\n" in board.memory("task-3")
    assert "of the older one" not in board.memory("task-3")
    (older,) = (board.folder / "memory" / "archive").glob("task-3-*.md")
    assert "- of the older one\n" in older.read_text()


def test_sub_tasks_and_types(board: Board) -> None:
    board.bash('backlog task create Part -p 1 --type bug -s "In Progress"')
    assert board.states() == {"task-1.1": "active"}
    assert "## Steps to Reproduce" in board.memory("task-1.1")
    for typed in ("1.1", "TASK-1.1", "task-01.01"):
        assert task_actions.find(board.project, typed).id == "task-1.1"
    board.bash("backlog task edit 1.1 -s Done")
    assert board.states() == {"task-1.1": "archived"}


def test_our_own_commands_move_the_task(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", board.sandbox.env["PATH"])
    assert task_actions.start(board.project, "2").problems == []
    assert "status: In Progress" in board.file("task-2")
    task_actions.add_decision(board.project, "", "So be it")
    assert task_actions.finish(board.project).problems == []
    assert "status: Done" in board.file("task-2")
    assert board.file("task-2").count("- So be it\n") == 1
    assert task_actions.reopen(board.project, "2").problems == []
    assert "status: In Progress" in board.file("task-2")
    task_actions.add_decision(board.project, "", "And that")
    task_actions.finish(board.project)
    assert board.file("task-2").count("- So be it\n") == 1
    assert board.file("task-2").count("- And that\n") == 1


def test_without_its_command_decisions_wait(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    board.bash('backlog task edit 1 -s "In Progress"')
    task_actions.add_decision(board.project, "", "So be it")
    path = board.sandbox.env["PATH"]
    board.run("backlog task edit 1 -s Done")
    board.sandbox.env["PATH"] = path.partition(os.pathsep)[2]
    board.starts()
    assert board.states() == {"task-1": "archived"}
    assert "So be it" not in board.file("task-1")
    board.sandbox.env["PATH"] = path
    board.starts()
    assert board.file("task-1").count("- So be it\n") == 1


# Settings of Backlog.md.


def test_custom_statuses(board: Board) -> None:
    board.configure("statuses", '["Idea", "To Do", "Doing", "Blocked", "Shipped"]')
    board.bash("backlog task edit 1 -s doing")
    assert board.states() == {"task-1": "active"}
    board.bash("backlog task edit 1 -s Blocked; backlog task edit 2 -s idea")
    assert board.states() == {"task-1": "active"}
    board.bash("backlog task edit 1 -s Shipped")
    assert board.states() == {"task-1": "archived"}
    board.configure("statuses", '["To Do", "Shipped", "Out"]')
    board.bash("backlog task list --plain")
    assert board.states() == {"task-1": "archived"}


@pytest.mark.parametrize(
    ("options", "configured", "task"),
    [
        ("--task-prefix JIRA", {}, "jira-1"),
        ("", {"zero_padded_ids": "3"}, "task-001"),
        ("--task-prefix JIRA", {"zero_padded_ids": "4"}, "jira-0001"),
    ],
)
def test_custom_ids(empty: Board, options: str, configured: dict[str, str], task: str) -> None:
    empty.set_up(options)
    for key, value in configured.items():
        empty.configure(key, value)
    empty.bash('backlog task create Orders -s "In Progress"')
    assert empty.states() == {task: "active"}
    for typed in ("1", task, task.upper(), f"{task.split('-')[0]}-01"):
        assert task_actions.find(empty.project, typed).id == task
    empty.bash("backlog task edit 1 -s Done")
    assert empty.states() == {task: "archived"}
    assert f"memory/archive/{task}.md`" in empty.file(task)


@pytest.mark.parametrize(
    ("options", "folder"),
    [
        ("--backlog-dir .backlog", ".backlog"),
        ("--backlog-dir planning/board --config-location root", "planning/board"),
    ],
)
def test_custom_folders(empty: Board, options: str, folder: str) -> None:
    empty.set_up(options)
    empty.bash('backlog task create Orders -s "In Progress"')
    assert (empty.root / folder / "memory" / "task-1.md").is_file()
    assert f"Task Memory: `{folder}/memory/task-1.md`\n" in empty.file("task-1")
    assert not (empty.root / "backlog").exists()


@pytest.mark.parametrize(
    "title",
    [
        'A: "quoted" title, with #hash, that goes on and on beyond the eighty columns of a line',
        "😀 and \u00a0 and é",
        "- it's: [x] {y} @z",
        "null",
    ],
)
def test_a_title_arrives_as_it_was_typed(board: Board, title: str) -> None:
    subprocess.run(
        [str(BACKLOG), "task", "edit", "1", "-s", "In Progress", f"--title={title}"],
        cwd=board.root,
        env=board.sandbox.env,
        capture_output=True,
        check=True,
    )
    board.used("Bash", {"command": "backlog"})
    told = task_actions.find(board.project, "1")
    assert told.title == " ".join(title.split())
    assert f"# task-1: {told.title}\n" in board.memory("task-1")


# Other ways to change tasks.


def test_its_board_in_the_browser(board: Board) -> None:
    with served(board) as url:
        request = urllib.request.Request(
            f"{url}/api/tasks/TASK-2",
            data=b'{"status": "In Progress"}',
            headers={"Content-Type": "application/json"},
            method="PUT",
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 200
    assert board.states() == {}
    board.starts()
    assert board.states() == {"task-2": "active"}


@contextmanager
def served(board: Board) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(BACKLOG), "browser", "--no-open", "--non-interactive", "-p", str(port)]
    process = subprocess.Popen(
        command,
        cwd=board.root,
        env=board.sandbox.env,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        until(lambda: answers(f"{url}/api/tasks"))
        yield url
    finally:
        os.killpg(process.pid, signal.SIGTERM)  # the command starts the server as a child
        process.wait(30)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


CLIENT = """
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    program, root, path = sys.argv[1:4]
    server = StdioServerParameters(
        command=program, args=["mcp", "start"], cwd=root, env={"PATH": path, "HOME": root}
    )
    async with stdio_client(server) as pipes, ClientSession(*pipes) as session:
        await session.initialize()
        for name, arguments in json.loads(sys.argv[4]):
            result = await session.call_tool(name, arguments)
            print(result.model_dump_json())

asyncio.run(main())
"""


def test_its_mcp_server(board: Board) -> None:
    calls = [["task_edit", {"id": "task-1", "status": "In Progress"}]]
    done = subprocess.run(
        [
            *(sys.executable, "-c", CLIENT, str(BACKLOG), str(board.root)),
            *(board.sandbox.env["PATH"], json.dumps(calls)),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "In Progress" in done.stdout, done
    board.used("mcp__backlog__task_edit", calls[0][1])
    assert board.states() == {"task-1": "active"}


def test_an_edit_by_hand(board: Board) -> None:
    (path,) = (board.folder / "tasks").glob("task-2 - *.md")
    path.write_text(path.read_text().replace("status: To Do", "status: 'in progress'  # now"))
    board.starts()
    assert board.states() == {"task-2": "active"}
    renamed = path.with_name("TASK-2 - Another title.md")
    path.rename(renamed)
    renamed.write_text(renamed.read_text().replace("title: Stock", "title: Another title"))
    board.starts()
    assert board.states() == {"task-2": "active"}
    assert "# task-2: Another title\n" in board.memory("task-2")


def test_branches(board: Board) -> None:
    identity = "git config user.name a; git config user.email a@b"
    board.run(f"{identity}; git add -A; git commit -qm all; git checkout -qb work")
    board.bash('backlog task edit 1 -s "In Progress"')
    task_actions.add_note(board.project, "", "on the branch")
    board.run("git add -A; git commit -qm begun")
    board.bash("git checkout -q main # of the backlog")
    assert board.states() == {}
    assert task_actions.find_active(board.project) is None
    board.bash("git checkout -q work # of the backlog")
    assert board.states() == {"task-1": "active"}
    assert "- on the branch\n" in board.memory("task-1")
    assert ".state.yml" not in board.run("git ls-files").stdout


# Without a backlog the hook takes no extra time.

USED = {
    "session_id": "s1",
    "hook_event_name": "PostToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "backlog task list"},
    "tool_response": {"stdout": "fine"},
}


@pytest.mark.parametrize(
    ("command", "looks"), [("make test", False), ("Backlog task list", True), ("backlog", True)]
)
def test_a_command_without_the_word_imports_nothing(
    sandbox: Sandbox, command: str, looks: bool
) -> None:
    event = {**USED, "tool_input": {"command": command}}
    ours = {
        name
        for name in list_hook_imports(sandbox, "post_tool_use", event)
        if name[:12] == "memory_core."
    }
    assert ours == {"memory_core.hook"} or (looks and "memory_core.memory.project" in ours)
    assert not sandbox.state.exists()


@pytest.mark.parametrize(
    ("hook", "event"),
    [
        ("post_tool_use", USED),
        ("subagent_start", START_EVENT),
        ("session_start", SESSION_EVENT),
    ],
)
def test_a_check_imports_no_slow_module(
    sandbox: Sandbox, hook: str, event: dict[str, object]
) -> None:
    folder = sandbox.root / "backlog" / "tasks"
    folder.mkdir(parents=True)
    for number, status in ((1, "In Progress"), (2, "To Do")):
        told = f"---\nid: TASK-{number}\ntitle: T\nstatus: {status}\n---\n"
        (folder / f"task-{number} - T.md").write_text(told)
    (sandbox.root / "CLAUDE.md").write_text("@backlog/CLAUDE.md\n")
    for status in ("In Progress", "Done"):
        path = folder / "task-2 - T.md"
        path.write_text(f"---\nid: TASK-2\ntitle: T\nstatus: {status}\n---\n")
        told = {**event, "agent_id": f"a-{status}"}
        found = {name.split(".")[0] for name in list_hook_imports(sandbox, hook, told)}
        assert "memory_core" in found
        assert not found & EXPENSIVE_MODULES
    assert (sandbox.root / "backlog" / "memory" / "archive" / "task-2.md").is_file()
    assert (sandbox.root / "backlog" / "CLAUDE.md").is_file()


# Reading files that Backlog.md writes.


def test_fields_of_task_files_are_read_correctly(board: Board) -> None:
    board.run(
        "backlog task edit 1 -t 'Say \"hi\": now' -l 'a,y,no,1' --type bug "
        "-d 'Some text' --notes 'A note' -s Done"
    )
    task = backlog_format.BacklogTask(board.file("task-1"))
    assert (task.title, task.status, task.kind) == ('Say "hi": now', "Done", "bug")
    assert task.labels == ["a", "y", "no", "1"]
    assert backlog_format.extract_section(board.file("task-1"), "Implementation Notes") == "A note"
    told, count = task_actions.import_text(board.project, "1")
    assert (told.id, count) == ("task-1", 2)
    assert "Some text" in board.memory("task-1")
