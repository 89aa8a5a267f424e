"""Restore an item that a document had before, with its nested lines."""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.document import block_reader, edits, markdown, merge_learnings, template
from memory_core.document.block_reader import Item
from memory_core.document.markdown import Document, Section
from memory_core.text import similarity


def _find_place(section: Section, above: str) -> tuple[int, int] | None:
    """Return the line for the item, and the line of a neighbour with the list's bullet."""
    if above == edits.TOP:
        return next(((item.line, item.line) for item in section.items), None)
    normal_form = similarity.normalize_text(above)
    items = (item for item in section.items if similarity.normalize_text(item.text) == normal_form)
    return next(((item.end, item.line) for item in items), None)


def _restyle(line: str, neighbour: str) -> str:
    is_plain = line.startswith(block_reader.BULLET) and neighbour[:1] in ("*", "+")
    return neighbour[0] + line[1:] if is_plain else line


def replace_item(document: Document, item: Item, text: str, nested: str) -> Document:
    """Change an item's text and nested lines; raises ValueError if no line can hold them."""
    if markdown.read_nested(document, item) == nested:
        return edits.replace_item(document, item, text)
    rest = edits.remove_items(document, [item])
    for block, key in _list_forms(markdown.join_nested(text, nested)):
        after = edits.insert_lines(rest, item.line, block)
        if after is not None and _find_new_item(rest, after) == (key, len(block)):
            return after
    raise ValueError(f"the item {text!r} cannot be put back in its place")


def insert_item(
    document: Document, title: str, item: str, limits: template.Limits, above: str = ""
) -> tuple[Document, str]:
    """Insert an item with its nested lines below the item with the text `above`.

    It can be edits.TOP.  Without that item, the new one becomes the last one of its section, which
    is added if necessary.  Returns the document and the text of the item in it; raises ValueError
    if no line can hold the item.
    """
    section = None
    if title:
        document, section = merge_learnings.ensure_section(document, title, limits)
    place = _find_place(section, above) if section and above else None
    for block, key in _list_forms(item):
        if place is not None:
            at, neighbour = place
            styled = [_restyle(block[0], document.lines[neighbour]), *block[1:]]
            after = edits.insert_lines(document, at, styled)
            if after is not None and _find_new_item(document, after) == (key, len(block)):
                return after, key
        try:
            if section is not None and len(block) == 1 and key:
                after = edits.insert_item(document, section, key)
            else:
                after = edits.insert_block(document, section, block)
        except ValueError:
            continue
        if _find_new_item(document, after) == (key, len(block)):
            return after, key
    raise ValueError("no line can hold the item; copy it by hand")


def _list_forms(item: str) -> Iterator[tuple[list[str], str]]:
    """Yield the lines that can hold an archived item, and the text of the item in this form."""
    lines = item.split("\n")
    first, *nested = lines
    inner = min((len(line) - len(line.lstrip()) for line in nested if line), default=2)
    shifted = [" " * (2 - inner) + line[max(inner - 2, 0) :] for line in nested]
    written = block_reader.BULLET + block_reader.escape(first)
    empty = markdown.parse_document("")
    # An item without text, for example of code, is archived with its bullet.
    for block, key in ((lines, ""), ([written, *nested], first), ([written, *shifted], first)):
        document = markdown.parse_document("\n".join(block))
        if _find_new_item(empty, document) == (key, len(block)):
            yield block, key


def _find_new_item(before: Document, after: Document) -> tuple[str, int] | None:
    """Return text and length of the only new item, None if anything else has changed."""
    old = [(item.text, item.end - item.line) for item in before.items]
    new = [(item.text, item.end - item.line) for item in after.items]
    titles, new_titles = ([part.title for part in text.headings] for text in (before, after))
    if len(new) != len(old) + 1 or titles != new_titles:
        return None
    at = next((at for at, pair in enumerate(old) if pair != new[at]), len(old))
    return new[at] if old[at:] == new[at + 1 :] else None
