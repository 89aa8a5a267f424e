"""JSON objects on lines of their own in a text."""

from __future__ import annotations

from memory_core.learning import line_ranges
from memory_core.text import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Objects nested deeper than this are data, not learnings.
_DEPTH = 50


def find(text: str, key: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield (start, end, value) of the outermost objects that contain a key.

    Only objects on lines of their own count; the range covers whole lines.
    """
    for start, end in _find_braces(text, {at for _, at in line_ranges.find_lines(text, "{")}):
        line_end = line_ranges.find_next_line(text, end)
        if text.find(f'"{key}"', start, end) < 0 or not line_ranges.is_blank(text[end:line_end]):
            continue
        line = text.rfind("\n", 0, start) + 1
        value = _decode(text[line:line_end])
        if isinstance(value, dict) and key in value:
            yield line, line_end, value


def _decode(text: str) -> object:
    if line_ranges.is_quoted(text):
        text = "\n".join([line.lstrip(line_ranges.INDENT_CHARS) for line in text.split("\n")])
    try:
        return fastjson.loads(text)
    except ValueError:
        return None


def _find_braces(text: str, starts: set[int]) -> list[tuple[int, int]]:
    """Find the outermost pairs of braces that open at one of `starts`, in one pass.

    Only strings and braces are checked; the decoder decides whether it is JSON.
    """
    closed: list[tuple[int, int]] = []
    opened: list[int] = []
    at, before = 0, ""
    for place in sorted([at for sign in '"{}' for at in line_ranges.find_all(text, sign)]):
        if place < at or not (opened or place in starts):
            continue
        sign = text[place]
        at = _find_string_end(text, place) if sign == '"' else place
        if opened and (at < 0 or sign == before == "{" or len(opened) > _DEPTH):
            opened.clear()  # not JSON, where a name follows a brace: start again
        if sign == "{" and (opened or place in starts):
            opened.append(place)
        elif sign == "}" and opened:
            _close(closed, opened.pop(), place + 1, starts)
        before = sign
    return closed


def _close(closed: list[tuple[int, int]], start: int, end: int, starts: set[int]) -> None:
    """Add a range and remove the ranges inside it."""
    if start in starts:
        while closed and closed[-1][0] > start:
            closed.pop()
        closed.append((start, end))


def _find_string_end(text: str, quote: int) -> int:
    """Return the end of a JSON string, or -1 if it does not end on its line."""
    at = quote
    while True:
        end = text.find('"', at + 1)
        if end < 0 or text.find("\n", at, end) >= 0:
            return -1
        if not _is_escaped(text, end):
            return end + 1
        at = end


def _is_escaped(text: str, at: int) -> bool:
    first = at
    while text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1
