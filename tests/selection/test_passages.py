"""The passages of a memory, and all of them as an agent gets them without selection."""

from hypothesis import given, strategies as st

from memory_core.document import markdown
from memory_core.selection import whole
from memory_core.selection.indexing import index_passages
from memory_core.selection.passages import Passage, render_passages
from memory_core.selection.splitting import split_document
from support.tables import for_each


def give_all(passages: list[Passage], room: int, task: str = "") -> str:
    choices = whole.select_all(index_passages(passages), task, room)
    return render_passages([choice.passage for choice in choices if choice.is_chosen])


def given_text(text: str, room: int = 10_000) -> str:
    return give_all(split_document(markdown.parse_document(text)), room)


GIVEN = {
    "title and comments": ("# T\n\n<!-- a\nb -->\n\n## A (Max: 15 items)\n- x\n", "## A\n- x"),
    "empty sections": ("## A\n\n## B\n- x\n", "## B\n- x"),
    "prose": ("## A\nprose\nmore\n\n- x\n  - y\n", "## A\n> prose\n> more\n\n- x\n  - y"),
    "front matter": ("---\na: b\n---\n## A\n- x\n", "## A\n- x"),
    "code": ("## A\n```\n- no item\n\nb\n```\n", "## A\n> ```\n> - no item\n>\n> b\n> ```"),
    "open code": ("## A\n- x\n~~~~\nb\n", "## A\n- x\n\n> ~~~~\n> b"),
    "an item has its text in one line": ("- x\nlazy\n  more\n", "- x lazy more"),
    "a heading in a section": ("## A\n### Task: y\n- x\n", "## A\n> ### Task: y\n\n- x"),
    "two of one title": ("## A\n- x\n## B\n- y\n## A\n- z\n", "## A\n- x\n- z\n\n## B\n- y"),
    "markers": ("## A\n<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n", "## A\n- x\n- y"),
    "nothing": ("", ""),
}


@for_each("name", GIVEN)
def test_items_are_selected(name: str) -> None:
    text, expected = GIVEN[name]
    assert given_text(text) == expected


@for_each(("room", "expected"), [(11, "- x"), (20, "> prose\n\n- x"), (24, "> prose\n\n- x\n- z")])
def test_equal_items_are_ordered_by_confidence_then_by_age(room: int, expected: str) -> None:
    document = markdown.parse_document("## A\nprose\n- x\n- y\n- z\n")
    confidences = {"x": 1.0, "y": 0.5, "z": 0.5}
    ages = {"x": "", "y": "2026-01-01", "z": "2026-02-01"}
    passages = split_document(
        document, lambda text: {"confidence": confidences[text], "born": ages[text]}
    )
    assert give_all(passages, room) == f"## A\n{expected}"


def test_what_shares_words_with_the_task_stays_if_not_all_fits() -> None:
    text = "## A\n- Stock is booked twice\n- Invoices leave at noon\n"
    passages = split_document(markdown.parse_document(text))
    assert give_all(passages, 40, "why do invoices leave late?") == "## A\n- Invoices leave at noon"
    assert give_all(passages, 40, "why is stock doubled?") == "## A\n- Stock is booked twice"


@given(st.lists(st.text("ab \n#-", min_size=1), max_size=20), st.integers(0, 200))
def test_the_room_is_never_exceeded(items: list[str], room: int) -> None:
    text = "".join(f"## S{n % 3}\n- {item}\n" for n, item in enumerate(items))
    assert len(given_text(text, room)) <= room
