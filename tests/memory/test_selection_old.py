"""Selection of the items that an agent gets within its budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.document import markdown
from memory_core.memory import selection


def given_text(text: str, budget: int = 10_000) -> str:
    return selection.select(selection.split_document(markdown.parse_document(text)), budget)


GIVEN = [
    (
        "title and comments are left out",
        "# T\n\n<!-- a\nb -->\n\n## A (Max: 15 items)\n- x\n",
        "## A\n- x",
    ),
    ("empty sections too", "## A\n\n## B\n- x\n", "## B\n- x"),
    (
        "prose and what is nested stay",
        "## A\nprose\nmore\n\n- x\n  - y\n",
        "## A\nprose\nmore\n- x\n  - y",
    ),
    ("front matter is left out", "---\na: b\n---\n## A\n- x\n", "## A\n- x"),
    ("code stays", "## A\n```\n- no item\n```\n", "## A\n```\n- no item\n```"),
    (
        "two of one title become one",
        "## A\n- x\n## B\n- y\n## A\n- z\n",
        "## A\n- x\n- z\n\n## B\n- y",
    ),
    (
        "conflict markers are left out",
        "## A\n<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n",
        "## A\n- x\n- y",
    ),
    ("items without a heading", "- x\n", "- x"),
    ("nothing", "", ""),
]


@pytest.mark.parametrize(
    ("text", "expected"), [row[1:] for row in GIVEN], ids=[row[0] for row in GIVEN]
)
def test_items_are_selected(text: str, expected: str) -> None:
    assert given_text(text) == expected


@pytest.mark.parametrize(
    ("budget", "expected"), [(11, "- x"), (17, "prose\n- x"), (21, "prose\n- x\n- z")]
)
def test_equal_items_are_ordered_by_confidence_then_by_age(budget: int, expected: str) -> None:
    document = markdown.parse_document("## A\nprose\n- x\n- y\n- z\n")
    confidences = {"x": 0.9, "y": 0.5, "z": 0.5, "": 0.7}
    passages = selection.split_document(document, lambda item: confidences[item])
    assert selection.select(passages, budget) == f"## A\n{expected}"


@given(st.lists(st.text("ab \n#-", min_size=1), max_size=20), st.integers(0, 200))
def test_the_budget_is_never_exceeded(items: list[str], budget: int) -> None:
    text = "".join(f"## S{n % 3}\n- {item}\n" for n, item in enumerate(items))
    assert len(given_text(text, budget)) <= budget
