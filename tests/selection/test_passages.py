"""The passages of a memory, and all of them as an agent gets them without selection."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.document import markdown
from memory_core.selection import choosing, rendering
from memory_core.selection.passage_index import PassageIndex
from memory_core.selection.passages import ItemNote, Passage
from memory_core.selection.splitting import split_document


def give_all(passages: list[Passage], room: int, task: str = "") -> str:
    choices = choosing.select_all(PassageIndex(passages), task, room)
    return rendering.render([choice.passage for choice in choices if choice.is_chosen])


def given_text(text: str, room: int = 10_000) -> str:
    return give_all(split_document(markdown.parse_document(text)), room)


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
        "## A\n> prose\n> more\n\n- x\n  - y",
    ),
    ("front matter is left out", "---\na: b\n---\n## A\n- x\n", "## A\n- x"),
    ("code stays", "## A\n```\n- no item\n```\n", "## A\n> ```\n> - no item\n> ```"),
    (
        "blank lines do not divide code",
        "## A\n```\na\n\nb\n```\n- x\n",
        "## A\n> ```\n> a\n>\n> b\n> ```\n\n- x",
    ),
    ("open code ends with its passage", "## A\n- x\n~~~~\nb\n", "## A\n- x\n> ~~~~\n> b\n> ~~~~"),
    ("open code in an item, too", "- x\n  ```\n  b\n", "- x\n  ```\n  b\n  ```"),
    ("an item has its text in one line", "- x\nlazy\n  more\n", "- x lazy more"),
    ("a heading in a section is quoted", "## A\n### Task: y\n- x\n", "## A\n> ### Task: y\n\n- x"),
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
    ("room", "expected"), [(11, "- x"), (20, "> prose\n\n- x"), (24, "> prose\n\n- x\n- z")]
)
def test_equal_items_are_ordered_by_confidence_then_by_age(room: int, expected: str) -> None:
    document = markdown.parse_document("## A\nprose\n- x\n- y\n- z\n")
    confidences = {"x": 1.0, "y": 0.5, "z": 0.5}
    ages = {"x": "", "y": "2026-01-01", "z": "2026-02-01"}
    notes = {text: ItemNote(text, confidences[text], ages[text]) for text in confidences}
    assert give_all(split_document(document, lambda text: notes[text]), room) == f"## A\n{expected}"


def test_what_shares_words_with_the_task_stays_if_not_all_fits() -> None:
    text = "## A\n- Stock is booked twice\n- Invoices leave at noon\n"
    passages = split_document(markdown.parse_document(text))
    assert give_all(passages, 40, "why do invoices leave late?") == "## A\n- Invoices leave at noon"
    assert give_all(passages, 40, "why is stock doubled?") == "## A\n- Stock is booked twice"


@given(st.lists(st.text("ab \n#-", min_size=1), max_size=20), st.integers(0, 200))
def test_the_room_is_never_exceeded(items: list[str], room: int) -> None:
    text = "".join(f"## S{n % 3}\n- {item}\n" for n, item in enumerate(items))
    assert len(given_text(text, room)) <= room
