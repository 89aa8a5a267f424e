"""Three-way merge of memories: symmetric, and only items that a side removed disappear."""

import re

import pytest
from hypothesis import given, strategies as st

from memory_core.document import dated_entries, markdown, merge_versions, template
from memory_core.git import three_way
from memory_core.text import similarity
from support.strategies import documents
from support.tables import for_each


def header(time: str, author: str = "engineer", items: int = 15) -> str:
    limits = template.Limits(items=items)
    updated = f"<!-- Last Updated: {time} | Auto-updated by: {author} -->"
    return f"<!-- MEMORY LIMITS: {limits} -->/{updated}"


FIRST, EARLY = header("2026-11-19 08:00:00"), header("2026-11-20 08:00:00")
LATE = header("2026-11-21 08:00:00", "qa", 9)
OLD, NEW = (f"{each}//## Preferences/- " for each in (EARLY, LATE))
ONE, TWO = (f"- p//  ```/  {code}/  ```" for code in "ab")
SAME = "- All services use dependency injection"

# Base, ours, theirs, and the result.  A slash ends a line, two slashes a paragraph.  A capital
# letter is a section with a blank line above it; P is that of the preferences.
SIDES = ("base", "ours", "theirs", "merged")
MERGES = [
    # each side's own order stays
    ("- p", "- p/- z/- b", "- p/- x/- a", "- p/- z/- b/- x/- a"),
    # new at different places
    ("- p/- q", "- a/- p/- q", "- p/- b/- q", "- a/- p/- b/- q"),
    # the same new one
    ("- p", "- p/- New thing", "- p/- new thing", "- p/- New thing"),
    # removed on one side
    ("- p/- q/- r", "- p/- r", "- p/- q/- r/- s", "- p/- r/- s"),
    # removed on both
    ("- p/- q/- r", "- p/- r", "- q/- r", "- r"),
    # removed and edited
    ("- it is slow at night/- p", "- p", "- it is fast at night/- p", "- it is fast at night/- p"),
    # edited on one side
    ("- one for each", "- two for each", "- one for each/- p", "- two for each/- p"),
    # edited on both, differently
    ("- one for each", "- two for each", "- one for all", "- two for each/- one for all"),
    # near-duplicates
    ("", f"A/{SAME}/- x", f"A/{SAME} for flexibility", f"A/{SAME}/- x/{SAME} for flexibility"),
    # moved to another section
    ("A/- x/- y/B/- z", "A/- y/B/- z/- x", "A/- x/- y/- w/B/- z", "A/- y/- w/B/- z/- x"),
    # moved on one side, edited on the other
    ("A/- it is slow/B", "A/B/- it is slow", "A/- it is fast/B", "A/- it is fast/B/- it is slow"),
    # one that stands in two sections
    ("A/- none/B/- none", "A/- none/B/- none/- x", "A/B/- none", "A/B/- none/- x"),
    # nested on one side
    ("- p", "- p/  - n", "- p/- q", "- p/  - n/- q"),
    # nested on both
    ("- p/  - n", "- p/  - n/  - b", "- p/  - n/  - a", "- p/  - n/  - b/  - a"),
    # nested, and the item removed
    ("- p/- q", "- q", "- p/  - n/- q", "- p/  - n/- q"),
    # code in an item
    (ONE, TWO, f"{ONE}/- q", f"{TWO}/- q"),
    # a section removed that has something new
    ("A/- x/B/- y", "A/- x", "A/- x/B/- y/- z", "A/- x/B/- z"),
    # a deeper heading goes with its section
    ("B", "B/C//### D/- x", "B/A//### D/- y", "B/C//### D/- x/A//### D/- y"),
    # a section renamed
    ("A/- x/B/- y", "C/- x/B/- y", "A/- x/- z/B/- y", "C/- x/A/- z/B/- y"),
    # code that is never closed
    ("- x/B/- y", "- x//```/m/B/- y", "- x/- z/B/- y/- w", "- x/- z//```/m/```/B/- y/- w"),
    # prose of both
    ("one//- p", "one/two.//- p", "one//- p/- q", "one/two.//- p/- q"),
    # one line changed by both
    ("# T/Ask Ann.", "# T/Ask Bob.", "# T/Ask Eve.", "# T/Ask Bob.//Ask Eve."),
    # a wrapped sentence stays whole
    ("a.", "a./b goes/z on.", "a./c goes/d on.", "a./b goes/z on./c goes/d on."),
    # front matter
    ("---/a: 1/b: 1/---", "---/a: 2/b: 1/---", "---/a: 1/b: 2/---", "---/a: 2/b: 2/---"),
    # both values of a key, for a person to choose
    ("---/a: 1/---", "---/a: 2/---", "---/a: 3/---", "---/a: 2/a: 3/---"),
    ("- x", "---/a: 1/---/- x", "---/b: 2/---/- x", "---/a: 1/b: 2/---/- x"),
    # the later of two times in a task memory
    (
        *("---/updated: 1/archived:/---", "---/updated: 3/archived:/---"),
        *("---/updated: 2/archived: 2/---", "---/updated: 3/archived: 2/---"),
    ),
    # the newer header whole
    (f"# T//{FIRST}", f"# T//{EARLY}//- a", f"# T//{LATE}//- b", f"# T//{LATE}//- a/- b"),
    # a title changed
    ("# T/- p", "# U/- p", "# T/- p/- q", "# U/- p/- q"),
    # a preference of each
    ("P/- c: 1", "P/- c: 1/- b: 1", "P/- c: 1/- a: 1", "P/- c: 1/- b: 1/- a: 1"),
    # the later of two values
    (f"{OLD}tone: dry", f"{NEW}tone: alert", f"{OLD}Tone: warm", f"{NEW}tone: alert"),
    # a value changed once
    (f"{OLD}tone: dry", f"{NEW}tone: dry", f"{OLD}tone: warm", f"{NEW}tone: warm"),
    # a preference removed and changed
    ("P/- tone: dry", "P", "P/- tone: curt", "P/- tone: curt"),
    # a conflict in one side
    ("- p", "- p/<<<<<<< a/- x/=======/- y/>>>>>>> b", "- p/- z", "- p/- x/- y/- z"),
    # nothing to come from
    ("", "# T/- p/- q/- r", "# T/- p/- a/- r", "# T/- p/- q/- a/- r"),
    # other line ends
    ("- p", "- p\r/- a\r", "- p/- b", "- p\r/- a\r/- b\r"),
    # two sections with one title
    ("A/- p/A/- r", "A/- p/A/- r/- x", "A/- p/- y/A/- r", "A/- p/- y/A/- r/- x"),
]


def make_lines(text: str) -> str:
    text = text.replace("/", "\n") + "\n" * bool(text)
    text = re.sub("^([A-C])$", r"\n## \1", text, flags=re.MULTILINE)
    return re.sub("^P$", "## Preferences", text, flags=re.MULTILINE).removeprefix("\n")


def check_merge(base: str, ours: str, theirs: str, merged: str, is_dated: bool = False) -> None:
    base, ours, theirs, merged = map(make_lines, (base, ours, theirs, merged))
    assert three_way.merge(base, ours, theirs, is_dated) == merged


test_merge = for_each(SIDES, MERGES)(check_merge)


def test_a_last_line_without_end_stays_so() -> None:
    assert three_way.merge("- p", "- p\n- a", "- p\n- b") == "- p\n- a\n- b"


DAY, NEXT = "## 2026-11-20//", "## 2026-11-21//"
ARCHIVES = [
    # days in their order
    ("", f"{NEXT}- x", f"{DAY}- x", f"{DAY}- x//{NEXT}- x"),
    # entries of one day, one with what is nested
    (f"{DAY}- p", f"{DAY}- p/- x/    - n", f"{DAY}- p/- b", f"{DAY}- p/- x/    - n/- b"),
    # one was put back, another one left
    (f"{DAY}- p/- q", f"{DAY}- q", f"{DAY}- p/- q//{NEXT}- r", f"{DAY}- q//{NEXT}- r"),
    # a day of which nothing is left
    (f"{DAY}- p//{NEXT}- r", f"{NEXT}- r", f"{DAY}- p//{NEXT}- r", f"{NEXT}- r"),
    # near-duplicates of a first day stay
    ("", f"{DAY}- Use tabs", f"{DAY}- use tabs", f"{DAY}- Use tabs/- use tabs"),
    # a person's line
    (f"Mine.//{DAY}- p", f"Mine.//{DAY}- q", f"Ours.//{DAY}- p", f"Ours.//{DAY}- q"),
]


@for_each(SIDES, ARCHIVES)
def test_merge_archive_files(base: str, ours: str, theirs: str, merged: str) -> None:
    check_merge(base, ours, theirs, merged, is_dated=True)


# Properties, for broken documents and for usual edits of a valid document.


@given(documents, documents, documents)
def test_no_conflict_markers_remain(base: str, ours: str, theirs: str) -> None:
    assert markdown.parse_document(three_way.merge(base, ours, theirs)).markers == []


@given(documents, documents)
def test_changes_of_one_side_are_the_result(base: str, text: str) -> None:
    clean = merge_versions.merge_sides(text).text
    for sides in ((base, text, base), (base, base, text), (base, text, text)):
        assert three_way.merge(*sides) == clean


def said(text: str) -> set[str]:
    items = markdown.parse_document(merge_versions.merge_sides(text).text).items
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


ENTRY = st.text(st.sampled_from("ab- #\n"), max_size=8)
entries = st.lists(ENTRY.map(lambda text: dated_entries.normalize(f"[A] {text}")), max_size=4)


@given(entries, entries, entries, st.sampled_from(["2026-11-20", "2026-11-21"]))
def test_no_entry_is_lost(base: list[str], ours: list[str], theirs: list[str], day: str) -> None:
    old = dated_entries.add("", base, "2026-11-20")
    one, other = dated_entries.add(old, ours, day), dated_entries.add(old, theirs, "2026-11-21")
    merged, of_one, of_other = (
        [(each.day, each.text) for each in dated_entries.parse_entries(text)]
        for text in (three_way.merge(old, one, other, True), one, other)
    )
    assert sorted(merged) == sorted({*of_one, *of_other})


BODY = "Ask Ann./A/- p one/- q two/- r three/B/Ask Bob.//- s four"
BASE = make_lines(f"# T//{EARLY}//{BODY}")


@st.composite
def versions(draw: st.DrawFn) -> str:
    """Return BASE with some lines removed and items added at the end."""
    gone = draw(st.sets(st.sampled_from([5, 8, 9, 10, 13, 15]), max_size=2))
    kept = [line for at, line in enumerate(BASE.splitlines()) if at not in gone]
    items = st.sampled_from(["- x five", "- y six", "- z seven", "- w eight", "- v nine"])
    new = draw(st.lists(items, max_size=2, unique=True))
    return "\n".join([*kept, *new, ""])


@given(versions(), versions())
def test_only_lines_that_the_other_side_removed_disappear(ours: str, theirs: str) -> None:
    old, one, other = (set(text.split("\n")) for text in (BASE, ours, theirs))
    merged = three_way.merge(BASE, ours, theirs).split("\n")
    assert set(merged) - {""} == ((one & other) | ((one | other) - old)) - {""}
    items = [line for line in merged if line.startswith("- ")]
    assert len(items) == len(set(items))


WITHOUT_GIT = [
    ("A/- p/- q", "A/- p/- x", "A/- p/- q/- y/B/- z", "A/- p/- x/- y/B/- z"),
    ("# T/A/- p", "# T/A/- p/- x", "# T//Ann./A/- p", "# T//Ann./A/- p/- x"),
    ("A/- p/- q", "A/- p/- q/- x", "A/- q/B/- p", "A/- q/- x/B/- p"),
]


@for_each(SIDES, WITHOUT_GIT)
def test_without_git_both_changes_are_kept(base: str, ours: str, theirs: str, merged: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", "")
        check_merge(base, ours, theirs, merged)
