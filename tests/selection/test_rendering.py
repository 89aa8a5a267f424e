"""Chosen passages as Markdown: sections, ids, marks and nested lines."""

from typing import Any

from hypothesis import given, strategies as st

from memory_core.document import markdown
from memory_core.history.item_history import id_of
from memory_core.selection.indexing import shorten_ids
from memory_core.selection.passages import Passage, render_passages
from memory_core.selection.splitting import split_document
from support.tables import for_each

FACT, OTHER = "Stock is booked twice", "Invoices leave at noon"


def split(text: str, confirmed: tuple[str, ...] = ()) -> list[Passage]:
    def find_facts(item: str) -> dict[str, Any]:
        return {"id": id_of(item), "is_confirmed": item in confirmed}

    return split_document(markdown.parse_document(text), find_facts)


def render(passages: list[Passage]) -> str:
    ids = shorten_ids(each.id for each in passages)
    for passage in passages:
        passage.short_id = ids.get(passage.id, "")
    return render_passages(passages)


NESTED = f"{FACT}\n  - Why: it lags\n  - See: src/stock.py"
RENDERED = {
    f"- {FACT}\n": f"- [b] {FACT}",
    f"*   {FACT}\n": f"* [b] {FACT}",
    f"-\t{FACT}\n": f"- [b] {FACT}",
    f"1. {FACT}\n": f"1. [b] {FACT}",
    f"- {NESTED}\n": f"- [b] {NESTED}",
    f"- {OTHER}\n": f"- [i]✓ {OTHER}",
    "Stock and invoices\n": "> Stock and invoices",
}


@for_each(("text", "expected"), RENDERED.items())
def test_passages_are_rendered(text: str, expected: str) -> None:
    for sign, item in {"[b]": FACT, "[i]": OTHER}.items():
        expected = expected.replace(sign, f"[{id_of(item)[:4]}]")
    assert render(split(f"## A\n{text}", confirmed=(OTHER,))) == f"## A\n{expected}"


def test_the_section_of_the_best_passage_comes_first() -> None:
    first, second, third = split(f"## A\n- {FACT}\n## B\n- {OTHER}\n## A\n- x\n")
    lines = render_passages([second, third, first]).split("\n")
    assert lines == ["## B", f"- {OTHER}", "", "## A", "- x", f"- {FACT}"]


def test_preferences_come_first_and_the_users_level_last() -> None:
    passages = split(f"## A\n- {FACT}\n## preferences\n- tone: dry\n## A\n- {OTHER}\n")
    passages[0].is_users = passages[1].is_preference = True
    lines = render_passages(passages).split("\n")
    expected = ["## preferences", "- tone: dry", "", "## A", f"- {OTHER}", "", "## A", f"- {FACT}"]
    assert lines == expected


IDS = st.lists(st.text("01", min_size=6, max_size=10), max_size=60)


@given(IDS)
def test_short_ids_are_unique_beginnings(ids: list[str]) -> None:
    shortened = shorten_ids(ids)
    assert set(shortened) == set(ids)
    assert len(set(shortened.values())) == len(shortened)
    assert all(whole.startswith(short) and len(short) >= 4 for whole, short in shortened.items())


@given(IDS.map(set))
def test_ids_do_not_depend_on_the_order_of_items(ids: set[str]) -> None:
    assert shorten_ids(sorted(ids)) == shorten_ids(sorted(ids, reverse=True))
