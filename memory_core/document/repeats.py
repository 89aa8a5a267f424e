"""Find items that are in a section twice: their ids are equal.

Only people write such items, because learning, importing and merging compare ids first.  In two
sections the same words may say two things.
"""

from __future__ import annotations

from memory_core.document import markdown
from memory_core.document.block_reader import Item
from memory_core.document.markdown import Document
from memory_core.text import similarity


def find_repeats(document: Document) -> list[tuple[Item, Item]]:
    """Return the items that are not delivered, each with the earlier item that says the same.

    An item with other nested lines says more, so it is delivered.
    """
    pairs = []
    for section in document.sections:
        firsts: dict[str, Item] = {}
        for item in section.items:
            first = firsts.setdefault(similarity.normalize_text(item.text), item)
            if first is item or not item.text:
                continue
            nested = markdown.read_nested(document, item)
            if not nested or nested == markdown.read_nested(document, first):
                pairs.append((item, first))
    return pairs
