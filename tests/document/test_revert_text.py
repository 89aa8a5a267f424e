"""Take a change back in a text that was changed again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.document import revert_text
from memory_core.document.revert_text import TextChanged

TABLE = "| a |\n|---|\n"

# Before and after a change, the text now, and the text without the change.
REVERTED = {
    "an item, others stay": ("- a\n", "- a\n- b\n", "- a\n- b\n- c\n", "- a\n- c\n"),
    "an item comes back to its place": (
        "- a\n- b\n- c\n",
        "- a\n- c\n",
        "- a\n- c\n- d\n",
        "- a\n- b\n- c\n- d\n",
    ),
    "above a table": (f"- a\n\n{TABLE}", f"\n{TABLE}", f"\n{TABLE}x\n", f"- a\n\n{TABLE}x\n"),
    "prose": ("Old.\n- a\n", "New.\n- a\n", "New.\n- a\n- b\n", "Old.\n- a\n- b\n"),
    "a heading": ("- a\n", "- a\n\n## B\n- b\n", "x\n- a\n\n## B\n- b\n", "x\n- a\n"),
    "a heading that has a later item": (
        f"{TABLE}",
        f"{TABLE}\n## B\n- b\n",
        f"{TABLE}\n## B\n- b\n- c\n",
        f"{TABLE}\n## B\n- c\n",
    ),
    "what is gone already": ("- a\n", "- a\n- b\n", "- c\n- a\n", "- c\n- a\n"),
    "line ends": ("- a\n", "- a\n- b\n", "- a\r\n- b\r\n- c", "- a\r\n- c"),
    "nested lines": ("- a\n", "- a\n  - b\n", "- a\n  - b\n- c\n", "- a\n- c\n"),
    "the whole text": ("# A\n\n- a\n", "", "- c\n", "# A\n\n- a\n- c\n"),
}


@pytest.mark.parametrize(("before", "after", "now", "expected"), REVERTED.values(), ids=REVERTED)
def test_a_change_is_taken_back(before: str, after: str, now: str, expected: str) -> None:
    assert revert_text.revert_change(before, after, now) == expected


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
    with pytest.raises(TextChanged) as error:
        revert_text.revert_change(before, after, now)
    assert str(error.value) == text


LINES = ["", "# T", "## A", "## B", "Prose.", "- a", "  - n", "- b", "* c", "```", "| x |", "> q"]
TEXTS = st.lists(st.sampled_from(LINES), max_size=12).map(
    lambda lines: "\n".join(["# Q", *lines, ""])
)


@given(TEXTS, TEXTS)
def test_what_nobody_changed_is_as_before(before: str, after: str) -> None:
    assert revert_text.revert_change(before, after, after) == before


@given(TEXTS, TEXTS)
def test_what_was_added_since_then_stays(before: str, after: str) -> None:
    added = "Added at the end.\n"
    try:
        reverted = revert_text.revert_change(before, after, after + added)
    except TextChanged:
        return
    assert reverted.endswith(added)
