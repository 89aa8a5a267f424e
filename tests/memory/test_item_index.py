"""index/AGENT: kept by writers, computed again after a damage or a change from outside."""

from __future__ import annotations

import json
import marshal
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memory_core.history import item_history, rights
from memory_core.history.item_history import id_of
from memory_core.memory import index_building, item_index, recall
from memory_core.origin import guard, ledger
from memory_core.selection import item_notes
from memory_core.selection.passages import FACTS, ItemNote
from memory_core.storage import run_records
from memory_core.storage.project import Project, find_project
from support.calls import answer
from support.command_line import Person
from support.events import make_stop_event
from support.files import read_files
from support.sandbox import Sandbox

LEARNED = "Payments are retried with one message id"


def report(number: int, text: str = LEARNED) -> str:
    block = f"# Add To Memory:\nType: pattern\nContent: {text}\n#"
    return f"Looked at src/pay_{number}.py.\n\n{block}"


def summarize(notes: dict[str, Any]) -> Any:
    return {
        text: (
            {name: getattr(note, name) for name in (*FACTS, "given", "used", "failed")},
            {run: sorted(words) for run, words in list_words(note).items()},
        )
        for text, note in notes.items()
    }


def list_words(note: ItemNote) -> dict[str, list[str]]:
    words = note.subjects.list_words() if note.subjects else {}
    return {run: words[run] for run in note.runs if run in words}


def compute(project: Project) -> Any:
    """Return the notes from the history alone."""
    records = project.store.history("engineer").read()
    history = item_history.History(records, project.weights)
    counts = item_notes.count_runs(records, {})
    read = partial(run_records.read_subjects, project.paths.state, "engineer")
    return summarize(item_notes.list_notes(history, counts, read_subjects=read))


def read(project: Project) -> Any:
    return summarize(index_building.read_notes(project, project.store, "engineer"))


@pytest.fixture
def project(sandbox: Sandbox) -> Project:
    sandbox.run_hook("subagent_stop", make_stop_event("a1", report(1)))
    return find_project(str(sandbox.root), sandbox.env)


def test_a_run_that_reports_an_item_again_adds_its_subject(
    sandbox: Sandbox, project: Project
) -> None:
    assert read(project) == compute(project)
    sandbox.run_hook("subagent_stop", make_stop_event("a2", report(2)))
    fields, words = read(project)[LEARNED]
    assert fields["is_confirmed"]
    assert [fields["runs"], sorted(words)] == [("a1", "a2"), ["a1", "a2"]]
    assert "=src/pay_2.py" in words["a2"]
    assert read(project) == compute(project)


def test_the_words_of_a_prompt_stay_on_this_machine(person: Person, sandbox: Sandbox) -> None:
    """M4 of the third look at the security; older versions wrote them into the history."""
    answer(sandbox, prompt="Deploy the shop with hunter2secret99", text=report(1))
    learns = {"kind": "reinforced", "id": id_of(LEARNED), "time": NOW, "source": "agent"}
    append_records(sandbox, {**learns, "run": "old", "about": "Deploy with hunter2secret77"})
    project = find_project(str(sandbox.root), sandbox.env)
    _fields, words = read(project)[LEARNED]
    assert [run for run in words if "=hunter2secret99" in words[run]] == ["a1"]
    assert "old" not in words
    history = project.store.history("engineer")
    records = history.read()
    assert [each["about"] for each in records if "about" in each] == ["Deploy with hunter2secret77"]
    before = read_files(sandbox.root)
    assert "1 line of histories" in person.run("tidy", "--about", "--dry-run").stdout
    assert read_files(sandbox.root) == before
    assert person.read_json("tidy", "--about")["about"] == {"lines": 1, "written": True}
    assert b"hunter2" not in b"".join(read_files(sandbox.root).values())
    assert history.read() == [{k: v for k, v in each.items() if k != "about"} for each in records]
    assert person.read_json("tidy", "--about")["about"] == {"lines": 0, "written": False}


def test_a_record_that_a_pull_brought_counts(sandbox: Sandbox, project: Project) -> None:
    key = id_of(LEARNED)
    task = {"time": NOW, "kind": "task", "id": "b1", "outcome": "done", "given": key, "used": key}
    append_records(sandbox, task)
    sandbox.run_hook("subagent_stop", make_stop_event("a2", report(2)))
    fields, _words = read(project)[LEARNED]
    assert (fields["given"], fields["used"]) == (1, 1)
    assert read(project) == compute(project)


OTHER = "Refunds of payments wait for the night"
USERS = "Payments of this user are in euros"
NOW = "2026-11-20T10:00:00.000Z"
TASK = "retry payments and refunds in euros"


def deliver(sandbox: Sandbox) -> str:
    found = find_project(str(sandbox.root), sandbox.env)
    return recall.build_block(found, "engineer", 16_000, lambda: TASK).text


COLORS = "Colors of the shop are in theme.css"


def change_from_outside(sandbox: Sandbox, name: str) -> None:
    path = sandbox.memories / "engineer.md"
    store = find_project(str(sandbox.root), sandbox.env).store
    if name == "edit in place":  # the same number of bytes and time, as `touch -r` sets it
        before = path.stat()
        path.write_text(path.read_text().replace("one message id", "two message id"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif name == "replace":
        sandbox.write_memory("engineer", OTHER)
    elif name == "delete":
        path.unlink()
    elif name == "user's file":
        sandbox.write_memory("engineer", USERS, user=True)
    elif name == "raise confidence":
        sandbox.configure("memory:\n  min_confidence: 0.9\n")
    elif name == "accept":
        ledger.add(store, "engineer", {(LEARNED, ""): rights.REVIEWED})
    else:  # the item that is not about the task is pinned here
        pin = item_history.make_record("pinned", NOW, COLORS)
        ledger.note_records(store, "engineer", [pin])
        append_records(sandbox, pin)


def append_records(sandbox: Sandbox, *records: dict[str, Any]) -> None:
    """Add records as a pull does."""
    path = sandbox.memories / "history" / "engineer.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(record)}\n" for record in records)


CHANGES = ["edit in place", "replace", "delete", "user's file", "raise confidence", "accept", "pin"]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_takes_effect_at_the_next_delegation(
    sandbox: Sandbox, project: Project, change: str
) -> None:
    sandbox.switch_selection_on()
    sandbox.run_hook("subagent_stop", make_stop_event("a2", report(2, COLORS)))
    before = deliver(sandbox)
    assert before == deliver(sandbox)
    change_from_outside(sandbox, change)
    after = deliver(sandbox)
    index(sandbox).unlink(missing_ok=True)
    assert after == deliver(sandbox), "as without an index"
    assert after != before


def index(sandbox: Sandbox) -> Path:
    return sandbox.state / item_index.FOLDER / "engineer"


def test_a_damaged_index_is_made_again(sandbox: Sandbox, project: Project) -> None:
    sandbox.switch_selection_on()
    expected, before = read(project), deliver(sandbox)
    good = index(sandbox).read_bytes()
    quarter = len(good) // 4
    after_power_cut = good[:quarter] + bytes(len(good) - quarter)
    for data in (after_power_cut, b"\xe9\x00", marshal.dumps((["other"],))):
        index(sandbox).write_bytes(data)
        assert read(project) == expected
        index(sandbox).write_bytes(data)
        assert deliver(sandbox) == before
        assert index(sandbox).read_bytes() != data
    for at in range(0, len(good), max(len(good) // 100, 1)):
        index(sandbox).write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        assert deliver(sandbox) == before, "a flipped bit is not trusted"


def test_a_long_history_counts_after_the_index_was_deleted(
    sandbox: Sandbox, project: Project
) -> None:
    sandbox.switch_selection_on()
    texts = [f"Item {at} {'x' * 200}" for at in range(2000)]
    append_records(sandbox, *(item_history.make_record("learned", NOW, text) for text in texts))
    of_colors = [item_history.make_record(kind, NOW, COLORS) for kind in ("learned", "pinned")]
    append_records(sandbox, *of_colors)
    memory = sandbox.memories / "engineer.md"
    memory.write_text(f"{memory.read_text()}- {COLORS}\n")
    before = deliver(sandbox)
    assert COLORS in before
    index(sandbox).unlink()
    assert deliver(sandbox) == before


def test_the_writer_keeps_the_index_up_to_date(sandbox: Sandbox, project: Project) -> None:
    sandbox.switch_selection_on()
    deliver(sandbox)
    for number in (2, 3):
        text = report(number, f"Refunds of payments wait {number} hours")
        sandbox.run_hook("subagent_stop", make_stop_event(f"a{number}", text))
        written = index(sandbox).stat().st_ino
        assert f"wait {number} hours" in deliver(sandbox)
        assert index(sandbox).stat().st_ino == written, "the reader had nothing to make"


@pytest.mark.parametrize("command", [["delete", "engineer", "--yes"], ["rename", "engineer", "qa"]])
def test_a_memory_that_is_gone_leaves_no_index(
    person: Person, sandbox: Sandbox, project: Project, command: list[str]
) -> None:
    sandbox.switch_selection_on()
    deliver(sandbox)
    assert index(sandbox).exists()
    assert person.run(*command).returncode == 0
    assert not index(sandbox).exists()


def test_more_texts_than_can_be_checked_at_once_follow_with_the_next_deliveries(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "MAX_CHECKED", 3)
    sandbox.write_memory("engineer", *(f"Service {number} caches answers" for number in range(8)))
    assert [deliver(sandbox).count("caches answers") for _ in range(4)] == [3, 6, 8, 8]


def test_only_a_memory_of_the_user_depends_on_what_is_allowed(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", "Orders are numbered")
    project = find_project(str(sandbox.root), sandbox.env)
    assert item_index.stamp_documents(project, "engineer")[-1] == []
    sandbox.write_memory("engineer", "Short sentences", user=True)
    project.paths.allow_user_level(False)
    assert item_index.stamp_documents(project, "engineer")[-1][-1:] == ["withheld"]
