"""Take a change of a text back after the text was changed again, and keep the later changes."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from memory_core.document import markdown
from memory_core.text import markdown_lines, similarity


class TextChanged(ValueError):
    """A part of the change was changed again; the message is its text."""


class TextPart(NamedTuple):
    """A line, or an item with its nested lines and the `key` of its words."""

    lines: str
    key: str
    text: str
    is_heading: bool = False


def revert_change(before: str, after: str, now: str) -> str:
    """Return `now` without the change from `before` to `after`.

    Raises TextChanged if a part that the change wrote is not as it was, unless it is gone and
    replaced nothing, or if an item that comes back is there already.
    """
    old, new, present = (list(_split(text)) for text in (before, after, now))
    places, reworded = _align(new, present)
    removed, added = set[int](), dict[int, list[TextPart]]()
    for tag, begin, end, other, other_end in _compare(new, old).get_opcodes():
        if tag == "equal":
            continue
        for at in range(begin, end):
            is_changed = tag == "replace" or at in reworded or new[at] in present
            if at not in places and new[at].text and is_changed:
                raise TextChanged(new[at].text)
        removed |= {places[at] for at in range(begin, end) if at in places}
        above = next((places[at] + 1 for at in reversed(range(begin)) if at in places), 0)
        added.setdefault(above, []).extend(old[other:other_end])
    # An item that comes back must not be there already.
    keys = {part.key for part in present} - {part.key for part in new}
    for part in (part for parts in added.values() for part in parts):
        if part.key and part.key in keys:
            raise TextChanged(part.text)
    removed -= _list_needed(present, removed, {*places.values()})
    parts = []
    for at in range(len(present) + 1):
        parts += added.get(at, [])
        parts += present[at : at + 1] if at not in removed else []
    return _join(parts, now)


def _compare(one: list[TextPart], other: list[TextPart]) -> SequenceMatcher[TextPart]:
    return SequenceMatcher(None, one, other, autojunk=False)


def _align(new: list[TextPart], present: list[TextPart]) -> tuple[dict[int, int], set[int]]:
    """Return where parts are now, and which have others in their place."""
    places, reworded = dict[int, int](), set[int]()
    for tag, begin, end, other, other_end in _compare(new, present).get_opcodes():
        if tag == "equal":
            places |= zip(range(begin, end), range(other, other_end), strict=True)
        elif tag == "replace":
            reworded |= {*range(begin, end)}
    return places, reworded


def _list_needed(parts: list[TextPart], removed: set[int], aligned: set[int]) -> set[int]:
    """Return the removed headings of parts that are not aligned, with the blank lines around."""
    needed, has_parts = set[int](), False
    for at in reversed(range(len(parts))):
        if parts[at].is_heading:
            if has_parts and at in removed:
                blanks = [other for other in (at - 1, at + 1) if not parts[other].text]
                needed |= {at, *blanks}
            has_parts = False
        else:
            has_parts |= bool(parts[at].text) and at not in aligned
    return needed


def _split(text: str) -> Iterator[TextPart]:
    document = markdown.parse_document(text)
    lines = [line.rstrip("\r\n") for line in document.lines]
    items = {item.line: item for item in document.items}
    headings = {heading.line for heading in document.headings}
    at = 0
    while at < len(lines):
        item = items.get(at)
        if item:
            whole = "\n".join(lines[at : item.end])
            yield TextPart(whole, similarity.normalize_text(item.text), item.text)
        else:
            yield TextPart(lines[at], "", lines[at].strip(), at in headings)
        at = item.end if item else at + 1


def _join(parts: list[TextPart], now: str) -> str:
    """Return the text with the line ends of the present one."""
    end = markdown_lines.find_line_end(now)
    lines = [line for part in parts for line in part.lines.split("\n")]
    return end.join(lines) + (end if lines and now.endswith(("\n", "\r")) else "")
