"""The Markdown reader: lossless, compared with markdown-it-py, and edited line by line."""

import pytest
from hypothesis import assume, example, given, strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memory_core.document import block_reader, edits, markdown
from memory_core.text import markdown_lines
from support.strategies import build_documents
from support.tables import for_each

# Lines of test documents, valid and broken.  Left out, because markdown-it-py itself reads it
# wrongly: a line that is indented by four but less than the item above it (it belongs to the item).
HEADINGS = ["# Title", "## Section", "## Section ##", "##No section", " ## Section", "    ## code"]
HEADINGS += ["### Deeper", "####### seven", "##", "===", "--", "=", "---", "***", "- - -"]
ITEMS = ["- item", "* item", "+ item", "1. item", "2) item", "1234567890. prose", "- ", "-", "*"]
ITEMS += ["1.", "  - item", " - item", "    - deep", "-\titem", "-     code in item", "- - twice"]
ITEMS += ["- ## heading in item", "- > quote in item", "- ```", "  ```", "10. item"]
ITEMS += ["2. prose or item"]
PROSE = ["", " ", "   behind", "  behind", "    behind", "      behind", "\tbehind", "prose"]
PROSE += ["\\- item", "prose with trailing blanks  ", "\\# title", "\ufffd\x0b\x0c\x85\u2028"]
CODE = ["```", "````", "```python", "~~~", "~~~~ ~", "``` a`b", "    code", "\tcode"]
CODE += ["<!-- comment -->", "<!-- comment", "-->", "text --> text"]
QUOTES = [">", "> quote", "> - item in quote", "> ## heading in quote", "> ```"]
TABLES = ["| a | b |", "|---|---|", "a | b", "--- | ---", "|a|", "|-|", ":-:"]
FRAGMENTS = [*HEADINGS, *ITEMS, *PROSE, *CODE, *QUOTES, *TABLES]

lines = st.lists(st.sampled_from(FRAGMENTS), max_size=14)
any_text = st.one_of(
    st.text(st.characters(), max_size=200),
    st.text("-*+#>`~<!=|:_ \t\r\n12.)ab\x00\ufeff\x0b\x85\u2028\udc80", max_size=120),
    st.lists(
        st.tuples(
            st.sampled_from([*FRAGMENTS, "<<<<<<< HEAD", "=======", ">>>>>>> other", "|||||||"]),
            st.sampled_from(["\n", "\r\n", "\r"]),
        ),
        max_size=14,
    ).map(lambda pairs: "".join(line + end for line, end in pairs)),
)


@given(any_text)
def test_any_text_is_read_without_loss(text: str) -> None:
    document = markdown.parse_document(text)
    assert "".join(document.lines) == text
    assert markdown.render_document(document) == text


# The reader treats underlined headings, link definitions, tables and tags as text.
JUDGE = MarkdownIt("commonmark").disable(["lheading", "reference"])


class MarkdownItView:
    """The headings, items and code that markdown-it finds outside lists and quotations."""

    def __init__(self, text: str) -> None:
        self.headings: list[tuple[int, int, str]] = []
        self.items: list[tuple[int, int, str]] = []
        self.verbatim: set[int] = set()
        self.rows = text.split("\n")
        self.tokens = JUDGE.parse(text)
        depth, in_list = 0, False
        for place, token in enumerate(self.tokens):
            if depth == 0:
                in_list = token.type in ("bullet_list_open", "ordered_list_open")
                self.top(token, place)
            elif depth == 1 and in_list and token.type == "list_item_open":
                self.item(token, place)
            depth += token.nesting

    def top(self, token: Token, place: int) -> None:
        begin, end = token.map or (0, 0)
        if token.type == "heading_open":
            title = " ".join(self.tokens[place + 1].content.split())
            self.headings.append((begin, int(token.tag[1]), title))
        elif token.type in ("fence", "code_block", "html_block"):
            self.verbatim.update(at for at in range(begin, end) if self.rows[at].strip(" \t"))

    def item(self, token: Token, place: int) -> None:
        begin, end = token.map or (0, 0)
        while end > begin + 1 and not "".join(self.rows[end - 1 : end]).strip(" \t"):
            end -= 1
        first, inside = self.tokens[place + 1 : place + 3]
        text = inside.content if first.type in ("paragraph_open", "heading_open") else ""
        # Like the reader: a `#` heading in an item is not item text, an underlined one is.
        text = "" if first.markup.startswith("#") else text
        self.items.append((begin, end, " ".join(text.split())))


def differs(text: str) -> bool:
    """Say whether the reader deliberately differs from markdown-it in this text.

    Front matter: markdown-it does not support it.
    Unclosed code and comments: for markdown-it they hide the rest of the file.
    """
    document = markdown.parse_document(text)
    return bool(document.unclosed) or markdown_lines.count_front_matter(document.lines) > 0


def judge(text: str) -> None:
    document, judged = markdown.parse_document(text), MarkdownItView(text)
    headings = [(h.line, h.rank, " ".join(h.title.split())) for h in document.headings]
    items = [(i.line, i.end, " ".join(i.text.split())) for i in document.items]
    filled = {at for at in document.verbatim if document.lines[at].strip(" \t\n")}
    assert headings == judged.headings
    assert items == [(line, end, block_reader.unescape(text)) for line, end, text in judged.items]
    assert filled == judged.verbatim


@given(lines)
@example(["- ", "- item", "", "  behind"])
def test_headings_items_and_code_agree_with_markdown_it(fragments: list[str]) -> None:
    text = "\n".join(fragments)
    assume(not differs(text))
    judge(text)


# No tab and no `>`: markdown-it reads some of them wrongly.
@given(st.text("-*+#`~=:_  \n\n\n12.)ab", max_size=30))
def test_any_signs_are_read_as_markdown_it_reads_them(text: str) -> None:
    assume(not differs(text))
    judge(text)


@given(lines, st.sampled_from(["\r\n", "\r"]))
def test_the_kind_of_line_end_does_not_matter(fragments: list[str], end: str) -> None:
    one = markdown.parse_document("\n".join(fragments))
    other = markdown.parse_document(end.join(fragments))
    assert reading(one) == reading(other)


def reading(document: markdown.Document) -> object:
    sections = [(s.title, s.suffix, s.line, s.end) for s in document.sections]
    items = [(item.text, item.line, item.end) for item in document.items]
    return sections, items, document.verbatim, document.warnings


# (text, sections with their items)
READ = {
    "nothing": ("", []),
    "only a title": ("# Title\n\n- item\n", []),
    "sections": ("## A\n- x\n## B\n- y\n", [("A", ["x"]), ("B", ["y"])]),
    "a title ends a section": ("## A\n- x\n# B\n- y\n", [("A", ["x"])]),
    "a title twice": ("## A\n- x\n## a\n- y\n", [("A", ["x"]), ("a", ["y"])]),
    "a deeper heading does not": ("## A\n- x\n### B\n- y\n", [("A", ["x", "y"])]),
    "the suffix is not the title": ("## A (Max: 15 items)\n", [("A", [])]),
    "in any case": ("## A (max:1 ITEM) ##\n", [("A", [])]),
    "another suffix is": ("## A (Max: many)\n", [("A (Max: many)", [])]),
    "code is not read": ("## A\n```\n## B\n- x\n```\n- y\n", [("A", ["y"])]),
    "nor a comment": ("## A\n<!--\n## B\n- x\n-->\n- y\n", [("A", ["y"])]),
    "front matter": ("---\na: b\n- x\n---\n## A\n- y\n", [("A", ["y"])]),
    "a rule is none": ("---\n\n## A\n- y\n\n---\n", [("A", ["y"])]),
    "an escaped sign": ("## A\n- \\# x\n- 1\\. y\n- \\a\n", [("A", ["# x", "1. y", "\\a"])]),
}


@for_each(("text", "expected"), READ.values())
def test_sections_and_items(text: str, expected: list[tuple[str, list[str]]]) -> None:
    document = markdown.parse_document(text)
    found = [(each.title, [item.text for item in each.items]) for each in document.sections]
    assert found == expected
    assert not document.warnings


def conflict(ours: str, theirs: str) -> str:
    return f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> other\n"


def marked(*at: int, signs: str = "<=>") -> list[tuple[int, str]]:
    """Return the warnings about conflict markers in these lines."""
    told = "a merge conflict is not resolved: "
    return [(line, told + 7 * sign) for line, sign in zip(at, signs, strict=True)]


def forgotten(line: int, opening: str = "```") -> tuple[int, str]:
    return line, f"{opening} is never closed; it ends at the next section"


NO_FRONT = (1, "--- is never closed; the text below it is not front matter")
FRONT = conflict("c: d\n", "c: e\n") + "---\n- x\n"
WITH_BASE = "## A\n- x\n" + conflict("- y\n||||||| base\n- b\n", "- z\n")
# (text, all items, warnings as (line, message))
BROKEN: dict[str, tuple[str, list[str], list[tuple[int, str]]]] = {
    "a comment": ("## A\n<!-- lost\n- x\n## B\n- y\n", ["y"], [forgotten(2, "<!--")]),
    "a comment runs into the next": ("<!-- lost\n- x\n<!-- whole -->\n- y\n", ["y"], []),
    "code is never closed": ("## A\n- x\n~~~~\n- y\n", ["x"], [forgotten(3, "~~~")]),
    "above a section": ("- x\n```sh\n- y\n\n- z\n\n## B\n- a\n", ["x", "a"], [forgotten(2)]),
    "directly above one": ("```\n## B\n- a\n", ["a"], [forgotten(1)]),
    "it takes other ends": ("```\nx\n\n## B\n- a\n\n```sh\n- y\n```\n- b\n", ["b"], []),
    "twice": ("```\n\n## A\n- a\n~~~\n\n## B\n", ["a"], [forgotten(1), forgotten(5, "~~~")]),
    "one end less": ("```\n## A\n- a\n```\n- b\n```sh\n- c\n", ["b"], [forgotten(6)]),
    "front matter": ("---\na: b\n\n## A\n- x\n\n---\n", ["x"], [NO_FRONT]),
    "a merge conflict": (WITH_BASE, ["x", "y", "b", "z"], marked(3, 5, 7, 9, signs="<|=>")),
    "code in one": (conflict("```\n- y\n", "- z\n"), ["z"], [forgotten(2), *marked(1, 4, 6)]),
    "in the other": (conflict("- y\n", "```\n- z\n"), ["y"], [forgotten(4), *marked(1, 3, 6)]),
    "a comment in one": (
        conflict("<!--\n- y\n", "- z -->\n"),
        ["z -->"],
        [forgotten(2, "<!--"), *marked(1, 4, 6)],
    ),
    "below an item": ("- ```\n" + conflict("- y\n", "- z\n"), ["", "y", "z"], marked(2, 4, 6)),
    "in front matter": (f"---\na: b\n{FRONT}", ["x"], marked(3, 5, 7)),
    "of all front matter": (f"---\n{FRONT}", ["x"], marked(2, 4, 6)),
    "in code": ("```\n" + conflict("- x\n", "") + "```\n- y\n", ["y"], []),
    "and a part of one": ("```\n<<<<<<< HEAD\n- x\n```\n- y\n", ["y"], []),
    "an underline is no marker": ("title\n=======\n- y\n", ["y"], []),
    "cut off": ("## A\n- x\n- y and th", ["x", "y and th"], []),
}


@for_each(("text", "items", "warnings"), BROKEN.values())
def test_a_broken_document_is_read_with_a_warning(
    text: str, items: list[str], warnings: list[tuple[int, str]]
) -> None:
    document = markdown.parse_document(text)
    assert [item.text for item in document.items] == items
    assert document.warnings == sorted(warnings)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.text("-*+#>`~<![]_:=|\\ 12.)a", min_size=1),
)
@example("", "- a")
@example("", "\\- a")
@example("", "12\\. a")
@example("", "[a]: b")
def test_any_line_can_be_the_text_of_an_item(text: str, signs: str) -> None:
    for line in (" ".join(text.split()), " ".join(signs.split())):
        document = markdown.parse_document(f"- {block_reader.escape(line)}\n")
        assert [item.text for item in document.items] == [line]
        assert block_reader.unescape(block_reader.escape(line)) == line


def test_harmless_text_is_not_escaped() -> None:
    for text in ("`make` runs it", "**never**", "#12", "-v is loud", "1.5 s", "_a_", "[a](b)"):
        assert block_reader.escape(text) == text


# (before, after); the item is inserted into the last section, A or B
INSERTED = {
    "behind the last": ("## A\n- x\n\n# B\n", "## A\n- x\n- y\n\n# B\n"),
    "first": ("## A\n\n# B\n", "## A\n- y\n\n# B\n"),
    "no blank line there": ("## A\n# B\n", "## A\n- y\n\n# B\n"),
    "behind prose": ("## A\n\nprose\n", "## A\n\nprose\n\n- y\n"),
    "behind a comment": ("## A\n<!-- c -->\n# B\n", "## A\n<!-- c -->\n\n- y\n\n# B\n"),
    "above code without end": ("## A\n```\ncode\n", "## A\n- y\n\n```\ncode\n"),
    "the bullet in use": ("## A\n *  x\n", "## A\n *  x\n *  y\n"),
    "the next number": ("## A\n1) x\n", "## A\n1) x\n2) y\n"),
    "a wider number": ("## A\n8. x\n9. x\n", "## A\n8. x\n9. x\n10. y\n"),
    "behind a blank line": ("## A\n- x\n\n- y\n", "## A\n- x\n\n- y\n\n- y\n"),
    "behind nested lines": ("## A\n- x\n  - n\n\n    p\n", "## A\n- x\n  - n\n\n    p\n- y\n"),
    "before a deeper heading": ("## A\n- x\n\n### B\n- z\n", "## A\n- x\n- y\n\n### B\n- z\n"),
    "other line ends": ("## A\r\n- x\r\n", "## A\r\n- x\r\n- y\r\n"),
    "below a forgotten fence": ("## A\n```\n\n## B\n- x\n", "## A\n```\n\n## B\n- x\n- y\n"),
}


@for_each(("before", "expected"), INSERTED.values())
def test_insert_item(before: str, expected: str) -> None:
    document = markdown.parse_document(before)
    after = edits.insert_item(document, document.sections[-1], "y")
    assert markdown.render_document(after) == expected
    assert "y" in [item.text for item in after.items]


def test_the_text_of_an_item_is_one_line_without_markup() -> None:
    document = markdown.parse_document("## A\n")
    after = edits.insert_item(document, document.sections[0], "## B")
    assert markdown.render_document(after) == "## A\n- \\## B\n"
    with pytest.raises(ValueError, match="can hold the item"):
        edits.insert_item(document, document.sections[0], "two\nlines")
    with pytest.raises(ValueError, match="no line can hold"):
        edits.add_section(document, "two\nlines")
    code = markdown.parse_document("- ```\n  x\n  ```\n")
    with pytest.raises(ValueError, match="line 1 cannot become 'new'"):
        edits.replace_item(code, code.items[0], "new")


# (number of the item, before, after)
REMOVED = {
    "a line": (0, "## A\n- x\n- y\n", "## A\n- y\n"),
    "with what is nested": (0, "- x\n  y\n\n  z\n- a\n", "- a\n"),
    "one of two blank lines": (1, "- x\n\n- y\n\n- z\n", "- x\n\n- z\n"),
    "the last": (1, "- x\n- y", "- x"),
    "a neighbour would be prose": (0, "prose\n- x\n2. y\n", "prose\n\n2. y\n"),
    "a neighbour would be nested": (1, "- x\n1.  y\n\n  z\n", "- x\n<!-- -->\n\n  z\n"),
}


@for_each(("number", "before", "expected"), REMOVED.values())
def test_remove_item(number: int, before: str, expected: str) -> None:
    document = markdown.parse_document(before)
    after = edits.remove_items(document, [document.items[number]])
    assert markdown.render_document(after) == expected


# (before, after); the first item becomes `new`
REPLACED = {
    "a line": ("- x\n- y\n", "- new\n- y\n"),
    "the bullet stays": (" 3)\tx\r\n", " 3)\tnew\r\n"),
    "what is nested stays": ("* x\n  y\n  - z\n\n  p\n", "* new\n  - z\n\n  p\n"),
    "text below the bullet": ("-\n  x\n- y\n", "- new\n- y\n"),
    "no last line end": ("- x", "- new"),
}


@for_each(("before", "expected"), REPLACED.values())
def test_replace_item(before: str, expected: str) -> None:
    document = markdown.parse_document(before)
    after = edits.replace_item(document, document.items[0], "new")
    assert markdown.render_document(after) == expected


# (title, before, after); the order is A B C
ADDED = {
    "into nothing": ("A", "", "## A (3)\n"),
    "at the end": ("X", "# T\n\n## A\n- x\n", "# T\n\n## A\n- x\n\n## X (3)\n"),
    "behind its neighbour": ("B", "## A\n- x\n\n## X\n", "## A\n- x\n\n## B (3)\n\n## X\n"),
    "before its neighbour": ("B", "## X\n\n## C\n", "## X\n\n## B (3)\n\n## C\n"),
    "no blank line there": ("A", "prose\n## C\n", "prose\n\n## A (3)\n\n## C\n"),
    "code without end": ("A", "# T\n## X\n```\n", "# T\n## X\n```\n\n## A (3)\n"),
    "no last line end": ("A", "prose", "prose\n\n## A (3)"),
}


@for_each(("title", "before", "expected"), ADDED.values())
def test_add_section(title: str, before: str, expected: str) -> None:
    after = edits.add_section(markdown.parse_document(before), title, "(3)", ("A", "B", "C"))
    assert markdown.render_document(after) == expected


# Each title also has numbers that are not part of a suffix.
SUFFIXES = {
    "## A (Max: 3 items) ##\n(Max: 3 items)\n": "## A (Max: 9 items) ##\n(Max: 3 items)\n",
    "## B\n## A (Max: 3 items)\n": "## B\n## A (Max: 3 items)\n",
    "# A (Max: 3 items)\n## B\n": "# A (Max: 3 items)\n## B\n",
}


@for_each("before", SUFFIXES)
def test_set_suffix(before: str) -> None:
    document = markdown.parse_document(before)
    after = edits.set_suffix(document, document.sections[0], "(Max: 9 items)")
    assert markdown.render_document(after) == SUFFIXES[before]


NEW_COMMENT = "<!-- Key: new -->"
COMMENTS = {
    "where it stands": ("# T\n <!-- Key: a --> b\r\n", "# T\n <!-- Key: new --> b\r\n"),
    "below the title": ("# T\n\nprose\n", f"# T\n\n{NEW_COMMENT}\n\nprose\n"),
    "below others": ("# T\n\n<!-- a -->\n", f"# T\n\n<!-- a -->\n{NEW_COMMENT}\n"),
    "without title": ("## A\n", f"{NEW_COMMENT}\n\n## A\n"),
    "behind front matter": ("---\na: b\n---\n", f"---\na: b\n---\n\n{NEW_COMMENT}\n"),
    "cut off": ("# T\n<!-- Key: a\n", f"# T\n\n{NEW_COMMENT}\n\n<!-- Key: a\n"),
    "of several lines": ("<!-- Key: a\nb -->\n", f"{NEW_COMMENT}\n\n<!-- Key: a\nb -->\n"),
    "in code": ("```\n<!-- Key: a -->\n```\n", f"{NEW_COMMENT}\n\n```\n<!-- Key: a -->\n```\n"),
}


@for_each(("before", "expected"), COMMENTS.values())
def test_set_comment(before: str, expected: str) -> None:
    after = edits.set_comment(markdown.parse_document(before), "Key", "new")
    assert markdown.render_document(after) == expected


# Edits of any text: all other bytes stay, and are read as before.


BROKEN_OFF = ["<<<<<<< HEAD", "=======", ">>>>>>> other", "```bash", "<!-- lost", "<!-- Key: a"]
BROKEN_OFF += ["<!x", "<?php", "a -> b", "owner: ann", "...", "[a]: /b"]
COMMON = ["- item", "* another item", "1. third item", "## Section", "## Another", "", ""]
COMMON += ["  - nested"]
documents = build_documents(COMMON * 8 + FRAGMENTS + BROKEN_OFF * 2, 16, least=4)
news = st.sampled_from(["a new item", "a -> b", "--> ?> </pre>", "```", "# new"])
numbers = st.integers(min_value=0, max_value=99)


def filled(lines: list[str]) -> list[str]:
    """Return the lines that are not blank, without line ends."""
    return [line.rstrip("\r\n") for line in lines if line.strip(" \t\r\n")]


def without_empty(lines: list[str]) -> list[str]:
    return [line for line in lines if line != markdown.EMPTY_COMMENT]


def without_one(longer: list[str], shorter: list[str]) -> bool:
    """Say whether removing one run of lines from the longer list gives the shorter one."""
    extra = len(longer) - len(shorter)
    return any(longer[:at] + longer[at + extra :] == shorter for at in range(len(shorter) + 1))


def items_of(document: markdown.Document) -> list[tuple[str, str, int]]:
    """Return (section title, text, number of lines) of each item."""
    titles = {item.line: each.title for each in document.sections for item in each.items}
    return [(titles.get(i.line, ""), i.text, i.end - i.line) for i in document.items]


def headings_of(document: markdown.Document) -> list[tuple[int, str]]:
    return [(each.rank, markdown.split_title(each.title)[0]) for each in document.headings]


def rest_of(document: markdown.Document) -> list[list[str]]:
    """Return front matter, code, HTML, comments, markers and unclosed code of a document."""
    opened = list(document.unclosed)
    front = range(markdown_lines.count_front_matter(document.lines))
    kinds = (front, document.verbatim, document.comments, document.markers, opened)
    return [filled([document.lines[at] for at in kind]) for kind in kinds]


def parts_of(document: markdown.Document) -> list[object]:
    """Return all that a document has, with the lines."""
    items = [[(i.line, i.text_end, i.end, i.text) for i in document.items]]
    items += [[(i.line, i.text) for i in each.items] for each in document.sections]
    headings = [(each.line, each.rank, each.title) for each in document.headings]
    sections = [(s.line, s.end, s.title, s.suffix) for s in document.sections]
    other = (document.verbatim, document.comments, document.unclosed, document.markers)
    return [document.lines, items, headings, sections, *other, document.warnings]


@given(documents, numbers, news)
def test_inserting_and_removing_changes_nothing_else(text: str, number: int, new: str) -> None:
    before = markdown.parse_document(text)
    assume(before.sections)
    section = before.sections[number % len(before.sections)]
    try:
        after = edits.insert_item(before, section, new)
    except ValueError:
        return  # for example, unclosed code at the place of the new item: nothing is written
    assert without_one(filled(after.lines), filled(before.lines))
    assert (headings_of(after), rest_of(after)) == (headings_of(before), rest_of(before))
    assert parts_of(after) == parts_of(markdown.parse_document(markdown.render_document(after)))
    items = items_of(after)
    added = next(at for at, item in enumerate(items) if items_of(before)[at : at + 1] != [item])
    assert items.pop(added)[1] == new
    assert items == items_of(before)
    back = edits.remove_items(after, [after.items[added]])
    assert filled(back.lines) == filled(before.lines)
    assert items_of(back) == items


@given(documents, st.sets(numbers, min_size=1, max_size=4))
def test_removing_changes_nothing_else(text: str, numbers: set[int]) -> None:
    before = markdown.parse_document(text)
    assume(before.items)
    gone = {number % len(before.items) for number in numbers}
    after = edits.remove_items(before, [before.items[at] for at in gone])
    lines = {at for each in gone for at in range(before.items[each].line, before.items[each].end)}
    kept = filled([line for at, line in enumerate(before.lines) if at not in lines])
    assert without_empty(filled(after.lines)) == without_empty(kept)
    assert items_of(after) == [each for at, each in enumerate(items_of(before)) if at not in gone]
    assert headings_of(after) == headings_of(before)
    assert [*map(without_empty, rest_of(after))] == [*map(without_empty, rest_of(before))]


@given(documents, numbers, news)
def test_replacing_changes_nothing_else(text: str, number: int, new: str) -> None:
    before = markdown.parse_document(text)
    assume(before.items)
    place = number % len(before.items)
    item = before.items[place]
    try:
        after = edits.replace_item(before, item, new)
    except ValueError:
        return
    kept = before.lines[: item.line] + before.lines[item.text_end :]
    assert without_one(filled(after.lines), filled(kept))
    items = items_of(before)
    items[place] = (items[place][0], new, item.end - item.text_end + 1)
    assert items_of(after) == items
    assert (headings_of(after), rest_of(after)) == (headings_of(before), rest_of(before))


@given(any_text | documents)
def test_adding_a_section_changes_nothing_else(text: str) -> None:
    before = markdown.parse_document(text)
    try:
        after = edits.add_section(before, "New", "(Max: 15 items)", ("Section", "New", "Another"))
    except ValueError:
        return
    assert without_one(filled(after.lines), filled(before.lines))
    assert without_one(headings_of(after), headings_of(before))
    assert (items_of(after), rest_of(after)) == (items_of(before), rest_of(before))


@given(any_text | documents)
def test_a_comment_changes_nothing_else(text: str) -> None:
    before = markdown.parse_document(text)
    at = markdown.find_comment(before, "Key")
    after = edits.set_comment(before, "Key", "value")
    old, new = filled(before.lines), filled(after.lines)
    if at is None:
        assert without_one(new, old)
    else:
        del before.lines[at], after.lines[at]
        assert before.lines == after.lines
    again = markdown.parse_document(text)
    assert (items_of(after), headings_of(after)) == (items_of(again), headings_of(again))


sides = st.lists(st.sampled_from(["- item", "- other", "prose", "### Deeper", ""]), max_size=6).map(
    lambda lines: "".join(line + "\n" for line in lines)
)


@given(sides, sides, st.sampled_from(["```sh", "~~~sh", "````", "<!--"]))
def test_unclosed_code_hides_no_section(above: str, below: str, opening: str) -> None:
    for code in ("", "\n```py\ncode\n", "\n~~~a\n## code\n"):
        rest = f"\n## Last\n{below}{code}\n## End\n- last\n"
        document = markdown.parse_document(f"{above}{opening}\nmake\n{rest}")
        assert [line for line, _ in document.warnings if line == above.count("\n") + 1]
        alone = [item.text for item in markdown.parse_document(rest).items]
        assert [item.text for item in document.items][-len(alone) :] == alone
        assert markdown.find_section(document, "Last")


HOSTILE = ["<!-- a\n", "<pre>\n", "```\n", "- a\n", "> ", "[", "a|b\n-|-\n", "\t- ", "<<<<<<< a\n"]
HOSTILE += ["## A\n", "1. ", "> - ", "```a\n\n## H\n", "```\n\n<<<<<<< a\n", "<!--\n## a\n"]
HOSTILE += ["<<<<<<< a\n=======\n```a\n>>>>>>> b\n", "<<<<<<< a\n<!--\n=======\n"]
HOSTILE += ["=======\n```a\n## b\n", "- " * 50_000 + "\n" * 50_000 + "> " * 50_000 + "\n>" * 50_000]


@for_each("part", HOSTILE)
def test_hostile_text_takes_linear_time(part: str) -> None:
    """Quadratic time would take minutes; times are not compared because machines differ."""
    text = part * max(200_000 // len(part), 1)
    assert markdown.render_document(markdown.parse_document(text)) == text
