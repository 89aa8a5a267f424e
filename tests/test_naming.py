"""Which item a person means by a few words, and what is said where that is not clear."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core import naming, past
from memory_core.naming import Named


def named(*texts: str) -> list[Named]:
    return [Named(past.identity(text.partition("\n")[0]), text) for text in texts]


TEXTS = [
    "Read the failing test first",
    "Bisect before guessing",
    "Write the migration twice\n  - once for each bank",
    "The test",
    "beef",
]
ITEMS = named(*TEXTS)
ODD = [Named("abcd000001", "one"), Named("abcd000002", "two"), Named("ffff000000", "abcd")]

MEANT = {
    "an id": (ITEMS, ITEMS[1].id, 1),
    "an id in capitals": (ITEMS, ITEMS[1].id.upper(), 1),
    "the first digits of an id": (ITEMS, ITEMS[2].id[:6], 2),
    "with blanks around": (ITEMS, f" {ITEMS[2].id} ", 2),
    "the text": (ITEMS, "Read the failing test first", 0),
    "the text with what is nested": (ITEMS, TEXTS[2], 2),
    "the text without it": (ITEMS, "Write the migration twice", 2),
    "the same words": (ITEMS, "bisect **before** guessing.", 1),
    "a part": (ITEMS, "MIGRATION", 2),
    "a part of what is nested": (ITEMS, "each bank", 2),
    "a whole text that is a part of others": (ITEMS, "the test", 3),
    "a text that could be an id": (ITEMS, "beef", 4),
    "enough digits for one": (ODD, "abcd000001", 0),
    "the first digits before the text": (ODD[::2], "abcd", 0),
    "too few digits are text": (ODD, "abc", 2),
}


@pytest.mark.parametrize("case", MEANT)
def test_the_item_that_is_meant(case: str) -> None:
    items, name, at = MEANT[case]
    assert naming.find(name, items) is items[at]


REFUSED = {
    "nothing like it": (
        ITEMS,
        "a bank holiday in May",
        naming.NotFound,
        "no item is 'a bank holiday in May'",
    ),
    "something near it": (
        ITEMS,
        "Write the migration once",
        naming.NotFound,
        f"no item is 'Write the migration once'; near it: {ITEMS[2].id} Write the migration twice",
    ),
    "no name": (ITEMS, " ", naming.NotFound, "no item is ' '"),
    "no items": ([], "x", naming.NotFound, "no item is 'x'"),
    "a part of two": (
        named("one queue", "two queues"),
        "queue",
        naming.Ambiguous,
        "'queue' may be one of 2 items: "
        f"{past.identity('one queue')} one queue; {past.identity('two queues')} two queues",
    ),
    "digits of two": (
        ODD,
        "abcd0",
        naming.Ambiguous,
        "'abcd0' may be one of 2 items: abcd000001 one; abcd000002 two",
    ),
    "the same words of two": (
        [*ITEMS, Named("0123456789", "The test")],
        "the test",
        naming.Ambiguous,
        f"'the test' may be one of 2 items: {ITEMS[3].id} The test; 0123456789 The test",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_one_item(case: str) -> None:
    items, name, kind, said = REFUSED[case]
    with pytest.raises(kind) as refused:
        naming.find(name, items)
    assert isinstance(refused.value, ValueError)
    assert str(refused.value) == said


def test_of_many_candidates_five_are_told_each_in_part() -> None:
    items = named(*(f"item {n} {'x' * 99}" for n in range(9)))
    with pytest.raises(naming.Ambiguous) as refused:
        naming.find("item", items)
    told = str(refused.value).split(": ", 1)[1].split("; ")
    assert told[:5] == [f"{each.id} {each.text[:60]} ..." for each in items[:5]]
    assert told[5:] == ["and 4 more"]
    with pytest.raises(naming.NotFound) as unknown:
        naming.find("item x", named(*(f"item number {n}" for n in range(9))))
    assert str(unknown.value).count("; ") == 5


def test_an_item_that_stands_twice_is_one() -> None:
    items = named("Bisect before guessing", "bisect before guessing.")
    assert naming.find("bisect", items) is items[0]


words = st.sampled_from(
    ["queue", "bank", "queue bank", "`Bank`", "bank\n  - queue", "beefbeef", ""]
)


@given(st.lists(words, max_size=6), st.one_of(words, st.text("bank 0f", max_size=10)))
def test_what_is_found_is_what_was_said_and_nothing_else_is(texts: list[str], name: str) -> None:
    items = named(*texts)
    try:
        found = naming.find(name, items)
    except (naming.NotFound, naming.Ambiguous):
        return
    assert found in items
    low = name.strip().casefold()
    assert low in found.text.casefold() or low in found.id or found.id == past.identity(name)


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=8))
def test_every_item_is_found_by_its_id(texts: list[str]) -> None:
    items = named(*texts)
    for item in items:
        assert naming.find(item.id, items).id == item.id
