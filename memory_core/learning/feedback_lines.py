"""Find the lines of a report that say which of the given items helped, and which are wrong.

    Used: 17e4, c0de
    Wrong: 17e4 because the flag was renamed

A line counts if its key is one of these two words and it has the id of a given item, or the first
four or more digits of it, or "none".  A list below a key without a value counts item by item.
"""

from __future__ import annotations

from memory_core.learning import lines

# USED or WRONG, the text behind it, and the given items that it names, each with the place behind
# its id.
Judgement = tuple[str, str, dict[str, int]]

USED, WRONG = "used", "wrong"

SHORTEST_ID = 4

_SIGNS = "#*_` \t"  # of headings, bold type and code
_NOTHING = ("none", "n/a")


def find_judgements(text: str, given: list[str]) -> tuple[list[Judgement], str]:
    """Return what a text says about the given items, and the text without these lines.

    `given` has the whole ids of the items that the run received.
    """
    judgements: list[Judgement] = []
    kept: list[str] = []
    heading, place = "", -1  # a key whose list may follow, and its place in `kept`
    for row in text.split("\n"):
        key, value = _split_key(row)
        is_item = not key and heading != "" and value != row.strip()
        ids = _find_ids(value, given) if key or is_item else {}
        if ids or (key and value.lower() in _NOTHING):
            judgements.append((key or heading, value, ids))
            if place >= 0 and is_item:
                del kept[place]
            place = -1
            if kept and not kept[-1].strip():
                kept.pop()  # one of the blank lines around
            continue
        if key or row.strip():
            heading, place = (key, len(kept)) if key and not value else ("", -1)
        kept.append(row)
    return judgements, "\n".join(kept)


def _split_key(row: str) -> tuple[str, str]:
    """Return USED or WRONG and the text behind it; "" and the text without list signs."""
    bare = lines.remove_bullet(lines.strip_indent(row)).strip(_SIGNS)
    name, _colon, value = lines.split_at_colon(bare)
    key = name.strip(_SIGNS).lower()
    return (key, value.strip(_SIGNS)) if key in (USED, WRONG) else ("", bare)


def _find_ids(value: str, given: list[str]) -> dict[str, int]:
    """Return the given items that a text names, each with the place behind its id."""
    ids: dict[str, int] = {}
    words = "".join(char if char.isalnum() else " " for char in value.lower())
    at = 0
    for word in words.split(" "):
        at += len(word) + 1
        matching = [key for key in given if key.startswith(word)]
        if len(word) >= SHORTEST_ID and len(matching) == 1:
            ids.setdefault(matching[0], at - 1)
    return ids
