"""The block of an agent with selection: ids, the mark, the recording note, and its size."""

from __future__ import annotations

import re

import pytest

from memory_core.history.item_history import id_of
from memory_core.memory import recall
from memory_core.origin import text_origins
from memory_core.storage.project import find_project
from memory_core.text import memory_tags
from support.events import make_stop_event
from support.sandbox import Sandbox

FACT = "Payments are retried with one message id"
LEARNED = "Refunds of payments need the id of the invoice"
REPORT = f"Done.\n\n# Add To Memory:\nType: mistake\nContent: {LEARNED}\nSee: src/refunds.py\n#\n"
TASK = "retry the payments and refunds"
MARK = "✓: confirmed by a person or several runs."
MARKER = "# Add To Memory:\n"


@pytest.fixture
def selecting(sandbox: Sandbox) -> Sandbox:
    sandbox.switch_selection_on()
    return sandbox


def build(sandbox: Sandbox, task: str = TASK, agent: str = "engineer", budget: int = 16_000) -> str:
    project = sandbox.open_project()
    return recall.build_block(project, agent, budget, lambda: task).text


def note_of(block: str) -> str:
    """Return the recording note: the lines behind the last item."""
    lines = block.split("\n")[1:-1]
    begin = max((at + 2 for at, line in enumerate(lines) if line[:3] in ("- [", "  -")), default=0)
    return "\n".join(lines[begin:])


def test_items_have_their_ids_their_lines_and_a_mark(selecting: Sandbox) -> None:
    selecting.write_memory("engineer", FACT)
    selecting.run_hook("subagent_stop", make_stop_event("a1", REPORT))
    assert f"- [{id_of(FACT)[:4]}] {FACT}\n" in build(selecting), "nobody has said whose it is"
    project = find_project(str(selecting.root), selecting.env)
    texts = text_origins.list_texts(project, project.store, "engineer")
    text_origins.accept(project.store, [text for text in texts if text.text == FACT])
    block = build(selecting)
    assert f"- [{id_of(FACT)[:4]}]✓ {FACT}\n" in block
    assert f"- [{id_of(LEARNED)[:4]}] {LEARNED}\n  - See: src/refunds.py\n" in block
    assert block.count(MARK) == 1
    assert block == build(selecting), "equal input yields equal bytes"


def test_the_mark_is_explained_only_if_it_is_there(selecting: Sandbox) -> None:
    selecting.run_hook("subagent_stop", make_stop_event("a1", REPORT))
    block = build(selecting)
    assert LEARNED in block
    assert "✓" not in block
    selecting.run_hook("subagent_stop", make_stop_event("a2", REPORT))
    assert MARK in build(selecting)


def test_the_note_shows_the_id_of_the_best_item(selecting: Sandbox) -> None:
    selecting.write_memory("engineer", FACT, LEARNED)
    block = build(selecting)
    best = re.findall(r"^- \[(\w+)\]", block, re.MULTILINE)[0]
    assert f"`Used: {best}`" in note_of(block)
    assert f"`Wrong: {best} because ...`" in note_of(block)


CHOOSING = "memory: {selection: {whole_below_tokens: 0}}\n"


@pytest.mark.parametrize("setting", [CHOOSING, "memory: {selection: off}\n"])
def test_without_items_the_note_names_none(selecting: Sandbox, setting: str) -> None:
    selecting.configure(setting)
    assert "Used:" not in build(selecting)
    selecting.write_memory("engineer", FACT)
    block = build(selecting, task="a heading" if setting == CHOOSING else TASK)
    assert MARKER in block
    assert "Used:" not in block
    assert (FACT in block, "✓" in block) == (setting != CHOOSING, False)


def test_the_note_is_short_and_shorter_for_an_agent_that_recorded(selecting: Sandbox) -> None:
    selecting.write_memory("engineer", FACT)
    first = note_of(build(selecting))
    selecting.run_hook("subagent_stop", make_stop_event("a1", REPORT))
    later = note_of(build(selecting))
    for note, most in ((first, 90), (later, 70)):
        assert len(note.split()) <= most
        assert "three" in note
        assert all(
            key in note for key in (MARKER, "\nType: [", "\nContent: [", "\nSee: [", "\n#\n")
        )
        assert "`Used: " in note
    assert len(later) < len(first)


def test_the_main_session_gets_no_note(selecting: Sandbox) -> None:
    selecting.write_memory("PM", "Releases go out on Tuesdays")
    block = build(selecting, task="", agent="PM")
    assert "Tuesdays" in block
    assert MARKER not in block
    assert "Used:" not in block


def test_the_block_never_exceeds_its_budget(selecting: Sandbox) -> None:
    selecting.write_memory("engineer", *(f"Payment {number} is retried" for number in range(30)))
    whole = build(selecting)
    for budget in range(0, len(whole) + 50, 7):
        block = build(selecting, budget=budget)
        assert len(block) <= budget
        assert not block or (memory_tags.has_block(block) and block.endswith(">"))


def test_an_item_is_marked_and_ranked_lower_if_its_file_is_gone(selecting: Sandbox) -> None:
    source = selecting.root / "src"
    source.mkdir()
    for name in ("sales", "stock"):
        (source / f"{name}.py").touch()
    selecting.write_memory("engineer", "src/sales.py retries twice", "src/stock.py retries twice")
    before = re.findall(r"^- \[.*", build(selecting), re.MULTILINE)
    gone = "src/sales.py" if "sales" in before[0] else "src/stock.py"
    (selecting.root / gone).unlink()
    after = re.findall(r"^- \[.*", build(selecting), re.MULTILINE)
    assert after == [before[1], f"{before[0]} (may be out of date: {gone} is gone)"]


def test_the_users_own_items_name_files_of_any_project(selecting: Sandbox) -> None:
    (selecting.root / "src").mkdir()
    selecting.write_memory("engineer", "Retry payments in src/pay.py", user=True)
    block = build(selecting)
    assert "src/pay.py" in block
    assert "gone" not in block
