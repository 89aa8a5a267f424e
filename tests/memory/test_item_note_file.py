"""notes/AGENT: kept by writers, computed again after a damage or a change from outside."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_core.history import item_history, item_notes
from memory_core.memory import item_note_file
from memory_core.memory.project import Project, find_project
from support.events import make_stop_event
from support.sandbox import Sandbox

LEARNED = "Payments are retried with one message id"


def report(number: int) -> str:
    return (
        f"Looked at src/pay_{number}.py.\n\n# Add To Memory:\nType: pattern\nContent: {LEARNED}\n#"
    )


def summarize(notes: dict[str, Any]) -> Any:
    return {
        text: (
            {name: getattr(note, name) for name in item_notes.FIELDS},
            {run: sorted(words) for run, words in list_words(note).items()},
        )
        for text, note in notes.items()
    }


def list_words(note: item_notes.ItemNote) -> dict[str, list[str]]:
    return note.subjects.list_words(note.subjects.by_word)


def compute(project: Project) -> Any:
    """Return the notes from the history alone."""
    records = project.store.history("engineer").read()
    history = item_history.History(records, project.weights)
    return summarize(item_notes.list_notes(history, item_notes.count_runs(records, {})))


def read(project: Project) -> Any:
    return summarize(item_note_file.read_notes(project, project.store, "engineer"))


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


def test_a_damaged_file_is_computed_again(sandbox: Sandbox, project: Project) -> None:
    expected = read(project)
    (sandbox.state / item_note_file.FOLDER / "engineer").write_bytes(b"\xe9\x00")
    assert read(project) == expected


def test_a_record_that_a_pull_brought_counts(sandbox: Sandbox, project: Project) -> None:
    fields, _words = read(project)[LEARNED]
    path = sandbox.memories / "history" / "engineer.jsonl"
    task = {"time": "2026-11-20T10:00:00Z", "kind": "task", "id": "b1", "outcome": "done"}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**task, "given": fields["id"], "used": fields["id"]}) + "\n")
    sandbox.run_hook("subagent_stop", make_stop_event("a2", report(2)))
    fields, _words = read(project)[LEARNED]
    assert (fields["given"], fields["used"]) == (1, 1)
    assert read(project) == compute(project)
