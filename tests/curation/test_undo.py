"""List, show and undo changes, without losing a later hand edit."""

from __future__ import annotations

import contextlib
import random
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.curation import (
    archive,
    change_log,
    cleaning,
    item_actions,
    preference_actions,
    sharing,
)
from memory_core.curation.undo import (
    NothingToUndo,
    UndoConflict,
    UndoResult,
    list_undoable,
    redo_last,
    undo_last,
)
from memory_core.document import markdown
from memory_core.history import item_history
from memory_core.memory import agent_memory, changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.project import find_project
from memory_core.storage import history_file
from support.files import read_files

AGENTS = ("qa", "ops")
WORDS = [
    "Use tabs in makefiles",
    "Fixtures are generated",
    "The lift is slow",
    "Ask Ann first",
    "Deploys are frozen on Fridays",
    "Logs rotate at midnight",
]
SMALL = "memory: {limits: {max_items_per_section: 3}}\n"

Items = list[tuple[str, str, str]]


class Workshop:
    """A project on disk with two agents, and a user who edits their files."""

    def __init__(self, root: str, config: str = SMALL) -> None:
        folder = Path(root) / ".claude-mpm"
        folder.mkdir(parents=True)
        (folder / "config.yml").write_text(config)
        self.project = find_project(root, {"HOME": f"{root}/home"})
        self.folder = folder / "memories"

    @property
    def store(self) -> Any:
        return self.project.store

    def path(self, agent: str) -> Path:
        return self.folder / f"{agent}.md"

    def text(self, agent: str) -> str:
        return self.path(agent).read_text() if self.path(agent).exists() else ""

    def items(self, agent: str) -> Items:
        return agent_memory.list_items(markdown.parse_document(self.text(agent)))

    def all_items(self) -> dict[str, Items]:
        return {agent: self.items(agent) for agent in AGENTS}

    def sure(self) -> dict[str, dict[str, float]]:
        return {
            agent: {
                origin.text: origin.state.confidence
                for _agent, origin in change_log.list_origins(self.project, self.store, [agent])
                if origin.state
            }
            for agent in AGENTS
        }

    def records(self, agent: str) -> list[item_history.Record]:
        return self.store.history(agent).read()

    def learn(self, agent: str, word: str, run: str) -> None:
        pair = [["mistake" if word == WORDS[0] else "tip", word]]
        how = {"run": run, "session": "s1", "source": "agent"}
        transaction.change_memory(
            self.project, agent, lambda work: changes.learn(work, pair, **how)
        )

    def apply_edit(self, agent: str, old: str, new: str) -> None:
        """Replace the line of an item by another one, or remove it."""
        document = markdown.parse_document(self.text(agent))
        lines = list(document.lines)
        for item in document.items:
            if item.text == old:
                lines[item.line : item.text_end] = [f"- {new}\n"] if new else []
                if not new:
                    del lines[item.line : item.line + item.end - item.text_end]
                break
        self.path(agent).write_text("".join(lines))

    def nest(self, agent: str, text: str, line: str) -> None:
        document = markdown.parse_document(self.text(agent))
        lines = list(document.lines)
        item = next(each for each in document.items if each.text == text)
        lines.insert(item.end, f"  - {line}\n")
        self.path(agent).write_text("".join(lines))

    def add(self, agent: str, text: str) -> None:
        self.folder.mkdir(exist_ok=True)
        before = self.text(agent) or f"# {agent}\n"
        if "## Notes of mine" not in before:
            before = before.rstrip("\n") + "\n\n## Notes of mine\n"
        self.path(agent).write_text(f"{before.rstrip(chr(10))}\n- {text}\n")

    def undo(self, count: int = 1) -> UndoResult:
        return undo_last(self.project, self.store, count)

    def redo(self) -> UndoResult:
        return redo_last(self.project, self.store)


# Changes to undo, one per row.

START = """\
# qa

## A
- one
- two
  - nested in two
- three

## Effective Strategies
- strategy
"""
NEW = "Ask Ann first"
ITEMS = [
    ("one", "A", ""),
    ("two", "A", "  - nested in two"),
    ("three", "A", ""),
    ("strategy", "Effective Strategies", ""),
]


def started(root: Path) -> Workshop:
    shop = Workshop(str(root), "")
    shop.folder.mkdir()
    shop.path("qa").write_text(START)
    return shop


def forget(*texts: str) -> Any:
    return lambda shop: [item_actions.judge(shop.project, "qa", text, "removed") for text in texts]


def optimized(shop: Workshop) -> None:
    def work(work: AgentMemory) -> None:
        changes.replace_items(work, ["one", "three"], "one and three", source="person")

    transaction.change_memory(shop.project, "qa", work)


def old_section(shop: Workshop) -> None:
    archive.restore(shop.project, shop.store, [("qa", "of old")])


def archived_of_old(shop: Workshop) -> None:
    shop.store.add_to_archive("qa", ["[Gone] of old\n  - nested"], "2026-11-20 08:00:00")
    old_section(shop)


def pruned(shop: Workshop) -> None:
    cleaning.prune_items(shop.project, shop.store, ["qa"], 0, 1.0, write=True)


def shared(shop: Workshop) -> None:
    source = sharing.find_source(shop.project, shop.store, ["qa"], "two")
    sharing.copy_items(shop.project, [(source, [("ops", shop.store)])])
    assert shop.items("ops") == [ITEMS[1]]


VERBS = {
    "learned": lambda shop: shop.learn("qa", NEW, "a1"),
    "a preference": lambda shop: preference_actions.set_preference(
        shop.project, "qa", "tone", "dry"
    ),
    "the first leaves": forget("one"),
    "nested lines leave": forget("two"),
    "the last leaves": forget("three"),
    "merged": optimized,
    "put back into a section that is made for it": archived_of_old,
    "pruned": pruned,
    "shared": shared,
    "confirmed": lambda shop: item_actions.judge(shop.project, "qa", "one", "confirmed"),
    "contradicted": lambda shop: item_actions.judge(shop.project, "qa", "one", "contradicted"),
    "pinned": lambda shop: item_actions.judge(shop.project, "qa", "one", "pinned"),
}


@pytest.mark.parametrize("name", VERBS)
def test_a_change_is_undone_and_redone(tmp_path: Path, name: str) -> None:
    shop = started(tmp_path)
    transaction.change_memory(shop.project, "qa", lambda work: None)
    sure = shop.sure()["qa"]
    VERBS[name](shop)
    changed, surer = shop.all_items(), shop.sure()
    shop.undo()
    assert shop.items("qa") == ITEMS
    assert shop.items("ops") == []
    assert shop.sure()["qa"] == sure
    shop.redo()
    assert (shop.all_items(), shop.sure()) == (changed, surer)
    shop.undo()
    assert shop.items("qa") == ITEMS
    shop.redo()
    assert (shop.all_items(), shop.sure()) == (changed, surer)


def test_a_section_that_comes_back_has_the_limit_of_the_memory(tmp_path: Path) -> None:
    shop = Workshop(str(tmp_path))
    shop.learn("qa", WORDS[0], "a1")
    before = [line for line in shop.text("qa").splitlines() if line.startswith("## ")]
    assert "(Max: 3 items)" in before[0]
    shop.undo()
    assert shop.text("qa") == ""
    shop.redo()
    assert [line for line in shop.text("qa").splitlines() if line.startswith("## ")] == before


def test_several_removed_items_return_in_order(tmp_path: Path) -> None:
    shop = started(tmp_path)
    forget("two", "one", "three")(shop)
    for left in (ITEMS[2:], [ITEMS[0], *ITEMS[2:]], ITEMS):
        shop.undo()
        assert shop.items("qa") == left
    for left in ([ITEMS[0], *ITEMS[2:]], ITEMS[2:], ITEMS[3:]):
        shop.redo()
        assert shop.items("qa") == left


def test_several_added_items_return_in_order(tmp_path: Path) -> None:
    shop = started(tmp_path)
    for word in WORDS[:4]:
        shop.learn("qa", word, "a1")
    before = shop.items("qa")
    shop.undo(4)
    assert shop.items("qa") == ITEMS
    shop.redo()
    assert shop.items("qa") == before


def test_undo_restores_the_value_of_a_preference(tmp_path: Path) -> None:
    shop = started(tmp_path)
    for value in ("dry", "warm"):
        preference_actions.set_preference(shop.project, "qa", "tone", value)
    shop.undo()
    assert preference_actions.read_preferences(shop.project, "qa") == {"tone": "dry"}
    preference_actions.remove_preference(shop.project, "qa", "tone")
    shop.undo()
    assert preference_actions.read_preferences(shop.project, "qa") == {"tone": "dry"}


def moved(shop: Workshop, text: str, title: str) -> None:
    before = shop.text("qa").replace(f"- {text}\n", "")
    shop.path("qa").write_text(before.replace(f"## {title}", f"## {title}\n- {text}", 1))


def gone(items: Items, *texts: str) -> Items:
    return [each for each in items if each[0] not in texts]


# (command, edit of the user after it, items after the undo, or the reason of a conflict)
LATER: dict[str, tuple[Any, Any, Items | str]] = {
    "a new item was edited": (
        VERBS["learned"],
        lambda shop: shop.apply_edit("qa", NEW, f"{NEW}, by hand"),
        f"{NEW!r} was changed again by an edit of the file",
    ),
    "lines were nested in a new item": (
        VERBS["learned"],
        lambda shop: shop.nest("qa", NEW, "mine"),
        f"{NEW!r} was changed again by an edit of the file",
    ),
    "a new item was moved": (
        VERBS["learned"],
        lambda shop: moved(shop, NEW, "Effective Strategies"),
        f"{NEW!r} was moved to section 'Effective Strategies'",
    ),
    "a new item was taken out": (
        VERBS["learned"],
        lambda shop: shop.apply_edit("qa", NEW, ""),
        ITEMS,
    ),
    "its heading has another name": (
        VERBS["learned"],
        lambda shop: shop.path("qa").write_text(
            shop.text("qa").replace("## Recent Learnings", "## Of late")
        ),
        ITEMS,
    ),
    "a better wording was edited": (
        optimized,
        lambda shop: shop.apply_edit("qa", "one and three", "one and three, by hand"),
        "was changed again by an edit of the file",
    ),
    "a better wording was taken out": (
        optimized,
        lambda shop: shop.apply_edit("qa", "one and three", ""),
        "was changed again by an edit of the file",
    ),
    "what left was written anew": (
        forget("three"),
        lambda shop: shop.apply_edit("qa", "one", "three"),
        "'three' was changed again by an edit of the file",
    ),
    "the item in front has left": (
        forget("three"),
        lambda shop: shop.apply_edit("qa", "two", ""),
        gone(ITEMS, "two"),
    ),
    "another item was edited": (
        VERBS["learned"],
        lambda shop: shop.apply_edit("qa", "one", "one, by hand"),
        [("one, by hand", "A", ""), *ITEMS[1:]],
    ),
}


@pytest.mark.parametrize("name", LATER)
def test_a_later_edit_of_the_same_item_prevents_an_undo(tmp_path: Path, name: str) -> None:
    verb, by_hand, expected = LATER[name]
    shop = started(tmp_path)
    transaction.change_memory(shop.project, "qa", lambda work: None)
    verb(shop)
    by_hand(shop)
    before = read_files(tmp_path)
    if isinstance(expected, str):
        with pytest.raises(UndoConflict, match=re.escape(expected)):
            shop.undo()
        assert read_files(tmp_path) == before
    else:
        shop.undo()
        assert shop.items("qa") == expected


def archive_of(shop: Workshop, agent: str = "qa") -> list[tuple[str, str]]:
    return [(each.section, each.text) for each in archive.list_items(shop.store, agent)]


def test_undo_updates_the_archive(
    tmp_path: Path,
) -> None:
    shop = started(tmp_path)
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


def test_reports_of_one_command_are_one_change(tmp_path: Path) -> None:
    shop = started(tmp_path)
    for agent in AGENTS:
        shop.learn(agent, "Ask Ann first", "a1")
    with pytest.raises(NothingToUndo, match="there are only 2 to undo"):
        shop.undo(3)
    pruned_all = cleaning.prune_items(shop.project, shop.store, AGENTS, 0, 0.55, write=True)
    assert [each.agent for each in pruned_all] == list(AGENTS)
    (change,) = shop.undo().changes
    assert change.agents == sorted(AGENTS)
    assert all("Ask Ann first" in shop.text(agent) for agent in AGENTS)


def test_an_emptied_section_goes_with_its_first_learning(tmp_path: Path) -> None:
    shop = started(tmp_path)
    shop.learn("qa", WORDS[0], "a1")
    assert "## Common Mistakes" in shop.text("qa")
    shop.undo()
    assert shop.text("qa").endswith(START.partition("# qa\n")[2])
    assert "Common Mistakes" not in shop.text("qa")
    shop.redo()
    assert "Common Mistakes to Avoid" in [section for _text, section, _nested in shop.items("qa")]


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


def test_what_a_long_history_has_lost_is_not_redone_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the newest records are read, here 20 of 29."""
    shop = started(tmp_path)
    facts = [["tip", f"Fact {number} is about {number}"] for number in range(12)]
    transaction.change_memory(
        shop.project, "qa", lambda work: changes.learn(work, facts, source="person")
    )
    shop.undo()
    monkeypatch.setattr(history_file, "MAX_RECORDS", 20)
    before = shop.items("qa")
    with pytest.raises(UndoConflict, match="too long"):
        shop.redo()
    assert shop.items("qa") == before


def test_with_too_few_changes_nothing_is_undone(tmp_path: Path) -> None:
    shop = started(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(NothingToUndo, match="there is nothing to undo"):
        shop.undo()
    assert sorted(tmp_path.rglob("*")) == before
    assert shop.text("qa") == START


# Random changes.


def hand_edit(shop: Workshop, agent: str, number: int, word: str) -> None:
    texts = [each[0] for each in shop.items(agent)]
    old = texts[number % len(texts)] if texts else ""
    if old and f"{old} now" not in texts:  # the history would treat two equal texts as one item
        shop.apply_edit(agent, old, f"{old} now")


def hand_remove(shop: Workshop, agent: str, number: int, word: str) -> None:
    items = [each[0] for each in shop.items(agent)]
    if items:
        shop.apply_edit(agent, items[number % len(items)], "")


def hand_nest(shop: Workshop, agent: str, number: int, word: str) -> None:
    items = [each[0] for each in shop.items(agent)]
    if items:
        shop.nest(agent, items[number % len(items)], f"and {number}")


def hand_add(shop: Workshop, agent: str, number: int, word: str) -> None:
    if word not in [each[0] for each in shop.items(agent)]:
        shop.add(agent, word)


def learn(shop: Workshop, agent: str, number: int, word: str) -> None:
    shop.learn(agent, word, f"a{number % 3}")


def reword(shop: Workshop, agent: str, number: int, word: str) -> None:
    """Learn a better wording of an item."""
    shop.learn(agent, f"{word}, because it is {number % 3}", f"a{number}")


def say(kind: str) -> Any:
    def said(shop: Workshop, agent: str, number: int, word: str) -> None:
        items = [each[0] for each in shop.items(agent)]
        if items:
            item_actions.judge(shop.project, agent, items[number % len(items)], kind)

    said.__name__ = kind
    return said


def prefer(shop: Workshop, agent: str, number: int, word: str) -> None:
    preference_actions.set_preference(shop.project, agent, ["tone", "style"][number % 2], word)


def unprefer(shop: Workshop, agent: str, number: int, word: str) -> None:
    preference_actions.remove_preference(shop.project, agent, ["tone", "style"][number % 2])


def prune(shop: Workshop, agent: str, number: int, word: str) -> None:
    cleaning.prune_items(shop.project, shop.store, AGENTS, 0, 0.55, write=True)


def share(shop: Workshop, agent: str, number: int, word: str) -> None:
    found = sharing.list_sources(shop.project, shop.store, AGENTS)
    if found:
        targets = [(a, shop.store) for a in AGENTS]
        sharing.copy_items(shop.project, [(found[number % len(found)], targets)])


def undo(shop: Workshop, agent: str, number: int, word: str) -> None:
    if undoable(shop):
        with contextlib.suppress(UndoConflict):
            shop.undo()


BY_HAND = [hand_edit, hand_remove, hand_nest, hand_add]
BY_US = [
    *(learn, learn, reword, prefer, unprefer, prune, share, undo),
    *map(say, ("confirmed", "contradicted", "removed", "pinned", "unpinned")),
]

STEPS = st.tuples(st.sampled_from(AGENTS), st.integers(0, 9), st.sampled_from(WORDS))
NO_LIMIT = settings(suppress_health_check=list(HealthCheck))


def scripts(kinds: list[Any], largest: int = 9) -> Any:
    return st.lists(st.tuples(st.sampled_from(kinds), STEPS), min_size=1, max_size=largest)


def undoable(shop: Workshop) -> list[change_log.Change]:
    return list_undoable(shop.store)


@NO_LIMIT
@given(scripts([*BY_US, *BY_HAND]), st.integers(1, 4))
def test_redo_reverts_an_undo(script: Any, count: int) -> None:
    with tempfile.TemporaryDirectory() as root:
        shop = Workshop(root)
        for verb, step in script:
            verb(shop, *step)
        for agent in AGENTS:
            transaction.change_memory(shop.project, agent, lambda work: None)
        before, sure = shop.all_items(), shop.sure()
        count = min(count, len(undoable(shop)))
        try:
            shop.undo(count) if count else None
        except UndoConflict:
            count = 0
        if count:
            shop.redo()
        assert shop.all_items() == before
        assert shop.sure() == sure


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


@NO_LIMIT
@given(scripts([*BY_US, *BY_HAND]), st.randoms())
def test_render_at_shows_each_earlier_state(script: Any, mixer: random.Random) -> None:
    with tempfile.TemporaryDirectory() as root:
        shop = Workshop(root)
        then: dict[tuple[str, str], Items] = {}
        for verb, step in script:
            verb(shop, *step)
            for agent in AGENTS:
                transaction.change_memory(shop.project, agent, lambda work: None)
                times = [item_history.clock_time(each) for each in shop.records(agent)]
                then[agent, max(times, default="")] = shop.items(agent)
        for (agent, moment), items in then.items():
            text, _begin = change_log.render_at(shop.project, shop.store, agent, moment)
            assert sorted(agent_memory.list_items(markdown.parse_document(text))) == sorted(
                items
            ), moment
        for agent in AGENTS:
            records = shop.records(agent)
            mixed = [*records, *records[: len(records) // 2]]
            mixer.shuffle(mixed)
            assert item_history.sort_records(mixed) == item_history.sort_records(records) == records


@NO_LIMIT
@given(scripts([*BY_US, *BY_HAND]), scripts(BY_HAND, 3), st.integers(1, 5))
def test_an_undo_loses_no_later_hand_edit(script: Any, by_hand: Any, count: int) -> None:
    with tempfile.TemporaryDirectory() as root:
        shop = Workshop(root, "")
        for verb, step in script:
            verb(shop, *step)
        for verb, step in by_hand:
            verb(shop, *step)
        after = shop.all_items()
        count = min(count, len(undoable(shop)))
        changed = {each.id for each in undoable(shop)[-count:]} if count else set()
        touched = {
            record["id"]
            for agent in AGENTS
            for record in shop.records(agent)
            if item_history.change_of(record) in changed
            for record in (record, {"id": record.get("was")})
        }
        try:
            shop.undo(count) if count else None
        except UndoConflict:
            assert shop.all_items() == after
        for agent in AGENTS:
            left, kept = (
                {item for item in items if item_history.id_of(item[0]) not in touched}
                for items in (after[agent], shop.items(agent))
            )
            assert left == kept
