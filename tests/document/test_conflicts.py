"""Merging two documents: items of either side are kept, shared items once."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_core.document import markdown, merge_versions
from memory_core.text import markdown_lines, similarity
from support.memory_files import make_conflict, read_format_pairs
from support.strategies import LINES, WORDS
from support.tables import for_each


@pytest.mark.parametrize("pair", [pair for pair in read_format_pairs() if "conflict" in pair])
def test_conflict_examples_of_the_page(pair: dict[str, str]) -> None:
    assert merge_versions.merge_sides(pair["conflict"]).text == pair["resolved"]


QUOTED = "```\n<<<<<<< a\n- a\n=======\n- b\n>>>>>>> b\n```\n"

HEADER = "<!-- Last Updated: a -->\n"
# (the text above the conflict, ours, theirs, all of it afterwards)
SIDES = {
    "items": ("## A\n", "- x\n", "- y\n", "## A\n- x\n- y\n"),
    "the same": ("## A\n", "- x\n", "- **X**.\n", "## A\n- x\n"),
    "nested": ("## A\n", "- x\n  - n\n", "- x\n  - m\n", "## A\n- x\n  - n\n  - m\n"),
    "a section": ("# T\n", "## A\n- x\n", "## B\n- y\n", "# T\n## A\n- x\n\n## B\n- y\n"),
    "headers": ("", "<!-- Last Updated: a -->\n", "<!-- Last Updated: b -->\n", HEADER),
    "prose": ("## A\n", "one\n", "two\n", "## A\none\n\ntwo\n"),
    "code": ("## A\n", "- x\n", "```\n- y\n\nz\n```\n", "## A\n- x\n\n```\n- y\n\nz\n```\n"),
    "indented code": ("## A\n", "- x\n", "    y\n", "## A\n- x\n\n<!-- -->\n\n    y\n"),
    "without a section": ("", "- x\n", "- y\n", "- x\n- y\n"),
    "one side has nothing": ("# T\n", "", "## A\n- x\n", "# T\n## A\n- x\n"),
    "and nothing else is there": ("", "", "# T\n- x\n", "# T\n- x\n"),
}
UNIONS = {
    **{name: (above + make_conflict(*sides), end) for name, (above, *sides, end) in SIDES.items()},
    "no conflict": ("## A\n=======\n", "## A\n=======\n"),
    "without a base": ("## A\n" + make_conflict("- x\n", "- y\n", ""), "## A\n- x\n- y\n"),
    "CRLF": (make_conflict("- x\n", "- y\n").replace("\n", "\r\n"), "- x\r\n- y\r\n"),
    # Incomplete conflicts.
    "never ended": ("## A\n<<<<<<< HEAD\n- x\n=======\n- y\n", "## A\n- x\n- y\n"),
    "never parted": ("## A\n<<<<<<< HEAD\n- x\n\n## B\n- y\n", "## A\n- x\n\n## B\n- y\n"),
    "an end left over": ("## A\n- x\n>>>>>>> other\n- y\n", "## A\n- x\n- y\n"),
    "a base that never ends": (
        "## A\n<<<<<<< HEAD\n- x\n||||||| base\n- z\n\n## B\n- y\n",
        "## A\n- x\n- z\n\n## B\n- y\n",
    ),
    "a base without what follows": (
        "## A\n<<<<<<< HEAD\n- x\n||||||| base\n- z\n>>>>>>> other\n- y\n",
        "## A\n- x\n- z\n- y\n",
    ),
    "in the base, as git marks it": (
        "## A\n"
        + make_conflict(
            "- x\n", "- y\n", "||||||| base\n<<<<<<<<< 1\n- a\n=========\n>>>>>>>>> 2\n"
        ),
        "## A\n- x\n- y\n",
    ),
    "an unclosed one in front": (
        "## A\n<<<<<<< HEAD\n- x\n\n## B\n"
        + make_conflict("- y\n", "- z\n")
        + "\nTitle\n=======\n",
        "## A\n- x\n\n## B\n- y\n- z\n\nTitle\n=======\n",
    ),
    "in front matter": (
        "---\nname: qa\n" + make_conflict("owner: ann\n", "owner: bob\n") + "---\n# T\n- x\n",
        "---\nname: qa\nowner: ann\n---\n# T\n- x\n",
    ),
    "all of the front matter": (
        "---\n" + make_conflict("owner: ann\n", "owner: bob\n") + "---\n# T\n- x\n",
        "---\nowner: ann\n---\n# T\n- x\n",
    ),
    "across the end of it": (
        "---\nname: qa\n" + make_conflict("---\n# T\n", "owner: bob\n---\n# T\n") + "- x\n",
        "---\nname: qa\n---\n# T\n- x\n",
    ),
    # Code.
    "code is code": (f"## A\n{QUOTED}", f"## A\n{QUOTED}"),
    "code beside a conflict": (
        f"## A\n{QUOTED}\n" + make_conflict("- x\n", "- y\n"),
        f"## A\n{QUOTED}\n- x\n- y\n",
    ),
    "code that both sides begin": (
        "## A\n" + make_conflict("```\nours\n", "```\ntheirs\n") + "```\n- x\n",
        "## A\n```\nours\n```\n- x\n\n```\ntheirs\n```\n",
    ),
    "code of one side only": (
        "## A\n" + make_conflict("- x\n", "```\n") + "<<<<<<< quoted\n```\n",
        "## A\n- x\n```\n",
    ),
}


@for_each("name", UNIONS)
def test_merge_sides(name: str) -> None:
    text, expected = UNIONS[name]
    found = merge_versions.merge_sides(text).text
    assert found == expected
    assert merge_versions.merge_sides(found).text == found


LEFT = {
    "another title": (make_conflict("# T\n", "# U\n") + "## A\n", ["# U"]),
    "the same title": (make_conflict("# T\n", "t\n==\n") + "## A\n", []),
    "front matter": (
        "---\n" + make_conflict("owner: ann\n", "owner: bob\n") + "---\n",
        ["---\nowner: bob\n---"],
    ),
    "none of it": (make_conflict("# T\n", "## A\n\nprose\n"), []),
}


@for_each("name", LEFT)
def test_rest_of_a_conflict(name: str) -> None:
    text, left = LEFT[name]
    assert merge_versions.merge_sides(text).left == left


FIRST = "# T\n\n## A\n- x\n\n## B\n- y\n"

COMBINED = {
    "section by section": (
        "# t\n\nprose\n\n## B (Max: 15 items)\n1. Y\n2. z\n\n## C (Max: 15 items)\n- x\n- new\n",
        "# T\n\nprose\n\n## A\n- x\n\n## B\n- y\n2. z\n\n## C (Max: 15 items)\n- new\n",
    ),
    "itself": (FIRST, FIRST),
    "nothing": ("", FIRST),
    "as a person writes it": (
        "## A\n-  two  blanks \n",
        FIRST.replace("- x", "- x\n-  two  blanks "),
    ),
    "several lines": ("## A\n- one\n  two\n", FIRST.replace("- x", "- x\n- one\n  two")),
    "farther in": ("## A\n  * one\n    - two\n", FIRST.replace("- x", "- x\n* one\n  - two")),
    "a deeper heading": ("## A\n\n### Deep\n- z\n", FIRST.replace("- x", "- x\n\n### Deep\n- z")),
    "another part": ("# t\n\n# Notes\n\nprose\n\n- z\n", f"{FIRST}\n# Notes\n\nprose\n\n- z\n"),
    "header comments": ("<!-- MEMORY LIMITS: 9KB -->\n<!-- Last Updated: x -->\n", FIRST),
    "a comment": ("<!-- of mine -->\n", FIRST.replace("# T\n", "# T\n\n<!-- of mine -->\n")),
    "front matter": ("---\nowner: ann\n---\n", f"---\nowner: ann\n---\n{FIRST}"),
    "code cut off": ("## A\n```\ncode\n", FIRST.replace("- x", "- x\n\n```\ncode\n```")),
}


@for_each("name", COMBINED)
def test_merge_documents(name: str) -> None:
    other, expected = COMBINED[name]
    found = merge_versions.merge_documents(FIRST, other)
    assert found.text == expected
    assert found.left == []
    assert merge_versions.merge_documents(found.text, other).text == expected


FIRSTS = {
    "no title": ("## A\n- x\n", "# T\n- y\n", "# T\n- y\n\n## A\n- x\n"),
    "an empty file": ("\n", "# T\n- y\n", "# T\n- y\n"),
    "code cut off": ("- x\n~~~~\ncode", "- y\n", "- x\n- y\n~~~~\ncode\n~~~~"),
    "a deeper heading": (
        "## A\n- x\n\n### Deep\n- y\n\n## B\n",
        "## A\n### Deep\n- z\n### Other\n- w\n",
        "## A\n- x\n\n### Deep\n- y\n- z\n\n### Other\n- w\n\n## B\n",
    ),
    "a comment that is lost": (
        "<!-- lost\n\n- x\n",
        "prose --> prose\n",
        "<!-- lost\n\n- x\n-->\n\nprose --> prose\n",
    ),
    "a comment that is lost, and nothing new": ("- x\n<!-- lost\n", "- x\n", "- x\n<!-- lost\n"),
    "neighbours, and nothing new": ("    a\n<!-- b -->\n", "    a\n", "    a\n<!-- b -->\n"),
    "neighbours that are apart": (
        "<!-- a -->\n\n    b\n",
        "<!-- a -->\n    b\n",
        "<!-- a -->\n\n    b\n",
    ),
    "an item with what is nested": ("- x\n  - y\n  - z\n", "- X.\n  - z\n", "- x\n  - y\n  - z\n"),
    "conflicts in both": (
        "## A\n" + make_conflict("- a\n", "- b\n"),
        "## A\n" + make_conflict("- c\n", "- b\n- d\n"),
        "## A\n- a\n- b\n- c\n- d\n",
    ),
}


@for_each("name", FIRSTS)
def test_merge_documents_with_another_first(name: str) -> None:
    first, other, expected = FIRSTS[name]
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


def texts(lines: list[str], size: int = 20) -> st.SearchStrategy[str]:
    return st.builds(
        lambda chosen, end, last: end.join(chosen) + last * end,
        st.lists(st.sampled_from(lines), max_size=size),
        st.sampled_from(["\n", "\r\n", "\r"]),
        st.booleans(),
    )


def bare(line: str) -> str:
    return line.strip()


def is_said(text: str, items: list[str]) -> bool:
    return not text or any(similarity.is_same(text, each) for each in items)


def prose(source: markdown.Document) -> set[str]:
    """Return the lines that are not an item, a heading or a header comment."""
    parts = [(item.line, item.text_end if item.text else item.line) for item in source.items]
    parts += [(each.line, each.body) for each in source.headings]
    lines_of_parts = {at for begin, end in parts for at in range(begin, end)}
    lines = {bare(line) for at, line in enumerate(source.lines) if at not in lines_of_parts}
    lines -= {"-", "+", "*"}  # items without text may be dropped
    return {line for line in lines if not line.startswith(("<!-- MEMORY", "<!-- Last Up"))}


@given(texts(COMMON), texts(COMMON))
@example("- queue", "- queue\n- queue\n  * queue")
def test_merge_documents_loses_nothing(text: str, other: str) -> None:
    found = merge_versions.merge_documents(text, other)
    after = markdown.parse_document(found.text)
    items = [item.text for item in after.items]
    lines = {bare(line) for line in [*after.lines, *"\n".join(found.left).split("\n"), ""]}
    titles = {
        markdown.normalize_title(markdown.split_title(each.title)[0]) for each in after.headings
    }
    for source in (markdown.parse_document(text), markdown.parse_document(other)):
        assert all(is_said(item.text, items) or item.text in found.text for item in source.items)
        assert prose(source) <= lines | {"---"}
        for heading in source.headings:
            title = markdown.split_title(heading.title)[0]
            # In broken Markdown a heading may follow an open fence; then its text is kept.
            is_heading = markdown.normalize_title(title) in titles or heading.level == 1
            assert is_heading or title in found.text or title in "\n".join(found.left)
    assert not after.markers


@given(texts(PLAIN), texts(PLAIN))
@example("- queue", "## A\n- order\n## A\n  - nested")
def test_merging_again_adds_no_item(text: str, other: str) -> None:
    once = merge_versions.merge_documents(text, other).text
    again = merge_versions.merge_documents(once, other).text
    items = [markdown.parse_document(each).items for each in (once, again)]
    assert [item.text for item in items[0]] == [item.text for item in items[1]]
    assert merge_versions.merge_documents(text, text).text == text


@given(texts([*COMMON, *CONFLICTS * 8], 30))
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
    marks = [
        bare(line)[:1] if bare(line)[:7] in markdown_lines.CONFLICT_MARKERS else ""
        for line in lines
    ]
    found, mark = [], ""
    for at, line in enumerate(lines):
        mark = marks[at] or mark
        following = next((each for each in marks[at + 1 :] if each), "")
        found.append(("|" if mark == "|" and following == "=" else "", line))
    return found
