"""Take a change back in a text that was changed again."""

import pytest
from hypothesis import given, strategies as st

from memory_core.document import revert_text

TABLE = "| a |/|---|/"

# Before and after a change, the text now, and the text without the change; a slash ends a line.
REVERTED = {
    "an item, others stay": ("- a/", "- a/- b/", "- a/- b/- c/", "- a/- c/"),
    "an item comes back": ("- a/- b/- c/", "- a/- c/", "- a/- c/- d/", "- a/- b/- c/- d/"),
    "above a table": (f"- a//{TABLE}", f"/{TABLE}", f"/{TABLE}x/", f"- a//{TABLE}x/"),
    "prose": ("Old./- a/", "New./- a/", "New./- a/- b/", "Old./- a/- b/"),
    "a heading": ("- a/", "- a//## B/- b/", "x/- a//## B/- b/", "x/- a/"),
    "a heading that has a later item": (
        TABLE,
        f"{TABLE}/## B/- b/",
        f"{TABLE}/## B/- b/- c/",
        f"{TABLE}/## B/- c/",
    ),
    "what is gone already": ("- a/", "- a/- b/", "- c/- a/", "- c/- a/"),
    "line ends": ("- a/", "- a/- b/", "- a\r/- b\r/- c", "- a\r/- c"),
    "nested lines": ("- a/", "- a/  - b/", "- a/  - b/- c/", "- a/- c/"),
    "the whole text": ("# A//- a/", "", "- c/", "# A//- a/- c/"),
}


@pytest.mark.parametrize(("before", "after", "now", "expected"), REVERTED.values(), ids=REVERTED)
def test_a_change_is_taken_back(before: str, after: str, now: str, expected: str) -> None:
    texts = [text.replace("/", "\n") for text in (before, after, now, expected)]
    assert revert_text.revert_change(*texts[:3]) == texts[3]


# The same, and the text that prevents it.
CHANGED = {
    "another in its place": ("- a\n", "- a\n- b\n", "- a\n- c\n", "b"),
    "reworded": ("- a\n", "- a\n- b\n", "- a\n- b, now\n", "b"),
    "lines were nested": ("- a\n", "- a\n- b\n", "- a\n- b\n  - c\n", "b"),
    "moved": ("- a\n", "- a\n- b\n", "- b\n- a\n", "b"),
    "a wording is gone": ("- a\n- c\n", "- b\n- c\n", "- c\n", "b"),
    "an item is there again": ("- a\n- b\n", "- a\n", "- B\n- a\n", "b"),
    "prose": ("Old.\n", "New.\n", "Newer.\n", "New."),
}


@pytest.mark.parametrize(("before", "after", "now", "text"), CHANGED.values(), ids=CHANGED)
def test_a_later_change_prevents_it(before: str, after: str, now: str, text: str) -> None:
    with pytest.raises(revert_text.TextChanged) as error:
        revert_text.revert_change(before, after, now)
    assert str(error.value) == text


LINES = ["", "# T", "## A", "## B", "Prose.", "- a", "  - n", "- b", "* c", "```", "| x |", "> q"]
TEXTS = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join).map("# Q\n{}\n".format)


@given(TEXTS, TEXTS)
def test_what_nobody_changed_is_as_before(before: str, after: str) -> None:
    assert revert_text.revert_change(before, after, after) == before


@given(TEXTS, TEXTS)
def test_what_was_added_since_then_stays(before: str, after: str) -> None:
    added = "Added at the end.\n"
    try:
        reverted = revert_text.revert_change(before, after, after + added)
    except revert_text.TextChanged:
        return
    assert reverted.endswith(added)
