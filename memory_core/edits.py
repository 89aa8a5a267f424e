"""Change a memory document: each edit touches only the lines that it is about.

An edit gives a new document.  A place where the text around would be read in another
way than before is not used.
"""

from __future__ import annotations

from memory_core.markdown import (
    APART,
    BOM,
    BULLET,
    DIGITS,
    count_digits,
    escape,
    front_matter,
    parse,
    split_title,
    title_key,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.markdown import Document, Item, Section

    Shape = tuple[list[tuple[int, str]], list[tuple[str, int]], int]


def insert_item(document: Document, section: Section, text: str) -> Document:
    """Put an item behind the last one of a section, in its style.

    Raise ValueError where no line could hold the text so that it reads back.
    """
    own = _own_end(document, section)
    items = [item for item in section.items if item.line < own]
    if items:
        lines = [_next_bullet(document, items) + escape(text)]
        # A list with blank lines between its items is continued with one.
        loose = len(items) > 1 and _is_blank(document, items[-1].line - 1)
        places = [(items[-1].end, [""] * loose + lines)]
    else:
        places = _below_heading(document, section, own, BULLET + escape(text))
    for at, lines in places:
        after = _splice(document, at, at, lines)
        if _shape(after) == _shape_of_both(document, at, ([], [(text, 1)], 0)):
            return after
    raise ValueError(f"no line of section {section.title!r} can hold the item {text!r}")


def remove_item(document: Document, item: Item) -> Document:
    """Take an item out with all that is nested in it."""
    return remove_items(document, [item])


def remove_items(document: Document, items: list[Item]) -> Document:
    """Take items out; where one kept its neighbours apart, something that is not seen stays."""
    shape = _shape_without(document, {each.line for each in items})
    lines = _marked(document)
    last_first = sorted(items, key=lambda each: -each.line)
    for item in last_first:
        _cut(lines, item)
    after = _with_lines(document, lines)
    if _shape(after) == shape:
        return after
    if len(items) == 1:
        return _remove_apart(document, items[0], shape)
    # In halves: few of many items part their neighbours, and each try reads the document.
    half = len(items) // 2
    return remove_items(remove_items(document, last_first[:half]), last_first[half:])


def _remove_apart(document: Document, item: Item, shape: Shape) -> Document:
    blank = _splice(document, item.line, item.end, [""])
    if _shape(blank) == shape:
        return blank
    return _splice(document, item.line, item.end, [APART])


def replace_item(document: Document, item: Item, text: str) -> Document:
    """Give an item another text; its bullet and what is nested in it stay.

    Raise ValueError where the item would not read back.
    """
    line = _bullet(document.lines[item.line]) + escape(text)
    after = _splice(document, item.line, item.text_end, [line])
    headings, items, verbatim = _shape(document)
    place = document.items.index(item)
    items[place] = (text, item.end - item.text_end + 1)
    if _shape(after) == (headings, items, verbatim):
        return after
    raise ValueError(f"the item in line {item.line + 1} cannot become {text!r}")


def add_section(
    document: Document, title: str, suffix: str = "", order: tuple[str, ...] = ()
) -> Document:
    """Add a heading without items: at its place among the titles of `order`, else at the end.

    Raise ValueError where it would not read back.
    """
    heading = f"## {title} {suffix}".rstrip()
    for at in _places(document, title, order):
        lines = [heading] if at == len(document.lines) else [heading, ""]
        if at and not _is_blank(document, at - 1):
            lines.insert(0, "")
        after = _splice(document, at, at, lines)
        headings, items, verbatim = _shape(document)
        place = sum(each.line < at for each in document.headings)
        headings.insert(place, (2, split_title(f"{title} {suffix}".rstrip())[0]))
        if _shape(after) == (headings, items, verbatim):
            return after
    raise ValueError(f"no line can hold the heading {heading!r}")


def _places(document: Document, title: str, order: tuple[str, ...]) -> list[int]:
    """Return where a section may go, best first.

    In front of the last section is for a file that ends in the middle of code.
    """
    keys = [title_key(each) for each in order]
    key = title_key(title)
    rank = keys.index(key) if key in keys else len(keys)
    before = [s.end for s in document.sections if title_key(s.title) in keys[:rank]]
    after = [s.line for s in document.sections if title_key(s.title) in keys[rank + 1 :]]
    last = [document.sections[-1].line] if document.sections else []
    titles = [heading.body for heading in document.headings[:1]]
    return [
        *before[-1:],
        *after[:1],
        len(document.lines),
        *last,
        *titles,
        front_matter(document.lines),
    ]


def insert_block(document: Document, section: Section | None, block: list[str]) -> Document:
    """Put lines behind all that a section holds of its own, or above the first section.

    They are read there as on their own; an empty comment parts them from a list above that
    would take them in.
    """
    tops = [each.line for each in document.sections[:1]] or [len(document.lines)]
    begin, at = (section.body, _own_end(document, section)) if section else (0, tops[0])
    while at > begin and _is_blank(document, at - 1):
        at -= 1
    below = [""] if at < len(document.lines) and not _is_blank(document, at) else []
    expected = _shape_of_both(document, at, _shape(parse("\n".join(block))))
    for above in ([""], ["", APART, ""]):
        after = _splice(document, at, at, [*above[at == 0 :], *block, *below])
        headings, items, verbatim = _shape(after)
        if (headings, items, verbatim - above.count(APART)) == expected:
            break
    return after


def set_suffixes(document: Document, suffix: str) -> Document:
    """Change the `(Max: ...)` of every section heading that has one."""
    lines = list(document.lines)
    for section in document.sections:
        for at in range(section.line, section.body if section.suffix else section.line):
            before, found, after = lines[at].rpartition(section.suffix)
            lines[at] = before + suffix + after if found else lines[at]
    return document if lines == document.lines else parse("".join(lines))


def set_comment(document: Document, key: str, value: str) -> Document:
    """Let the header say `<!-- key: value -->`: where it stands, else below the title."""
    comment = f"<!-- {key}: {value} -->"
    at = comment_line(document, key)
    if at is None:
        return _add_comment(document, comment)
    line = document.lines[at].rstrip("\r\n")
    begin = line.index("<!--")
    rest = line[begin:].partition("-->")[2]
    return _splice(document, at, at + 1, [line[:begin] + comment + rest])


def comment_line(document: Document, key: str) -> int | None:
    """Find the line of a header comment, whole or cut off; not one that goes on below."""
    lost = {line - 1 for line, _ in document.warnings}
    for at in document.comments:
        line = document.lines[at].removeprefix(BOM).strip()
        told = line.removeprefix("<!--").lstrip()
        if told.startswith(f"{key}:") and ("-->" in line or at in lost):
            return at
    return None


def _add_comment(document: Document, comment: str) -> Document:
    at = _header_end(document)
    lines = [comment]
    if at and not _is_blank(document, at - 1) and at - 1 not in document.verbatim:
        lines.insert(0, "")
    if at < len(document.lines) and not _is_blank(document, at):
        lines.append("")
    after = _splice(document, at, at, lines)
    headings, items, verbatim = _shape(document)
    return after if _shape(after) == (headings, items, verbatim + 1) else document


def _header_end(document: Document) -> int:
    """Return the line behind the title and the comments below it."""
    titles = [heading.body for heading in document.headings[:1] if heading.level == 1]
    at = end = titles[0] if titles else front_matter(document.lines)
    while at < len(document.lines):
        if document.lines[at].lstrip().startswith("<!--") and "-->" in document.lines[at]:
            end = at + 1
        elif not _is_blank(document, at):
            break
        at += 1
    return end


def _splice(document: Document, begin: int, end: int, new: list[str]) -> Document:
    """Put lines in the place of others, with the line ends of the document."""
    lines = _marked(document)
    close = _line_end(lines)
    return _with_lines(document, lines[:begin] + [line + close for line in new] + lines[end:])


def _with_lines(document: Document, lines: list[str]) -> Document:
    """Parse other lines; how the file begins and ends, they keep from the document.

    In a file without a line end at its end, it stands between the lines.
    """
    old = document.lines
    if lines and old and not old[-1].endswith(("\n", "\r")):
        close = _line_end(old)
        lines = [line if line.endswith(("\n", "\r")) else line + close for line in lines]
        lines[-1] = lines[-1].rstrip("\r\n")
    mark = BOM if old and old[0].startswith(BOM) else ""
    return parse(mark + "".join(lines))


def _marked(document: Document) -> list[str]:
    """Return the lines without the byte order mark."""
    first = [line.removeprefix(BOM) for line in document.lines[:1] if line != BOM]
    return first + document.lines[1:]


def _line_end(lines: list[str]) -> str:
    first = lines[0] if lines else "\n"
    return first[len(first.rstrip("\r\n")) :] or "\n"


def _cut(lines: list[str], item: Item) -> None:
    """Take an item from the lines, with one of two blank lines around it."""
    begin, end = item.line, item.end
    above = begin > 0 and not lines[begin - 1].strip(" \t\r\n")
    below = end >= len(lines) or not lines[end].strip(" \t\r\n")
    del lines[begin - 1 if above and below else begin : end]


def _is_blank(document: Document, at: int) -> bool:
    return not document.lines[at].strip(" \t\r\n")


def _own_end(document: Document, section: Section) -> int:
    """Return where a section's own part ends and a deeper heading, if any, begins."""
    deeper = [each.line for each in document.headings if section.line < each.line < section.end]
    return deeper[0] if deeper else section.end


def _below_heading(
    document: Document, section: Section, own: int, item: str
) -> list[tuple[int, list[str]]]:
    """Return where the first item of a section may go: behind its prose, below its heading."""
    end = own
    while end > section.body and _is_blank(document, end - 1):
        end -= 1
    behind = [""] if end < len(document.lines) and not _is_blank(document, end) else []
    below = (section.body, [item, ""] if section.body < len(document.lines) else [item])
    if end == section.body:
        return [(end, [item, *behind])]
    return [(end, ["", item, *behind]), below]


def _bullet(line: str) -> str:
    """Return what stands in front of an item's text."""
    line = line.removeprefix(BOM)
    rest = line.rstrip("\r\n").lstrip(" \t")
    marker = line[: line.index(rest)] + rest[: count_digits(rest) + 1]
    content = rest[count_digits(rest) + 1 :]
    blanks = content[: len(content) - len(content.lstrip(" \t"))]
    return marker + (blanks if content.strip() and 0 < len(blanks) < 5 else " ")


def _next_bullet(document: Document, items: list[Item]) -> str:
    """Return the bullet for one more item: the last one's, or its number and one more."""
    bullets = [_bullet(document.lines[item.line]) for item in items[-2:]]
    last = bullets[-1].strip(" \t")
    if last[0] not in DIGITS or (len(bullets) == 2 and bullets[0] == bullets[1]):
        return bullets[-1]
    return bullets[-1].replace(last[:-1], str(int(last[:-1]) + 1), 1)


# What a reader takes from a document; an edit may change only what it is about.


def _shape(document: Document) -> Shape:
    headings = [(each.level, split_title(each.title)[0]) for each in document.headings]
    items = [(item.text, item.end - item.line) for item in document.items]
    return headings, items, len(document.verbatim)


def _shape_without(document: Document, lines: set[int]) -> Shape:
    headings, items, verbatim = _shape(document)
    places = zip(document.items, items, strict=True)
    return headings, [kept for item, kept in places if item.line not in lines], verbatim


def _shape_of_both(document: Document, at: int, block: Shape) -> Shape:
    """Return what is to be read when the block stands at a line of the document."""
    headings, items, verbatim = _shape(document)
    new_headings, new_items, new_verbatim = block
    place = sum(each.line < at for each in document.headings)
    headings[place:place] = new_headings
    place = sum(each.line < at for each in document.items)
    items[place:place] = new_items
    return headings, items, verbatim + new_verbatim
