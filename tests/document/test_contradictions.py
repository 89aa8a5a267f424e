"""Texts that contradict each other, and texts that only look like it."""

import itertools
import json

import pytest
from hypothesis import given, strategies as st

from memory_core.document import contradictions
from support.growth import measure_growth
from support.paths import CASES
from support.tables import for_each

PAIRS = json.loads((CASES / "contradictions.json").read_text(encoding="utf-8"))


@for_each("pair", PAIRS)
def test_pairs(pair: dict[str, str]) -> None:
    """Of a pair that `is_wrong`, the rule says the opposite: it does not know the language."""
    text, other = pair["text"], pair["other"]
    expected = bool(pair["contradict"]) != ("is_wrong" in pair)
    assert contradictions.contradict(text, other) == expected
    assert contradictions.contradict(other, text) == expected
    assert contradictions.find_pairs([text, "Ask Ann first", other]) == [(0, 2)] * expected


def test_texts_that_say_the_same_do_not_contradict_each_other() -> None:
    pairs = json.loads((CASES / "pairs.json").read_text(encoding="utf-8"))
    for text, other in ((pair["text"], pair["other"]) for pair in pairs if pair["same"]):
        assert not contradictions.contradict(text, other), (text, other)


def test_what_agents_reported_has_no_contradiction() -> None:
    lines = (CASES / "genuine.md").read_text(encoding="utf-8").splitlines()
    lines += (CASES / "reports.md").read_text(encoding="utf-8").splitlines()
    texts = {line.partition("ontent:")[2].strip(" *`") for line in lines if "ontent:" in line}
    texts = [text for text in texts if text]
    assert len(texts) > 50
    assert [(texts[at], texts[later]) for at, later in contradictions.find_pairs(texts)] == []


WORDS = ["use", "is", "avoid", "cannot", "can", "60seconds", "0seconds", "won't", "will", "never"]
WORDS += ["not", "the", "a", "npm", "8", "80", "v3", "tests,", "without", "in", "3.5", "."]
sentences = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)


@given(st.lists(sentences, max_size=8))
def test_pairs_are_those_that_contradict_each_other(texts: list[str]) -> None:
    pairs = itertools.combinations(range(len(texts)), 2)
    expected = [(a, b) for a, b in pairs if contradictions.contradict(texts[a], texts[b])]
    assert sorted(contradictions.find_pairs(texts)) == expected
    assert not any(contradictions.contradict(text, text) for text in texts)


MANY = ["The table of service{0} is cached for {0} minutes"]
MANY += ["The timeout of service{0} is {0} minutes", "Table t{0}x is kept in memory"]


@pytest.mark.parametrize("text", MANY)
def test_ten_times_the_items_take_about_ten_times_as_long(text: str) -> None:
    texts = [text.format(number) for number in range(3000)]
    new = text.format(9000)

    def compare(count: int) -> None:
        assert not any(contradictions.contradict(new, other) for other in texts[:count])

    assert measure_growth(compare, 300, 3000) < 30
    assert measure_growth(lambda count: contradictions.find_pairs(texts[:count]), 300, 3000) < 30
