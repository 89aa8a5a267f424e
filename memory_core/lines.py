"""Ranges of a text and its lines: what those share that look for something in it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    R = TypeVar("R", bound="Range")

# What may stand in front of a line's first word: longer runs are no indentation.
LEAD = 80
MARGIN = " \t>"


class Range:
    """A part of a text, by places."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


def around(ranges: Sequence[R], place: int) -> R | None:
    """Find the one of the ranges, which are sorted, in which a place is."""
    from bisect import bisect_right

    index = bisect_right(ranges, place, key=lambda each: each.start)
    return ranges[index - 1] if index and place < ranges[index - 1].end else None


def places(text: str, word: str) -> Iterator[int]:
    """Find where a word stands, from left to right."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def beginning(text: str, word: str, lead: str = MARGIN) -> Iterator[tuple[int, int]]:
    """Find the lines that begin with a word: where the line starts, and where the word.

    Characters of `lead` may stand in front of it.
    """
    at = text.find(word)
    while at >= 0:
        start = text.rfind("\n", max(0, at - LEAD), at) + 1
        if (start or at <= LEAD) and not text[start:at].strip(lead):
            yield start, at
        next_line = text.find("\n", at)
        at = text.find(word, next_line) if next_line >= 0 else -1


def unified(text: str) -> str:
    """End each line with a line feed, at the same place: a carriage return may, too."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def end(text: str, at: int) -> int:
    """Tell where the next line starts."""
    place = text.find("\n", at)
    return len(text) if place < 0 else place + 1


def is_blank(text: str) -> bool:
    return not text.strip(MARGIN + "\r\n")


def is_quoted(line: str) -> bool:
    return line.lstrip(" \t")[:1] == ">"
