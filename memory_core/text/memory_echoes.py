"""Find memory blocks in a prompt that carries one, or in a text that repeats one."""

from __future__ import annotations

from memory_core.text.memory_tags import BLOCK_TAG

# The mark in the tags of a block: hexadecimal digits.
MARK_LENGTH = 10
HEX_DIGITS = frozenset("0123456789abcdef")


def has_block(text: str) -> bool:
    """Check whether a prompt already carries a memory."""
    return find_blocks(text) != []


def find_blocks(text: str) -> list[tuple[int, int]]:
    """Return where each memory block begins, and where its closing tag does.

    Blocks of older versions have no mark.
    """
    closings: dict[str, list[int]] = {}
    for at, mark in reversed(_list_tags(text, f"</{BLOCK_TAG}", ">")):
        closings.setdefault(mark, []).append(at)
    blocks: list[tuple[int, int]] = []
    end = 0
    for at, mark in _list_tags(text, f"<{BLOCK_TAG}", " agent=") if closings else ():
        places = closings.get(mark, [])
        while places and places[-1] < at:
            places.pop()
        if places and at >= end:
            end = places[-1]
            blocks.append((at, end))
    return blocks


def _list_tags(text: str, begin: str, behind: str) -> list[tuple[int, str]]:
    """Return the places of tags, each with its mark, which is "" in an older version."""
    tags: list[tuple[int, str]] = []
    at = text.find(begin)
    while at >= 0:
        start = at + len(begin)
        mark = text[start : start + 1 + MARK_LENGTH] if text[start : start + 1] == "-" else ""
        if HEX_DIGITS.issuperset(mark[1:]) and text.startswith(behind, start + len(mark)):
            tags.append((at, mark))
        at = text.find(begin, at + 1)
    return tags
