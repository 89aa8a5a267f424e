"""Read the lines of a report that say which of the given items helped, and which are wrong.

    Used: 17e4, c0de
    Wrong: 17e4 because the flag was renamed

A line counts if its key is one of these two words and it has the id of a given item, or the first
four or more digits of it, or "none".  A list below a key without a value counts item by item.  The
reason is the text behind "because", else the text behind the ids.
"""

from __future__ import annotations

from memory_core.learning import lines
from memory_core.text import sanitize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

USED, WRONG = "used", "wrong"

SHORTEST_ID = 4
MAX_REASON = 200  # characters

_BECAUSE = "because "
_SIGNS = "#*_` \t"  # of headings, bold type and code
_AROUND = " *_`:;,.-=\u2013\u2014\u2713])(["  # a reason
_NOTHING = ("none", "n/a")
_HEX = frozenset("0123456789abcdef")


class Feedback:
    """What a report says about given items, by whole ids.

    `used` has the ids of the items that helped, `wrong` the reasons ("" without one) by id, and
    `rest` the text without these lines.
    """

    def __init__(self) -> None:
        self.used: list[str] = []
        self.wrong: dict[str, str] = {}
        self.rest = ""


def may_judge(text: str) -> bool:
    """Return False for a text without a key at the beginning of a line, as most texts are."""
    low = text.lower()
    for key in (USED, WRONG):
        at = low.find(key)
        while at >= 0:
            start = low.rfind("\n", 0, at) + 1
            if not any(map(str.isalpha, low[start:at])):
                return True
            at = low.find(key, at + 1)
    return False


def read_feedback(text: str, given: Sequence[str]) -> Feedback | None:
    """Return what a report says about the given items, None if it says nothing.

    `given` has the whole ids of the items that the run received.
    """
    feedback, kept = Feedback(), list[str]()
    is_silent = True
    heading, place = "", -1  # a key whose list may follow, and its place in `kept`
    for row in text.split("\n"):
        if not heading and not may_judge(row):
            kept.append(row)
            continue
        key, value = _split_key(row)
        is_item = not key and heading != "" and value != row.strip()
        ids = _find_ids(value, given) if key or is_item else {}
        if ids or (key and value.lower() in _NOTHING):
            _take(feedback, key or heading, value, ids)
            is_silent = False
            if place >= 0 and is_item:
                del kept[place]
            place = -1
            if kept and not kept[-1].strip():
                kept.pop()  # one of the blank lines around
            continue
        if key or row.strip():
            heading, place = (key, len(kept)) if key and not value else ("", -1)
        kept.append(row)
    if is_silent:
        return None
    feedback.rest = "\n".join(kept)
    return feedback


def _split_key(row: str) -> tuple[str, str]:
    """Return USED or WRONG and the text behind it; "" and the text without list signs."""
    bare = lines.remove_bullet(lines.strip_indent(row)).strip(_SIGNS)
    name, _colon, value = lines.split_at_colon(bare)
    key = name.strip(_SIGNS).lower()
    return (key, value.strip(_SIGNS)) if key in (USED, WRONG) else ("", bare)


def _find_ids(value: str, given: Sequence[str]) -> dict[str, int]:
    """Return the given items that a text names, each with the place behind its id."""
    ids: dict[str, int] = {}
    words = "".join(char if char.isalnum() else " " for char in value.lower())
    at = 0
    for word in words.split(" "):
        at += len(word) + 1
        if len(word) >= SHORTEST_ID and _HEX.issuperset(word):
            matching = [key for key in given if key.startswith(word)]
            if len(matching) == 1:
                ids.setdefault(matching[0], at - 1)
    return ids


def _take(feedback: Feedback, key: str, value: str, ids: dict[str, int]) -> None:
    if key == USED:
        feedback.used += [one for one in ids if one not in feedback.used]
        return
    place = value.lower().find(_BECAUSE)
    before = [one for one in ids if place < 0 or ids[one] <= place]
    start = max(ids.values(), default=0) if place < 0 or not before else place + len(_BECAUSE)
    for one in before or ids:
        reason = sanitize.join_visible(value[start:]).strip(_AROUND)
        feedback.wrong.setdefault(one, reason)


def clean_reason(text: str) -> str:
    """Return the reason for a wrong item as it is saved: without secrets, and not too long."""
    from memory_core.secrets import scanner

    return sanitize.shorten(scanner.redact(text), MAX_REASON)
