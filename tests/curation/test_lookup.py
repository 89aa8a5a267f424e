"""Finding an agent or an item by a name."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.curation import lookup
from memory_core.history import item_history
from support.tables import for_each


class PlainItem(NamedTuple):
    id: str
    text: str


def make_items(*texts: str) -> list[PlainItem]:
    return [PlainItem(item_history.id_of(text.partition("\n")[0]), text) for text in texts]


TEXTS = [
    "Read the failing test first",
    "Bisect before guessing",
    "Write the migration twice\n  - once for each bank",
    "The test",
    "beef",
]
ITEMS = make_items(*TEXTS)
ODD = [
    PlainItem("abcd000001", "one"),
    PlainItem("abcd000002", "two"),
    PlainItem("ffff000000", "abcd"),
]

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


@for_each("case", MEANT)
def test_find_item_by_every_kind_of_name(case: str) -> None:
    items, name, at = MEANT[case]
    assert lookup.find_item(name, items) is items[at]


REFUSED = {
    "nothing like it": (
        ITEMS,
        "a bank holiday in May",
        lookup.ItemNotFound,
        "no item matches 'a bank holiday in May'",
    ),
    "something near it": (
        ITEMS,
        "Write the migration once",
        lookup.ItemNotFound,
        "no item matches 'Write the migration once'; similar: "
        f"{ITEMS[2].id} Write the migration twice",
    ),
    "no name": (ITEMS, " ", lookup.ItemNotFound, "no item matches ' '"),
    "no items": ([], "x", lookup.ItemNotFound, "no item matches 'x'"),
    "a part of two": (
        make_items("one queue", "two queues"),
        "queue",
        lookup.AmbiguousItem,
        "'queue' may be one of 2 items: "
        f"{item_history.id_of('one queue')} one queue; {item_history.id_of('two queues')} two queues",  # noqa: E501
    ),
    "digits of two": (
        ODD,
        "abcd0",
        lookup.AmbiguousItem,
        "'abcd0' may be one of 2 items: abcd000001 one; abcd000002 two",
    ),
    "the same words of two": (
        [*ITEMS, PlainItem("0123456789", "The test")],
        "the test",
        lookup.AmbiguousItem,
        f"'the test' may be one of 2 items: {ITEMS[3].id} The test; 0123456789 The test",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_name_without_one_item_is_an_error(case: str) -> None:
    items, name, kind, said = REFUSED[case]
    with pytest.raises(kind) as refused:
        lookup.find_item(name, items)
    assert isinstance(refused.value, ValueError)
    assert str(refused.value) == said


def test_errors_list_five_items_with_shortened_texts() -> None:
    items = make_items(*(f"item {n} {'x' * 99}" for n in range(9)))
    with pytest.raises(lookup.AmbiguousItem) as refused:
        lookup.find_item("item", items)
    parts = str(refused.value).split(": ", 1)[1].split("; ")
    assert parts[:5] == [f"{item.id} {item.text[:56]} ..." for item in items[:5]]
    assert parts[5:] == ["and 4 more"]
    with pytest.raises(lookup.ItemNotFound) as unknown:
        lookup.find_item("item x", make_items(*(f"item number {n}" for n in range(9))))
    assert str(unknown.value).count("; ") == 5


def test_two_items_with_one_id_are_one() -> None:
    items = make_items("Bisect before guessing", "bisect before guessing.")
    assert lookup.find_item("bisect", items) is items[0]


words = st.sampled_from(
    ["queue", "bank", "queue bank", "`Bank`", "bank\n  - queue", "beefbeef", ""]
)


@given(st.lists(words, max_size=6), st.one_of(words, st.text("bank 0f", max_size=10)))
def test_a_match_contains_the_name(texts: list[str], name: str) -> None:
    items = make_items(*texts)
    try:
        match = lookup.find_item(name, items)
    except (lookup.ItemNotFound, lookup.AmbiguousItem):
        return
    assert match in items
    low = name.strip().casefold()
    assert low in match.text.casefold() or low in match.id or match.id == item_history.id_of(name)


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=8))
def test_every_item_has_a_unique_id_to_find_it_by(texts: list[str]) -> None:
    items = make_items(*texts)
    for item in items:
        assert lookup.find_item(item.id, items).id == item.id
