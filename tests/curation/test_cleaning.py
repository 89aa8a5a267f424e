"""Pruning moves items with low confidence and without recent use to the archive."""

from pathlib import Path
from typing import Any

import pytest

from memory_core.curation import cleaning, item_actions
from memory_core.history import item_history
from memory_core.storage.project import Project
from support.command_line import Person, hide_change, read_fields
from support.files import read_files
from support.histories import DAY, ago, remember
from support.sandbox import Sandbox

OLD = "The lift is slow on Mondays"
NEW = "Use tabs in makefiles"

Records = list[dict[str, Any]]


def told(kind: str, text: str, days: float, **fields: Any) -> item_history.Record:
    time = ago(days)
    return item_history.make_record(kind, time, text, section="Mine", change=time, **fields)


def wrong(text: str, days: float, times: int = 2) -> Records:
    """Return the records of an item that was contradicted this many times."""
    moments = [days - number / 1000 for number in range(1, times + 1)]
    doubts = [told("contradicted", text, at, run=f"b{at}") for at in moments]
    return [told("learned", text, days, run="a1"), *doubts]


def list_prunable(project: Project, days: float, below: float) -> list[str]:
    agents, age = project.store.agents(), int(days * DAY)
    found = cleaning.prune_items(project, project.store, agents, age, below, write=False)
    return [each.text for one in found for each in one.items]


@pytest.mark.parametrize(
    ("records", "days", "below", "leaves"),
    [
        (wrong(OLD, 100), 90, 0.3, True),
        (wrong(OLD, 80), 90, 0.3, False),
        (wrong(OLD, 100, times=1), 90, 0.3, False),  # 0.3 is not below 0.3
        (wrong(OLD, 100, times=1), 90, 0.31, True),
        (wrong(OLD, 100, times=9), 90, 0.0, False),  # nothing is below 0
        ([told("learned", OLD, 100, run="a1")], 90, 0.3, False),
        ([told("learned", OLD, 100, run="a1")], 90, 1.0, True),
        # confirmations by runs and users count as use
        ([*wrong(OLD, 100, 3), told("reinforced", OLD, 10, run="a2")], 90, 0.3, False),
        ([*wrong(OLD, 100, 3), told("confirmed", OLD, 10, source="person")], 90, 0.3, False),
        # a contradiction does not count as use
        ([*wrong(OLD, 100), told("contradicted", OLD, 1, run="c")], 90, 0.3, True),
        # a restored item is as old as its restoration
        ([*wrong(OLD, 100), told("evicted", OLD, 50), told("restored", OLD, 10)], 90, 0.3, False),
        (wrong(OLD, 0.2), 0, 0.3, True),
    ],
)
def test_items_to_prune(
    project: Project, sandbox: Sandbox, records: Records, days: float, below: float, leaves: bool
) -> None:
    remember(sandbox, "qa", records)
    assert list_prunable(project, days, below) == [OLD] * leaves


def test_age_0_includes_new_items(project: Project) -> None:
    """The times of versions may be ahead of the clock after several quick writes."""
    for number in range(5):
        item_actions.set_preference(project, "qa", f"key {number}", "a")
    memory_text = Path(project.store.path("qa"))
    memory_text.write_text(f"{memory_text.read_text()}\n## Mine\n- {NEW}\n")
    assert list_prunable(project, 0, 0.9) == [
        NEW
    ]  # preferences are not learned items, so they stay
    assert list_prunable(project, 0, 0.8) == []  # the confidence of items that a user writes


def test_pruned_items_are_archived(person: Person, sandbox: Sandbox) -> None:
    remember(sandbox, "qa", [*wrong(OLD, 100), told("learned", NEW, 1, run="a3")])
    remember(sandbox, "ops", wrong(OLD, 100))
    before = read_files(sandbox.root)
    line = f"qa  {item_history.id_of(OLD)}  [Mine] {OLD} (0.1, last used {ago(100)[:10]})\n"
    done = person.run("prune", "--older-than", "90d", "--dry-run", "qa")
    assert (done.returncode, done.stdout) == (0, line)
    assert done.stderr == "Nothing is changed yet; run it without --dry-run to change it.\n"
    answer = person.read_json("prune", "--older-than", "12w", "--dry-run")
    assert set(answer) == read_fields("`prune`")
    assert answer["written"] is False
    assert "missing option '--older-than'" in person.run("prune").stderr
    for wrong_words in (["--older-than", "3y"], ["--older-than", "1d", "--below", "2"]):
        assert person.run("prune", *wrong_words).returncode == 2
    assert read_files(sandbox.root) == before
    done = person.run("prune", "--older-than", "90d", "--yes", "qa")
    assert (done.returncode, done.stdout) == (0, line)
    assert OLD in person.run("restore", "qa").stdout
    assert [row["text"] for row in person.read_json("list", "qa")] == [NEW]
    assert OLD in sandbox.read_memory("ops")
    assert person.read_json("log", "-n", "1")[0]["kind"] == "archived"
    assert hide_change(done.stderr) == "1 item archived.\nUndo with: agent-memory undo ID\n"
    done = person.run("prune", "--older-than", "90d", "--yes", "qa")
    assert done.stderr == "Nothing to prune: no item is old and uncertain.\n"
    sandbox.write_memory("qa", OLD, user=True)
    assert person.run("prune", "--older-than", "0d", "--below", "0.9", "--user", "--yes").stdout
    assert OLD not in (sandbox.user_memories / "qa.md").read_text()
