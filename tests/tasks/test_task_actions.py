"""Task memory: its actions, its documents, and the part that a session receives."""

import contextlib
import json
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import repeat
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, strategies as st

from memory_core.claude_code import claude_md
from memory_core.document import markdown
from memory_core.git import three_way
from memory_core.selection.passages import estimate_tokens
from memory_core.storage.database import state_db
from memory_core.tasks import (
    backlog_folder,
    backlog_format,
    claude_md_import,
    sync,
    task_actions,
    task_document,
)
from memory_core.tasks.backlog_format import DONE, STARTED, TODO
from memory_core.text import characters, front_matter
from support.calls import SESSION, start_agent
from support.command_line import Person
from support.files import write
from support.life import write_task
from support.memory_files import make_conflict
from support.sandbox import Sandbox
from support.tables import for_each

# Task files.


class Shop:
    """A project with task files of Backlog.md, written by the test."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.root = sandbox.root
        self.folder = self.root / "backlog"
        self.project = sandbox.open_project()

    def put_task(self, task: str, status: str, title: str = "Orders", place: str = "tasks") -> Path:
        """Write the file of a task; remove its file in any other folder."""
        for path in self.folder.glob(f"tasks/{task} - *.md"):
            path.unlink()
        path = self.folder / place / f"{task} - {title}.md"
        head = f"id: {task.upper()}\ntitle: {title}\nstatus: {status}\n"
        write(path, f"---\n{head}---\n\n## Description\n")
        return path

    def save_task(self, task: str, status: str, title: str = "Orders") -> Path:
        """Write the file of a task, and let a hook see it."""
        path = self.put_task(task, status, title)
        self.check()
        return path

    def check(self) -> dict[str, str]:
        """Notice how the files have changed; return the state of each memory then."""
        sync.update(self.project)
        return self.states()

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


NO_YAML = re.compile("[\x00-\x1f\x7f-\x9f\ufffe\uffff]")


@given(WRITABLE)
@example("yes")
@example("2026-11-21")
@example("😀 \u00a0 \x07 'it''s' \\ \"q\"")
def test_any_yaml_reader_reads_what_is_written(title: str) -> None:
    text = front_matter.set_fields("body\n", {"title": title, "labels": [title, "x"]})
    head = yaml.safe_load(text.split("---\n")[1])
    written = flat(NO_YAML.sub(" ", title))
    assert (head["title"] or "") == written
    assert front_matter.read_fields(text)["title"] == written
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


TITLES = [
    (">-\n  folded over\n  two lines", "folded over two lines"),
    ("|-\n  line\n  break", "line\nbreak"),
    ('"a \\"name\\", \\uD83D\\uDE00"', 'a "name", 😀'),
    ('"nbsp\\_here, \\U0001F600"', "nbsp\xa0here, 😀"),
    ('"\\q is none"', "\\q is none"),
    ('"\\x"', "\\x"),
    ("'it''s: x'", "it's: x"),
    ("", ""),
    ("a # comment", "a"),
    ("'a # none'", "a # none"),
    ("first\ntitle: second", "first"),
]


@pytest.mark.parametrize(("yaml_text", "title"), TITLES)
def test_front_matter_of_backlog_and_users_is_read(yaml_text: str, title: str) -> None:
    assert front_matter.read_fields(f"---\ntitle: {yaml_text}\n---\n")["title"] == title


def test_other_lines_are_not_changed() -> None:
    text = "---\na: 1\n# mine\nnested:\n  deep: 1\ntitle: old\nlist: [a, b]\n---\n\nbody\n"
    after = front_matter.set_fields(text, {"title": "new", "more": "x"})
    assert after == text.replace("title: old", "title: new").replace("---\n\n", "more: x\n---\n\n")


# Ids and stages.


IDS = [
    *((each, "task", "task-1") for each in ("1", "task-1", "TASK-1", "task-01", " 001 ")),
    *((each, "task", "task-1.1") for each in ("1.1", "task-1.01", "TASK-01.1")),
    *((each, "jira", "jira-7") for each in ("7", "JIRA-7")),
    *((each, "jira", each) for each in ("task-7", "my-own-name", "task-1-20261121")),
    ("0", "task", "task-0"),
]


@for_each(("typed", "prefix", "key"), IDS)
def test_all_spellings_of_an_id_are_one_task(typed: str, prefix: str, key: str) -> None:
    assert backlog_format.normalize_id(typed, prefix) == key


PLAIN = ["task-1", "task-1.1", "my_own", "a", "con"]
NOT_PLAIN = ["", ".", "..", "../x", "a/b", "a\\b", "-x", "x-", ".x", "x.", "a..b", "a b", "ä"]
NOT_PLAIN += ["claude", "agents", "readme.1", "x" * 65, "a\n", "a:b"]


@for_each(("name", "is_plain"), [*zip(PLAIN, repeat(True)), *zip(NOT_PLAIN, repeat(False))])
def test_an_id_is_a_plain_name(name: str, is_plain: bool) -> None:
    assert backlog_format.is_safe_id(name) == is_plain


OWN = ["Idea", "To Do", "Doing", "Blocked", "Shipped"]
GERMAN = ["Offen", "In Arbeit", "Prüfung", "Fertig"]


STAGES = [
    *zip(repeat(backlog_format.DEFAULT_STATUSES), ["to do", "", "unheard of"], repeat(TODO)),
    (backlog_format.DEFAULT_STATUSES, "IN PROGRESS", STARTED),
    (backlog_format.DEFAULT_STATUSES, "Done", DONE),
    *zip(repeat(OWN), OWN, (TODO, TODO, STARTED, STARTED, DONE)),
    *zip(repeat(GERMAN), GERMAN, (TODO, STARTED, STARTED, DONE)),
]


@for_each(("statuses", "status", "stage"), STAGES)
def test_a_status_has_a_stage(statuses: list[str], status: str, stage: str) -> None:
    assert backlog_format.BacklogConfig(statuses=statuses).stage(status) == stage


STATUSES = [
    (["To Do", "Coding", "Review", "Done"], STARTED, "Coding"),
    (["To Do", "Review", "Doing", "Done"], STARTED, "Doing"),
    (["To Do", "Cancelled", "Deployed"], DONE, "Deployed"),
    (["To Do", "Done"], STARTED, ""),
]


@for_each(("statuses", "stage", "status"), STATUSES)
def test_a_stage_has_a_status(statuses: list[str], stage: str, status: str) -> None:
    assert backlog_format.BacklogConfig(statuses=statuses).choose_status(stage) == status


# The document.

LINES = (
    "---\n|title: x\n|## Context\n|## Notes\n|## Key Decisions\n|# t: x\n|- a\n|  b\n|- c\n|\n"
    "|```\n|~~~\n|text\n|<!-- c\n|-->\n|<div>\n|    code\n|> q\n|x ## Notes\n|1. n\n|***\n"
    "|Notes\n-----\n|\t- t\n|<<<<<<< a\n|=======\n|>>>>>>> b\n|tail"
)
MARKDOWN = st.lists(st.sampled_from(LINES.split("|")), max_size=14).map("".join)
NOTE_LINES = "a|- b|-x|**b**|```|# h|## Notes|  x||> q|<!-- |-->|1. z"
ENTRY = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from(NOTE_LINES.split("|")), min_size=1, max_size=6).map("\n".join),
).filter(str.strip)
NOW = "2026-11-21 22:10:00"
# After such text an item may not be possible; then an error is reported and nothing is lost.
OPEN = ("<!--", "```", "~~~", "---", "===")


@given(MARKDOWN, ENTRY, st.sampled_from(["Notes", "Key Decisions", "Own section", "context"]))
def test_adding_loses_no_line_and_reads_back(text: str, entry: str, title: str) -> None:
    try:
        after, _title = task_document.add_item(text, title, entry)
    except task_document.InvalidNote:
        assert not characters.clean(entry).strip() or any(mark in text for mark in OPEN)
        return
    lines = iter(line.rstrip() for line in after.split("\n"))
    for line in text.split("\n"):
        assert not line.strip() or line.rstrip() in lines, line
    assert flat(characters.clean(entry)) in map(flat, list_items(after, title))


def list_items(text: str, title: str = "Notes") -> list[str]:
    """Return the items of a section, with their nested lines."""
    document = markdown.parse_document(front_matter.read_body(text))
    section = markdown.find_section(document, title)
    items = section.items if section else ()
    return [markdown.join_nested(one.text, one.nested) for one in items]


def test_a_missing_section_is_made_at_its_place() -> None:
    text = task_document.create("task-1", "T", NOW).replace("## Notes\n", "")
    text, title = task_document.add_item(text, "notes", "n")
    assert title == "notes"
    text, _title = task_document.add_item(text, "My own", "m")
    titles = [title for title, _held in task_document.list_sections(text)]
    assert titles == ["", "Context", "Key Decisions", "notes", "References", "My own"]


INVALID = [
    *(("Notes", entry) for entry in ("", "  \n ", "x" * 20_001)),
    *((title, "a note") for title in ("", "#", "x" * 81, " \n ")),
]


@pytest.mark.parametrize(("title", "entry"), INVALID)
def test_invalid_notes_and_titles_are_refused(title: str, entry: str) -> None:
    with pytest.raises(task_document.InvalidNote):
        task_document.add_item("# t\n", title, entry)


@given(MARKDOWN, st.integers(100, 500), st.text(max_size=600))
def test_a_cut_is_within_its_budget(text: str, budget: int, title: str) -> None:
    whole = task_document.create("task-1", title, NOW) + text * 10
    cut = task_document.shorten(whole, budget, "backlog/memory/task-1.md")
    assert estimate_tokens(cut) <= budget
    assert "backlog/memory/task-1.md" in cut


def test_a_cut_keeps_the_context_and_the_newest_notes() -> None:
    text = task_document.create("task-1", "Orders", NOW)
    text = text.replace("## Context\n", "## Context\n\nOrders are numbered per warehouse.\n")
    text, _title = task_document.add_item(text, "Key Decisions", "Numbers are never reused")
    for number in range(300):
        note = f"note {number} of many about the orders"
        text, _title = task_document.add_item(text, "Notes", note)
    cut = task_document.shorten(text, 300, "backlog/memory/task-1.md")
    for part in ("# task-1: Orders", "per warehouse", "never reused", "note 299 ", "note 298 "):
        assert part in cut
    assert "note 0 " not in cut
    assert cut.index("note 298 ") < cut.index("note 299 ")


# What a CLAUDE.md imports.

PIECES = ["\r", "\n", "\r\n", "a", " ", claude_md.BEGIN_COMMENT, claude_md.END_COMMENT, "@x"]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.booleans())
@example(f"{claude_md.BEGIN_COMMENT}\n\n@old\n\nmine", False)
def test_removing_the_block_restores_the_bytes(text: str, twice: bool) -> None:
    if claude_md.has_import(text):
        return
    held = claude_md.set_import(text, ["@backlog/CLAUDE.md"])
    held = claude_md.set_import(held, ["@other"]) if twice else held
    assert claude_md.read_import(held) == (["@other"] if twice else ["@backlog/CLAUDE.md"])
    assert claude_md.remove_import(held) == text


@given(st.lists(st.sampled_from([*"@\\a \n`é\u200b\t", "x@y", "\\@"]), max_size=12).map("".join))
def test_defusing_once_is_enough(text: str) -> None:
    safe = claude_md.escape_imports(text)
    assert claude_md.escape_imports(safe) == safe
    assert safe.replace("\\", "") == text.replace("\\", "")


# The line in a task's file.


@given(MARKDOWN)
@example("---\nid: TASK-1\n---\n\nTask Memory: see the wiki\n")
def test_the_line_of_a_memory_is_added_and_removed(text: str) -> None:
    held = backlog_format.set_memory_line(text, "backlog/memory/task-1.md")
    assert "Task Memory: `backlog/memory/task-1.md`" in held.splitlines()
    assert backlog_format.set_memory_line(held, "backlog/memory/task-1.md") == held
    moved = backlog_format.set_memory_line(held, "backlog/memory/archive/task-1.md")
    assert moved.count("Task Memory: `") == 1
    end = "\r\n" if "\r\n" in held else "\n"
    assert backlog_format.set_memory_line(moved, "") == f"{text.rstrip()}{end}"


# Actions.


def test_the_active_task_is_the_last_one_started(shop: Shop) -> None:
    for name in ("a", "b", "c"):
        task_actions.start(shop.project, name)
    assert task_actions.find(shop.project).id == "c"
    task_actions.finish(shop.project)
    assert task_actions.find(shop.project).id == "b"
    task_actions.start(shop.project, "a")
    assert task_actions.find(shop.project).id == "a"
    task_actions.archive(shop.project)
    task_actions.finish(shop.project)
    assert task_actions.read_status(shop.project).active is None
    with pytest.raises(task_actions.NoTask, match="agent-memory task start"):
        task_actions.find(shop.project)


# Memories that somebody wrote or imported; Backlog.md knows none of these tasks.
OLD_MEMORIES = {
    "by agent-memory": "created: '2019-05-05 10:00:00'\nupdated: '2020-01-02 10:00:00'\n",
    "a date only": "updated: 2020-01-02\n",
    "never changed": "created: '2020-01-02 10:00:00'\nupdated:\n",
    "only created": "created: 2020-01-02\n",
}


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("fields", OLD_MEMORIES.values(), ids=OLD_MEMORIES)
def test_cleanup_knows_the_age_of_every_old_memory(shop: Shop, fields: str, archived: bool) -> None:
    task_actions.start(shop.project, "other")
    path = shop.folder / "memory" / ("archive" if archived else "") / "x.md"
    write(path, f"---\n{fields}---\n# X\n")
    write(path.with_name("y.md"), "# Without a time\n")
    (memory,) = task_actions.find_stale(shop.project, *["2026-06-01 00:00:00"] * 2)
    assert (memory.id, bool(memory.state == task_actions.ARCHIVED)) == ("x", archived)
    assert memory.changed[:10] == "2020-01-02"
    assert task_actions.find_stale(shop.project, "2019-06-01", "2019-06-01") == []
    assert task_actions.find_stale(shop.project, "", "") == []
    task_actions.clean_up(shop.project, [memory])
    states = {"y": "archived"} if archived else {"x": "archived", "y": "kept"}
    assert shop.states() == {"other": "active"} | states


# Changes of task files.


def test_a_task_through_its_life(shop: Shop) -> None:
    shop.save_task("task-1", "To Do")
    assert shop.states() == {}
    path = shop.save_task("task-1", "In Progress\nlabels: [bug]")
    assert path.read_text().endswith("\nTask Memory: `backlog/memory/task-1.md`\n")
    assert "## Root Cause" in shop.memory("task-1")
    task_actions.add_note(shop.project, "1", "kept through it all")
    for status, state, line in (
        ("To Do", "kept", ""),
        ("In Progress", "active", "memory/task-1.md"),
        ("Done", "archived", "memory/archive/task-1.md"),
        ("In Progress", "active", "memory/task-1.md"),
    ):
        path = shop.save_task("task-1", status)
        assert shop.states() == {"task-1": state}
        assert f"{line}`\n" in path.read_text() or not line
    assert "- kept through it all\n" in shop.memory("task-1")
    shop.put_task("task-1", "Done").rename(shop.folder / "x.md")
    shop.put_task("task-1", "Done", place="completed")
    assert shop.check() == {"task-1": "archived"}


def test_a_task_archived_by_a_user_stays_archived(shop: Shop) -> None:
    shop.save_task("task-1", "In Progress")
    task_actions.archive(shop.project, "1")
    shop.check()
    shop.save_task("task-1", "In Progress\npriority: high")
    assert shop.states() == {"task-1": "archived"}


def test_a_changed_title_is_taken_over_and_another_spelling_is_the_same_task(shop: Shop) -> None:
    shop.save_task("task-1", "In Progress", "Orders")
    task_actions.add_note(shop.project, "1", "a note")
    path = shop.save_task("task-1", "In Progress", "Orders of 2027")
    assert "# task-1: Orders of 2027\n" in shop.memory("task-1")
    assert task_actions.find(shop.project, "1").title == "Orders of 2027"
    path.unlink()
    shop.save_task("task-001", "In Progress", "Orders of 2028")
    assert shop.states() == {"task-1": "active"}
    assert task_actions.find(shop.project, "001").title == "Orders of 2028"
    assert "- a note\n" in shop.memory("task-1")


DAMAGED = [
    "",
    "active_task: ../../secret\nin_progress: [../../secret]\n",
    "active_task:\n  - x\nin_progress: task-1\n",
    "<<<<<<< ours\nactive_task: a\n=======\n",
    "\x00\xff: [",
    "in_progress: {a: b}\n",
]


@pytest.mark.parametrize("state", DAMAGED)
def test_a_damaged_state_is_made_anew_by_the_files(shop: Shop, state: str) -> None:
    for folder in (shop.root.parent, shop.root):
        (folder / "secret.md").write_text("# secret words\n")
    shop.save_task("task-1", "In Progress")
    task_actions.set_up(shop.project)
    (shop.folder / ".state.yml").write_bytes(state.encode("latin-1"))
    shop.check()
    assert "secret words" not in claude_md_import._find_session_memory(shop.project)[1]
    task_actions.start(shop.project, "1")
    assert shop.states() == {"task-1": "active"}
    assert yaml.safe_load((shop.folder / ".state.yml").read_text())["active_task"] == "task-1"


def test_a_state_counts_as_far_as_it_can_be_read(shop: Shop) -> None:
    task_actions.start(shop.project, "a")
    task_actions.start(shop.project, "b")
    (shop.folder / ".state.yml").write_text("active_task: a\nlast_updated: '2026-11-22'\n")
    assert shop.check() == {"a": "active", "b": "kept"}
    (shop.folder / ".state.yml").write_text("in_progress: [gone, b, b, 'Not Plain']\n")
    assert shop.states() == {"b": "active", "a": "kept"}


LOST_RECORDS = [
    "",
    "[]\n[]\n",
    "\0\n",
    '{"marks": 1, "files": {"task-1": 1}}',
    '{"active": 1, "marks": [], "files": {"task-1": [1, 1, 1, 1]}}',
    '{"version": 1, "active": "", "others": [], "marks": [], "names": ""}\n{}\n',
]


@pytest.mark.parametrize("kept", LOST_RECORDS)
def test_the_record_of_seen_files_can_be_lost(shop: Shop, kept: str) -> None:
    shop.save_task("task-1", "In Progress")
    task_actions.add_note(shop.project, "1", "a note")
    (shop.sandbox.state / sync.RECORD_FILE).write_text(kept)
    assert shop.check() == {"task-1": "active"}
    assert "- a note\n" in shop.memory("task-1")


def test_an_agent_that_starts_needs_no_database(shop: Shop) -> None:
    shop.put_task("task-1", "In Progress")
    start_agent(shop.sandbox)
    database = shop.sandbox.state / state_db.FILE_NAME
    database.unlink(missing_ok=True)
    shop.put_task("task-1", "Done")
    start_agent(shop.sandbox, "a2")
    assert shop.states() == {"task-1": "archived"}
    assert not database.exists()


@pytest.mark.parametrize("torn", ["", "---\nid: TASK-1\nti", "---\nid: TASK-1\ntitle: x\n---\n"])
def test_a_file_that_is_being_written_ends_nothing(shop: Shop, torn: str) -> None:
    """Backlog.md writes its files in place, so they may be read half-written."""
    path = shop.put_task("task-1", "In Progress")
    shop.save_task("task-2", "In Progress")
    before = shop.states()
    text = path.read_text()
    path.write_text(torn)
    assert shop.check() == before
    path.write_text(text.replace("In Progress", "Done"))
    assert shop.check()["task-1"] == "archived"


def test_other_files_in_the_task_folder_are_ignored(shop: Shop) -> None:
    shop.put_task("task-1", "In Progress")
    (shop.folder / "tasks" / "README.md").write_text("---\nstatus: In Progress\n---\n")
    (shop.folder / "tasks" / ".task-2 - x.md.swp").write_bytes(b"\0")
    os.close(os.open(os.fsencode(shop.folder / "tasks") + b"/task-3 - caf\xe9.md", os.O_CREAT))
    assert shop.check() == {"task-1": "active"}
    folder = backlog_folder.Folder(shop.project.paths.files)
    (shop.folder / "tasks" / os.fsdecode(b"task-3 - caf\xe9.md")).unlink()
    shop.check()
    assert sync.is_unchanged(shop.project, folder)


def test_a_killed_sync_is_completed_later(shop: Shop) -> None:
    """It is killed after the memory is moved and before the state is written."""
    for task in ("task-1", "task-2"):
        shop.save_task(task, "In Progress")
    shop.put_task("task-2", "Done")
    paths = shop.folder / ".state.yml", shop.sandbox.state / sync.RECORD_FILE
    before = [path.read_text() for path in paths]
    shop.check()
    for path, text in zip(paths, before, strict=True):
        path.write_text(text)
    assert shop.states() == {"task-1": "active", "task-2": "archived"}
    shop.check()
    assert backlog_folder.Folder(shop.project.paths.files).in_progress == ["task-1"]


def test_the_active_task_has_a_memory(shop: Shop) -> None:
    """A killed process or another branch may have removed the memory."""
    task_actions.start(shop.project, "a")
    task_actions.start(shop.project, "b")
    path = shop.folder / "memory" / "b.md"
    held = path.read_bytes()
    path.unlink()
    assert shop.states() == {"a": "active"}
    assert task_actions.add_note(shop.project, "", "a note")[0].id == "a"
    path.write_bytes(held)
    assert shop.states() == {"b": "active", "a": "in progress"}


def test_archived_twice_in_one_second(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog_folder, "now", lambda ago=0.0: "2026-11-22 00:00:00")
    for count in range(4):
        write(shop.folder / "memory" / "a.md", f"# a\n\n{count}\n")
        task_actions.archive(shop.project, "a")
    kept = [path.read_text() for path in (shop.folder / "memory" / "archive").glob("*.md")]
    assert sorted(text.strip()[-1] for text in kept) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("status", ["To Do", "In Progress"])
def test_older_task_files_do_not_undo_an_action(shop: Shop, status: str) -> None:
    """The task files were not read before, and no command of Backlog.md can move the task."""
    shop.put_task("task-1", status)
    done = task_actions.start(shop.project, "1")
    assert done.memory.active
    assert len(done.problems) == (status == "To Do")
    assert shop.check() == {"task-1": "active"}
    (shop.sandbox.state / sync.RECORD_FILE).unlink()
    task_actions.archive(shop.project, "1")
    assert shop.check() == {"task-1": "archived"}
    task_actions.start(shop.project, "1", reopens=True)
    task_actions.finish(shop.project, "1")
    assert shop.check() == {"task-1": "archived"}


ACTIONS = {
    "start": task_actions.start,
    "finish": task_actions.finish,
    "archive": task_actions.archive,
    "reopen": partial(task_actions.start, reopens=True),
}
VERBS = ["status", "status", "add_note", "add_note", *ACTIONS]
PLACES = ["To Do", "In Progress", "Done", "gone", "completed", "archive/tasks"]
OPERATIONS = st.lists(
    st.tuples(*map(st.sampled_from, (VERBS, ["task-1", "task-2"], PLACES))), min_size=4, max_size=16
)


@given(OPERATIONS)
def test_nothing_written_is_lost_whatever_happens(operations: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shop, written = Shop(Sandbox(Path(folder))), list[str]()
        (shop.folder / "tasks").mkdir(parents=True)
        for number, (verb, task, where) in enumerate(operations):
            with contextlib.suppress(task_actions.TaskError):
                if verb == "status":
                    move(shop, task, where)
                elif verb == "add_note":
                    task_actions.add_note(shop.project, task, f"text {number}.")
                    written.append(f"- text {number}.\n")
                else:
                    ACTIONS[verb](shop.project, task)
            shop.check()
            texts = [path.read_text() for path in shop.folder.glob("memory/**/*.md")]
            for text in written:
                assert sum(text in each for each in texts) == 1, (text, number)
            agreed(shop)


def move(shop: Shop, task: str, where: str) -> None:
    """Give a task this status, move it to another folder, or delete it."""
    for path in shop.folder.glob(f"*/**/{task} - *.md"):
        path.unlink()
    if where in ("To Do", "In Progress", "Done"):
        shop.put_task(task, where)
    elif where != "gone":
        shop.put_task(task, "Done", place=where)


def agreed(shop: Shop) -> None:
    """Say whether state, files and the list agree."""
    state = yaml.safe_load((shop.folder / ".state.yml").read_text()) if shop.states() else {}
    found = task_actions.list_memories(shop.project)
    order = state.get("in_progress") or []
    assert (state.get("active_task") or "") == (order[-1] if order else "")
    assert {told.id for told in found if told.state == task_actions.IN_PROGRESS} == set(order)
    assert len({told.id for told in found}) == len(found)
    for told in found:
        assert task_document.read_field(told.text, "task_id") == told.id
        assert bool(told.archived) == (told.state == task_actions.ARCHIVED)


# CLAUDE.md.


def imported(shop: Shop) -> list[str]:
    path = shop.folder / "CLAUDE.md"
    return claude_md.read_import(path.read_text(encoding="utf-8")) if path.exists() else []


def test_claude_md_imports_the_active_task_only(shop: Shop) -> None:
    mine = "# Rules\r\nNo tabs."
    (shop.root / "CLAUDE.md").write_bytes(mine.encode())
    task_actions.start(shop.project, "a")
    assert imported(shop) == []  # the user has not agreed yet
    for _time in range(2):
        task_actions.set_up(shop.project)
    assert claude_md.read_import((shop.root / "CLAUDE.md").read_text()) == ["@backlog/CLAUDE.md"]
    assert imported(shop) == ["@memory/a.md"]
    task_actions.start(shop.project, "b")
    assert imported(shop) == ["@memory/b.md"]
    task_actions.finish(shop.project, "b")
    task_actions.finish(shop.project, "a")
    assert not (shop.folder / "CLAUDE.md").exists()
    task_actions.start(shop.project, "c")
    shop.folder.rename(shop.root / ".backlog")
    task_actions.set_up(shop.project)
    assert claude_md.read_import((shop.root / "CLAUDE.md").read_text()) == ["@.backlog/CLAUDE.md"]
    claude_md_import.remove(backlog_folder.Folder(shop.project.paths.files))
    assert (shop.root / "CLAUDE.md").read_bytes() == mine.encode()
    assert not (shop.root / ".backlog" / "CLAUDE.md").exists()


def test_a_memory_with_import_syntax_is_imported_as_a_copy(shop: Shop) -> None:
    task_actions.start(shop.project, "a")
    task_actions.set_up(shop.project)
    task_actions.add_note(shop.project, "a", "see @../../.env")
    assert imported(shop) == ["@memory/.sessions/a.md"]
    copy = shop.folder / "memory" / ".sessions" / "a.md"
    assert "- see \\@../../.env\n" in copy.read_text()
    assert "- see @../../.env\n" in shop.memory("a")
    (shop.folder / "memory" / "a.md").write_text(shop.memory("a").replace("@", "at "))
    shop.check()
    assert imported(shop) == ["@memory/a.md"]
    assert not copy.exists()


def test_a_memory_with_a_conflict_is_imported_without_the_markers(shop: Shop) -> None:
    task_actions.start(shop.project, "a")
    task_actions.set_up(shop.project)
    conflict = make_conflict("- x\n", "- y\n")
    text = shop.memory("a").replace("## Notes\n", f"## Notes\n{conflict}")
    (shop.folder / "memory" / "a.md").write_text(text)
    shop.check()
    assert imported(shop) == ["@memory/.sessions/a.md"]
    copy = shop.folder / "memory" / ".sessions" / "a.md"
    assert "## Notes\n- x\n- y\n\n## References" in copy.read_text()


# Parallel processes.


def test_notes_of_parallel_processes_are_all_saved(shop: Shop, person: Person) -> None:
    task_actions.start(shop.project, "a")
    notes = [f"note {number}" for number in range(20)]
    with ThreadPoolExecutor(10) as threads:
        done = [*threads.map(lambda note: person.run("task", "note", note).returncode, notes)]
    assert done == [0] * 20
    assert sorted(list_items(shop.memory("a"))) == sorted(notes)


def test_notes_of_two_branches_are_merged(shop: Shop) -> None:
    shop.put_task("task-1", "In Progress")
    task_actions.add_note(shop.project, "1", "one")
    path = shop.folder / "memory/task-1.md"
    base = path.read_text()
    sides = []
    for number, name in enumerate(("Orders are split", "Tokens expire"), 1):
        told = {"updated": f"2026-11-21 1{number}:00:00"}
        sides.append(front_matter.set_fields(task_document.add_item(base, "Notes", name)[0], told))
    path.write_text(three_way.merge(base, *sides))
    task_actions.add_note(shop.project, "1", "two")
    assert list_items(path.read_text()) == ["one", "Orders are split", "Tokens expire", "two"]
    assert path.read_text().count("\nupdated:") == 1


# A repository with links and settings of its own.


@pytest.fixture
def linked(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Create a project with an active task, on a machine without Backlog.md."""
    monkeypatch.setenv("PATH", str(sandbox.home))
    write_task(sandbox.root, 1, "In Progress")
    write(sandbox.root / "CLAUDE.md", "@backlog/CLAUDE.md\n")
    own = sandbox.open_project()
    task_actions.start(own, "1")
    task_actions.add_note(own, "1", "see @../../.env")
    return sandbox


def test_of_the_copies_only_files_of_ours_are_deleted(linked: Sandbox) -> None:
    copies = linked.root / "backlog" / "memory" / ".sessions"
    for name in ("task-7.md", "id_rsa", "Upper.md", ".hidden.md"):
        (copies / name).write_text("x")
    (copies / "folder.md").mkdir()
    task_actions.finish(linked.open_project(), "1")
    names = {path.name for path in copies.iterdir()}
    assert names == {".gitignore", "id_rsa", "Upper.md", ".hidden.md", "folder.md"}


def test_one_refused_memory_does_not_stop_the_others(linked: Sandbox) -> None:
    memory = linked.root / "backlog" / "memory"
    (memory / "task-3.md").symlink_to(linked.home / "task-2.md")
    write_task(linked.root, 3, "In Progress")
    write_task(linked.root, 4, "In Progress")
    for _ in range(2):
        linked.run_hook("session_start", SESSION)
    assert (memory / "task-4.md").is_file()
    (event,) = linked.read_log("task.memory.refused")
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


def test_of_two_spellings_the_memory_of_that_name_is_meant(linked: Sandbox) -> None:
    (linked.root / "backlog" / "memory" / "1.md").write_text("# of a branch\n")
    folder = backlog_folder.Folder(linked.paths.files)
    names = [folder.find_memory(name) for name in ("1", "task-1", "TASK-1")]
    assert names == ["1", "task-1", "task-1"]
