"""List, show and undo changes, without losing a later hand edit."""

import contextlib
import itertools
import random
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from memory_core.curation import (
    change_log,
    cleaning,
    edit_session,
    item_actions,
    searching,
    undo as undoing,
)
from memory_core.document import markdown
from memory_core.document.block_reader import ItemFields
from memory_core.document.merge_learnings import Learning
from memory_core.history import item_history
from memory_core.memory import changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.loading import read_memory
from memory_core.storage import history_file
from memory_core.storage.project import find_project
from memory_core.storage.store import Store
from support.files import read_files, write
from support.memory_files import make_section

AGENTS = ("qa", "ops")
WORDS = ["Use tabs in makefiles", "Fixtures are generated", "The lift is slow"]
WORDS += ["Ask Ann first", "Deploys are frozen on Fridays", "Logs rotate at midnight"]
SMALL = "memory: {limits: {max_items_per_section: 3}}\n"

Items = list[tuple[str, str, str]]


class Workshop:
    """A project on disk with two agents, and a user who edits their files."""

    def __init__(self, root: str, config: str = SMALL) -> None:
        folder = Path(root) / ".claude-mpm"
        write(folder / "config.yml", config)
        self.project = find_project(root, {"HOME": f"{root}/home"})
        self.folder = folder / "memories"

    @property
    def store(self) -> Store:
        return self.project.store

    def path(self, agent: str) -> Path:
        return self.folder / f"{agent}.md"

    def text(self, agent: str) -> str:
        return self.path(agent).read_text() if self.path(agent).exists() else ""

    def items(self, agent: str) -> Items:
        return markdown.list_items(markdown.parse_document(self.text(agent)))

    def all_items(self) -> dict[str, Items]:
        return {agent: self.items(agent) for agent in AGENTS}

    def memories(self) -> Any:
        """Return the bytes of all memory files, and the confidence of their items."""
        return {path.name: path.read_bytes() for path in self.folder.glob("*.md")}, self.sure()

    def sure(self) -> dict[tuple[str, str], float]:
        """Return the confidence of all items by agent and text."""
        memories = [read_memory(self.project, agent) for agent in AGENTS]
        items = [item for memory in memories for item in item_actions.list_items(memory)]
        return {(item.agent, item.text): item.confidence for item in items}

    def texts(self, agent: str) -> list[str]:
        return [each[0] for each in self.items(agent)]

    def pick(self, agent: str, number: int) -> str:
        """Return the text of one item, "" if there is none."""
        texts = self.texts(agent)
        return texts[number % len(texts)] if texts else ""

    def change(self, agent: str, work: Callable[[AgentMemory], Any] = lambda work: None) -> None:
        """Change a memory; without `work`, only record the edits of the user."""
        transaction.change_memory(self.project, agent, work)

    def judge(self, text: str, kind: str, agent: str = "qa") -> None:
        item_actions.judge_items(self.project, [(agent, text)], kind)

    def learn(self, agent: str, word: str, run: str) -> None:
        pair = [Learning("mistake" if word == WORDS[0] else "tip", word)]
        how = {"run": run, "session": "s1", "source": "agent"}
        self.change(agent, lambda work: changes.learn(work, changes.Lesson(pair, how)))

    def apply_edit(self, agent: str, old: str, new: str = "") -> None:
        """Replace the line of an item by another one, or remove it with what is nested."""
        document = markdown.parse_document(self.text(agent))
        lines = list(document.lines)
        for item in (each for each in document.items if each.text == old):
            lines[item.line : item.text_end if new else item.end] = [f"- {new}\n"] * bool(new)
            self.path(agent).write_text("".join(lines))
            return

    def nest(self, agent: str, text: str, line: str) -> None:
        item = f"\n- {text}\n"
        write(self.path(agent), self.text(agent).replace(item, f"{item}  - {line}\n"))

    def undo(self, count: int = 1) -> undoing.UndoResult:
        return undoing.undo_changes(self.project, self.store, count=count)

    def redo(self) -> undoing.UndoResult:
        return undoing.redo_changes(self.project, self.store)


# Changes to undo, one per row.

START = "# qa\n\nProse of mine.\n\n"
START += make_section("A", "one", "two\n  - nested in two", "three") + "| a |\n|---|\n\n"
START += make_section("Effective Strategies", "strategy")
NEW = WORDS[3]
ITEMS = [("one", "A", ""), ("two", "A", "  - nested in two"), ("three", "A", "")]
ITEMS.append(("strategy", "Effective Strategies", ""))


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    shop = Workshop(str(tmp_path), "")
    shop.folder.mkdir()
    shop.path("qa").write_text(START)
    return shop


def forget(*texts: str) -> Any:
    return lambda shop: [shop.judge(text, "removed") for text in texts]


def optimized(shop: Workshop) -> None:
    olds = [ItemFields(*item) for item in (ITEMS[0], ITEMS[2])]
    shop.change("qa", lambda work: changes.merge_items(work, olds, "one and three"))


def archived_of_old(shop: Workshop) -> None:
    shop.store.add_to_archive("qa", ["[Gone] of old\n  - nested"], "2026-11-20 08:00:00")
    item_actions.restore(shop.project, shop.store, [("qa", "of old")])


def pruned(shop: Workshop) -> None:
    cleaning.prune_items(shop.project, shop.store, ["qa"], 0, 1.0, write=True)


def learn_new(shop: Workshop) -> None:
    shop.learn("qa", NEW, "a1")


def learn_all(shop: Workshop) -> None:
    for word in WORDS:
        shop.learn("qa", word, "a1")


def edited(shop: Workshop, gone: str = "- three\n") -> None:
    copy = edit_session.open_copy(shop.project, "qa", shop.store)
    text = copy.replace("Prose of mine", "Other prose").replace(gone, "")
    edit_session.save_copy(shop.project, "qa", copy, text, shop.store)


# What is changed, and the number of changes.
VERBS: dict[str, tuple[Any, int]] = {
    "learned": (learn_new, 1),
    "learned, one by one": (learn_all, 6),
    "a preference": (lambda shop: prefer(shop, "qa", 0, WORDS[0]), 1),
    "the first leaves": (forget("one"), 1),
    "nested lines leave": (forget("two"), 1),
    "the last leaves": (forget("three"), 1),
    "all leave": (forget("two", "one", "three"), 3),
    "merged": (optimized, 1),
    "put back into a section that is made for it": (archived_of_old, 1),
    "pruned": (pruned, 1),
    "deleted": (lambda shop: cleaning.archive_memories(shop.project, shop.store, ["qa"]), 1),
    "edited": (edited, 1),
    "prose is edited": (lambda shop: edited(shop, "no such line"), 1),
    "confirmed": (lambda shop: shop.judge("one", "confirmed"), 1),
    "contradicted": (lambda shop: shop.judge("one", "contradicted"), 1),
    "pinned": (lambda shop: shop.judge("one", "pinned"), 1),
}


@pytest.mark.parametrize("name", VERBS)
def test_undo_and_redo_restore_the_bytes(shop: Workshop, name: str) -> None:
    """One at a time, and all at once."""
    verb, count = VERBS[name]
    shop.change("qa")
    before = shop.memories()
    verb(shop)
    after = shop.memories()
    for number in (1, count):
        for _ in range(count // number):
            shop.undo(number)
        assert shop.memories() == before
        for _ in range(count // number):
            shop.redo()
        assert shop.memories() == after


def move_new(shop: Workshop) -> None:
    text, title = shop.text("qa").replace(f"- {NEW}\n", ""), "## Effective Strategies\n"
    shop.path("qa").write_text(text.replace(title, f"{title}- {NEW}\n"))


def rename_section(shop: Workshop) -> None:
    shop.path("qa").write_text(shop.text("qa").replace("## Recent Learnings", "## Of late"))


def edit(old: str, new: str = "") -> Any:
    return lambda shop: shop.apply_edit("qa", old, new)


# Command, edit of the user after it, items after the undo or the reason of a conflict.
CHANGED = "was changed again by an edit of the file"
LATER: list[tuple[Any, Any, Items | str]] = [
    (learn_new, edit(NEW, f"{NEW}, by hand"), f"{NEW!r} {CHANGED}"),
    (learn_new, lambda shop: shop.nest("qa", NEW, "mine"), f"{NEW!r} {CHANGED}"),
    (learn_new, move_new, f"{NEW!r} {CHANGED}"),
    (learn_new, edit(NEW), ITEMS),
    (learn_new, rename_section, CHANGED),
    (optimized, edit("one and three", "one and three, by hand"), CHANGED),
    (optimized, edit("one and three"), CHANGED),
    (forget("three"), edit("one", "three"), f"'three' {CHANGED}"),
    (forget("three"), edit("two"), [ITEMS[0], *ITEMS[2:]]),
    (learn_new, edit("one", "one, by hand"), [("one, by hand", "A", ""), *ITEMS[1:]]),
]


@pytest.mark.parametrize(("verb", "by_hand", "expected"), LATER)
def test_a_later_edit_of_the_same_item_prevents_an_undo(
    shop: Workshop, tmp_path: Path, verb: Any, by_hand: Any, expected: Items | str
) -> None:
    shop.change("qa")
    verb(shop)
    by_hand(shop)
    before = read_files(tmp_path)
    if isinstance(expected, str):
        with pytest.raises(undoing.UndoConflict, match=re.escape(expected)):
            shop.undo()
        assert read_files(tmp_path) == before
    else:
        shop.undo()
        assert shop.items("qa") == expected


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_undo_in_any_order_brings_all_items_back(shop: Workshop, order: Sequence[int]) -> None:
    before, changes = shop.items("qa"), list[str]()
    for name in ("two", "one", "three"):
        forget(name)(shop)
        changes.append(undoing.list_undoable(shop.store)[-1].id)
    for at in order:
        undoing.undo_changes(shop.project, shop.store, [changes[at]])
    assert sorted(shop.items("qa")) == sorted(before)


def archive_of(shop: Workshop) -> list[tuple[str, str]]:
    return [(each.section, each.whole) for each in searching.list_archived(shop.store, "qa")]


def test_undo_updates_the_archive(shop: Workshop) -> None:
    forget("two")(shop)
    assert archive_of(shop) == [("A", "two\n  - nested in two")]
    shop.undo()
    assert archive_of(shop) == []
    shop.learn("qa", "new", "a1")
    shop.undo()
    assert archive_of(shop) == [("Recent Learnings", "new")]
    shop.redo()
    assert archive_of(shop) == []
    optimized(shop)
    assert archive_of(shop) == [("A", "one"), ("A", "three")]
    shop.undo()
    assert archive_of(shop) == [("A", "one and three")]
    shop.redo()
    assert archive_of(shop) == [("A", "one"), ("A", "three")]


def test_one_command_is_one_change(shop: Workshop) -> None:
    for agent in AGENTS:
        shop.learn(agent, NEW, "a1")
    prune(shop)
    assert not any(NEW in shop.text(agent) for agent in AGENTS)
    (change,) = shop.undo().changes
    assert change.agents == sorted(AGENTS)
    assert all(NEW in shop.text(agent) for agent in AGENTS)


def test_an_item_that_lost_a_contradiction_waits_until_the_undo(tmp_path: Path) -> None:
    shop = Workshop(str(tmp_path))
    shop.learn("qa", "Always use tabs for indentation in Go files", "a1")
    shop.learn("qa", "Never use tabs for indentation in Go files", "a2")
    for _ in range(2):
        (entry,) = shop.store.read_review("qa")
        assert entry["content"].startswith("Always")
        shop.undo()
        assert shop.store.read_review("qa") == []
        shop.redo()


def test_undo_and_redo_need_no_long_history(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the newest records are read, here 20 of 29."""
    facts = [Learning("tip", f"Fact {number} is about {number}") for number in range(12)]
    by = {"source": "person"}
    shop.change("qa", lambda work: changes.learn(work, changes.Lesson(facts, by)))
    before = shop.items("qa")
    shop.undo()
    monkeypatch.setattr(history_file, "MAX_RECORDS", 20)
    shop.redo()
    assert shop.items("qa") == before


# Random changes.


def hand_edit(shop: Workshop, agent: str, number: int, word: str) -> None:
    old = shop.pick(agent, number)
    if f"{old} now" not in shop.texts(agent):  # two equal texts are one item of the history
        shop.apply_edit(agent, old, f"{old} now")


def hand_remove(shop: Workshop, agent: str, number: int, word: str) -> None:
    shop.apply_edit(agent, shop.pick(agent, number))


def hand_nest(shop: Workshop, agent: str, number: int, word: str) -> None:
    shop.nest(agent, shop.pick(agent, number), f"and {number}")


def hand_add(shop: Workshop, agent: str, number: int, word: str) -> None:
    if word not in shop.texts(agent):
        before = shop.text(agent).rstrip("\n")
        heading = "" if "## Notes of mine" in before else "\n\n## Notes of mine"
        write(shop.path(agent), f"{before}{heading}\n- {word}\n")


def learn(shop: Workshop, agent: str, number: int, word: str) -> None:
    shop.learn(agent, word, f"a{number % 3}")


def reword(shop: Workshop, agent: str, number: int, word: str) -> None:
    """Learn a better wording of an item."""
    shop.learn(agent, f"{word}, because it is {number % 3}", f"a{number}")


def say(kind: str) -> Any:
    def said(shop: Workshop, agent: str, number: int, word: str) -> None:
        if text := shop.pick(agent, number):
            shop.judge(text, kind, agent)

    said.__name__ = kind
    return said


def prefer(shop: Workshop, agent: str, number: int, word: str) -> None:
    key = ("tone", "style")[number % 2]
    if word in WORDS[:3]:
        item_actions.set_preference(shop.project, agent, key, word)
    else:
        item_actions.remove_preference(shop.project, agent, key)


def prune(shop: Workshop, *_step: Any) -> None:
    cleaning.prune_items(shop.project, shop.store, AGENTS, 0, 0.55, write=True)


def undo(shop: Workshop, *_step: Any) -> None:
    if undoable(shop):
        with contextlib.suppress(undoing.UndoConflict):
            shop.undo()


BY_HAND = [hand_edit, hand_remove, hand_nest, hand_add]
JUDGEMENTS = ("confirmed", "contradicted", "removed", "pinned", "unpinned")
BY_US = [learn, learn, reword, prefer, prefer, prune, undo, *map(say, JUDGEMENTS)]

STEPS = st.tuples(st.sampled_from(AGENTS), st.integers(0, 9), st.sampled_from(WORDS))
NO_LIMIT = settings(suppress_health_check=list(HealthCheck))


def scripts(kinds: list[Any], largest: int = 9) -> Any:
    return st.lists(st.tuples(st.sampled_from(kinds), STEPS), min_size=1, max_size=largest)


def play(shop: Workshop, script: Any) -> None:
    for verb, step in script:
        verb(shop, *step)


def undoable(shop: Workshop) -> list[change_log.Change]:
    return undoing.list_undoable(shop.store)


@NO_LIMIT
@given(scripts(BY_US))
def test_undo_restores_the_earlier_states_one_by_one(script: Any) -> None:
    with tempfile.TemporaryDirectory() as root:
        shop = Workshop(root)
        states = [shop.all_items()]
        for verb, step in script:
            before = len(undoable(shop))
            verb(shop, *step)
            if len(undoable(shop)) > before:
                assert len(undoable(shop)) == before + 1
                states.append(shop.all_items())
            elif len(undoable(shop)) < before:
                states.pop()
        for items in states[-2::-1]:
            shop.undo()
            assert shop.all_items() == items
        assert not undoable(shop)
        for items in states[1:]:
            shop.redo()
            assert shop.all_items() == items


ITEM_KEYS = ("id", "was")


@NO_LIMIT
@given(scripts([*BY_US, *BY_HAND]), scripts(BY_HAND, 3), st.integers(1, 5), st.randoms())
def test_an_undo_loses_no_later_hand_edit(
    script: Any, by_hand: Any, count: int, mixer: random.Random
) -> None:
    """And a redo reverts it; the records have one order."""
    with tempfile.TemporaryDirectory() as root:
        shop = Workshop(root, "")
        play(shop, [*script, *by_hand])
        for agent in AGENTS:
            shop.change(agent)
            records = shop.store.history(agent).read()
            mixed = [*records, *records[: len(records) // 2]]
            mixer.shuffle(mixed)
            assert item_history.sort_records(mixed) == item_history.sort_records(records) == records
        after, sure = shop.all_items(), shop.sure()
        if not (last := undoable(shop)[-count:]):
            return
        touched = {record.get(key) for each in last for record in each.records for key in ITEM_KEYS}
        with contextlib.suppress(undoing.UndoConflict):
            shop.undo(len(last))
            for agent in AGENTS:
                others = {one for one in after[agent] if item_history.id_of(one[0]) not in touched}
                assert others <= {*shop.items(agent)}
            shop.redo()
        assert (shop.all_items(), shop.sure()) == (after, sure)
