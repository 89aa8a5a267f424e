"""Which texts are one learning: a table of pairs, and what holds for all texts."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_core import similarity

PAIRS = json.loads((Path(__file__).parent / "cases" / "pairs.json").read_text("utf-8"))

WORDS = (
    "Use use the tabs tab not never in tests for clarity before run `run` *run* **always** _id"
    " __init__ A B calls UserId 3.10 src/app.py --force -v -V and or because"
)
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS.split()), max_size=8).map(" ".join),
    st.text(max_size=30),
    st.text(alphabet="*_`'\". aA-ßİ\u0345\u0301", max_size=12),
)


def test_the_table_is_large_enough() -> None:
    assert len(PAIRS) >= 90
    assert sum(pair["same"] for pair in PAIRS) >= 30


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['text']} / {pair['other']}")
def test_pairs(pair: dict[str, Any]) -> None:
    text, other = pair["text"], pair["other"]
    assert similarity.same(text, other) is pair["same"]
    assert similarity.same(other, text) is pair["same"]
    if pair["same"]:
        assert similarity.better(text, other) == (text, other)[pair["kept"]]


@given(TEXTS, TEXTS)
def test_the_same_both_ways(text: str, other: str) -> None:
    assert similarity.same(text, other) == similarity.same(other, text)


@given(TEXTS)
@example("*a*.*")
@example("ΐ")
def test_a_text_is_the_same_as_its_fold(text: str) -> None:
    folded = similarity.fold(text)
    assert similarity.fold(folded) == folded
    assert similarity.same(text, text)
    assert similarity.same(text, folded)


FACTS = ["3", "3.10", "src/app.py", "--force", "-v", "load_user", "UserId", "DEBUG", "os.path"]
SENTENCES = [pair["text"] for pair in PAIRS]


@given(st.sampled_from(SENTENCES), st.sampled_from([*FACTS, "not", "never", "without"]), st.data())
def test_a_fact_or_a_negation_more_is_another_learning(
    sentence: str, fact: str, data: st.DataObject
) -> None:
    words = sentence.split()
    place = data.draw(st.integers(0, len(words)))
    if not any("`" in word or "_" in word or "*" in word for word in words):
        assert not similarity.same(sentence, " ".join([*words[:place], fact, *words[place:]]))


@given(st.sampled_from(SENTENCES), st.lists(st.sampled_from(FACTS), min_size=2, max_size=2))
def test_another_fact_is_another_learning(sentence: str, facts: list[str]) -> None:
    one, two = (f"{sentence.rstrip('.')} with {fact}" for fact in facts)
    assert similarity.same(one, two) is (facts[0] == facts[1])


@given(TEXTS, TEXTS)
def test_what_is_kept_says_all_that_counts(text: str, other: str) -> None:
    if similarity.same(text, other) and similarity.fold(text) != similarity.fold(other):
        kept = {word for word, _ in similarity.Folded(similarity.better(text, other)).tokens}
        for each in (text, other):
            assert {word for word, _ in similarity.Folded(each).tokens} <= kept


def test_comparing_is_quick() -> None:
    """Five new learnings against a full memory; measured 1 to 2 ms, allowed far more."""
    items = [f"{pair['text']} {number}" for number in range(2) for pair in PAIRS][:150]
    start = time.perf_counter()
    known = [similarity.Folded(item) for item in items]
    for text in SENTENCES[:5]:
        new = similarity.Folded(text)
        assert not any(similarity.same_folded(new, item) for item in known)
    assert time.perf_counter() - start < 0.1


@pytest.mark.parametrize("piece", ["*a* ", "*a", "_a", "a* ", "use the ", "`", "-", "for "])
def test_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert similarity.same(text, text + "x") in (True, False)
    assert similarity.fold(text) == similarity.fold(text + " ")


def test_importing_costs_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); from memory_core import similarity\n"
        "similarity.same('Use **tabs** in Makefiles', 'Use spaces in Makefiles')\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "memory_core", "memory_core.similarity"]
