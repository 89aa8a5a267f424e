"""Three-way merge of memories: symmetric, and only items that a side removed disappear."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.document import conflicts, dated_entries, markdown, template
from memory_core.git import three_way
from memory_core.text import markdown_lines, similarity
from support.strategies import documents
from support.tables import for_each

BOM = markdown_lines.BOM


def header(time: str, author: str = "engineer", items: int = 15) -> str:
    limits = template.Limits(items=items)
    updated = f"<!-- Last Updated: {time} | Auto-updated by: {author} -->"
    return f"<!-- MEMORY LIMITS: {limits} -->\n{updated}\n"


EARLY, LATE = header("2026-11-20 08:00:00"), header("2026-11-21 08:00:00", "qa", 9)

# Name: (base, ours, theirs, result)
MERGES = {
    # Items.
    "new on both sides": ("- p\n", "- p\n- b\n", "- p\n- a\n", "- p\n- b\n- a\n"),
    "each side's own order stays": (
        "- p\n",
        "- p\n- z\n- b\n",
        "- p\n- x\n- a\n",
        "- p\n- z\n- b\n- x\n- a\n",
    ),
    "new at different places": (
        "- p\n- q\n",
        "- a\n- p\n- q\n",
        "- p\n- b\n- q\n",
        "- a\n- p\n- b\n- q\n",
    ),
    "the same new one": ("- p\n", "- p\n- New thing\n", "- p\n- new thing\n", "- p\n- New thing\n"),
    "removed on one side": (
        "- p\n- q\n- r\n",
        "- p\n- r\n",
        "- p\n- q\n- r\n- s\n",
        "- p\n- r\n- s\n",
    ),
    "removed on both": ("- p\n- q\n- r\n", "- p\n- r\n", "- q\n- r\n", "- r\n"),
    "removed and edited": (
        "- the queue is slow at night\n- p\n",
        "- p\n",
        "- the queue is fast at night\n- p\n",
        "- the queue is fast at night\n- p\n",
    ),
    "edited on one side": (
        "- one queue for each service\n",
        "- two queues for each service\n",
        "- one queue for each service\n- p\n",
        "- two queues for each service\n- p\n",
    ),
    "edited on both, differently": (
        "- one queue for each service\n- p\n",
        "- two queues for each service\n- p\n",
        "- one queue for each team\n- p\n",
        "- two queues for each service\n- one queue for each team\n- p\n",
    ),
    "edited on both, into one": (
        "- one queue\n",
        "- All services use one queue\n",
        "- All services use one queue for clarity\n",
        "- All services use one queue for clarity\n",
    ),
    "near-duplicates": (
        "",
        "## A\n- All services use dependency injection\n- x\n",
        "## A\n- All services use dependency injection for flexibility\n",
        "## A\n- All services use dependency injection for flexibility\n- x\n",
    ),
    "near-duplicates of one hand": (
        "- p\n",
        "- p\n- Use tabs\n- **use tabs**\n",
        "- p\n- q\n",
        "- p\n- Use tabs\n- **use tabs**\n- q\n",
    ),
    "near-duplicates with what is nested": (
        "- p\n",
        "- p\n- All services use one queue\n  - n\n",
        "- p\n- All services use one queue for clarity\n  - m\n",
        "- p\n- All services use one queue for clarity\n  - n\n  - m\n",
    ),
    "moved to another section": (
        "## A\n- x\n- y\n\n## B\n- z\n",
        "## A\n- y\n\n## B\n- z\n- x\n",
        "## A\n- x\n- y\n- w\n\n## B\n- z\n",
        "## A\n- y\n- w\n\n## B\n- z\n- x\n",
    ),
    "moved, and the other side adds below it": (
        "## A\n- x\n- y\n\n## B\n- z\n",
        "## A\n- x\n\n## B\n- z\n- y\n",
        "## A\n- x\n- y\n- w\n\n## B\n- z\n",
        "## A\n- x\n- w\n\n## B\n- z\n- y\n",
    ),
    "sorted on one side": (
        "## A\n- x\n- y\n- z\n",
        "## A\n- z\n- y\n- x\n",
        "## A\n- x\n- y\n- z\n- w\n",
        "## A\n- z\n- y\n- x\n- w\n",
    ),
    "formatted on one side": (
        "## A\n- x\n- y\n",
        "## A\n\n* x\n* y\n",
        "## A\n- x\n- y\n- w\n",
        "## A\n\n* x\n* y\n- w\n",
    ),
    "moved on one side, edited on the other": (
        "## A\n- the queue is slow at night\n\n## B\n- z\n",
        "## A\n\n## B\n- z\n- the queue is slow at night\n",
        "## A\n- the queue is fast at night\n\n## B\n- z\n",
        "## A\n- the queue is fast at night\n\n## B\n- z\n",
    ),
    "moved within its section": (
        "- p\n- q\n- r\n",
        "- q\n- r\n- p\n",
        "- p\n- q\n- r\n- s\n",
        "- q\n- r\n- p\n- s\n",
    ),
    "one that stands in two sections": (
        "## A\n- none\n\n## B\n- none\n",
        "## A\n- none\n\n## B\n- none\n- x\n",
        "## A\n\n## B\n- none\n",
        "## A\n\n## B\n- none\n- x\n",
    ),
    # Nested lines.
    "nested on one side": ("- p\n", "- p\n  - n\n", "- p\n- q\n", "- p\n  - n\n- q\n"),
    "nested on both": (
        "- p\n  - n\n",
        "- p\n  - n\n  - b\n",
        "- p\n  - n\n  - a\n",
        "- p\n  - n\n  - b\n  - a\n",
    ),
    "nested, and the item edited": (
        "- the queue is slow at night\n  - n\n",
        "- the queue is fast at night\n  - n\n",
        "- the queue is slow at night\n  - n\n  - m\n",
        "- the queue is fast at night\n  - n\n  - m\n",
    ),
    "wrapped on one side, nested on the other": (
        "- one queue for each service\n- p\n",
        "- one queue for each service and\n  each team\n- p\n",
        "- one queue for each service\n  - n\n- p\n",
        "- one queue for each service and\n  each team\n  - n\n- p\n",
    ),
    "nested, and the item removed": (
        "- p\n- q\n",
        "- q\n",
        "- p\n  - n\n- q\n",
        "- p\n  - n\n- q\n",
    ),
    "moved, with what is nested": (
        "## A\n- x\n  - n\n\n## B\n",
        "## A\n\n## B\n- x\n  - n\n",
        "## A\n- x\n  - n\n  - m\n\n## B\n",
        "## A\n\n## B\n- x\n  - n\n  - m\n",
    ),
    "code in an item": (
        "- p\n\n  ```\n  a\n  ```\n",
        "- p\n\n  ```\n  b\n  ```\n",
        "- p\n\n  ```\n  a\n  ```\n- q\n",
        "- p\n\n  ```\n  b\n  ```\n- q\n",
    ),
    # Sections.
    "new sections, in the usual order": (
        "# T\n",
        "# T\n\n## Recent Learnings\n- x\n",
        "# T\n\n## Project Architecture\n- y\n",
        "# T\n\n## Recent Learnings\n- x\n\n## Project Architecture\n- y\n",
    ),
    "the same new section": (
        "# T\n",
        "# T\n\n## A\n- x\n",
        "# T\n\n## A (Max: 9 items)\n- y\n",
        "# T\n\n## A\n- x\n- y\n",
    ),
    "a section removed": (
        "## A\n- x\n\n## B\n- y\n",
        "## A\n- x\n",
        "## A\n- x\n- z\n\n## B\n- y\n",
        "## A\n- x\n- z\n",
    ),
    "a section removed that has something new": (
        "## A\n- x\n\n## B\n- y\n",
        "## A\n- x\n",
        "## A\n- x\n\n## B\n- y\n- z\n",
        "## A\n- x\n\n## B\n- z\n",
    ),
    "a deeper heading goes with its section": (
        "## B\n",
        "## B\n\n## C\n\n### Deep\n- x\n",
        "## B\n\n## A\n\n### Deep\n- y\n",
        "## B\n\n## C\n\n### Deep\n- x\n\n## A\n\n### Deep\n- y\n",
    ),
    "a section renamed": (
        "## A\n- x\n\n## B\n- y\n",
        "## C\n- x\n\n## B\n- y\n",
        "## A\n- x\n- z\n\n## B\n- y\n",
        "## C\n- x\n- z\n\n## B\n- y\n",
    ),
    "the same deeper heading": (
        "## A\n- x\n",
        "## A\n- x\n\n### Open\n- y\n",
        "## A\n- x\n\n### Open\n- z\n",
        "## A\n- x\n\n### Open\n- y\n- z\n",
    ),
    # Prose, code, front matter.
    "code that is never closed": (
        "## A\n- x\n\n## B\n- y\n",
        "## A\n- x\n\n```\nmake\n\n## B\n- y\n",
        "## A\n- x\n- z\n\n## B\n- y\n- w\n",
        "## A\n- x\n- z\n\n```\nmake\n```\n\n## B\n- y\n- w\n",
    ),
    "prose of both": (
        "one\n\n- p\n",
        "one\ntwo.\n\n- p\n",
        "one\n\n- p\n- q\n",
        "one\ntwo.\n\n- p\n- q\n",
    ),
    "one line changed by both": (
        "# T\nAsk Ann.\n",
        "# T\nAsk Bob.\n",
        "# T\nAsk Eve.\n",
        "# T\nAsk Bob.\nAsk Eve.\n",
    ),
    "one changed, one removed": ("a.\nb.\n", "a.\nB.\n", "a.\n", "a.\nB.\n"),
    "a wrapped sentence stays whole": (
        "a.\n",
        "a.\nb goes\nz on.\n",
        "a.\nc goes\nd on.\n",
        "a.\nb goes\nz on.\nc goes\nd on.\n",
    ),
    "code is one thing": (
        "```\na\nb\n```\n",
        "```\na\nc\n```\n",
        "```\na\nb\n```\n\nprose\n",
        "```\na\nc\n```\n\nprose\n",
    ),
    "code changed by both": (
        "```\na\n```\n",
        "```\nc\n```\n",
        "```\nb\n```\n",
        "```\nc\n```\n\n```\nb\n```\n",
    ),
    "front matter": (
        "---\nowner: ann\nteam: a\n---\n# T\n",
        "---\nowner: bob\nteam: a\n---\n# T\n",
        "---\nowner: ann\nteam: b\n---\n# T\n",
        "---\nowner: bob\nteam: b\n---\n# T\n",
    ),
    "indented code below a list": (
        "- p\n",
        "- p\n- q\n",
        "- p\n\n<!-- -->\n\n    code\n",
        "- p\n- q\n\n<!-- -->\n\n    code\n",
    ),
    # The header.
    "the newer header whole": (
        f"# T\n\n{header('2026-11-19 08:00:00')}\n- p\n",
        f"# T\n\n{EARLY}\n- p\n- a\n",
        f"# T\n\n{LATE}\n- p\n- b\n",
        f"# T\n\n{LATE}\n- p\n- a\n- b\n",
    ),
    "the newer one, though only the other has learned": (
        f"# T\n\n{EARLY}\n- p\n",
        f"# T\n\n{EARLY}\n- p\n- a\n",
        f"# T\n\n{LATE}\n- p\n",
        f"# T\n\n{LATE}\n- p\n- a\n",
    ),
    "a title changed": ("# T\n- p\n", "# U\n- p\n", "# T\n- p\n- q\n", "# U\n- p\n- q\n"),
    # Preferences.
    "a preference of each": (
        "## Preferences\n- tone: dry\n",
        "## Preferences\n- tone: dry\n- b: 1\n",
        "## Preferences\n- tone: dry\n- a: 1\n",
        "## Preferences\n- tone: dry\n- b: 1\n- a: 1\n",
    ),
    "the later of two values": (
        f"{EARLY}\n## Preferences\n- tone: dry\n",
        f"{LATE}\n## Preferences\n- tone: alert\n",
        f"{EARLY}\n## Preferences\n- Tone: warm\n",
        f"{LATE}\n## Preferences\n- tone: alert\n",
    ),
    "a value changed once": (
        f"{EARLY}\n## Preferences\n- tone: dry\n",
        f"{LATE}\n## Preferences\n- tone: dry\n",
        f"{EARLY}\n## Preferences\n- tone: warm\n",
        f"{LATE}\n## Preferences\n- tone: warm\n",
    ),
    "two values at one time": (
        "## Preferences\n- tone: dry\n",
        "## Preferences\n- tone: warm\n",
        "## Preferences\n- tone: curt\n",
        "## Preferences\n- tone: warm\n",
    ),
    "a preference removed and changed": (
        "## Preferences\n- tone: dry\n",
        "## Preferences\n",
        "## Preferences\n- tone: curt\n",
        "## Preferences\n- tone: curt\n",
    ),
    # Line ends and encoding.
    "line ends": ("- p\n", "- p\r\n- a\r\n", "- p\n- b\n", "- p\r\n- a\r\n- b\r\n"),
    "a byte order mark": ("- p\n", f"{BOM}- p\n", "- p\n- b\n", f"{BOM}- p\n- b\n"),
    "no last line end": ("- p", "- p\n- a", "- p\n- b", "- p\n- a\n- b"),
    # Existing conflicts.
    "a conflict in one side": (
        "## A\n- p\n",
        "## A\n- p\n<<<<<<< HEAD\n- x\n=======\n- y\n>>>>>>> other\n",
        "## A\n- p\n- z\n",
        "## A\n- p\n- x\n- y\n- z\n",
    ),
    "a base with one": (
        "## A\n<<<<<<< HEAD\n- x\n=======\n- y\n>>>>>>> other\n",
        "## A\n- x\n- y\n",
        "## A\n- x\n- z\n",
        "## A\n- x\n- z\n",
    ),
    "nothing to come from": (
        "",
        "# T\n- p\n- q\n- r\n",
        "# T\n- p\n- a\n- r\n",
        "# T\n- p\n- q\n- a\n- r\n",
    ),
}


@for_each("name", MERGES)
def test_merge(name: str) -> None:
    base, ours, theirs, merged = MERGES[name]
    assert three_way.merge(base, ours, theirs) == merged


DAY, NEXT = "## 2026-11-20\n\n", "\n## 2026-11-21\n\n"
ASIDES = {
    "entries of one day": (
        f"{DAY}- [A] p\n",
        f"{DAY}- [A] p\n- [A] x\n",
        f"{DAY}- [A] p\n- [A] b\n",
        "## 2026-11-20\n\n- [A] p\n- [A] x\n- [A] b\n",
    ),
    "a first day on both sides": ("", f"{DAY}- x\n", f"{DAY}- a\n", "## 2026-11-20\n\n- x\n- a\n"),
    "days in their order": ("", f"{NEXT[1:]}- x\n", f"{DAY}- x\n", f"{DAY}- x\n{NEXT}- x\n"),
    "an entry with what is nested": (
        f"{DAY}- p\n",
        f"{DAY}- p\n- [A] x\n    - n\n\n    - m\n",
        f"{DAY}- p\n- b\n",
        f"{DAY}- p\n- [A] x\n    - n\n\n    - m\n- b\n",
    ),
    "one was put back, another one left": (
        f"{DAY}- p\n- q\n",
        f"{DAY}- q\n",
        f"{DAY}- p\n- q\n{NEXT}- r\n",
        f"{DAY}- q\n{NEXT}- r\n",
    ),
    "a day of which nothing is left": (
        f"{DAY}- p\n- q\n{NEXT}- r\n",
        f"{DAY}- q\n{NEXT}- r\n",
        f"{DAY}- p\n{NEXT}- r\n",
        f"{NEXT[1:]}- r\n",
    ),
    "near-duplicates stay": (
        "",
        f"{DAY}- Use tabs\n",
        f"{DAY}- use tabs\n",
        f"{DAY}- Use tabs\n- use tabs\n",
    ),
    "a person's line": (
        f"Mine.\n\n{DAY}- p\n",
        f"Mine.\n\n{DAY}- q\n",
        f"Ours.\n\n{DAY}- p\n",
        f"Ours.\n\n{DAY}- q\n",
    ),
}


@pytest.mark.parametrize("name", ASIDES)
def test_merge_archive_files(name: str) -> None:
    base, ours, theirs, merged = ASIDES[name]
    assert three_way.merge(base, ours, theirs, True) == merged


# Properties, for broken documents and for usual edits of a valid document.


@given(documents, documents, documents)
def test_no_conflict_markers_remain(base: str, ours: str, theirs: str) -> None:
    assert markdown.parse_document(three_way.merge(base, ours, theirs)).markers == []


@given(documents, documents)
def test_changes_of_one_side_are_the_result(base: str, text: str) -> None:
    clean = conflicts.merge_sides(text).text
    for sides in ((base, text, base), (base, base, text), (base, text, text)):
        assert three_way.merge(*sides) == clean


def said(text: str) -> set[str]:
    items = markdown.parse_document(conflicts.merge_sides(text).text).items
    return {similarity.normalize_text(item.text) for item in items}


@given(documents, documents, documents)
def test_only_items_that_a_side_removed_disappear(base: str, ours: str, theirs: str) -> None:
    merged = said(three_way.merge(base, ours, theirs))
    kept = (said(ours) & said(theirs)) | ((said(ours) | said(theirs)) - said(base))
    for item in kept - merged:
        assert any(similarity.is_same(item, each) for each in merged), item


@given(st.text(), st.text(), st.text(), st.booleans())
def test_any_text_is_merged(base: str, ours: str, theirs: str, is_aside: bool) -> None:
    assert isinstance(three_way.merge(base, ours, theirs, is_aside), str)


entries = st.lists(
    st.text(st.sampled_from("ab- #\n"), max_size=8).map(
        lambda text: dated_entries.normalize(f"[A] {text}")
    ),
    max_size=4,
)


@given(entries, entries, entries, st.sampled_from(["2026-11-20", "2026-11-21"]))
def test_no_entry_is_lost(base: list[str], ours: list[str], theirs: list[str], day: str) -> None:
    old = dated_entries.add("", base, "2026-11-20")
    one, other = dated_entries.add(old, ours, day), dated_entries.add(old, theirs, "2026-11-21")
    merged = three_way.merge(old, one, other, True)
    told = [
        {(each.day, each.text) for each in dated_entries.parse_entries(text)}
        for text in (merged, one, other)
    ]
    assert told[0] == told[1] | told[2]
    assert len(dated_entries.parse_entries(merged)) == len(told[0])


BASE = (
    f"# T\n\n{EARLY}\nAsk Ann.\n\n## A\n- p one\n- q two\n- r three\n\n## B\nAsk Bob.\n\n- s four\n"
)


@st.composite
def versions(draw: st.DrawFn) -> str:
    """Return BASE with some lines removed and others inserted."""
    lines = BASE.splitlines()
    gone = draw(st.sets(st.sampled_from([5, 8, 9, 10, 13, 15]), max_size=2))
    new = st.sampled_from(["x five", "y six", "z seven", "w eight", "v nine"])
    ends = {len(lines): draw(st.lists(new, max_size=2, unique=True))}
    kept = [line for at, line in enumerate(lines) if at not in gone]
    return "\n".join([*kept, *(f"- {text}" for text in ends[len(lines)]), ""])


@given(versions(), versions())
def test_only_lines_that_the_other_side_removed_disappear(ours: str, theirs: str) -> None:
    old, one, other = (set(text.split("\n")) for text in (BASE, ours, theirs))
    merged = three_way.merge(BASE, ours, theirs).split("\n")
    assert set(merged) - {""} == ((one & other) | ((one | other) - old)) - {""}
    items = [line for line in merged if line.startswith("- ")]
    assert len(items) == len(set(items))


def test_without_git_both_changes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    merged = three_way.merge(
        "# T\n\n## A\n- p\n- q\n",
        "# T\n\n## A\n- p\n- x\n",
        "# T\n\nAsk Ann.\n\n## A\n- p\n- q\n- y\n\n## B\n- z\n",
    )
    assert merged == "# T\n\nAsk Ann.\n\n## A\n- p\n- x\n- y\n\n## B\n- z\n"
    moved = three_way.merge("## A\n- p\n- q\n", "## A\n- p\n- q\n- x\n", "## A\n- q\n\n## B\n- p\n")
    assert moved == "## A\n- p\n- q\n- x\n\n## B\n"
