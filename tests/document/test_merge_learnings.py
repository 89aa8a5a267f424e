"""Merging learnings into a document: each once, in its section, within the limits, none lost."""

import pytest
from hypothesis import given

from memory_core.document import markdown, merge_learnings, template
from memory_core.document.merge_learnings import Learning
from memory_core.learning import type_names
from support.memory_files import FORMAT, LIMITS, NOW, merge, read_format_pairs
from support.strategies import documents, learnings, small_limits
from support.tables import for_each

# The example pairs of docs/format.md and tests/cases/format.md.


def test_the_page_has_pairs() -> None:
    change = {"before", "learned", "after"}
    allowed = (change, change | {"left"}, {"conflict", "resolved"})
    assert len(read_format_pairs()) >= 7
    assert all(set(pair) in allowed for pair in read_format_pairs())


@pytest.mark.parametrize("pair", [pair for pair in read_format_pairs() if "before" in pair])
def test_examples_of_the_page(pair: dict[str, str]) -> None:
    rows = [line.split(": ", 1) for line in pair["learned"].splitlines()]
    limits = [told.split("=") for kind, told in rows if kind == "limits"]
    numbers = {key: int(value) for key, value in limits}
    learned = [(kind, told) for kind, told in rows if kind != "limits"]
    found = merge(pair["before"], *learned, limits=template.Limits(**numbers))
    assert found.text == pair["after"]
    evicted = [f"{section}: {text}" for section, text in found.evicted]
    assert evicted == pair.get("left", "").splitlines()


def test_the_page_names_every_section() -> None:
    text = FORMAT.read_text(encoding="utf-8")
    for kind, title in template.SECTION_TITLES.items():
        assert f"| {kind} | {title} |" in text


def test_the_page_has_the_table_of_categories() -> None:
    text = (FORMAT.parent / "learnings.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    titles = template.SECTION_TITLES
    told = [[name, kind, titles[kind]] for name, kind in template.CATEGORY_TYPES.items()]
    assert rows == [["category", "type", "section"], ["---", "---", "---"], *told]
    for name, _kind, title in told:
        assert template.section_of(name) == title
        assert template.category_of(f"{title.upper()}:") == name
    assert set(type_names.TYPES) == {*titles, *template.CATEGORY_TYPES, type_names.DEFAULT_TYPE}
    assert template.category_of("Project Architecture") is template.category_of("Mine") is None


KINDS = {
    "Best Practice": "Implementation Guidelines",
    " ANTI_PATTERN ": "Common Mistakes to Avoid",
    "Mistake": "Common Mistakes to Avoid",
    "tool  usage": "Integration Points",
    "work-flow": "Recent Learnings",
    "": "Recent Learnings",
}


def titles_of(text: str) -> list[str]:
    return [section.title for section in markdown.parse_document(text).sections]


def test_a_learning_goes_to_the_section_of_its_type() -> None:
    for kind, title in KINDS.items():
        assert titles_of(merge("", (kind, "a learning")).text) == [title]
    text = merge("", *[(kind, f"about {kind} alone") for kind in template.SECTION_TITLES]).text
    titles = titles_of(text)
    assert titles == [title for title in template.TITLE_ORDER if title in titles]
    assert set(titles) == set(template.SECTION_TITLES.values())


def test_a_new_document() -> None:
    assert template.render_new("Engineer", "shop", template.Limits(size=12800), NOW) == (
        "# Engineer Memory - shop\n\n"
        "<!-- MEMORY LIMITS: 12.5KB max | 10 sections max | 15 items per section -->\n"
        f"<!-- Last Updated: {NOW} | Auto-updated by: agent-memory -->\n"
    )
    assert template.render_new("QA", "", LIMITS, NOW).startswith("# QA Memory\n")


def test_an_author_cannot_end_the_comment() -> None:
    author, learned = "a --> # b\n## c", [Learning("tip", "a learning")]
    text = merge_learnings.merge_learnings("", learned, LIMITS, NOW, author).text
    assert "Auto-updated by: a --› # b ## c -->" in text
    assert titles_of(text) == ["Recent Learnings"]


KNOWN = ["", "- Use tabs in makefiles", "## Any\n\n* **use tabs in makefiles.**\n"]
KNOWN += ["## Any (Max: 3 items)\r\n1. Use tabs in\r\n   makefiles\r\n"]
KNOWN += ["## Any\n- Use tabs\n\n```\nnever closed\n"]


@for_each("text", KNOWN)
def test_known_learnings_change_nothing(text: str) -> None:
    once = merge(text, ("tip", "Use tabs in makefiles")).text
    again = merge(once, ("pattern", "use tabs in makefiles"))
    assert again.text == once
    assert [new for _, new in again.duplicates] == ["use tabs in makefiles"]
    if "akefiles" in text:
        assert once == text


def test_an_exact_duplicate_is_preferred_to_a_similar_item() -> None:
    short = "All services use dependency injection"
    text = f"## A\n- {short}\n- {short} because mocks fit\n"
    assert merge(text, ("tip", f"{short.lower()} because mocks fit")).text == text


NO_ROOM = "no room: the file would have 1095 bytes, limit 1024"
REFUSED = {
    "empty": (" \n ", "", LIMITS, "the learning is empty"),
    "too long": ("x" * 399, "", LIMITS, "its line would have 401 characters, limit 400"),
    "in its list": ("x" * 398, "## Recent Learnings\n 10. a\n", LIMITS, "its line would have 403"),
    "no room": ("a learning", "x" * 900, template.Limits(size=1024), NO_ROOM),
    "no section": ("a", "", template.Limits(sections=0), "has 0 sections, and none for it"),
}


@for_each("name", REFUSED)
def test_learnings_are_refused(name: str) -> None:
    content, text, limits, reason = REFUSED[name]
    found = merge(text, ("tip", content), limits=limits)
    assert found.text == text
    [learning] = found.refused
    assert learning.content == content
    assert reason in learning.reason
    assert merge("", ("tip", "x" * 398)).added, "exactly the limit"


def test_there_are_at_most_ten_sections() -> None:
    text = "".join(f"## Mine {number}\n\n" for number in range(10))
    found = merge(text, ("pattern", "a learning"))
    assert found.text == text
    (learning,) = found.refused
    assert learning.reason == "the file has 10 sections, and none for it"
    text = text.replace("## Mine 3", "## recent learnings")
    sections = markdown.parse_document(merge(text, ("pattern", "a learning")).text).sections
    assert len(sections) == 10
    assert [item.text for item in sections[3].items] == ["a learning"]


def test_the_oldest_item_is_evicted_with_its_nested_lines() -> None:
    text = "## Recent Learnings\n- old\n  - nested\n\n  more\n- newer\n"
    found = merge(text, ("tip", "a learning"), limits=template.Limits(items=2))
    assert [*found.evicted] == [("Recent Learnings", "old\n  - nested\n\n  more")]


# Properties, for documents of valid and broken parts.


def one_line(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode().split())


@given(documents, learnings, small_limits)
def test_no_learning_and_no_item_is_lost(
    text: str, learned: list[Learning], limits: template.Limits
) -> None:
    found = merge(text, *learned, limits=limits)
    taken = [*found.added, *(new for _, new in [*found.duplicates, *found.replaced])]
    taken += [one_line(learning.content) for learning in found.refused]
    assert sorted(taken) == sorted(one_line(each.content) for each in learned)
    left = [item.text for item in markdown.parse_document(found.text).items]
    gone = [new for _, new in found.replaced] + [old for old, _ in found.replaced]
    gone += [whole.split("\n")[0] for _, whole in found.evicted]
    items = [item.text for item in markdown.parse_document(text).items]
    assert all(content in left + gone for content in [*found.added, *items])


@given(documents, learnings)
def test_merging_twice_changes_nothing(text: str, learned: list[Learning]) -> None:
    once = merge(text, *learned)
    if not once.evicted:
        again = merge(once.text, *learned)
        assert again.text == once.text
        assert not again.added


def unknown(text: str) -> list[str]:
    """Return the lines that are not an item, a header comment or blank."""
    document = markdown.parse_document(text)
    own = {at for item in document.items for at in range(item.line, item.end)}
    lines = [line.strip("\r\n") for at, line in enumerate(document.lines) if at not in own]
    return [line for line in lines if line.strip(" \t")]


@given(documents, learnings, small_limits)
def test_unknown_lines_stay(text: str, learned: list[Learning], limits: template.Limits) -> None:
    found = merge(text, *learned, limits=limits)
    old, new = f"(Max: {limits.items} items)", "(Max: 15 items)"
    kept = iter(line.replace(old, new) for line in unknown(found.text))
    assert all(line in kept for line in unknown(text))
