"""Change a document: each edit changes only its own lines.

An edit returns a new document.  If it would change how other lines are read, it uses another
place or raises ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_core.document.block_reader import BULLET, Item, escape
from memory_core.document.markdown import (
    EMPTY_COMMENT,
    Document,
    Section,
    find_comment,
    normalize_title,
    parse_document,
)
from memory_core.text.markdown_lines import count_front_matter, find_line_end

# Level or kind, text, number of lines; an edit may only change the entries of its own lines.
ShapeEntry = tuple[int, str, int]


ITEM, VERBATIM, COMMENT, MARKER = range(7, 11)  # after the ranks of headings

# The indentation, the marker and the blanks before an item's text.
_MARKER = re.compile(r"[ \t]*([-+*]|\d+[.)])(\t|[ ]{1,4}(?=[^ \r\n]))?")


def insert_item(document: Document, section: Section, text: str, nested: str = "") -> Document:
    """Insert an item as the last one of a section's own part, with lines nested below it.

    Raises ValueError if no line can hold the text.
    """
    own = _own_end(document, section)
    items = [item for item in section.items if item.line < own]
    if items:
        places = [(items[-1].end, bullet) for bullet in (_next_bullet(document, items[-1]), BULLET)]
    else:
        ends = (_skip_blanks(document, section.line + 1, own), section.line + 1)
        places = [(end, BULLET) for end in ends]
    for at, bullet in places:
        lines = [bullet + escape(text), *nested.splitlines()]
        shape = _shape_of_both(document, at, [(ITEM, text, len(lines))])
        if not items:
            lines = [*[""] * (at > section.line + 1), *lines, *[""] * _is_text(document, at)]
        elif len(items) > 1 and _is_blank(document, items[-1].line - 1):
            lines = ["", *lines]
        after = _splice(document, at, at, lines)
        if _is_read(after, document, shape):
            return after
    raise ValueError(f"no line of section {section.title!r} can hold the item {text!r}")


def remove_items(document: Document, items: list[Item]) -> Document:
    """Remove items; if one separated its neighbours, an empty line or comment replaces it."""
    if not items:
        return document
    gone = {item.line for item in items}
    shape = [entry for at, entry in _entries(document) if at not in gone]
    last_first = sorted(items, key=lambda item: -item.line)
    lines = [*document.lines]
    for item in last_first:
        _cut(lines, item)
    after = _with_lines(document, lines)
    if _is_read(after, document, shape):
        return after
    if len(items) == 1:
        blank = _splice(document, items[0].line, items[0].end, [""])
        comment = _splice(document, items[0].line, items[0].end, [EMPTY_COMMENT])
        return blank if _is_read(blank, document, shape) else comment
    # Try halves, because few items separate their neighbours, and each try parses the text.
    half = len(items) // 2
    return remove_items(remove_items(document, last_first[:half]), last_first[half:])


def replace_item(document: Document, item: Item, text: str, nested: str = "") -> Document:
    """Change an item's text and add lines nested below it; its bullet and nested lines stay.

    Raises ValueError if the line cannot hold the text.
    """
    lines = [_bullet(document.lines[item.line]) + escape(text), *nested.splitlines()]
    after = _splice(document, item.line, item.text_end, lines)
    new = (ITEM, text, item.end - item.text_end + len(lines))
    shape = [new if at == item.line else entry for at, entry in _entries(document)]
    if _is_read(after, document, shape):
        return after
    raise ValueError(f"the item in line {item.line + 1} cannot become {text!r}")


def add_section(
    document: Document, title: str, suffix: str = "", order: Sequence[str] = ()
) -> Document:
    """Add a heading without items, at its place in `order` or else at the end.

    Raises ValueError if the title does not fit into a line.
    """
    heading = f"## {title} {suffix}".rstrip()
    at = _find_section_place(document, title, order)
    lines = [heading] if at == len(document.lines) else [heading, ""]
    if at and not _is_blank(document, at - 1):
        lines.insert(0, "")
    after = _splice(document, at, at, lines)
    added = (2, heading.removeprefix("## "), 0)
    if _is_read(after, document, _shape_of_both(document, at, [added])):
        return after
    raise ValueError(f"no line can hold the heading {heading!r}")


def _find_section_place(document: Document, title: str, order: Sequence[str]) -> int:
    """Return the end of the previous section in `order`, else the line of the next one."""
    keys = [normalize_title(other) for other in order]
    key = normalize_title(title)
    rank = keys.index(key) if key in keys else len(keys)
    before = [s.end for s in document.sections if normalize_title(s.title) in keys[:rank]]
    after = [s.line for s in document.sections if normalize_title(s.title) in keys[rank + 1 :]]
    return [*before[-1:], *after[:1], len(document.lines)][0]


def set_suffix(document: Document, section: Section, suffix: str) -> Document:
    """Change the `(Max: ...)` of a section's heading, if it has one."""
    if section.suffix in ("", suffix):
        return document
    before, _, after = document.lines[section.line].rpartition(section.suffix)
    lines = [*document.lines]
    lines[section.line] = before + suffix + after
    return parse_document("".join(lines))


def set_comment(document: Document, key: str, value: str) -> Document:
    """Write the header comment `<!-- key: value -->` in its present line, else below the title."""
    comment = f"<!-- {key}: {value} -->"
    at = find_comment(document, key)
    if at is None:
        return _add_comment(document, comment)
    lines = [*document.lines]
    lines[at] = re.sub("<!--.*?-->", lambda _old: comment, lines[at], count=1)
    return document if lines == document.lines else parse_document("".join(lines))


def _add_comment(document: Document, comment: str) -> Document:
    at = _header_end(document)
    above = at and not _is_blank(document, at - 1) and at - 1 not in document.verbatim
    lines = [*[""] * bool(above), comment, *[""] * _is_text(document, at)]
    after = _splice(document, at, at, lines)
    is_read = _is_read(after, document, _shape_of_both(document, at, [(COMMENT, comment, 0)]))
    return after if is_read else document


def _header_end(document: Document) -> int:
    """Return the line after the title and the comments below it."""
    titles = [heading.line + 1 for heading in document.headings[:1] if heading.rank == 1]
    end = titles[0] if titles else count_front_matter(document.lines)
    for at, line in enumerate(document.lines[end:], end + 1):
        if line.lstrip().startswith("<!--") and "-->" in line:
            end = at
        elif line.strip(" \t\r\n"):
            break
    return end


def _splice(document: Document, begin: int, end: int, new: list[str]) -> Document:
    """Replace lines; the new ones get the document's line end."""
    lines = document.lines
    close = find_line_end("".join(lines[:1]))
    return _with_lines(document, lines[:begin] + [line + close for line in new] + lines[end:])


def _with_lines(document: Document, lines: list[str]) -> Document:
    """Parse other lines, with the last line end of the document."""
    old = document.lines
    if lines and old and not old[-1].endswith(("\n", "\r")):
        close = find_line_end(old[0])
        lines = [line if line.endswith(("\n", "\r")) else line + close for line in lines]
        lines[-1] = lines[-1].rstrip("\r\n")
    return parse_document("".join(lines))


def _cut(lines: list[str], item: Item) -> None:
    """Remove an item, and one of the blank lines above and below it."""
    begin, end = item.line, item.end
    above = begin > 0 and not lines[begin - 1].strip(" \t\r\n")
    below = end >= len(lines) or not lines[end].strip(" \t\r\n")
    del lines[begin - 1 if above and below else begin : end]


def _is_blank(document: Document, at: int) -> bool:
    return not document.lines[at].strip(" \t\r\n")


def _is_text(document: Document, at: int) -> bool:
    return at < len(document.lines) and not _is_blank(document, at)


def _own_end(document: Document, section: Section) -> int:
    """Return the end of a section's own items: the first deeper heading, or the section's end."""
    lines = (heading.line for heading in document.headings)
    return next((line for line in lines if section.line < line < section.end), section.end)


def _bullet(line: str) -> str:
    """Return the indentation, the marker and the blanks before an item's text."""
    match = _MARKER.match(line)
    return f"{match[0]}{'' if match[2] else ' '}" if match else BULLET


def _next_bullet(document: Document, last: Item) -> str:
    """Return the bullet of the next item: that of the last one, or the next number."""
    bullet = _bullet(document.lines[last.line])
    return re.sub(r"\d+", lambda number: str(int(number[0]) + 1), bullet)


def _skip_blanks(document: Document, begin: int, end: int) -> int:
    """Return the line behind the last one between two lines that is not blank."""
    while end > begin and _is_blank(document, end - 1):
        end -= 1
    return end


# The shape of a document, which shows whether an edit has changed the meaning of other lines.


def _entries(document: Document) -> list[tuple[int, ShapeEntry]]:
    """Return the parts of a document, with their lines."""
    kinds = {at: VERBATIM for at in document.verbatim if not _is_blank(document, at)}
    kinds.update(dict.fromkeys(document.comments, COMMENT))
    kinds.update(dict.fromkeys(document.markers, MARKER))
    return sorted(
        [
            *((part.line, (part.rank, part.title, 0)) for part in document.headings),
            *((item.line, (ITEM, item.text, item.end - item.line)) for item in document.items),
            *((at, (kind, document.lines[at].strip(" \t\r\n"), 0)) for at, kind in kinds.items()),
        ]
    )


def _shape_of_both(document: Document, at: int, inserted: list[ShapeEntry]) -> list[ShapeEntry]:
    """Return the expected shape if these entries are inserted at a line of the document."""
    entries = _entries(document)
    above = [entry for line, entry in entries if line < at]
    return [*above, *inserted, *(entry for line, entry in entries if line >= at)]


def _is_read(after: Document, before: Document, shape: list[ShapeEntry]) -> bool:
    """Check that a changed document has the expected shape and the same front matter."""
    is_front_same = count_front_matter(after.lines) == count_front_matter(before.lines)
    return is_front_same and [entry for _, entry in _entries(after)] == shape
