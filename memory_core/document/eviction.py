"""Remove items from a document that is beyond its limits.

A section with too many items loses its oldest ones.  A file that is too large loses the oldest
items of `Recent Learnings` first, then the least certain ones of the other sections, then items
outside of sections, and preferences last.  At equal ages the largest section loses items first.
"""

from __future__ import annotations

from memory_core.document import edits, markdown, preferences, template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memory_core.document.block_reader import Item
    from memory_core.document.markdown import Document
    from memory_core.document.template import Limits

    Age = tuple[float, str]  # confidence from 0 to 1, time of creation
    Ages = Callable[[str], Age]

# The order of groups of items: a smaller rank is evicted first.
RANK_RECENT, RANK_OTHER, RANK_OUTSIDE, RANK_PREFERENCES = range(4)


def evict(
    document: Document, limits: Limits, spared: set[str], ages: Ages
) -> tuple[Document, list[tuple[str, str]]]:
    """Return the document within its limits, and the removed items.

    An item is (section title, text with nested lines).  `ages` returns the age of an item's
    text; the texts in `spared` are removed only if nothing else is left.
    """
    evicted: list[tuple[str, str]] = []
    while leaving := _choose(document, limits, spared, ages):
        evicted += [(_section_title(document, item), join_item(document, item)) for item in leaving]
        document = edits.remove_items(document, leaving)
    return document, evicted


def _choose(document: Document, limits: Limits, spared: set[str], ages: Ages) -> list[Item]:
    """Return the items to remove: those beyond a section's limit, then by rank for the size."""
    leaving: list[Item] = []
    waiting: list[tuple[tuple[object, ...], Item]] = []
    excess = template.count_bytes(markdown.render_document(document)) - limits.size
    for rank, items in _group(document):
        if rank not in (RANK_OUTSIDE, RANK_PREFERENCES) and len(items) > limits.items:
            items.sort(key=lambda item: (item.text in spared, ages(item.text)[1]))
            count = len(items) - limits.items
            leaving += items[:count]
            del items[:count]
        waiting += _rank(document, rank, items, spared, ages)
    excess -= sum(_weigh(document, item) for item in leaving)
    # If free text alone is too large, removing every item does not help.
    if excess <= 0 or excess > sum(_weigh(document, item) for _key, item in waiting):
        return leaving
    waiting.sort(key=lambda pair: pair[0])
    for _key, item in waiting:
        leaving.append(item)
        excess -= _weigh(document, item)
        if excess <= 0:
            break
    return leaving


def _group(document: Document) -> Iterator[tuple[int, list[Item]]]:
    """Yield the items outside of sections, then the items of each section, with their ranks."""
    inside = {item.line for section in document.sections for item in section.items}
    yield RANK_OUTSIDE, [item for item in document.items if item.line not in inside]
    recent = markdown.normalize_title(template.RECENT_TITLE)
    for section in document.sections:
        is_recent = markdown.normalize_title(section.title) == recent
        rank = RANK_RECENT if is_recent else RANK_OTHER
        is_preferences = preferences.is_title(section.title)
        yield RANK_PREFERENCES if is_preferences else rank, list(section.items)


def _rank(
    document: Document, rank: int, items: list[Item], spared: set[str], ages: Ages
) -> Iterator[tuple[tuple[object, ...], Item]]:
    """Yield the items of a group with their sort keys; the smallest key is evicted first."""

    def key(item: Item) -> tuple[bool, Age]:
        confidence, created_at = ages(item.text)
        return item.text in spared, (confidence if rank == RANK_OTHER else 0.0, created_at)

    rest = sum(_weigh(document, item) for item in items)
    for item in sorted(items, key=key):
        is_spared, age = key(item)
        yield (rank == RANK_PREFERENCES, is_spared, rank, age, -rest), item
        rest -= _weigh(document, item)


def _section_title(document: Document, item: Item) -> str:
    titles = (part.title for part in document.sections if part.line < item.line < part.end)
    return next(titles, "")


def join_item(document: Document, item: Item) -> str:
    """Return an item's text with its nested lines."""
    if item.text:
        return markdown.join_nested(item.text, markdown.read_nested(document, item))
    return "\n".join(line.rstrip() for line in document.lines[item.line : item.end])


def _weigh(document: Document, item: Item) -> int:
    return template.count_bytes("".join(document.lines[item.line : item.end]))
