"""The functions of memory_core.api, with real files."""

import contextlib
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import memory_core
from memory_core.curation import item_actions, lookup
from memory_core.document import preferences
from memory_core.storage.store import InvalidAgentName, Store
from support.runs import list_errors
from support.sandbox import Sandbox

FACT = "Services talk through the event bus, never directly"
OTHER = "The test database is shared"


@pytest.fixture
def shop(sandbox: Sandbox) -> memory_core.Memories:
    sandbox.memories.mkdir(parents=True)
    return memory_core.Memories(sandbox.root)


def test_remembered_items_are_recalled(shop: memory_core.Memories, sandbox: Sandbox) -> None:
    told = shop.remember("Engineer Agent", "architecture", f"{FACT}.")
    assert (told.text, told.section, told.confidence) == (FACT, "Project Architecture", 0.5)
    assert f"- {FACT}\n" in sandbox.read_memory("engineer")
    assert FACT in shop.recall("engineer", task="Add a retry to the event bus")
    assert FACT in shop.recall("engineer", task=None)
    assert FACT not in shop.recall("qa")
    assert FACT not in shop.recall("PM")


def test_recalled_items_fit_the_budget_and_the_task(shop: memory_core.Memories) -> None:
    for number in range(8):
        shop.remember("engineer", "pattern", f"Widget number{number} is painted twice each time")
    given = shop.recall("engineer", task="Paint number3 again", budget=900)
    assert len(given) <= 900
    assert "number3" in given
    assert "number0" not in given


def test_a_full_memory_takes_a_new_item(shop: memory_core.Memories, sandbox: Sandbox) -> None:
    sandbox.configure("memory:\n  limits: {max_items_per_section: 1, max_sections: 1}\n")
    shop = memory_core.Memories(sandbox.root)
    for content in (FACT, OTHER):
        assert shop.remember("qa", "pattern", content).text == content
    assert shop.remember("qa", "mistake", "Never guess") is None, "it has no section"
    assert shop.remember("qa", "pattern", FACT).text == FACT
    assert [item.text for item in shop.context("qa", least=0.5).items] == [FACT]


def test_each_run_raises_the_confidence_once(shop: memory_core.Memories) -> None:
    item = shop.remember("qa", "pattern", FACT, run="a1").id
    told = [shop.reinforce("qa", item, run=run).confidence for run in ("a1", "a2", "a2", "a3")]
    assert told == [0.5, 0.6, 0.6, 0.7]
    assert shop.reinforce("qa", item[:4]).confidence == 0.8
    assert [shop.contradict("qa", FACT, run=run).confidence for run in ("a4", "a4")] == [0.6, 0.6]
    assert shop.remember("qa", "pattern", FACT.lower(), run="a5").confidence == 0.7


def test_a_task_that_cannot_be_kept_raises(shop: memory_core.Memories, sandbox: Sandbox) -> None:
    shop.record_task("qa")
    with contextlib.closing(sqlite3.connect(sandbox.state / "state.db")) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(OSError, match="run agent-memory upgrade"):
        shop.record_task("qa")


def test_forgotten_items_are_in_the_archive(shop: memory_core.Memories, sandbox: Sandbox) -> None:
    shop.remember("qa", "pattern", FACT)
    assert shop.remove("qa", "event bus").text == FACT
    assert FACT not in shop.recall("qa")
    assert FACT in (sandbox.memories / "archive" / "qa.md").read_text()


def test_preferences(shop: memory_core.Memories) -> None:
    assert shop.preferences("qa") == {}
    assert shop.set_preference("qa", "coding-style", "short functions")
    assert not shop.set_preference("qa", "Coding style", "short functions")
    assert shop.set_preference("qa", "coding_style", "no classes")
    assert list(shop.preferences("qa").values()) == ["no classes"]
    assert "no classes" in shop.recall("qa")
    assert shop.unset_preference("qa", "coding-style")
    assert not shop.unset_preference("qa", "coding-style")


def test_tasks_and_errors_are_in_the_context(shop: memory_core.Memories) -> None:
    shop.remember("qa", "workflow", OTHER)
    shop.record_task("qa", duration_s=1.5, tokens=100, tool_uses=2, type="test", run="a1")
    shop.record_task("qa", "failed", type="test", run="a2")
    shop.record_task("qa", "failed", type="test", run="a2")
    shop.record_task("qa", type="docs")
    shop.record_error("qa", "pytest: command not found", "use python -m pytest")
    known = shop.context("qa", least=0.5)
    assert [each.text for each in known.items] == [OTHER]
    total = known.performance.total
    assert (total.done, total.failed, total.finished) == (2, 1, 3)
    assert known.performance.types["test"].duration_ms.total == 1500
    assert [error.resolution for error in known.errors] == ["use python -m pytest"]
    assert "pytest: command not found → use python -m pytest" in shop.recall("qa")


def test_prune(shop: memory_core.Memories) -> None:
    shop.remember("qa", "pattern", FACT)
    shop.remember("qa", "pattern", OTHER)
    shop.contradict("qa", FACT, run="a1")
    shop.contradict("qa", FACT, run="a2")
    assert [each.text for each in shop.prune(0, dry_run=True)[0].items] == [FACT]
    assert shop.prune(3600) == []
    assert len(shop.prune(0)[0].items) == 1
    assert [each.text for each in shop.context("qa", least=0.5).items] == [OTHER]


BAD: list[tuple[Callable[[memory_core.Memories], Any], type[Exception]]] = [
    (lambda shop: shop.remember("qa", "pattern", " "), item_actions.InvalidRequest),
    (lambda shop: shop.remember("qa", "recipe", FACT), item_actions.InvalidRequest),
    (lambda shop: shop.remember("../../evil", "pattern", "A fact about paths"), ValueError),
    (lambda shop: shop.remember("..", "pattern", FACT), InvalidAgentName),
    (lambda shop: shop.reinforce("qa", "nothing like it"), lookup.ItemNotFound),
    (lambda shop: shop.remove("nobody", "x"), lookup.ItemNotFound),
    (lambda shop: shop.set_preference("qa", "", "x"), preferences.InvalidPreference),
    (lambda shop: shop.set_preference("", "a", "b"), InvalidAgentName),
    (lambda shop: shop.record_task("qa", "great"), ValueError),
    (lambda shop: shop.record_task("qa", tokens=-1), ValueError),
    (lambda shop: shop.record_task("qa", tokens=True), ValueError),
    (lambda shop: shop.record_task("qa", duration_s=-0.5), ValueError),
    (lambda shop: shop.record_task("qa", duration_s=float("nan")), ValueError),
    (lambda shop: shop.record_task("qa", duration_s=1e308), ValueError),
    (lambda shop: shop.record_task("qa", type=5), ValueError),
    (lambda shop: shop.record_task("qa", run="a\nb"), ValueError),
    (lambda shop: shop.record_error("qa", " \n"), ValueError),
    (lambda shop: shop.prune(-1), ValueError),
    (lambda shop: shop.prune(float("inf")), ValueError),
    (lambda shop: shop.prune(0, agents="qa"), ValueError),
    (lambda shop: shop.prune(1, below=1.5), ValueError),
    (lambda shop: memory_core.Memories(f"{shop.root}/nowhere"), NotADirectoryError),
]


def test_bad_input_changes_nothing(shop: memory_core.Memories, sandbox: Sandbox) -> None:
    for call, error in BAD:
        with pytest.raises(error):
            call(shop)
    assert [path.name for path in sandbox.memories.rglob("*")] == []


def test_records_name_their_source(shop: memory_core.Memories, sandbox: Sandbox) -> None:
    shop.remember("qa", "pattern", FACT)
    shop.record_error("qa", "pytest: command not found")
    records = Store(sandbox.paths).history("qa").read()
    assert [(each["kind"], each["source"]) for each in records] == [("learned", "python")]
    assert [each["source"] for each in list_errors(sandbox.paths, "qa")] == ["python"]


def test_the_package_alone_imports_nothing() -> None:
    code = "import sys, memory_core; print([m for m in sys.modules if m.startswith('memory_core')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['memory_core']"
    with pytest.raises(AttributeError, match="no attribute 'Memory'"):
        _ = memory_core.Memory  # type: ignore[attr-defined]
