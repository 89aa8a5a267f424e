"""Change a memory document: each edit touches only the lines that it is about.

An edit gives a new document.  A place where the text around would be read in another
way than before is not used; nor is one in a conflict, where what is added would leave with
the side that a person drops.
"""

from __future__ import annotations

from memory_core.document.markdown import (
    BOM,
    BULLET,
    DIGITS,
    EMPTY_COMMENT,
    count_digits,
    count_front_matter,
    count_open_front_matter,
    escape,
    normalize_title,
    parse_document,
)

TOP = "top"  # instead of the item above: the item stands in front of all others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_core.document.markdown import Document, Item, Section

    ShapeEntry = tuple[int, str, int]  # level or kind, text, length in lines
    Shape = list[ShapeEntry]

ITEM, VERBATIM, COMMENT, MARKER = range(7, 11)  # behind the levels of headings


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
    for at, lines in _beside_conflicts(document, section.body, own, places):
        after = _splice(document, at, at, lines)
        if _is_read(after, document, _shape_of_both(document, at, [(ITEM, text, 1)])):
            return after
    raise ValueError(f"no line of section {section.title!r} can hold the item {text!r}")


def remove_item(document: Document, item: Item) -> Document:
    """Take an item out with all that is nested in it."""
    return remove_items(document, [item])


def remove_items(document: Document, items: list[Item]) -> Document:
    """Take items out; where one kept its neighbours apart, something that is not seen stays."""
    gone = {each.line for each in items}
    shape = [entry for at, entry in _entries(document) if at not in gone]
    lines = _marked(document)
    last_first = sorted(items, key=lambda each: -each.line)
    for item in last_first:
        _cut(lines, item)
    after = _with_lines(document, lines)
    if _is_read(after, document, shape):
        return after
    if len(items) == 1:
        return _remove_apart(document, items[0], shape)
    # In halves: few of many items part their neighbours, and each try reads the document.
    half = len(items) // 2
    return remove_items(remove_items(document, last_first[:half]), last_first[half:])


def _remove_apart(document: Document, item: Item, shape: Shape) -> Document:
    blank = _splice(document, item.line, item.end, [""])
    if _is_read(blank, document, shape):
        return blank
    return _splice(document, item.line, item.end, [EMPTY_COMMENT])


def replace_item(document: Document, item: Item, text: str) -> Document:
    """Give an item another text; its bullet and what is nested in it stay.

    Raise ValueError where the item would not read back.
    """
    line = _bullet(document.lines[item.line]) + escape(text)
    after = _splice(document, item.line, item.text_end, [line])
    new = (ITEM, text, item.end - item.text_end + 1)
    shape = [new if at == item.line else entry for at, entry in _entries(document)]
    if _is_read(after, document, shape):
        return after
    raise ValueError(f"the item in line {item.line + 1} cannot become {text!r}")


def add_section(
    document: Document, title: str, suffix: str = "", order: Sequence[str] = ()
) -> Document:
    """Add a heading without items: at its place among the titles of `order`, else at the end.

    Raise ValueError where it would not read back.
    """
    heading = f"## {title} {suffix}".rstrip()
    added = [(2, heading.removeprefix("## "), 0)]
    for at in _places(document, title, order):
        lines = [heading] if at == len(document.lines) else [heading, ""]
        if at and not _is_blank(document, at - 1):
            lines.insert(0, "")
        after = _splice(document, at, at, lines)
        if _is_read(after, document, _shape_of_both(document, at, added)):
            return after
    raise ValueError(f"no line can hold the heading {heading!r}")


def _places(document: Document, title: str, order: Sequence[str]) -> list[int]:
    """Return where a section may go, best first.

    For a file that ends in the middle of code: in front of the last section or of that code.
    """
    keys = [normalize_title(each) for each in order]
    key = normalize_title(title)
    rank = keys.index(key) if key in keys else len(keys)
    before = [s.end for s in document.sections if normalize_title(s.title) in keys[:rank]]
    after = [s.line for s in document.sections if normalize_title(s.title) in keys[rank + 1 :]]
    last = [document.sections[-1].line] if document.sections else []
    code = [document.open_code] if document.open_code is not None else []
    wanted = [*before[-1:], *after[:1], len(document.lines), *last, *code, _front(document)]
    places = (_below_conflicts(document, at) for at in wanted)
    return [at for at in places if not _takes_over(document, at)]


def _takes_over(document: Document, at: int) -> bool:
    """Say whether a section that begins here would have items or headings of what is above."""
    tops = (each.line for each in document.headings if at <= each.line and each.level <= 2)
    end = next(tops, len(document.lines))
    headings = (each.line for each in document.headings)
    return any(at <= line < end for line in (*headings, *(each.line for each in document.items)))


def _front(document: Document) -> int:
    """Return how many lines the front matter takes, whether or not it is closed."""
    return count_front_matter(document.lines) or count_open_front_matter(document.lines)


def insert_block(document: Document, section: Section | None, block: list[str]) -> Document:
    """Put lines behind all that a section holds of its own, or above the first section.

    They are read there as on their own; an empty comment parts them from a list above that
    would take them in.
    """
    tops = [each.line for each in document.sections[:1]] or [len(document.lines)]
    begin, at = (section.body, _own_end(document, section)) if section else (0, tops[0])
    while at > begin and _is_blank(document, at - 1):
        at -= 1
    at = _beside_conflicts(document, begin, len(document.lines), [(at, [])])[0][0]
    below = [""] if _is_text(document, at) else []
    for above in ([""], ["", EMPTY_COMMENT, ""]):
        after = _splice(document, at, at, [*above[at == 0 :], *block, *below])
        own = _shape(parse_document("\n".join([*above, *block])))
        if _is_read(after, document, _shape_of_both(document, at, own)):
            break
    return after


def insert_lines(document: Document, at: int, block: list[str]) -> Document | None:
    """Put lines in front of a line; None where they, or the rest, would be read in another way.

    Code that they leave open is closed, unless they close what is open.
    """
    # Below a blank line they are no front matter.
    own = parse_document("\n".join(["", *block]))
    if own.open_code is not None and document.open_code is None:
        block = [*block, _fence(own.lines[own.open_code])]
        own = parse_document("\n".join(["", *block]))
    after = _splice(document, at, at, block)
    return after if _shape(after) == _shape_of_both(document, at, _shape(own)) else None


def _fence(line: str) -> str:
    """Return the fence that closes the code which begins with this line."""
    text = line.strip()
    return text[: len(text) - len(text.lstrip(text[0]))]


def set_suffixes(document: Document, suffix: str) -> Document:
    """Change the `(Max: ...)` of every section heading that has one."""
    lines = list(document.lines)
    for section in document.sections:
        written = range(section.line, section.body if section.suffix else section.line)
        for at in [at for at in written if section.suffix in lines[at]][-1:]:
            before, _, after = lines[at].rpartition(section.suffix)
            lines[at] = before + suffix + after
    return document if lines == document.lines else parse_document("".join(lines))


def set_comment(document: Document, key: str, value: str) -> Document:
    """Let the header say `<!-- key: value -->`: where it stands, else below the title."""
    comment = f"<!-- {key}: {value} -->"
    at = find_comment(document, key)
    if at is None:
        return _add_comment(document, comment)
    line, close = _without_end(document.lines[at])
    begin = _comment_at(line, key)
    _told, closed, rest = line[begin:].partition("-->")
    meant = document.with_line(at, line[:begin] + comment + rest + close)
    if closed and close and not any(sign in value for sign in "<>\r\n"):
        return meant  # nothing of it can end what is open above
    after = _splice(document, at, at + 1, [line[:begin] + comment + rest])
    return after if _is_read(after, document, _shape(meant)) else document


def find_comment(document: Document, key: str) -> int | None:
    """Find the line of a header comment, whole or cut off; not one that goes on below."""
    lost = {line - 1 for line, _ in document.warnings}
    for at in document.comments:
        line = document.lines[at]
        if _comment_at(line, key) >= 0 and ("-->" in line or at in lost):
            return at
    return None


def _comment_at(line: str, key: str) -> int:
    """Return where a comment about the key begins in a line of comments, -1 without one."""
    begin = line.find("<!--")
    while begin >= 0 and not line[begin + 4 :].lstrip().startswith(f"{key}:"):
        end = line.find("-->", begin)
        begin = line.find("<!--", end) if end >= 0 else -1
    return begin


def _add_comment(document: Document, comment: str) -> Document:
    wanted = [(_header_end(document), [comment]), (_front(document), [comment])]
    for at, lines in _beside_conflicts(document, 0, len(document.lines), wanted):
        if at and not _is_blank(document, at - 1) and at - 1 not in document.verbatim:
            lines = ["", *lines]
        if _is_text(document, at):
            lines = [*lines, ""]
        after = _splice(document, at, at, lines)
        if _is_read(after, document, _shape_of_both(document, at, [(COMMENT, comment, 0)])):
            return after
    return document


def _header_end(document: Document) -> int:
    """Return the line behind the title and the comments below it."""
    titles = [heading.body for heading in document.headings[:1] if heading.level == 1]
    at = end = titles[0] if titles else _front(document)
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
    return parse_document(mark + "".join(lines))


def _marked(document: Document) -> list[str]:
    """Return the lines without the byte order mark."""
    first = [line.removeprefix(BOM) for line in document.lines[:1] if line != BOM]
    return first + document.lines[1:]


def _line_end(lines: list[str]) -> str:
    return (_without_end(lines[0])[1] if lines else "") or "\n"


def _without_end(line: str) -> tuple[str, str]:
    """Part a line from its line end."""
    text = line.rstrip("\r\n")
    return text, line[len(text) :]


def _cut(lines: list[str], item: Item) -> None:
    """Take an item from the lines, with one of two blank lines around it."""
    begin, end = item.line, item.end
    above = begin > 0 and not lines[begin - 1].strip(" \t\r\n")
    below = end >= len(lines) or not lines[end].strip(" \t\r\n")
    del lines[begin - 1 if above and below else begin : end]


def _is_blank(document: Document, at: int) -> bool:
    return not document.lines[at].strip(" \t\r\n")


def _is_text(document: Document, at: int) -> bool:
    return at < len(document.lines) and not _is_blank(document, at)


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
    behind, below = ([""] if _is_text(document, at) else [] for at in (end, section.body))
    if end == section.body:
        return [(end, [item, *behind])]
    return [(end, ["", item, *behind]), (section.body, [item, *below])]


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


# Conflicts.


def _conflicts(document: Document) -> list[tuple[int, int, bool]]:
    """Return the first and last line of each conflict, outer ones first, and whether it has an end.

    Without an end it goes on to the next heading.
    """
    found, begins = [], []
    for at in document.markers:
        sign = document.lines[at].removeprefix(BOM)[0]
        if sign == "<":
            begins.append(at)
        elif sign == ">" and begins:
            found.append((begins.pop(), at, True))
    for begin in begins:
        below = (each.line for each in document.headings if begin < each.line)
        found.append((begin, next(below, len(document.lines)), False))
    return sorted(found)


def _beside_conflicts(
    document: Document, body: int, own: int, places: list[tuple[int, list[str]]]
) -> list[tuple[int, list[str]]]:
    """Put what would stand in a conflict beside it, with blank lines where they are needed.

    It belongs somewhere from the line `body` to `own`.
    """
    found = []
    for wanted, lines in places:
        for at in _outside_conflicts(document, body, own, wanted):
            found.append((at, lines))
            if at != wanted:
                found += [(at, [*lines, ""]), (at, ["", *lines])]
    return found


def _outside_conflicts(document: Document, body: int, own: int, wanted: int) -> list[int]:
    for begin, end, is_closed in _conflicts(document):
        if begin < wanted <= end:
            behind = [end + 1] if is_closed else []
            above = [begin] if body <= begin else []
            return ([*behind, *above] if end < own else [*above, *behind]) or [wanted]
    return [wanted]


def _below_conflicts(document: Document, at: int) -> int:
    """Return the line itself or, if it is in a conflict, where the next section below begins."""
    for begin, end, is_closed in _conflicts(document):
        if begin < at <= end and is_closed:
            tops = (each.line for each in document.headings if end < each.line and each.level <= 2)
            at = next(tops, len(document.lines))
    return at


# What a reader takes from a document; an edit may change only what it is about.


def _entries(document: Document) -> list[tuple[int, ShapeEntry]]:
    """Return what is read in a document, line by line."""
    found = [(each.line, (each.level, each.title, 0)) for each in document.headings]
    found += [(item.line, (ITEM, item.text, item.end - item.line)) for item in document.items]
    found += [(at, (MARKER, _bare(document.lines[at]), 0)) for at in document.markers]
    # Whether the blank line that ends HTML is part of it, nobody sees.
    kinds = dict.fromkeys((at for at in document.verbatim if not _is_blank(document, at)), VERBATIM)
    kinds.update(dict.fromkeys(document.comments, COMMENT))
    found += [(at, (kind, _bare(document.lines[at]), 0)) for at, kind in kinds.items()]
    return sorted(found)


def _bare(line: str) -> str:
    return line.removeprefix(BOM).strip(" \t\r\n")


def _shape(document: Document) -> Shape:
    return [entry for _, entry in _entries(document)]


def _shape_of_both(document: Document, at: int, block: Shape) -> Shape:
    """Return what is to be read when the block stands at a line of the document."""
    entries = _entries(document)
    above = [entry for line, entry in entries if line < at]
    return [*above, *block, *(entry for line, entry in entries if line >= at)]


def _is_read(after: Document, before: Document, shape: Shape) -> bool:
    """Say whether a document is read as is meant, and begins and ends as it did before.

    A section below code that is never closed would be one to us only: to others it is code.
    """
    return (
        _shape(after) == shape
        and (after.open_code is None) == (before.open_code is None)
        and count_front_matter(after.lines) == count_front_matter(before.lines)
    )
