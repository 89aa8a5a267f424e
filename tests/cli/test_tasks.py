"""`agent-memory task` as a real process."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from memory_core.claude_code import claude_md
from memory_core.storage import store
from memory_core.tasks import sync
from support.command_line import Person, check_refused, read_fields
from support.files import read_files, write
from support.terminal import Terminal, answer_all


class Shop:
    """A user's project with tasks, with access by shell and editor."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.root = person.sandbox.root
        self.memory = self.root / "backlog" / "memory"
        # Other tests use the real command of Backlog.md; here it is missing.
        folders = person.env["PATH"].split(os.pathsep)
        bare = (each for each in folders if not Path(each, "backlog").exists())
        person.env["PATH"] = os.pathsep.join(bare)

    def add_task(self, number: int, status: str = "To Do") -> Path:
        """Write a task file in the format of Backlog.md."""
        path = self.root / "backlog" / "tasks" / f"task-{number} - Title-{number}.md"
        head = f"id: TASK-{number}\ntitle: Title {number}\nstatus: {status}\n"
        write(path, f"---\n{head}---\n\n## Description\n\nWhy {number}.\n")
        return path

    def run(self, words: str, *more: str, data: str = "", status: int = 0) -> str:
        """Run a command; return its stdout followed by its stderr."""
        done = self.person.run("task", *words.split(), *more, data=data.encode())
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def read_json(self, words: str, *more: str) -> Any:
        return self.person.read_json("task", *words.split(), *more)

    def text(self, task: str, archived: bool = False) -> str:
        folder = self.memory / "archive" if archived else self.memory
        return (folder / f"{task}.md").read_text()

    def files(self) -> dict[str, bytes]:
        """Return all files except those of agent-memory."""
        found = read_files(self.root)
        return {name: found[name] for name in found if not name.startswith(".claude-mpm")}

    def states(self) -> dict[str, str]:
        """Return the state of each memory from `list`."""
        rows = self.read_json("list --all")
        return {row["id"]: "active" if row["active"] else row["state"] for row in rows}


@pytest.fixture
def shop(person: Person) -> Shop:
    return Shop(person)


# --- the life of a memory ---


def test_a_life_without_backlog_md(shop: Shop) -> None:
    begun = shop.read_json("start TASK-9 --title", "Ask for a password")
    assert begun["id"] == "task-9"
    assert (begun["state"], begun["active"], begun["what"]) == ("in progress", True, "started")
    shop.run("note", "The bank answers in XML")
    shop.run("decide 9", "Hash with argon2")
    shop.run("note 09 --section", "Open Points", "Who pays?")
    text = shop.text("task-9")
    assert shop.run("start 9 --title Other --template bugfix").startswith("In progress already")
    assert shop.text("task-9") == text
    assert text.index("## Key Decisions\n- Hash with argon2") < text.index("- The bank answers")
    assert "## Open Points\n- Who pays?" in text
    state = yaml.safe_load((shop.root / "backlog" / ".state.yml").read_text())
    assert set(state) == {"active_task", "last_updated", "in_progress"}
    ignored = (shop.root / "backlog" / ".gitignore").read_text()
    assert ignored.splitlines()[-1] == "/.state.yml"
    assert "No task is in progress now." in shop.run("done")
    assert "Archived already: task-9" in shop.run("done 9")
    assert shop.text("task-9", archived=True).partition("## ")[2] == text.partition("## ")[2]
    assert "Restored: task-9" in shop.run("reopen 9")
    assert shop.text("task-9").partition("## ")[2] == text.partition("## ")[2]


def test_a_failure_of_backlog_md_is_only_reported(shop: Shop) -> None:
    shop.add_task(7)
    said = shop.run("start 7")
    assert "task-7 stays To Do in Backlog.md: the command `backlog` is not there" in said
    shop.person.add_program("backlog", "echo 'no such status' >&2; exit 1")
    told = shop.read_json("done 7")
    assert told["problems"][0].startswith("task-7 stays To Do in Backlog.md: `backlog task edit")
    assert told["problems"][0].endswith("no such status")
    assert told["state"] == "archived"


def test_archive_keeps_and_delete_does_not(shop: Shop) -> None:
    for task in ("task-1", "task-2"):
        shop.run(f"start {task}")
    assert "Active now: task-1" in shop.run("archive")
    assert shop.states() == {"task-1": "active", "task-2": "archived"}
    before = read_files(shop.root / "backlog")
    assert "Nothing is changed yet; run it with --yes" in shop.run("delete 2")
    assert shop.read_json("delete 2")["deleted"] is False
    assert read_files(shop.root / "backlog") == before
    for task in ("2", "task-1"):
        assert shop.read_json(f"delete {task} --yes")["deleted"] is True
    assert shop.read_json("list --all") == []


def test_errors_are_reported_and_change_nothing(shop: Shop) -> None:
    shop.add_task(5, "Done")
    completed = shop.root / "backlog" / "completed"
    completed.mkdir()
    shop.add_task(6, "Done").rename(completed / "task-6 - Title-6.md")
    shop.run("start old-1")
    shop.run("archive old-1")
    before = shop.files()
    unknown = {
        "note text": "no task is in progress; name one, or start one",
        "done": "no task is in progress",
        "show 8": "8 has no memory: agent-memory task start 8",
        "show old1": "did you mean old-1?",
        "show 5": "agent-memory task reopen task-5",
        "note 5 text": "agent-memory task reopen task-5",
    }
    check_refused(shop.person, unknown, status=1, prefix="task")
    wrong = {
        "note old-1 text": "the memory of old-1 is archived; agent-memory task reopen old-1",
        "note old-1": "a text is expected after old-1",
        "note three words here": "quote the text",
        "start ../x": "invalid task id '../x'",
        "start CLAUDE": "invalid task id 'CLAUDE'",
        "search ' '": "enter at least one word",
        "start 3 --template nothing": "'nothing' is not one of 'default'",
        "start 5": "task-5 is done; agent-memory task reopen task-5",
        "start 6": "task-6 is done; agent-memory task reopen task-6",
        "cleanup --archive-after soon": "invalid duration 'soon'",
        "cleanup --yes --dry-run": "exclude each other",
    }
    check_refused(shop.person, wrong, prefix="task")
    assert "Nothing found." in shop.run("search nothing", status=1)
    assert shop.files() == before
    assert "Started: task-5" in shop.run("reopen 5")
    assert "Started: task-6, Title 6" in shop.run("reopen 6")


def test_several_lines_stay_one_note(shop: Shop) -> None:
    shop.run("start task-1")
    said = shop.run("note -", data="first\n\n## no heading\n")
    assert said == "Noted: task-1 [Notes] first ...\n"
    assert "- first\n\n  ## no heading\n" in shop.text("task-1")
    for text in ("See RFC-2119", "2024-2025", "42"):
        assert shop.run("note", text) == f"Noted: task-1 [Notes] {text}\n"
    assert "at most 20000 characters" in shop.run("note -", data="x" * 300_000, status=2)


# --- looking ---


def test_list_shows_what_is_asked_for(shop: Shop) -> None:
    assert shop.run("list") == "No task has a memory.\n"
    for number in (1, 2, 3):
        shop.run(f"start task-{number} --title", f"Title {number}")
    shop.run("archive 3")
    for option, tasks in (("", "task-2 task-1"), ("--all", "task-2 task-1 task-3")):
        assert [each["id"] for each in shop.read_json(f"list {option}")] == tasks.split()
    assert "1 archived; to list them, too: agent-memory task list --all" in shop.run("list")
    row = shop.run("list").splitlines()[1]
    assert re.fullmatch(r"task-2  active       20\d\d-\d\d-\d\d \d\d:\d\d  Title 2", row)


def test_search_looks_everywhere_and_show_prints_the_exact_bytes(shop: Shop) -> None:
    shop.run("start task-1")
    shop.run("note", "The Bank answers in XML")
    shop.run("decide", "The bank is cold")
    path = shop.memory / "task-1.md"
    path.write_bytes(path.read_bytes() + b"\r\n- caf\xe9 \x1b[2J\r\n")
    done = shop.person.run("task", "show", "1")
    assert done.stdout.encode("utf-8", "surrogateescape") == path.read_bytes()
    shop.run("archive")
    assert shop.run("search bank xml") == "task-1  [Notes] The Bank answers in XML  (archived)\n"
    assert shop.read_json("search answers")[0]["section"] == "Notes"
    assert json.loads(shop.run("search nothing --json", status=1)) == []


def test_status_says_what_is_imported(shop: Shop) -> None:
    assert shop.read_json("status")["active"] is None
    shop.run("start task-1")
    assert "Backlog.md" not in shop.run("status")
    shop.add_task(2)
    assert "Backlog.md: command not found" in shop.run("status")
    assert shop.read_json("status")["set_up"] is False
    shop.run("init --yes")
    assert shop.read_json("status")["imported"]["copy"] is False
    shop.run("note", "see @../../.env")
    told = shop.read_json("status")["imported"]
    assert (told["copy"], told["file"]) == (True, "backlog/memory/.sessions/task-1.md")
    assert 0 < told["tokens"] <= shop.read_json("status")["budget"] == 2000
    shop.person.sandbox.configure("memory: {tasks: {enabled: false}}")
    assert "Task memory is switched off" in shop.run("status")


def test_readers_do_not_wait_for_a_lock(shop: Shop) -> None:
    shop.run("start task-1")
    shop.add_task(2, "In Progress")
    with store.hold_lock(shop.person.sandbox.paths, sync.LOCK_NAME, store.LOCK_TIMEOUT):
        said = shop.run("list")
    assert "task-1  active" in said
    assert "The task files could not be read: " in said
    assert shop.states() == {"task-2": "active", "task-1": "in progress"}


# --- consent ---


@pytest.mark.parametrize("before", ["", "# Mine", "# Mine\r\n\r\n", "caf\udce9\n"], ids=repr)
def test_init_asks_adds_and_gives_back_the_bytes(shop: Shop, before: str) -> None:
    path = shop.root / "CLAUDE.md"
    if before:
        path.write_bytes(before.encode("utf-8", "surrogateescape"))
    shop.run("start task-1")
    stood = shop.files()
    said = shop.run("init")
    assert "+@backlog/CLAUDE.md" in said
    assert "Nothing is changed yet; run it with --yes" in said
    assert shop.read_json("init --dry-run")["written"] is False
    assert shop.files() == stood
    assert "Done." in shop.run("init --yes")
    after, added = shop.files(), path.read_bytes().decode("utf-8", "surrogateescape")
    assert claude_md.read_import(added) == ["@backlog/CLAUDE.md"]
    assert before in added
    assert "Nothing to do" in shop.run("init")
    assert "-@backlog/CLAUDE.md" in shop.run("init --remove")
    assert shop.files() == after
    assert "Removed." in shop.run("init --remove --yes")
    assert "Nothing to do" in shop.run("init --remove")
    assert shop.files() == stood
    assert shop.states() == {"task-1": "active"}


def test_a_claude_md_that_is_a_link_is_refused(shop: Shop) -> None:
    """It may lead to the user's own instructions, or to those of another project."""
    shop.run("init --yes")
    other = (shop.root / "CLAUDE.md").rename(shop.person.sandbox.home / "CLAUDE.md")
    (shop.root / "CLAUDE.md").symlink_to(other)
    block = other.read_text()
    for command, advice in (("init --yes", "such as @AGENTS.md"), ("init --remove", "by hand")):
        said = shop.run(command, status=1)
        assert "CLAUDE.md is a link, which is not followed; " in said
        assert advice in said
    assert other.read_text() == block


def test_a_person_is_asked(shop: Shop) -> None:
    shop.run("start task-2")
    shop.run("archive 2")
    backdate(shop, "task-2", archived=True)
    shop.run("start task-1")
    for command, question in (
        ("cleanup --delete-after 0d", "Continue, and delete these for good"),
        ("init", "Add this?"),
        ("delete 1", "Delete this for good?"),
    ):
        before = shop.files()
        for keys, status in (("n\r", 1), ("y\r", 0)):
            assert shop.files() == before
            terminal = Terminal(shop.person, f"agent-memory task {command}")
            assert answer_all(terminal, question, keys) == status
        assert shop.files() != before


# --- tidying up ---


def backdate(shop: Shop, task: str, archived: bool = False) -> None:
    path = shop.memory / ("archive" if archived else "") / f"{task}.md"
    stamp = r"(?m)^(updated|archived): '.*'$"
    path.write_text(re.sub(stamp, r"\1: '2020-01-02 03:04:05'", path.read_text()))


@pytest.fixture
def old(shop: Shop) -> Shop:
    """Four memories that nobody touched for years, one of a task in progress; and a new one."""
    for number in (1, 2, 3, 4, 5):
        shop.add_task(number, "In Progress")
        shop.run("list")
    for number in (1, 2, 3, 5):
        shop.add_task(number, "Done" if number == 3 else "To Do")
    shop.run("list")
    for task in ("task-1", "task-3", "task-4", "task-2"):
        backdate(shop, task, archived=task == "task-3")
    return shop


def test_cleanup_archives_by_default_and_deletes_when_told(old: Shop) -> None:
    stood = read_files(old.root / "backlog")
    said = old.run("cleanup --dry-run --delete-after 90d --archive-after 30d")
    found = re.findall(r"^would (\w+ \S+),", said, re.M)
    assert found == ["archive task-1", "archive task-2", "delete task-3"]
    assert "unchanged since 2020-01-02" in said
    assert "Nothing is changed yet; run it with --yes" in old.run("cleanup --delete-after 90d")
    assert read_files(old.root / "backlog") == stood
    old.run("cleanup")
    archived = dict.fromkeys(("task-1", "task-2", "task-3"), "archived")
    assert old.states() == {"task-4": "active", "task-5": "kept", **archived}
    told = old.read_json("cleanup --delete-after 90d --yes")
    assert [each["id"] for each in told["deleted"]] == ["task-3"]
    assert told["archived"] == []
    assert "Nothing to clean up." in old.run("cleanup --delete-after 90d")


def test_cleanup_keeps_what_was_reopened_while_it_asked(old: Shop) -> None:
    terminal = Terminal(old.person, "agent-memory task cleanup --delete-after 90d")
    terminal.wait_for("for good")
    old.run("reopen task-3")
    old.run("archive task-3")
    terminal.send_keys("y\r")
    assert terminal.wait_for_end() == 0
    assert old.states()["task-3"] == "archived"


# --- for programs ---


def test_json_fields_agree_with_the_page(old: Shop) -> None:
    old.run("start 4")
    old.run("init --yes")
    status = old.read_json("status")
    for row, value in {
        "`task start`, `task done`, `task reopen`, `task archive`": old.read_json("start 4"),
        "`task note`, `task decide`": old.read_json("decide 4", "x"),
        "`task show`": old.read_json("show 4"),
        "`task list`, a list": old.read_json("list")[0],
        "`task search`, a list": old.read_json("search x")[0],
        "`task cleanup`": old.read_json("cleanup --dry-run"),
        "`task delete`": old.read_json("delete 5 --yes"),
        "`task status`": status,
        "`task status`, in `imported`": status["imported"],
        "`task init`": old.read_json("init"),
    }.items():
        assert set(value) == read_fields(row), row
    stamps = [old.read_json("show 4")[name] for name in ("created", "updated")]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", each) for each in stamps)
