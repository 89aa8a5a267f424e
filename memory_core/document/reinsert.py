"""Insert an item with its nested lines, as an archive or another memory has it."""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.document import block_reader, edits, markdown, merge_learnings, template
from memory_core.document.markdown import Document


def insert_item(
    document: Document, title: str, item: str, limits: template.Limits
) -> tuple[Document, str]:
    """Insert an item with its nested lines as the last one of its section, which may be new.

    Returns the document and the text of the item in it; raises ValueError if no line can hold the
    item.
    """
    section = None
    if title:
        document, section = merge_learnings.ensure_section(document, title, limits)
    for block, key in _list_forms(item):
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
