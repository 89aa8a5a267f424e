"""Task memory: its actions, its documents, and the part that a session receives."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memory_core.claude_code import claude_md
from memory_core.document import front_matter
from memory_core.git import three_way
from memory_core.memory.project import Project, find_project
from memory_core.tasks import (
    backlog_folder,
    backlog_format,
    claude_md_import,
    lifecycle,
    seen_files,
    sync,
    task_actions,
    task_document,
    task_templates,
)
from memory_core.tasks.backlog_format import DONE, STARTED, TODO
from memory_core.text import word_search
from support.paths import REPO
from support.sandbox import Sandbox

# Task files.


class Shop:
    """A project with task files of Backlog.md, written by the test."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.root = sandbox.root
        self.project = find_project(str(sandbox.root), sandbox.env)

    @property
    def folder(self) -> Path:
        return self.root / "backlog"

    def read_task(
        self, task: str, status: str, title: str = "Orders", place: str = "tasks", **more: str
    ) -> Path:
        """Write the file of a task; remove its file in any other folder."""
        for path in self.folder.glob(f"tasks/{task} - *.md"):
            path.unlink()
        path = self.folder / place / f"{task} - {title}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        told = {"id": task.upper(), "title": title, "status": status, **more}
        lines = "".join(f"{key}: {value}\n" for key, value in told.items())
        path.write_text(f"---\n{lines}---\n\n## Description\n", encoding="utf-8")
        return path

    def check(self) -> None:
        sync.update(self.project)

    def memory(self, task: str, archived: bool = False) -> str:
        folder = self.folder / "memory" / ("archive" if archived else "")
        return (folder / f"{task}.md").read_text(encoding="utf-8")

    def states(self) -> dict[str, str]:
        found = task_actions.list_memories(self.project)
        return {told.id: "active" if told.active else told.state for told in found}


@pytest.fixture
def shop(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """Create a project on a machine without the command of Backlog.md."""
    monkeypatch.setenv("PATH", str(sandbox.home))
    (sandbox.root / ".git").mkdir()
    return Shop(sandbox)


# Front matter, compared with PyYAML.

WRITABLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def flat(text: str) -> str:
    return " ".join(text.split())


@given(WRITABLE)
@example("yes")
@example("2026-11-21")
@example("😀 \u00a0 \x07 'it''s' \\ \"q\"")
def test_any_yaml_reader_reads_what_is_written(title: str) -> None:
    text = front_matter.set_fields("body\n", {"title": title, "labels": [title, "x"]})
    head = yaml.safe_load(text.split("---\n")[1])
    assert (head["title"] or "") == flat(title)
    assert front_matter.read_fields(text)["title"] == flat(title)
    assert front_matter.read_body(text) == "\nbody\n"


@given(WRITABLE, st.booleans())
@example("", False)
@example("it's: 'quoted'", True)
def test_front_matter_of_other_writers_is_read(title: str, unicode: bool) -> None:
    told = {"title": title, "labels": [title, "y"]}
    head = yaml.safe_dump(told, allow_unicode=unicode, width=10**6)
    read = front_matter.read_fields(f"---\n{head}---\nx\n")
    assert flat(str(read["title"])) == flat(title)
    assert read["labels"][-1] == "y"


@pytest.mark.parametrize(
    ("yaml_text", "title"),
    [
        ("title: >-\n  folded over\n  two lines\n", "folded over two lines"),
        ("title: |-\n  line\n  break\n", "line\nbreak"),
        ('title: "nbsp\\_here"\n', "nbsp\xa0here"),
        ('title: "\\U0001F600 emoji"\n', "😀 emoji"),
        ('title: "\\uD83D\\uDE00 pair"\n', "😀 pair"),
        ('title: "\\q is none"\n', "\\q is none"),
        ('title: "\\x"\n', "\\x"),
        ("title: 'it''s: x'\n", "it's: x"),
        ("title: ''\n", ""),
        ("title:\n", ""),
        ("title: a # comment\n", "a"),
        ("title: 'a # none'\n", "a # none"),
        ("title: first\ntitle: second\n", "first"),
    ],
)
def test_front_matter_of_backlog_and_users_is_read(yaml_text: str, title: str) -> None:
    assert front_matter.read_fields(f"---\n{yaml_text}---\n")["title"] == title


def test_other_lines_are_not_changed() -> None:
    text = "---\na: 1\n# mine\nnested:\n  deep: 1\ntitle: old\nlist: [a, b]\n---\n\nbody\n"
    after = front_matter.set_fields(text, {"title": "new", "more": "x"})
    assert after == text.replace("title: old", "title: new").replace("---\n\n", "more: x\n---\n\n")


# Ids and stages.


@pytest.mark.parametrize(
    ("typed", "prefix", "key"),
    [
        *((each, "task", "task-1") for each in ("1", "task-1", "TASK-1", "task-01", " 001 ")),
        *((each, "task", "task-1.1") for each in ("1.1", "task-1.01", "TASK-01.1")),
        ("7", "jira", "jira-7"),
        ("JIRA-7", "jira", "jira-7"),
        ("task-7", "jira", "task-7"),
        ("my-own-name", "task", "my-own-name"),
        ("task-1-20261121", "task", "task-1-20261121"),
        ("0", "task", "task-0"),
    ],
)
def test_all_spellings_of_an_id_are_one_task(typed: str, prefix: str, key: str) -> None:
    assert backlog_format.normalize_id(typed, prefix) == key


@pytest.mark.parametrize(
    ("name", "is_plain"),
    [
        ("task-1", True),
        ("task-1.1", True),
        ("my_own", True),
        *((each, False) for each in ("", ".", "..", "../x", "a/b", "a\\b", "-x", "x-", ".x", "x.")),
        *(
            (each, False)
            for each in ("a..b", "claude", "agents", "a b", "ä", "x" * 65, "a\n", "a:b")
        ),
        *((each, False) for each in ("con", "nul", "com1", "lpt9", "aux.1")),
        *((each, True) for each in ("con-1", "com12", "console")),
    ],
)
def test_an_id_is_a_plain_name(name: str, is_plain: bool) -> None:
    assert backlog_format.is_safe_id(name) == is_plain


OWN = ["Idea", "To Do", "Doing", "Blocked", "Shipped"]
GERMAN = ["Offen", "In Arbeit", "Prüfung", "Fertig"]


@pytest.mark.parametrize(
    ("statuses", "status", "stage"),
    [
        (backlog_format.DEFAULT_STATUSES, "to do", TODO),
        (backlog_format.DEFAULT_STATUSES, "IN PROGRESS", STARTED),
        (backlog_format.DEFAULT_STATUSES, "Done", DONE),
        (backlog_format.DEFAULT_STATUSES, "", TODO),
        (backlog_format.DEFAULT_STATUSES, "unheard of", TODO),
        *zip(itertools.repeat(OWN), OWN, (TODO, TODO, STARTED, STARTED, DONE)),
        *zip(itertools.repeat(GERMAN), GERMAN, (TODO, STARTED, STARTED, DONE)),
    ],
)
def test_a_status_has_a_stage(statuses: list[str], status: str, stage: str) -> None:
    assert backlog_format.BacklogConfig(statuses=statuses).stage(status) == stage


# The document.

LINES = (
    "---\n|title: x\n|## Context\n|## Notes\n|## Key Decisions\n|# t: x\n|- a\n|  b\n|- c\n|\n"
    "|```\n|~~~\n|text\n|<!-- c\n|-->\n|<div>\n|    code\n|> q\n|x ## Notes\n|1. n\n|***\n"
    "|Notes\n-----\n|\t- t\n|    assert imported(shop) == []  # nobody has consented yet
    claude_md_import.set_up(shop.project)
    assert claude_md_import.set_up(shop.project) == []
    assert claude_md.read_block((shop.root / "CLAUDE.md").read_text()) == ["@backlog/CLAUDE.md"]
    assert imported(shop) == ["@memory/a.md"]
    task_actions.start(shop.project, "b")
    assert imported(shop) == ["@memory/b.md"]
    task_actions.finish(shop.project, "b")
    task_actions.finish(shop.project, "a")
    assert not (shop.folder / "CLAUDE.md").exists()
    task_actions.start(shop.project, "c")
    claude_md_import.remove(shop.project.place)
    assert (shop.root / "CLAUDE.md").read_bytes() == mine.encode()
    assert not (shop.folder / "CLAUDE.md").exists()


def test_a_folder_of_another_name_is_set_up_anew(shop: Shop) -> None:
    task_actions.start(shop.project, "a")
    claude_md_import.set_up(shop.project)
    shop.folder.rename(shop.root / ".backlog")
    assert claude_md_import.set_up(shop.project) == ["CLAUDE.md"]
    assert claude_md.read_block((shop.root / "CLAUDE.md").read_text()) == ["@.backlog/CLAUDE.md"]


def test_a_memory_with_import_syntax_is_imported_as_a_copy(shop: Shop) -> None:
    task_actions.start(shop.project, "a")
    claude_md_import.set_up(shop.project)
    task_actions.add_note(shop.project, "a", "see @../../.env")
    assert imported(shop) == ["@../.claude-mpm/state/tasks/a.md"]
    copy = shop.root / ".claude-mpm" / "state" / "tasks" / "a.md"
    assert "- see \\@../../.env\n" in copy.read_text()
    assert "- see @../../.env\n" in shop.memory("a")
    (shop.folder / "memory" / "a.md").write_text(shop.memory("a").replace("@", "at "))
    shop.check()
    assert imported(shop) == ["@memory/a.md"]
    assert not copy.exists()


def test_over_the_budget_a_cut_version_is_imported(shop: Shop) -> None:
    shop.sandbox.configure("memory:\n  tasks:\n    budget_tokens: 200\n")
    shop.project = find_project(str(shop.root), shop.sandbox.env)
    task_actions.start(shop.project, "a", "Orders")
    claude_md_import.set_up(shop.project)
    for number in range(60):
        task_actions.add_note(shop.project, "a", f"note {number} of many about orders")
    assert imported(shop) == ["@../.claude-mpm/state/tasks/a.md"]
    cut = (shop.root / ".claude-mpm" / "state" / "tasks" / "a.md").read_text()
    assert task_document.estimate_tokens(cut) <= 200
    assert "note 59 " in cut
    assert "note 3 " not in cut
    assert shop.memory("a").count("- note ") == 60


# Parallel processes.

NOTING = """
import sys
from memory_core.memory.project import find_project
from memory_core.storage.store import LockTimeout
from memory_core.tasks import task_actions
project = find_project(sys.argv[1], {"HOME": sys.argv[1]})
for number in range(int(sys.argv[3])):
    while True:  # on a slow machine a writer may not get its turn in time, and is told so
        try:
            task_actions.add_note(project, "a", f"note {sys.argv[2]}-{number}")
            break
        except LockTimeout:
            pass
"""


def noting(shop: Shop, who: int, count: int) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-I",
        "-c",
        f"import sys; sys.path.insert(0, {str(REPO)!r})\n{NOTING}",
    ]
    return subprocess.Popen(
        [*command, str(shop.root), str(who), str(count)], stderr=subprocess.PIPE
    )


def test_notes_of_twenty_processes_are_all_saved(shop: Shop) -> None:
    task_actions.start(shop.project, "a")
    writers = [noting(shop, who, 2) for who in range(20)]
    errors = [writer.communicate(timeout=60)[1] for writer in writers]
    assert [error for error in errors if error] == []
    notes = task_document.list_items(shop.memory("a"), "Notes")
    assert sorted(notes) == sorted(f"note {who}-{n}" for who in range(20) for n in range(2))


def test_a_killed_writer_leaves_a_whole_file(shop: Shop) -> None:
    task_actions.start(shop.project, "a")
    for who in range(6):
        writer = noting(shop, who, 10_000)
        while f"- note {who}-" not in shop.memory("a") and writer.poll() is None:
            time.sleep(0.005)
        time.sleep(random.random() / 10)
        writer.send_signal(signal.SIGKILL)
        writer.communicate(timeout=60)
    task_actions.add_note(shop.project, "a", "after it all")
    notes = task_document.list_items(shop.memory("a"), "Notes")
    assert notes[-1] == "after it all"
    by_writer: dict[str, list[int]] = {}
    for note in notes[:-1]:
        who, _dash, number = note.removeprefix("note ").partition("-")
        by_writer.setdefault(who, []).append(int(number))
    assert sorted(by_writer) == list("012345")
    assert all(numbers == list(range(len(numbers))) for numbers in by_writer.values())
    assert shop.states() == {"a": "active"}


def test_a_locked_memory_is_reported(shop: Shop) -> None:
    task_actions.start(shop.project, "a")
    with lifecycle.TaskTransaction(shop.project), pytest.raises(OSError, match="locked by another"):
        task_actions.add_note(shop.project, "a", "a note")


# An editor that was open while a note was added.


def test_an_editor_that_was_open_meanwhile_takes_no_note_with_it(shop: Shop) -> None:
    shop.read_task("task-1", "In Progress")
    task_actions.add_note(shop.project, "1", "before it was opened")
    path = shop.folder / "memory/task-1.md"
    opened = path.read_text()
    task_actions.add_note(shop.project, "1", "# first, while it was open\nwith a second line")
    task_actions.add_decision(shop.project, "1", "second, while it was open")
    path.write_text(opened.replace("## References", "A person's line\n\n## References"))
    sync.update(shop.project)
    assert task_document.list_items(path.read_text(), "Notes") == [
        "before it was opened",
        "# first, while it was open\nwith a second line",
    ]
    assert task_document.list_items(path.read_text(), "Key Decisions") == [
        "second, while it was open"
    ]
    assert "A person's line" in path.read_text()


def test_the_next_note_loses_nothing(shop: Shop) -> None:
    shop.read_task("task-1", "In Progress")
    task_actions.add_note(shop.project, "1", "one")
    path = shop.folder / "memory/task-1.md"
    opened = path.read_text()
    task_actions.add_note(shop.project, "1", "two")
    path.write_text(opened)
    task_actions.add_note(shop.project, "1", "three")
    assert task_document.list_items(path.read_text(), "Notes") == ["one", "two", "three"]


def test_removed_notes_stay_removed(shop: Shop) -> None:
    shop.read_task("task-1", "In Progress")
    task_actions.add_note(shop.project, "1", "one")
    task_actions.add_note(shop.project, "1", "two")
    path = shop.folder / "memory/task-1.md"
    path.write_text(path.read_text().replace("- two\n", ""))
    sync.update(shop.project)
    task_actions.add_note(shop.project, "1", "three")
    assert task_document.list_items(path.read_text(), "Notes") == ["one", "three"]


def test_the_version_of_another_branch_is_left_alone(shop: Shop) -> None:
    head = shop.root / ".git/HEAD"
    head.write_text("ref: refs/heads/main\n")
    shop.read_task("task-1", "In Progress")
    task_actions.add_note(shop.project, "1", "one")
    path = shop.folder / "memory/task-1.md"
    earlier = path.read_text()
    task_actions.add_note(shop.project, "1", "two")
    later = path.read_text()
    path.write_text(earlier)
    head.write_text("ref: refs/heads/older\n")
    sync.update(shop.project)
    assert path.read_text() == earlier
    path.write_text(later)
    head.write_text("ref: refs/heads/main\n")
    sync.update(shop.project)
    assert path.read_text() == later


def test_a_torn_journal_loses_nothing(shop: Shop) -> None:
    shop.read_task("task-1", "In Progress")
    task_actions.add_note(shop.project, "1", "one")
    journal = shop.root / ".claude-mpm/state/task-notes.jsonl"
    journal.write_text('[]\n{"task": 1}\n{"task": "task-1", "time": "2999')
    task_actions.add_note(shop.project, "1", "two")
    path = shop.folder / "memory/task-1.md"
    assert task_document.list_items(path.read_text(), "Notes") == ["one", "two"]


def test_notes_of_two_branches_are_merged(shop: Shop) -> None:
    shop.read_task("task-1", "In Progress")
    task_actions.add_note(shop.project, "1", "one")
    base = shop.memory("task-1")
    sides = []
    for number, name in enumerate(("Orders are split", "Tokens expire"), 1):
        told = {"updated": f"2026-11-21 1{number}:00:00"}
        sides.append(front_matter.set_fields(task_document.add_item(base, "Notes", name), told))
    merged = three_way.merge(base, *sides)
    (shop.folder / "memory/task-1.md").write_text(merged)
    task_actions.add_note(shop.project, "1", "two")
    text = shop.memory("task-1")
    assert task_document.list_items(text, "Notes") == [
        "one",
        "Orders are split",
        "Tokens expire",
        "two",
    ]
    assert text.count("\nupdated:") == 1
