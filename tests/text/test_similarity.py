"""Which texts count as the same learning: a table of pairs, and properties of any text."""

import json
from typing import Any

import pytest
from hypothesis import assume, example, given, strategies as st

from memory_core.text import similarity
from support.paths import CASES
from support.tables import for_each

PAIRS = json.loads((CASES / "pairs.json").read_text("utf-8"))

WORDS = (
    "Use use the tabs tab not never in tests for clarity before run `run` *run* **always** _id"
    " __init__ A B calls UserId 3.10 src/app.py --force -v -V and or because so `Foo` `foo bar`"
    " *`Foo`* (`;`) valid? called all make sure to ` ' ; DEBUG users user before merging"
)
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS.split()), max_size=8).map(" ".join),
    st.text(max_size=30),
    st.text(alphabet="*_`'\". aA-ßİ\u0345\u0301", max_size=12),
    st.text(alphabet="*_`'aA;.( ", max_size=12),
)


@for_each("pair", PAIRS)
def test_pairs(pair: dict[str, Any]) -> None:
    text, other = pair["text"], pair["other"]
    assert similarity.is_same(text, other) is pair["same"]
    assert similarity.is_same(other, text) is pair["same"]
    if pair["same"]:
        assert similarity.choose_better(text, other) == (text, other)[pair["kept"]]


@given(TEXTS, TEXTS)
def test_similarity_is_symmetric(text: str, other: str) -> None:
    assert similarity.is_same(text, other) == similarity.is_same(other, text)


@given(TEXTS)
@example("*a*.*")
@example("ΐ")
@example("`Foo`'`Bar`")
@example("` a ` b` `Foo`")
@example("_`a`' b_")
def test_a_text_equals_its_folded_form(text: str) -> None:
    folded = similarity.normalize_text(text)
    assert similarity.normalize_text(folded) == folded
    assert similarity.is_same(text, text)
    assert similarity.is_same(text, folded)


FACTS = ["3", "3.10", "src/app.py", "--force", "-v", "load_user", "UserId", "DEBUG", "os.path"]
SENTENCES = [pair["text"] for pair in PAIRS]
PLAIN = [text for text in SENTENCES if not set("`_*'\"") & set(text)]


# Words that are not in the list of English negations.
TURNS = """
    nicht nie kein ne pas jamais nunca não jamás не ni niet geen non mai inte aldrig ikke eivät nie
    barely zero non- un- invalid stale empty obsolete supposedly excluding barring pretend hundred
    archived nightly expired not never without
"""
ADDED = st.sampled_from([*FACTS, *TURNS.split()]) | st.text("bdghqxzжщ", min_size=1)


@given(st.sampled_from(PLAIN), ADDED, st.integers(0, 20))
def test_an_added_fact_or_negation_makes_another_learning(
    sentence: str, word: str, place: int
) -> None:
    assume("because" not in sentence.split())
    words = sentence.split()
    assert not similarity.is_same(sentence, " ".join([*words[:place], word, *words[place:]]))


CODE = st.text("aAbB_*.,;:!?'\"(){}[]<>$/\\- \u2019\u2013é", max_size=6).filter(str.strip)


@given(CODE, CODE, st.sampled_from(["Use {} in tests", "Use {}", "{} is used", "**{}** ends it"]))
@example("Foo", "foo", "Use {}")
@example("save!", "save", "Use {}")
def test_text_in_backticks_must_match_exactly(one: str, two: str, text: str) -> None:
    texts = (text.format(f"`{code}`") for code in (one, two))
    assert similarity.is_same(*texts) is (one.split() == two.split())


PROSE = ["use", "the", "tabs", "In", "a", "Makefile", "not", "API", "b", "read-only"]


@given(st.lists(st.sampled_from(PROSE)))
def test_a_text_in_capitals_is_the_same(words: list[str]) -> None:
    text = " ".join(words)
    assert similarity.normalize_text(text.upper()) == similarity.normalize_text(text.lower())


@given(st.sampled_from(SENTENCES), st.sampled_from([*FACTS, "App/src", r"C:\Logs", "5Mb", "-rf"]))
def test_the_case_of_a_fact_matters(sentence: str, fact: str) -> None:
    one, two = (f"{sentence.rstrip('.')} with {word}" for word in (fact, fact.swapcase()))
    assert similarity.is_same(one, two) is (fact == fact.swapcase())


@given(st.sampled_from(SENTENCES), st.lists(st.sampled_from(FACTS), min_size=2, max_size=2))
def test_a_changed_fact_makes_another_learning(sentence: str, facts: list[str]) -> None:
    one, two = (f"{sentence.rstrip('.')} with {fact}" for fact in facts)
    assert similarity.is_same(one, two) is (facts[0] == facts[1])


@pytest.mark.parametrize("piece", ["*a* ", "*a", "_a", "a* ", "use the ", "`", "-", "for "])
def test_time_is_linear_in_the_length(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert similarity.is_same(text, text + "x") in (True, False)
    assert similarity.normalize_text(text) == similarity.normalize_text(text + " ")
