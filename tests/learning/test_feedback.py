"""Used and Wrong lines in ordinary spellings."""

import pytest
from hypothesis import given, strategies as st

from memory_core.learning.extraction import read_judgements
from memory_core.learning.feedback_lines import find_judgements
from support.tables import for_each

GIVEN = ["17e4a1b2c3", "c0de12ab34", "beef00beef", "4242424242", "4242ffffff"]
ONE, TWO, THREE = GIVEN[:3]

USED = {
    "Used: 17e4": [ONE],
    "Used: 17e4, c0de": [ONE, TWO],
    "Used: [17e4], [c0de]": [ONE, TWO],
    "- Used: 17e4 c0de": [ONE, TWO],
    "* used: 17e4 and c0de": [ONE, TWO],
    "**Used:** 17e4, c0de": [ONE, TWO],
    "**Used**: `17e4`, `c0de`": [ONE, TWO],
    "**Used: 17e4, c0de**": [ONE, TWO],
    "_Used:_ 17e4": [ONE],
    "USED: 17E4": [ONE],
    "1. Used: 17e4": [ONE],
    "✅ Used: 17e4": [ONE],
    "> Used: 17e4": [ONE],
    "## Used: 17e4": [ONE],
    "Used: 17e4a1b2c3": [ONE],
    "Used: 17e4 (the retry note), c0de (tests)": [ONE, TWO],
    "Used: [17e4]✓, #c0de": [ONE, TWO],
    "Used\uff1a17e4": [ONE],
    "Used: ffff, 17e4": [ONE],
    "Used: none": [],
    "Used: N/A": [],
    "Used:\n- 17e4\n- c0de: the tests": [ONE, TWO],
    "### Used\n\n* [17e4]\n* [c0de]": [ONE, TWO],
}

WRONG = {
    "Wrong: 17e4": {ONE: ""},
    "Wrong: 17e4 because the flag was renamed": {ONE: "the flag was renamed"},
    "Wrong: [17e4] - the flag is gone.": {ONE: "the flag is gone"},
    "Wrong: 17e4: the flag is gone": {ONE: "the flag is gone"},
    "Wrong: 17e4 (the flag is gone)": {ONE: "the flag is gone"},
    "**Wrong:** `17e4` because the flag is gone": {ONE: "the flag is gone"},
    "- **Wrong**: [17e4], because src/x.py is gone": {ONE: "src/x.py is gone"},
    "❌ Wrong: 17e4 — it is now tests/x.py": {ONE: "it is now tests/x.py"},
    "WRONG: 17E4 BECAUSE it moved": {ONE: "it moved"},
    "Wrong: 17e4, c0de because both are old": {ONE: "both are old", TWO: "both are old"},
    "Wrong: 17e4 — the port is 9090, c0de describes it": {
        ONE: "the port is 9090, c0de describes it"
    },
    "Wrong: `17e4` and [c0de]: both are old": {ONE: "both are old", TWO: "both are old"},
    "Wrong: 17e4, c0de": {ONE: "", TWO: ""},
    "Wrong: item 17e4 is outdated": {ONE: "is outdated"},
    "Wrong: the retry item (17e4) because it moved": {ONE: "it moved"},
    "Wrong: 17e4 because a; and b": {ONE: "a; and b"},
    "Wrong: 17e4 because beef00beef is a hash": {ONE: "beef00beef is a hash"},
    "Wrong:\n- 17e4 because a\n- c0de because b": {ONE: "a", TWO: "b"},
    "Wrong: 17e4 because a, c0de because b": {ONE: "a", TWO: "b"},
    "Wrong: 17e4 (because a); and `c0de` (because b)": {ONE: "a", TWO: "b"},
    "Wrong: 17e4 because face because c0de": {ONE: "face because c0de"},
    "Wrong: none": {},
    "Wrong: 17e4 because pw=hunter2hunter2 leaked": {ONE: "pw=[redacted: password] leaked"},
}

# Both keys in one line.
BOTH: dict[str, tuple[list[str], dict[str, str]]] = {
    "Used: 17e4. Wrong: c0de because it moved": ([ONE], {TWO: "it moved"}),
    "**Used:** 17e4; **Wrong**: none": ([ONE], {}),
    "Wrong: none. Used: 17e4": ([ONE], {}),
    "Wrong: c0de because it moved; used: 17e4": ([ONE], {TWO: "it moved"}),
    "Wrong: c0de because it used: a flag": ([], {TWO: "it used: a flag"}),
}

NOTHING = [
    "Done.",
    "Used: ffff",
    "Used: 17e",
    "Used: 4242",  # two items begin so
    "Used: the fast path",
    "Used 17e4 to find it",
    "The commit 17e4 used: a flag",
    "Wrong: nothing works with ffff",
    "Used:\nthe thing",
    "Used:\n\nNothing of it\n- 17e4 is a commit",
]


@for_each("text", USED)
def test_used_lines(text: str) -> None:
    judgements, rest = find_judgements(f"Done.\n\n{text}\n\nMore.", GIVEN)
    assert read_judgements(judgements) == (USED[text], {})
    assert rest == "Done.\n\nMore."


@for_each("text", WRONG)
def test_wrong_lines(text: str) -> None:
    judgements, rest = find_judgements(f"Done.\n\n{text}\n\nMore.", GIVEN)
    assert read_judgements(judgements) == ([], WRONG[text])
    assert rest == "Done.\n\nMore."


@for_each("text", BOTH)
def test_lines_with_both_keys(text: str) -> None:
    assert read_judgements(find_judgements(text, GIVEN)[0]) == BOTH[text]


@pytest.mark.parametrize("text", NOTHING)
def test_other_lines_stay(text: str) -> None:
    whole = f"{text}\n\nMore."
    assert find_judgements(whole, GIVEN) == ([], whole)


def test_line_ends_stay() -> None:
    assert find_judgements("A\r\nUsed: 17e4\r\nB\r\n", GIVEN)[1] == "A\r\nB\r\n"


LINES = st.lists(
    st.sampled_from(["Used: 17e4", "Wrong: c0de as x", "", "text", "```", "- item", "Used:", "  y"])
)


@given(LINES)
def test_no_other_line_is_lost(rows: list[str]) -> None:
    rest = find_judgements("\n".join(rows), GIVEN)[1].split("\n")
    assert rest.count("text") == rows.count("text")
    assert rest.count("- item") == rows.count("- item")
    assert "Used: 17e4" not in rest


@given(st.text(), st.text())
def test_any_text(before: str, after: str) -> None:
    judgements, _rest = find_judgements(f"{before}\nUsed: 17e4\n{after}", GIVEN)
    assert ONE in read_judgements(judgements)[0]
