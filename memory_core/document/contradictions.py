"""Find items that contradict each other, and decide which of them stays.

An item of a person stays; of two items of agents the more certain one, else the newer one.  Of two
items of people agents receive the newer one, and both stay in the file.  Items of a section to
avoid say what is wrong, so they are compared only with each other.
"""

from __future__ import annotations

from collections.abc import Callable

from memory_core.document import near_duplicates
from memory_core.document.block_reader import Item
from memory_core.document.markdown import Document, Section
from memory_core.text import claims


def find_losers(
    document: Document, rank_of: Callable[[str], tuple[int, float, str]]
) -> list[tuple[Item, Item]]:
    """Return the items that are not delivered, each with the item that contradicts it.

    Of two items the one with the lower rank loses, of equal ones the one above.
    """
    pairs = []
    for items in _group(document):
        for at, later in claims.find_pairs([item.text for item in items]):
            loser, winner = sorted((items[at], items[later]), key=lambda item: rank_of(item.text))
            pairs.append((loser, winner))
    return pairs


def find_rivals(document: Document, text: str, title: str) -> list[tuple[Section, Item]]:
    """Return the items, with their sections, that contradict a text for the section `title`."""
    is_mistake = near_duplicates.is_avoid_section(title)
    return [
        (section, item)
        for section in document.sections
        if near_duplicates.is_avoid_section(section.title) == is_mistake
        for item in section.items
        if claims.contradict(text, item.text)
    ]


def _group(document: Document) -> tuple[list[Item], list[Item]]:
    """Return the items of mistakes, and those of all other sections."""
    groups: tuple[list[Item], list[Item]] = ([], [])
    for section in document.sections:
        groups[not near_duplicates.is_avoid_section(section.title)].extend(section.items)
    return groups
