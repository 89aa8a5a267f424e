"""JSON objects between the lines of a text."""

from __future__ import annotations

from memory_core import fastjson, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Objects nested deeper than this are data, not learnings.
_DEPTH = 50


def find(text: str, key: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Find the outermost objects with the key that stand on lines of their own.

    Gives the range of whole lines and what the object holds.
    """
    for start, end in _balanced(text, {at for _, at in lines.beginning(text, "{")}):
        line_end = lines.end(text, end)
        if text.find(f'"{key}"', start, end) < 0 or not lines.is_blank(text[end:line_end]):
            continue
        line = text.rfind("\n", 0, start) + 1
        value = _decoded(text[line:line_end])
        if isinstance(value, dict) and key in value:
            yield line, line_end, value


def _decoded(text: str) -> object:
    if lines.is_quoted(text):
        text = "\n".join([line.lstrip(lines.MARGIN) for line in text.split("\n")])
    try:
        return fastjson.loads(text)
    except ValueError:
        return None


def _balanced(text: str, starts: set[int]) -> list[tuple[int, int]]:
    """Find the outermost closed braces from one of `starts`, in one pass.

    Only strings and braces are looked at; whether it is JSON the decoder decides.
    """
    closed: list[tuple[int, int]] = []
    opened: list[int] = []
    at, before = 0, ""
    for place in sorted([at for sign in '"{}' for at in lines.places(text, sign)]):
        if place < at or not (opened or place in starts):
            continue
        sign = text[place]
        at = _string_end(text, place) if sign == '"' else place
        if opened and (at < 0 or sign == before == "{" or len(opened) > _DEPTH):
            opened.clear()  # no JSON, for there a name follows a brace: begin anew
        if sign == "{" and (opened or place in starts):
            opened.append(place)
        elif sign == "}" and opened:
            _close(closed, opened.pop(), place + 1, starts)
        before = sign
    return closed


def _close(closed: list[tuple[int, int]], start: int, end: int, starts: set[int]) -> None:
    """Add a range in place of those that are in it."""
    if start in starts:
        while closed and closed[-1][0] > start:
            closed.pop()
        closed.append((start, end))


def _string_end(text: str, quote: int) -> int:
    """Find the end of a JSON string, or -1: it has one, and on its own line."""
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
