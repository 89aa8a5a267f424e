"""Texts that contradict each other, and texts that only look like it."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.text import claims
from support.paths import REPO

CASES = REPO / "tests" / "cases"
PAIRS = json.loads((CASES / "contradictions.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["why"])
def test_pairs(pair: dict[str, str]) -> None:
    """Of a pair that `is_wrong`, the rule says the opposite: it does not know the language."""
    text, other = pair["text"], pair["other"]
    expected = bool(pair["contradict"]) != ("is_wrong" in pair)
    assert claims.ClaimCache().contradict(text, other) == expected
    assert claims.ClaimCache().contradict(other, text) == expected
    assert claims.find_pairs([text, "Ask Ann first", other]) == [(0, 2)] * expected


def test_texts_that_say_the_same_do_not_contradict_each_other() -> None:
    for pair in json.loads((CASES / "pairs.json").read_text(encoding="utf-8")):
        assert not (pair["same"] and claims.ClaimCache().contradict(pair["text"], pair["other"])), (
            pair
        )


def test_what_agents_reported_has_no_contradiction() -> None:
    lines = (CASES / "genuine.md").read_text(encoding="utf-8").splitlines()
    lines += (CASES / "reports.md").read_text(encoding="utf-8").splitlines()
    texts = {line.partition("ontent:")[2].strip(" *`") for line in lines if "ontent:" in line}
    texts = [text for text in texts if text]
    assert len(texts) > 50
    assert [(texts[at], texts[later]) for at, later in claims.find_pairs(texts)] == []


WORDS = st.sampled_from(
    [
        "use",
        "is",
        "avoid",
        "cannot",
        "can",
        "60seconds",
        "0seconds",
        "won't",
        "will",
        "never",
        "not",
        "the",
        "a",
        "npm",
        "8",
        "80",
        "v3",
        "tests,",
        "without",
        "in",
        "3.5",
        ".",
    ]
)


@given(st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=8))
def test_pairs_are_those_that_contradict_each_other(texts: list[str]) -> None:
    expected = [
        (at, later)
        for at in range(len(texts))
        for later in range(at + 1, len(texts))
        if claims.ClaimCache().contradict(texts[at], texts[later])
    ]
    assert sorted(claims.find_pairs(texts)) == expected
    assert not any(claims.ClaimCache().contradict(text, text) for text in texts)


@pytest.mark.parametrize(
    "text", ["The table of service{0} is cached for {0} minutes", "Table t{0}x is kept in memory"]
)
def test_one_text_is_compared_with_a_thousand_quickly(text: str) -> None:
    texts = [text.format(number) for number in range(1000)]
    seconds = []
    for again in range(20):
        cache, new = claims.ClaimCache(), text.format(9000 + again)
        start = time.perf_counter()
        assert not any(cache.contradict(new, other) for other in texts)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.004  # about 1 ms


@pytest.mark.parametrize("count", [150, 3000])
@pytest.mark.parametrize(
    "text", ["The timeout of service{0} is {0} minutes", "Table t{0}x is kept in memory"]
)
def test_many_items_are_compared_quickly(text: str, count: int) -> None:
    texts = [text.format(number) for number in range(count)]
    seconds = []
    for _again in range(10):
        start = time.perf_counter()
        claims.find_pairs(texts)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < count / 150 * 0.01  # about 1 ms for 150 items
