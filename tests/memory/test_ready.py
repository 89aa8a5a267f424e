"""ready/AGENT: written by whoever changes a memory, made again if it is stale or damaged."""

import marshal
import os
from pathlib import Path

import pytest

from memory_core.history import item_history, rights
from memory_core.history.item_history import id_of
from memory_core.memory import preparing, ready, recall
from memory_core.origin import ledger
from memory_core.selection.item_notes import ItemNote
from memory_core.storage import user_level
from memory_core.storage.project import Project
from memory_core.text import digests
from support.calls import answer
from support.command_line import Person
from support.events import make_report, make_stop_event
from support.histories import append_records
from support.runs import add_runs, make_run
from support.sandbox import Sandbox

LEARNED = "Payments are retried with one message id"


def report(number: int, text: str = LEARNED) -> str:
    return f"Looked at src/pay_{number}.py.\n\n{make_report(text)}"


def read_notes(project: Project) -> dict[str, ItemNote]:
    return preparing.read_notes(project, project.store, "engineer")


@pytest.fixture
def project(sandbox: Sandbox) -> Project:
    sandbox.run_hook("subagent_stop", make_stop_event("a1", report(1)))
    return sandbox.open_project()


def find_subjects(project: Project) -> dict[str, set[str]]:
    """Return the words by the runs that were about them, as hooks read them."""
    subjects = recall.read_ready(project, "engineer").passages.subjects
    runs = {run for numbers in subjects.values() for run in numbers}
    return {run: {word for word, own in subjects.items() if run in own} for run in runs}


def test_a_run_that_reports_it_again_adds_its_subject(sandbox: Sandbox, project: Project) -> None:
    sandbox.run_hook("subagent_stop", make_stop_event("a2", report(2)))
    note = read_notes(project)[LEARNED]
    assert note.is_confirmed
    assert note.runs == ("a1", "a2")
    subjects = find_subjects(project)
    assert subjects.keys() == {"a1", "a2"}
    assert "=src/pay_2.py" in subjects["a2"] - subjects["a1"]


def test_the_words_of_a_prompt_stay_on_this_machine(person: Person, sandbox: Sandbox) -> None:
    """M4 of the third look at the security; older versions wrote them into the history."""
    answer(sandbox, prompt="Deploy the shop with hunter2secret99", text=report(1))
    learns = {"kind": "reinforced", "id": id_of(LEARNED), "time": NOW, "source": "agent"}
    append_records(sandbox, {**learns, "run": "old", "about": "Deploy with hunter2secret77"})
    project = sandbox.open_project()
    subjects = find_subjects(project)
    assert [run for run in subjects if "=hunter2secret99" in subjects[run]] == ["a1"]
    assert "old" not in subjects
    history = project.store.history("engineer")
    records = history.read()
    assert [each["about"] for each in records if "about" in each] == ["Deploy with hunter2secret77"]


def test_only_runs_of_this_machine_count(sandbox: Sandbox, project: Project) -> None:
    key = id_of(LEARNED)
    task = {"time": NOW, "kind": "task", "id": "b1", "outcome": "done", "given": key, "used": key}
    append_records(sandbox, task)  # as a pull brings it from an older version
    add_runs(sandbox.paths, make_run("b2", given=key, used=key))
    sandbox.run_hook("subagent_stop", make_stop_event("a2", report(2)))
    (passage,) = recall.read_ready(project, "engineer").passages
    assert (passage.given, passage.used) == (1, 1)


NOW = "2026-11-20T10:00:00.000Z"
TASK = "retry payments and refunds in euros"


def deliver(sandbox: Sandbox) -> str:
    found = sandbox.open_project()
    return recall.build_block(found, "engineer", 16_000, lambda: TASK).text


COLORS = "Colors of the shop are in theme.css"


def change_from_outside(sandbox: Sandbox, name: str) -> None:
    path = sandbox.memories / "engineer.md"
    project = sandbox.open_project()
    if name == "edit in place":  # the same number of bytes and time, as `touch -r` sets it
        before = path.stat()
        sandbox.edit_memory("engineer", "one message id", "two message id")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif name == "replace":
        sandbox.write_memory("engineer", "Refunds of payments wait for the night")
    elif name == "delete":
        path.unlink()
    elif name == "user's file":
        sandbox.write_memory("engineer", "Payments of this user are in euros", user=True)
    elif name == "raise confidence":
        sandbox.configure("memory:\n  min_confidence: 0.9\n")
    elif name == "accept":
        ledger.add_origins(project.store, "engineer", {(LEARNED, ""): rights.REVIEWED})
    else:  # the item that is not about the task is pinned here
        pin = item_history.make_record("pinned", NOW, COLORS)
        ledger.add_origins(project.store, "engineer", {}, [pin])
        append_records(sandbox, pin)


CHANGES = ["edit in place", "replace", "delete", "user's file", "raise confidence", "accept", "pin"]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_takes_effect_at_once(sandbox: Sandbox, project: Project, change: str) -> None:
    sandbox.switch_selection_on()
    sandbox.run_hook("subagent_stop", make_stop_event("a2", report(2, COLORS)))
    before = deliver(sandbox)
    assert before == deliver(sandbox)
    change_from_outside(sandbox, change)
    after = deliver(sandbox)
    prepared(sandbox).unlink(missing_ok=True)
    assert after == deliver(sandbox), "as without a prepared file"
    assert after != before


def test_a_file_of_another_version_is_made_again(
    sandbox: Sandbox, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(sandbox)
    monkeypatch.setattr(ready, "VERSION", ready.VERSION + 1)
    before = prepared(sandbox).read_bytes()
    deliver(sandbox)
    assert prepared(sandbox).read_bytes() != before


def prepared(sandbox: Sandbox) -> Path:
    return sandbox.state / ready.FOLDER / "engineer"


def test_a_damaged_file_is_made_again(sandbox: Sandbox, project: Project) -> None:
    sandbox.switch_selection_on()
    before = deliver(sandbox)
    good = prepared(sandbox).read_bytes()
    quarter = len(good) // 4
    after_power_cut = good[:quarter] + bytes(len(good) - quarter)
    older = marshal.dumps(([[4]], [], [], "", 0, False))
    digest = digests.hash_bytes(older, ready.DIGEST_SIZE)
    for data in (after_power_cut, b"\xe9\x00", marshal.dumps((["other"],)), digest + older):
        prepared(sandbox).write_bytes(data)
        assert deliver(sandbox) == before
        assert prepared(sandbox).read_bytes() != data
    for at in range(0, len(good), max(len(good) // 100, 1)):
        prepared(sandbox).write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        assert deliver(sandbox) == before, "a flipped bit is not trusted"


def test_a_long_history_counts(sandbox: Sandbox, project: Project) -> None:
    sandbox.switch_selection_on()
    texts = [f"Item {at} {'x' * 200}" for at in range(2000)]
    append_records(sandbox, *(item_history.make_record("learned", NOW, text) for text in texts))
    of_colors = [item_history.make_record(kind, NOW, COLORS) for kind in ("learned", "pinned")]
    append_records(sandbox, *of_colors)
    sandbox.append_to_memory("engineer", f"- {COLORS}\n")
    before = deliver(sandbox)
    assert COLORS in before
    prepared(sandbox).unlink()
    assert deliver(sandbox) == before


def test_who_changes_it_prepares_it(person: Person, sandbox: Sandbox, project: Project) -> None:
    sandbox.switch_selection_on()
    deliver(sandbox)
    text = report(2, "Refunds of payments wait 2 hours")
    sandbox.run_hook("subagent_stop", make_stop_event("a2", text))
    assert_ready(sandbox, "wait 2 hours")
    assert person.run("add", "engineer", "Refunds of payments wait 3 hours").returncode == 0
    assert_ready(sandbox, "wait 3 hours")
    sandbox.append_to_memory("engineer", "- Refunds of payments wait 4 hours\n")
    sandbox.run_hook("subagent_stop", make_stop_event("b1", "Done.", agent="qa"))
    assert_ready(sandbox, "wait 4 hours")


def assert_ready(sandbox: Sandbox, text: str) -> None:
    """Check that a delivery has a text without preparing anything."""
    written = prepared(sandbox).stat().st_ino
    assert text in deliver(sandbox)
    assert prepared(sandbox).stat().st_ino == written


@pytest.mark.parametrize("command", [["delete", "engineer", "--yes"], ["rename", "engineer", "qa"]])
def test_a_memory_that_is_gone_is_not_ready(
    person: Person, sandbox: Sandbox, project: Project, command: list[str]
) -> None:
    sandbox.switch_selection_on()
    deliver(sandbox)
    assert prepared(sandbox).exists()
    assert person.run(*command).returncode == 0
    assert not prepared(sandbox).exists()


def test_only_a_memory_of_the_user_depends_on_what_is_allowed(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", "Orders are numbered")
    project = sandbox.open_project()
    for is_stale in (False, True):
        before = ready.make_stamp(project, "engineer")
        (user_level.forbid if user_level.is_allowed(project.paths) else user_level.allow)(
            project.paths
        )
        assert (ready.make_stamp(project, "engineer") != before) is is_stale
        sandbox.write_memory("engineer", "Short sentences", user=True)
