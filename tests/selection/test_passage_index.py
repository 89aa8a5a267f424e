"""An index that was stored gives the same answers as one that was just made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.selection import choosing, passage_index
from memory_core.selection.item_notes import NO_SUBJECTS
from memory_core.selection.passage_index import PassageIndex
from memory_core.selection.passages import ItemNote, Passage

WORDS = ["pay", "queue", "src/a.py", "RETRY_MAX", "log", "user", "ümlaut", "night"]
SUBJECTS = NO_SUBJECTS.update({"r1": "pay queue", "r2": "log src/a.py night", "r3": ""})


def make_passages(rows: list[tuple[list[str], list[str]]]) -> list[Passage]:
    return [
        Passage("Work", f"- {' '.join(words)}", 0, " ".join(words), make_note(f"{at:04x}", runs))
        for at, (words, runs) in enumerate(rows)
    ]


def make_note(key: str, runs: list[str]) -> ItemNote:
    return ItemNote(key, 0.5, is_pinned=len(runs) == 3, runs=tuple(runs), subjects=SUBJECTS)


def store(index: PassageIndex) -> PassageIndex:
    return PassageIndex(parts=index.make_parts())


def decide(index: PassageIndex, task: str) -> list[object]:
    return [
        (choice.passage.text, choice.is_chosen, choice.total, choice.reason, choice.score.run)
        for choice in choosing.select(index, task, 200)
    ]


some_words = st.lists(st.sampled_from(WORDS), max_size=5)
some_runs = st.lists(st.sampled_from(["r1", "r2", "r3"]), unique=True)
some_rows = st.lists(st.tuples(some_words, some_runs), max_size=25)


@pytest.mark.parametrize("small", [passage_index.SMALL, 1])
def test_a_stored_index_decides_the_same(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passage_index, "SMALL", small)  # 1: all are divided into blocks

    @given(some_rows, some_rows, some_words.map(" ".join))
    def check(
        rows: list[tuple[list[str], list[str]]], more: list[tuple[list[str], list[str]]], task: str
    ) -> None:
        made = PassageIndex(make_passages(rows))
        stored = store(made)
        assert [passage.text for passage in stored] == [passage.text for passage in made]
        assert decide(stored, task) == decide(made, task)
        for words, _runs in more:  # as common errors are added
            for index in (made, stored):
                index.add(Passage("Errors", f"- {' '.join(words)}", 0))
        assert decide(stored, task) == decide(made, task)

    check()


def test_counts_of_runs_are_kept_apart_from_the_passages() -> None:
    parts = PassageIndex(make_passages([(["pay"], []), (["log"], [])])).make_parts()
    index = PassageIndex(parts=parts, counts={"0001": (20, 3, 1)})
    notes = [passage.note for passage in index]
    assert [(note.given, note.used, note.failed) for note in notes] == [(0, 0, 0), (20, 3, 1)]


def test_the_words_of_stored_passages_need_not_be_split_again() -> None:
    passages = make_passages([(["pay", "pay", "night"], ["r1"]), (["log"], [])])
    words = store(PassageIndex(passages)).list_words()
    assert {text: sorted(found) for text, found in words.items()} == {
        passage.text: sorted(passage.words) for passage in passages
    }


def test_a_task_with_very_many_hits_still_finds_by_its_rarest_words() -> None:
    rows = [(["pay", "queue", "log"], ["r1"])] * 3000
    rows[1234] = (["pay", "night"], [])
    chosen = choosing.select(PassageIndex(make_passages(rows)), "pay queue log at night", 200)
    assert chosen[0].passage.text == "- pay night"
