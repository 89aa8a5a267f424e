"""Find items that contradict each other, and decide which of them stays.

An item of a person stays; of two items of agents the more certain one, else the newer one.  Two
items of people both stay.  Items below `Common Mistakes to Avoid` say what is wrong, so they are
compared only with each other.
"""

from __future__ import annotations

from memory_core.document import markdown
from memory_core.text import claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.document.block_reader import Item
    from memory_core.document.eviction import Age, Ages
    from memory_core.document.markdown import Document, Section
    from memory_core.text.claims import ClaimCache

MISTAKES = "common mistakes to avoid"  # as in `template`, which recall need not import


def find_losers(document: Document, ages: Ages) -> list[tuple[Item, Item]]:
    """Return the items that are not delivered, each with the item that contradicts it."""
    pairs = []
    for items in _group(document):
        for at, later in claims.find_pairs([item.text for item in items]):
            one, other = items[at], items[later]
            loser = choose_loser(ages(one.text), ages(other.text))
            if loser is not None:
                pairs.append((other, one) if loser else (one, other))
    return pairs


def choose_loser(first: Age | None, second: Age | None) -> int | None:
    """Return 0 or 1: which of two items loses; None if both are of people, whose age is None."""
    if first is None or second is None:
        return None if first is second else int(first is None)
    return int(second < first)


def find_rivals(
    document: Document, text: str, title: str, cache: ClaimCache
) -> list[tuple[Section, Item]]:
    """Return the items, with their sections, that contradict a text for the section `title`."""
    is_mistake = _is_mistakes(title)
    return [
        (section, item)
        for section in document.sections
        if _is_mistakes(section.title) == is_mistake
        for item in section.items
        if cache.contradict(text, item.text)
    ]


def _group(document: Document) -> tuple[list[Item], list[Item]]:
    """Return the items of mistakes, and those of all other sections."""
    groups: tuple[list[Item], list[Item]] = ([], [])
    for section in document.sections:
        groups[not _is_mistakes(section.title)].extend(section.items)
    return groups


def _is_mistakes(title: str) -> bool:
    return markdown.normalize_title(title) == MISTAKES
