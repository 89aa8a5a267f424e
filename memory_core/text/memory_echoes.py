"""Find memory blocks in a prompt that carries one, or in a text that repeats one."""

from __future__ import annotations

from memory_core.text.memory_tags import BLOCK_TAG

# The mark in the tags of a block: hexadecimal digits.
MARK_LENGTH = 10
HEX_DIGITS = frozenset("0123456789abcdef")
NO_MARK = "?"


def has_block(text: str) -> bool:
    """Check whether a prompt already carries a memory."""
    return find_blocks(text) != []


def find_blocks(text: str) -> list[tuple[int, int]]:
    """Return where each memory block begins, and where its closing tag does.

    Blocks of older versions have no mark.
    """
    opening, closing = f"<{BLOCK_TAG}", f"</{BLOCK_TAG}"
    blocks: list[tuple[int, int]] = []
    closings: dict[str, list[int]] = {}
    at = text.rfind(closing)
    while at >= 0:
        closings.setdefault(_read_mark(text, at + len(closing), ">"), []).append(at)
        at = text.rfind(closing, 0, at)
    at = text.find(opening) if closings else -1
    while at >= 0:
        mark = _read_mark(text, at + len(opening), " agent=")
        places = closings.get(mark, [])
        while places and places[-1] < at:
            places.pop()
        if mark != NO_MARK and places:
            blocks.append((at, places[-1]))
            at = places[-1]
        at = text.find(opening, at + 1)
    return blocks


def _read_mark(text: str, at: int, behind: str) -> str:
    """Return the mark of a tag, "" in an older version, NO_MARK if the tag is another one."""
    mark = text[at : at + 1 + MARK_LENGTH] if text[at : at + 1] == "-" else ""
    is_mark = HEX_DIGITS.issuperset(mark[1:]) and text.startswith(behind, at + len(mark))
    return mark if is_mark else NO_MARK
