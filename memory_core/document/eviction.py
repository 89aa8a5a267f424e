"""Make room for a learning of an agent, and report where a document has none.

A learning that does not fit takes the place of the least certain items of agents in its section.
Items of people, and items in other sections, never make room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from memory_core.document import edits, markdown, template
from memory_core.document.block_reader import Item
from memory_core.document.markdown import Document
from memory_core.document.template import Limits

Age = tuple[float, str]  # confidence from 0 to 1, time of creation
# The age of an item with this text; None for an item of a person.
Ages = Callable[[str], Age | None]


WAITING = "new learnings of agents wait for review"
REPLACING = "each new learning of an agent replaces the least certain one"


class NoRoom(ValueError):
    """A learning for which there is no room; the message is the reason."""


class Excess(NamedTuple):
    """A limit that a document reaches, at a line from 1.

    `amount` and `limit` are bytes, sections or items; `text` is a sentence with the consequence.
    """

    line: int
    amount: int
    limit: int
    text: str


def make_room(
    before: Document, after: Document, text: str, limits: Limits, ages: Ages
) -> tuple[Document, list[tuple[str, str]]]:
    """Evict items from the section of the item `text`, which is new in `after`, if necessary.

    Returns `after` without them, and the evicted items as (section title, text with nested lines).
    The section and the file are then within the limits, or not larger than in `before`.  Raises
    NoRoom.
    """
    size = max(limits.size, _count_bytes(before))
    is_added = len(after.items) > len(before.items)
    evicted: list[tuple[str, str]] = []
    while True:
        title, items = _find_section(after, text)
        too_many = is_added and not evicted and len(items) > limits.items
        if not too_many and _count_bytes(after) <= size:
            return after, evicted
        others = [item for item in items if item.text != text]
        leaving = _find_least_certain(others, ages)
        if leaving is None and too_many:
            raise NoRoom(f"no room: {_format_items(title, len(others), limits)}")
        if leaving is None:
            raise NoRoom(f"no room: the file would have {_format_size(after, limits)}")
        evicted.append((title, join_item(after, leaving)))
        after = edits.remove_items(after, [leaving])


def _find_section(document: Document, text: str) -> tuple[str, list[Item]]:
    """Return title and items of the section of an item; ("", []) for an item above all sections."""
    for section in document.sections:
        if any(item.text == text for item in section.items):
            return section.title, section.items
    return "", []


def join_item(document: Document, item: Item) -> str:
    """Return an item's text with its nested lines."""
    if item.text:
        return markdown.join_nested(item.text, markdown.read_nested(document, item))
    return "\n".join(line.rstrip() for line in document.lines[item.line : item.end])


def _find_least_certain(items: list[Item], ages: Ages) -> Item | None:
    """Return the agent's item with the lowest confidence, and of several the oldest."""
    rated = [(age, item) for item in items if (age := ages(item.text)) is not None]
    return min(rated, key=lambda pair: pair[0])[1] if rated else None


def list_excess(document: Document, limits: Limits, ages: Ages) -> Iterator[Excess]:
    """Yield the limits that a document exceeds, and the full sections without items of agents."""
    size, sections = _count_bytes(document), template.list_counted_sections(document)
    if size > limits.size:
        items = [item for section in sections for item in section.items]
        is_waiting = _describe_effect(items, ages) == WAITING
        effect = WAITING if is_waiting else f"{REPLACING} of its section, or waits for review"
        text = f"the file has {_format_size(document, limits)}: {effect}"
        yield Excess(1, size, limits.size, text)
    if len(sections) > limits.sections:
        text = f"the file has {len(sections)} sections, limit {limits.sections}"
        yield Excess(1, len(sections), limits.sections, f"{text}: agents cannot add another one")
    titles = set(map(markdown.normalize_title, template.TITLE_ORDER))
    for section in sections:
        count = len(section.items)
        if count < limits.items or markdown.normalize_title(section.title) not in titles:
            continue  # agents do not write to sections with other titles
        effect = _describe_effect(section.items, ages)
        if count > limits.items or effect == WAITING:
            text = f"{_format_items(section.title, count, limits)}: {effect}"
            yield Excess(section.line + 1, count, limits.items, text)


def _describe_effect(items: list[Item], ages: Ages) -> str:
    return WAITING if _find_least_certain(items, ages) is None else REPLACING


def _format_items(title: str, count: int, limits: Limits) -> str:
    return f"{title} has {count} items, limit {limits.items}"


def _format_size(document: Document, limits: Limits) -> str:
    return f"{_count_bytes(document)} bytes, limit {limits.size}"


def _count_bytes(document: Document) -> int:
    return template.count_bytes(markdown.render_document(document))
