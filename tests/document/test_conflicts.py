"""Merging two documents: items of either side are kept, shared items once."""

import pytest
from hypothesis import example, given

from memory_core.document import markdown, merge_versions
from memory_core.text import markdown_lines, similarity
from support.memory_files import make_conflict, read_format_pairs
from support.strategies import LINES, WORDS, build_documents
from support.tables import for_each


@pytest.mark.parametrize("pair", [pair for pair in read_format_pairs() if "conflict" in pair])
def test_conflict_examples_of_the_page(pair: dict[str, str]) -> None:
    assert merge_versions.merge_sides(pair["conflict"]).text == pair["resolved"]


# In these tables a slash ends a line.


def make_lines(text: str) -> str:
    return text.replace("/", "\n")


QUOTED = "```/<<<<<<< a/- a/=======/- b/>>>>>>> b/```/"
BASE = "<<<<<<< HEAD/- x/||||||| base/"
IN_BASE = "||||||| base/<<<<<<<<< 1/- a/=========/>>>>>>>>> 2/"  # as git marks it
OWNERS = make_conflict("owner: ann/", "owner: bob/")
ACROSS = make_conflict("---/# T/", "owner: bob/---/# T/")
OPENED = make_conflict("```/ours/", "```/theirs/")
HEADER = "<!-- Last Updated: a -->/"
# (the text above the conflict, ours, theirs, all of it afterwards)
SIDES = {
    "items": ("## A/", "- x/", "- y/", "## A/- x/- y/"),
    "the same": ("## A/", "- x/", "- **X**./", "## A/- x/"),
    "nested": ("## A/", "- x/  - n/", "- x/  - m/", "## A/- x/  - n/  - m/"),
    "a section": ("# T/", "## A/- x/", "## B/- y/", "# T/## A/- x//## B/- y/"),
    "headers": ("", "<!-- Last Updated: a -->/", "<!-- Last Updated: b -->/", HEADER),
    "prose": ("## A/", "one/", "two/", "## A/one//two/"),
    "code": ("## A/", "- x/", "```/- y//z/```/", "## A/- x//```/- y//z/```/"),
    "indented code": ("## A/", "- x/", "    y/", "## A/- x//<!-- -->//    y/"),
    "without a section": ("", "- x/", "- y/", "- x/- y/"),
    "one side has nothing": ("# T/", "", "## A/- x/", "# T/## A/- x/"),
    "and nothing else is there": ("", "", "# T/- x/", "# T/- x/"),
}
UNIONS = {
    **{name: (above + make_conflict(*sides), end) for name, (above, *sides, end) in SIDES.items()},
    "no conflict": ("## A/=======/", "## A/=======/"),
    "without a base": ("## A/" + make_conflict("- x/", "- y/", ""), "## A/- x/- y/"),
    "CRLF": (make_lines(make_conflict("- x/", "- y/")).replace("\n", "\r\n"), "- x\r/- y\r/"),
    # Incomplete conflicts.
    "never ended": ("## A/<<<<<<< HEAD/- x/=======/- y/", "## A/- x/- y/"),
    "never parted": ("## A/<<<<<<< HEAD/- x//## B/- y/", "## A/- x//## B/- y/"),
    "an end left over": ("## A/- x/>>>>>>> other/- y/", "## A/- x/- y/"),
    "a base without end": (f"## A/{BASE}- z//## B/- y/", "## A/- x/- z//## B/- y/"),
    "a base without a side": (f"## A/{BASE}- z/>>>>>>> other/- y/", "## A/- x/- z/- y/"),
    "in the base": ("## A/" + make_conflict("- x/", "- y/", IN_BASE), "## A/- x/- y/"),
    "in front matter": (f"---/name: qa/{OWNERS}---/- x/", "---/name: qa/owner: ann/---/- x/"),
    "all front matter": (f"---/{OWNERS}---/# T/- x/", "---/owner: ann/---/# T/- x/"),
    "across the end of it": (f"---/name: qa/{ACROSS}- x/", "---/name: qa/---/# T/- x/"),
    # Code.
    "code is code": (f"## A/{QUOTED}", f"## A/{QUOTED}"),
    "code beside one": (f"{QUOTED}/" + make_conflict("- x/", "- y/"), f"{QUOTED}/- x/- y/"),
    "code of both": (f"## A/{OPENED}```/- x/", "## A/```/ours/```/- x//```/theirs/```/"),
    "code of one": (make_conflict("- x/", "```/") + "<<<<<<< quoted/```/", "- x/```/"),
}


@for_each("name", UNIONS)
def test_merge_sides(name: str) -> None:
    text, expected = map(make_lines, UNIONS[name])
    found = merge_versions.merge_sides(text).text
    assert found == expected
    assert merge_versions.merge_sides(found).text == found


LEFT = {
    "another title": (make_conflict("# T/", "# U/") + "## A/", ["# U"]),
    "the same title": (make_conflict("# T/", "t/==/") + "## A/", []),
    "front matter": (f"---/{OWNERS}---/", ["---\nowner: bob\n---"]),
    "none of it": (make_conflict("# T/", "## A//prose/"), []),
}


@for_each("name", LEFT)
def test_rest_of_a_conflict(name: str) -> None:
    text, left = LEFT[name]
    assert merge_versions.merge_sides(make_lines(text)).left == left


FIRST = "# T//## A/- x//## B/- y/"

COMBINED = {
    "by section": (
        "# t//prose//## B (Max: 15 items)/1. Y/2. z//## C (Max: 15 items)/- x/- new/",
        "# T//prose//## A/- x//## B/- y/2. z//## C (Max: 15 items)/- new/",
    ),
    "itself": (FIRST, FIRST),
    "nothing": ("", FIRST),
    "two blanks": ("## A/-  two  blanks /", FIRST.replace("- x", "- x/-  two  blanks ")),
    "several lines": ("## A/- one/  two/", FIRST.replace("- x", "- x/- one/  two")),
    "farther in": ("## A/  * one/    - two/", FIRST.replace("- x", "- x/* one/  - two")),
    "a deeper heading": ("## A//### Deep/- z/", FIRST.replace("- x", "- x//### Deep/- z")),
    "another part": ("# t//# Notes//prose//- z/", f"{FIRST}/# Notes//prose//- z/"),
    "header comments": ("<!-- MEMORY LIMITS: 9KB -->/<!-- Last Updated: x -->/", FIRST),
    "a comment": ("<!-- of mine -->/", FIRST.replace("# T/", "# T//<!-- of mine -->/")),
    "front matter": ("---/owner: ann/---/", f"---/owner: ann/---/{FIRST}"),
    "code cut off": ("## A/```/code/", FIRST.replace("- x", "- x//```/code/```")),
}


@for_each("name", COMBINED)
def test_merge_documents(name: str) -> None:
    other, expected = map(make_lines, COMBINED[name])
    found = merge_versions.merge_documents(make_lines(FIRST), other)
    assert found.text == expected
    assert found.left == []
    assert merge_versions.merge_documents(found.text, other).text == expected


FIRSTS = {
    "no title": ("## A/- x/", "# T/- y/", "# T/- y//## A/- x/"),
    "an empty file": ("/", "# T/- y/", "# T/- y/"),
    "code cut off": ("- x/~~~~/code", "- y/", "- x/- y/~~~~/code/~~~~"),
    "deeper": (
        "## A//### D/- y//## B/",
        "## A/### D/- z/### O/- w/",
        "## A//### D/- y/- z//### O/- w//## B/",
    ),
    "a lost comment": ("<!-- lost//- x/", "a --> b/", "<!-- lost//- x/-->//a --> b/"),
    "a comment that is lost, and nothing new": ("- x/<!-- lost/", "- x/", "- x/<!-- lost/"),
    "neighbours, and nothing new": ("    a/<!-- b -->/", "    a/", "    a/<!-- b -->/"),
    "apart": ("<!-- a -->//    b/", "<!-- a -->/    b/", "<!-- a -->//    b/"),
    "an item with what is nested": ("- x/  - y/  - z/", "- X./  - z/", "- x/  - y/  - z/"),
    "conflicts": (
        make_conflict("- a/", "- b/"),
        make_conflict("- c/", "- b/- d/"),
        "- a/- b/- c/- d/",
    ),
}


@for_each("name", FIRSTS)
def test_merge_documents_with_another_first(name: str) -> None:
    first, other, expected = map(make_lines, FIRSTS[name])
    assert merge_versions.merge_documents(first, other).text == expected
    assert merge_versions.merge_documents(expected, other).text == expected


def test_a_document_has_one_title_and_one_front_matter() -> None:
    first, other = "---\na: b\n---\n# T\n\n- x\n", "---\nc: d\n---\n# U\n\n- y\n"
    found = merge_versions.merge_documents(first, other)
    assert found.text == "---\na: b\n---\n# T\n\n- x\n- y\n"
    assert found.left == ["---\nc: d\n---", "# U"]


# Properties, for documents of valid and broken parts.

CONFLICTS = ["<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> other"]
COMMON = [
    *(line for line in LINES if line not in CONFLICTS),
    *(f"{bullet} {one}" for bullet in ("12)", "1.", "  *", "- **") for one in WORDS[:2]),
    "- All services use dependency injection",
    "- All services use constructor dependency injection",
    *("    - nested", "  - nested", "- ```", "  ```", "-", "- - double", "\t- tab", "- \\# odd"),
    *("owner: ann", "---", "# Other", "### Deeper", "#### Deep", "## ", "## A #", "Set", "====="),
    *("```", "~~~~", "<div>", "<script>", "-->", "<!-- -->", "<?php", "> quoted", "> - quoted"),
    *("|-|-|", "<!-- MEMORY LIMITS: 9KB -->", "<!-- Last Updated: x -->", "[a]: b", "two", "two b"),
]

PLAIN = ["- queue", "- order", "- a bank", "* price", "  - nested", "", "# T", "## A", "## B"]
PLAIN += ["### C"]


def bare(line: str) -> str:
    return line.strip()


def is_said(text: str, items: list[str]) -> bool:
    return not text or any(similarity.is_same(text, each) for each in items)


def prose(source: markdown.Document) -> set[str]:
    """Return the lines that are not an item, a heading or a header comment."""
    parts = [(item.line, item.text_end if item.text else item.line) for item in source.items]
    parts += [(each.line, each.line + 1) for each in source.headings]
    lines_of_parts = {at for begin, end in parts for at in range(begin, end)}
    lines = {bare(line) for at, line in enumerate(source.lines) if at not in lines_of_parts}
    lines -= {"-", "+", "*"}  # items without text may be dropped
    return {line for line in lines if not line.startswith(("<!-- MEMORY", "<!-- Last Up"))}


@given(build_documents(COMMON, 20), build_documents(COMMON, 20))
@example("- queue", "- queue\n- queue\n  * queue")
def test_merge_documents_loses_nothing(text: str, other: str) -> None:
    found = merge_versions.merge_documents(text, other)
    after = markdown.parse_document(found.text)
    items = [item.text for item in after.items]
    lines = {bare(line) for line in [*after.lines, *"\n".join(found.left).split("\n"), ""]}
    bare_titles = [markdown.split_title(each.title)[0] for each in after.headings]
    titles = set(map(markdown.normalize_title, bare_titles))
    for source in (markdown.parse_document(text), markdown.parse_document(other)):
        assert all(is_said(item.text, items) or item.text in found.text for item in source.items)
        assert prose(source) <= lines | {"---"}
        for heading in source.headings:
            title = markdown.split_title(heading.title)[0]
            # In broken Markdown a heading may follow an open fence; then its text is kept.
            is_heading = markdown.normalize_title(title) in titles or heading.rank == 1
            assert is_heading or title in found.text or title in "\n".join(found.left)
    assert not after.markers


@given(build_documents(PLAIN, 20), build_documents(PLAIN, 20))
@example("- queue", "## A\n- order\n## A\n  - nested")
def test_merging_again_adds_no_item(text: str, other: str) -> None:
    once = merge_versions.merge_documents(text, other).text
    again = merge_versions.merge_documents(once, other).text
    items = [markdown.parse_document(each).items for each in (once, again)]
    assert [item.text for item in items[0]] == [item.text for item in items[1]]
    assert merge_versions.merge_documents(text, text).text == text


@given(build_documents([*COMMON, *CONFLICTS * 8], 30))
def test_a_union_keeps_all_but_bases(text: str) -> None:
    found = merge_versions.merge_sides(text)
    assert not markdown.parse_document(found.text).markers
    assert merge_versions.merge_sides(found.text).text == found.text
    having = "\n".join([found.text, *found.left])
    items = [item.text for item in markdown.parse_document(found.text).items]
    lines = ["" if mark == "|" else line for mark, line in parts_of(text)]
    for line in map(bare, lines):
        words = line.lstrip("-*+#0123456789.) \\")
        if line.startswith("#"):
            words = words.rstrip("# ")  # a heading may be rewritten
        free = line[:7] in markdown_lines.CONFLICT_MARKERS or line.startswith(
            ("<!-- MEMORY", "<!-- Last Up")
        )
        assert free or words in having or is_said(words, items), line


def parts_of(text: str) -> list[tuple[str, str]]:
    """Return (line, last marker above it) for each line; only complete bases count as bases."""
    lines = markdown_lines.split_lines(text)
    signs = [bare(line)[:7] for line in lines]
    marks = [sign[:1] if sign in markdown_lines.CONFLICT_MARKERS else "" for sign in signs]
    found, mark = [], ""
    for at, line in enumerate(lines):
        mark = marks[at] or mark
        following = next((each for each in marks[at + 1 :] if each), "")
        found.append(("|" if mark == "|" and following == "=" else "", line))
    return found
