"""Items on terminals of any width: nothing is cut, no line is too wide."""

import io
import re

import pytest
from hypothesis import given, strategies as st

from memory_core.cli import output
from memory_core.cli.common import entries
from memory_core.cli.common.entries import Entry, count_cells
from support.command_line import ITEM, Person
from support.terminal import run_on_terminal, strip_colours

LONG = (
    "A payment that is sent twice is paid twice unless the idempotency key is set in the header"
    " before the retry, which the client of src/payments/retry_policy.py does only in production"
)


def show(items: list[Entry], width: int, words: str = "") -> str:
    """Return what a terminal of this width gets."""
    text = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        patch.setenv("TERM", "xterm")
        patch.setattr("sys.stdout", text)
        patch.setattr(output, "is_terminal", lambda: True)
        entries.print_entries(items, words)
    return text.getvalue()


# Words of many scripts, wide and combining characters, escape sequences.
WORDS = st.text(st.characters(exclude_categories=("Z", "Cs")), min_size=1, max_size=25)
TEXTS = st.lists(WORDS, min_size=1, max_size=40).map(" ".join)
ENTRIES = st.builds(
    Entry,
    headings=st.tuples(TEXTS),
    piped=st.just(()),
    cells=st.tuples(st.just("17e4df762a"), TEXTS.map(lambda text: text[:30])),
    text=TEXTS,
    section=TEXTS,
    note=st.sampled_from(["", "  (archived) 2026-11-20"]),
)


@given(st.lists(ENTRIES, min_size=1, max_size=4), st.integers(60, 200))
def test_every_word_fits_any_terminal(items: list[Entry], width: int) -> None:
    lines = strip_colours(show(items, width))
    assert max(map(count_cells, lines)) <= width
    shown = {word for line in lines for word in line.split()}
    for item in items:
        parts = (*item.headings, *item.cells, *item.text.splitlines(), item.section, item.note)
        assert {word for part in parts for word in output.make_safe(part).split()} <= shown


@given(st.text("ab漢é", min_size=61, max_size=400), st.integers(60, 100))
def test_a_word_wider_than_the_terminal_is_split(word: str, width: int) -> None:
    lines = strip_colours(show([Entry((), (), ("17e4df762a",), word)], width))
    assert max(map(count_cells, lines)) <= width
    assert "".join("".join(lines).removeprefix("17e4df762a").split()) == word


def test_items_stand_below_their_agent_and_section(person: Person) -> None:
    person.sandbox.write_memory("engineer", ITEM, LONG)
    person.sandbox.write_memory("qa", LONG)
    lines = strip_colours(run_on_terminal(person, "search a", 60))
    heads = [line for line in lines if not line.startswith("    ")]
    assert heads == ["engineer", "  Project Architecture", "qa", "  Project Architecture"]
    again = strip_colours(run_on_terminal(person, "list engineer", 60))
    assert again[:2] == ["engineer", "  Project Architecture"]
    assert re.fullmatch(r"    \w{10}  0\.8  Services talk through the event bus,", again[2])
    for command in ("list qa", "search payment --agent qa", "log qa"):
        (line,) = person.run(*command.split(), COLUMNS="60").stdout.splitlines()
        assert line.endswith(LONG)
