"""Ranges of a text, and its lines: helpers for the searches in a report."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    R = TypeVar("R", bound="TextRange")

# Characters that may precede the first word of a line; a longer run is not an indentation.
MAX_INDENT = 80
INDENT_CHARS = " \t>"


class TextRange:
    """A part of a text from `start` to before `end`."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


def find_enclosing(ranges: Sequence[R], place: int) -> R | None:
    """Return the range that contains a place, or None; `ranges` are sorted."""
    from bisect import bisect_right

    index = bisect_right(ranges, place, key=lambda text_range: text_range.start)
    return ranges[index - 1] if index and place < ranges[index - 1].end else None


def find_all(text: str, word: str) -> Iterator[int]:
    """Yield the places of a word, from left to right."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def find_lines(text: str, word: str, lead: str = INDENT_CHARS) -> Iterator[tuple[int, int]]:
    """Yield (start of the line, place of the word) of all lines that begin with a word.

    Characters of `lead` may precede the word.
    """
    at = text.find(word)
    while at >= 0:
        start = text.rfind("\n", max(0, at - MAX_INDENT), at) + 1
        if (start or at <= MAX_INDENT) and not text[start:at].strip(lead):
            yield start, at
        next_line = text.find("\n", at)
        at = text.find(word, next_line) if next_line >= 0 else -1


def unify_line_ends(text: str) -> str:
    """Replace carriage returns so that every line ends with a line feed; no place moves."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def find_next_line(text: str, at: int) -> int:
    """Return where the next line starts, or the end of the text."""
    place = text.find("\n", at)
    return len(text) if place < 0 else place + 1


def is_blank(text: str) -> bool:
    return not text.strip(INDENT_CHARS + "\r\n")


def is_quoted(line: str) -> bool:
    return line.lstrip(" \t")[:1] == ">"
