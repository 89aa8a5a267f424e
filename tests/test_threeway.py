"""A three-way merge of memories: nothing lost but what a side took out, whichever way round."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_merge import documents

from memory_core import aside, markdown, merge, outline, similarity, threeway, union

BOM = markdown.BOM


def header(time: str, author: str = "engineer", items: int = 15) -> str:
    limits = merge.Limits(items=items)
    updated = f"<!-- Last Updated: {time} | Auto-updated by: {author} -->"
    return f"<!-- MEMORY LIMITS: {limits} -->\n{updated}\n"


EARLY, LATE = header("2026-11-20 08:00:00"), header("2026-11-21 08:00:00", "qa", 9)

# Name: base, one side, the other, what comes of it.
MERGES = {
    # Items.
    "new on both sides": ("- p\n", "- p\n- b\n", "- p\n- a\n", "- p\n- a\n- b\n"),
    "each side's own order stays": (
        "- p\n",
        "- p\n- z\n- b\n",
        "- p\n- x\n- a\n",
        "- p\n- x\n- a\n- z\n- b\n",
    ),
    "new at different places": (
        "- p\n- q\n",
        "- a\n- p\n- q\n",
        "- p\n- b\n- q\n",
        "- a\n- p\n- b\n- q\n",
    ),
    "the same new one": ("- p\n", "- p\n- New thing\n", "- p\n- new thing\n", "- p\n- new thing\n"),
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
        "- one queue for each team\n- two queues for each service\n- p\n",
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
        "- p\n- q\n- Use tabs\n- **use tabs**\n",
    ),
    "near-duplicates with what is nested": (
        "- p\n",
        "- p\n- All services use one queue\n  - n\n",
        "- p\n- All services use one queue for clarity\n  - m\n",
        "- p\n- All services use one queue for clarity\n  - m\n  - n\n",
    ),
    "moved to another section": (
        "## A\n- x\n- y\n\n## B\n- z\n",
        "## A\n- y\n\n## B\n- z\n- x\n",
        "## A\n- x\n- y\n- w\n\n## B\n- z\n",
        "## A\n- y\n- w\n\n## B\n- z\n- x\n",
    ),
    "moved on one side, edited on the other": (
        "## A\n- the queue is slow at night\n\n## B\n- z\n",
        "## A\n\n## B\n- z\n- the queue is slow at night\n",
        "## A\n- the queue is fast at night\n\n## B\n- z\n",
        "## A\n\n## B\n- z\n- the queue is fast at night\n",
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
    # What is nested.
    "nested on one side": ("- p\n", "- p\n  - n\n", "- p\n- q\n", "- p\n  - n\n- q\n"),
    "nested on both": (
        "- p\n  - n\n",
        "- p\n  - n\n  - b\n",
        "- p\n  - n\n  - a\n",
        "- p\n  - n\n  - a\n  - b\n",
    ),
    "nested, and the item edited": (
        "- the queue is slow at night\n  - n\n",
        "- the queue is fast at night\n  - n\n",
        "- the queue is slow at night\n  - n\n  - m\n",
        "- the queue is fast at night\n  - n\n  - m\n",
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
        "# T\n\n## Project Architecture\n- y\n\n## Recent Learnings\n- x\n",
    ),
    "the same new section": (
        "# T\n",
        "# T\n\n## A\n- x\n",
        "# T\n\n## A (Max: 9 items)\n- y\n",
        "# T\n\n## A (Max: 9 items)\n- x\n- y\n",
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
        "## B\n\n## A\n\n### Deep\n- y\n\n## C\n\n### Deep\n- x\n",
    ),
    # Prose, code, front matter.
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
        "```\nb\n```\n\n```\nc\n```\n",
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
        "## Preferences\n- tone: dry\n- a: 1\n- b: 1\n",
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
    # Line ends and the like.
    "line ends": ("- p\n", "- p\r\n- a\r\n", "- p\n- b\n", "- p\r\n- a\r\n- b\r\n"),
    "a byte order mark": ("- p\n", f"{BOM}- p\n", "- p\n- b\n", f"{BOM}- p\n- b\n"),
    "no last line end": ("- p", "- p\n- a", "- p\n- b", "- p\n- a\n- b"),
    # Conflicts that are there already.
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
        "# T\n- p\n- a\n- q\n- r\n",
    ),
}


@pytest.mark.parametrize("name", MERGES)
def test_merge(name: str) -> None:
    base, ours, theirs, merged = MERGES[name]
    assert threeway.merge(base, ours, theirs) == merged
    assert threeway.merge(base, theirs, ours) == merged


DAY, NEXT = "## 2026-11-20\n\n", "\n## 2026-11-21\n\n"
ASIDES = {
    "entries of one day": (
        f"{DAY}- [A] p\n",
        f"{DAY}- [A] p\n- [A] x\n",
        f"{DAY}- [A] p\n- [A] b\n",
        f"{DAY}- [A] p\n- [A] b\n- [A] x\n",
    ),
    "a first day on both sides": ("", f"{DAY}- x\n", f"{DAY}- a\n", f"{DAY}- a\n- x\n"),
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
def test_merge_what_is_kept_aside(name: str) -> None:
    base, ours, theirs, merged = ASIDES[name]
    assert threeway.merge(base, ours, theirs, True) == merged
    assert threeway.merge(base, theirs, ours, True) == merged


# Properties: over broken documents, and over what people and agents do to a whole one.

slower = settings(deadline=None, max_examples=150)


@given(documents)
def test_an_outline_is_the_whole_text(text: str) -> None:
    assert outline.render(outline.read(text)) == text


@slower
@given(documents, documents, documents)
def test_it_does_not_matter_whose_side_is_whose(base: str, ours: str, theirs: str) -> None:
    merged = threeway.merge(base, ours, theirs)
    assert merged == threeway.merge(base, theirs, ours)
    assert markdown.parse(merged).markers == []


@slower
@given(documents, documents)
def test_what_one_side_did_is_what_comes_of_it(base: str, text: str) -> None:
    clean = union.of_sides(text).text
    for sides in ((base, text, base), (base, base, text), (base, text, text)):
        assert threeway.merge(*sides) == clean


def said(text: str) -> set[str]:
    items = markdown.parse(union.of_sides(text).text).items
    return {similarity.fold(item.text) for item in items}


@slower
@given(documents, documents, documents)
def test_no_item_is_lost_but_what_a_side_took_out(base: str, ours: str, theirs: str) -> None:
    merged = said(threeway.merge(base, ours, theirs))
    kept = (said(ours) & said(theirs)) | ((said(ours) | said(theirs)) - said(base))
    for item in kept - merged:
        assert any(similarity.same(item, each) for each in merged), item


@given(st.text(), st.text(), st.text(), st.booleans())
def test_any_text_is_merged(base: str, ours: str, theirs: str, is_aside: bool) -> None:
    merged = threeway.merge(base, ours, theirs, is_aside)
    assert merged == threeway.merge(base, theirs, ours, is_aside)


entries = st.lists(st.text(st.sampled_from("ab- #\n"), max_size=8).map(aside.normal), max_size=4)


@given(entries, entries, entries, st.sampled_from(["2026-11-20", "2026-11-21"]))
def test_no_entry_is_lost(base: list[str], ours: list[str], theirs: list[str], day: str) -> None:
    old = aside.added("", base, "2026-11-20")
    one, other = aside.added(old, ours, day), aside.added(old, theirs, "2026-11-21")
    merged = threeway.merge(old, one, other, True)
    told = [
        {(each.day, each.text) for each in aside.entries(text)} for text in (merged, one, other)
    ]
    assert told[0] == told[1] | told[2]
    assert len(aside.entries(merged)) == len(told[0])


BASE = (
    f"# T\n\n{EARLY}\nAsk Ann.\n\n## A\n- p one\n- q two\n- r three\n\n## B\nAsk Bob.\n\n- s four\n"
)


@st.composite
def versions(draw: st.DrawFn) -> str:
    """Give what somebody made of BASE: lines out, lines in behind those that stay."""
    lines = BASE.splitlines()
    gone = draw(st.sets(st.sampled_from([5, 8, 9, 10, 13, 15]), max_size=2))
    new = st.sampled_from(["x five", "y six", "z seven", "w eight", "v nine"])
    ends = {len(lines): draw(st.lists(new, max_size=2, unique=True))}
    kept = [line for at, line in enumerate(lines) if at not in gone]
    return "\n".join([*kept, *(f"- {text}" for text in ends[len(lines)]), ""])


@settings(slower, derandomize=True)
@given(st.tuples(versions(), versions(), versions()))
def test_it_does_not_matter_which_two_come_first(three: tuple[str, str, str]) -> None:
    """Of clones that bring items of their own; docs/team.md says what is not promised beyond."""
    own = [set(text.split("\n")) - set(BASE.split("\n")) for text in three]
    assume(sum(map(len, own)) == len(set.union(*own)))
    results = set()
    for one, other, last in permutations(three):
        text = threeway.merge(BASE, threeway.merge(BASE, one, other), last)
        results.add(tuple(filter(None, text.split("\n"))))
    assert len(results) == 1
