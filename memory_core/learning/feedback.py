"""Read the lines of a report that say which of the given items helped, and which are wrong.

    Used: 17e4, c0de
    Wrong: 17e4 because the flag was renamed

An id is the beginning, of four or more digits, of the id of one given item; other words are no ids.
A line counts only if it has such an id, or says that there is none.
"""

from __future__ import annotations

from memory_core.learning import lines
from memory_core.text import sanitize, secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

USED, WRONG = "used", "wrong"

SHORTEST_ID = 4
MAX_REASON = 200  # characters

# The words of a key: "Used:", "Memory items used:".
_KEY_WORDS = frozenset(
    (USED, WRONG, "memory", "memories", "item", "items", "id", "ids", "notes", "learnings", "i")
)
_MAX_KEY_WORDS = 4
_SEPARATORS = (" - ", " \u2013 ", " \u2014 ", " = ")  # in place of the colon
_NOTHING = ("none", "nothing", "n/a", "no items", "none of them", "-", "\u2013", "\u2014")
_FILLERS = frozenset(["and", "also", "or", "item", "items", "id", "ids", "plus", "the", "memory"])
_REASON_KEYS = ("why", "reason", "because")
_REASON_WORDS = ("because", "since", "as")
_SIGNS = "#*_` \t"
_AROUND = " \t*_`:;,.-\u2013\u2014=>([{)]}\u2713"  # between the ids and the reason
_HEX = frozenset("0123456789abcdef")


class Feedback:
    """What a report says about given items, by whole ids.

    `used` has the ids of the items that helped, `wrong` the reasons ("" without one) by id, and
    `rest` the text without these lines.
    """

    def __init__(self, given: Sequence[str]) -> None:
        self.used: list[str] = []
        self.wrong: dict[str, str] = {}
        self.rest = ""
        self._given = given

    def find_id(self, word: str) -> str:
        """Return the id of the only given item that a word stands for, or ""."""
        if len(word) < SHORTEST_ID or not _HEX.issuperset(word):
            return ""
        matching = [key for key in self._given if key.startswith(word)]
        return matching[0] if len(matching) == 1 else ""

    def take(self, kind: str, value: str) -> list[str]:
        """Take the value of a line; return the ids in it."""
        if kind == USED:
            value, marker, other = _split_off_wrong(value)
            ids = [key for word, _end in _split_words(value) if (key := self.find_id(word))]
            self.used += [key for key in dict.fromkeys(ids) if key not in self.used]
            return ids + (self.take(WRONG, other) if marker else [])
        taken: list[str] = []
        for part in value.split(";"):
            ids, reason = self._split_reason(part)
            if not ids and taken:  # a semicolon within a reason
                self.add_reason(taken[-1:], part)
            for key in ids:
                self.wrong.setdefault(key, _clean_reason(reason))
            taken += ids
        return taken

    def add_reason(self, ids: list[str], text: str) -> None:
        """Add words to the reason of these items."""
        for key in ids:
            self.wrong[key] = _clean_reason(f"{self.wrong[key]} {text}")

    def _split_reason(self, part: str) -> tuple[list[str], str]:
        """Return the ids at the beginning of a text, and the reason behind them."""
        ids, at = list[str](), 0
        for word, end in _split_words(part):
            key = self.find_id(word)
            is_unknown = len(word) >= SHORTEST_ID and _HEX.issuperset(word) and not word.isalpha()
            if not (key or is_unknown or word in _FILLERS):
                break
            if key:
                ids.append(key)
                at = end
        if ids:
            return ids, part[at:]
        ids = [key for word, _end in _split_words(part) if (key := self.find_id(word))]
        return ids, part.partition(" because ")[2] or part


def read_feedback(text: str, given: Sequence[str]) -> Feedback | None:
    """Return what a report says about the given items, None if it says nothing.

    `given` has the whole ids of the items that the run received.
    """
    feedback = Feedback(given)
    kept: list[str] = []
    gaps: list[int] = []  # places in `kept` where lines are left out
    heading, heading_row = "", -1
    last: list[str] = []  # the items whose reason the next line may continue
    for row in text.split("\n"):
        kind, value = _split_key(row)
        ids = feedback.take(kind or heading, value) if kind or (heading and value) else []
        if ids and not kind and heading_row >= 0:
            del kept[heading_row]  # its list has an item
            gaps.append(heading_row)
        is_reason = last != [] and not ids and _continue_reason(feedback, last, row)
        if ids or is_reason or (kind and value.lower().rstrip(".") in _NOTHING):
            gaps.append(len(kept))
            last = [key for key in ids if key in feedback.wrong] or (last if is_reason else [])
            heading, heading_row = ("", -1) if kind else (heading, -1)
            continue
        if kind or row.strip():
            heading, heading_row = (kind, len(kept)) if kind and not value else ("", -1)
            last = []
        kept.append(row)
    if not gaps:
        return None
    feedback.rest = "\n".join(_close_gaps(kept, gaps))
    return feedback


def _split_key(row: str) -> tuple[str, str]:
    """Return the kind of a line, or "", and the text behind its key, or all of it."""
    bare = lines.remove_bullet(lines.strip_indent(row)).strip(_SIGNS)
    bare = lines.remove_bullet(bare)
    name, colon, value = lines.split_at_colon(bare)
    if not colon:
        signs = [sign for sign in _SEPARATORS if sign in bare]
        name, _sign, value = bare.partition(signs[0]) if signs else (bare, "", "")
    words = name.lower().strip("*_`()[] ").split()
    kinds = [word for word in words if word in (USED, WRONG)]
    if len(kinds) != 1 or len(words) > _MAX_KEY_WORDS or not _KEY_WORDS.issuperset(words):
        return "", bare
    return kinds[0], value.strip(_SIGNS)


def _split_words(text: str) -> Iterator[tuple[str, int]]:
    """Yield the words of a text in small letters, and where each one ends."""
    start = -1
    for at, char in enumerate(f"{text} "):
        if char.isalnum():
            start = at if start < 0 else start
        elif start >= 0:
            yield text[start:at].lower(), at
            start = -1


def _split_off_wrong(value: str) -> tuple[str, str, str]:
    """Split `17e4. Wrong: c0de because ...`, two keys on one line."""
    at = value.lower().find("wrong:")
    return (value[:at], "wrong", value[at + len("wrong:") :]) if at >= 0 else (value, "", "")


def _continue_reason(feedback: Feedback, ids: list[str], row: str) -> bool:
    """Take a line as a part of the reason above it, if it is: indented, or `Reason: ...`."""
    bare = lines.strip_indent(row)
    text = lines.remove_bullet(bare)
    key, value = lines.split_field(text)
    if key in _REASON_KEYS:
        feedback.add_reason(ids, value)
        return True
    if text and text == bare and row[:1] in (" ", "\t"):
        feedback.add_reason(ids, text)
        return True
    return False


def _clean_reason(text: str) -> str:
    """Return a reason as one line without secrets and without the words that lead to it."""
    line = sanitize.join_visible(text)
    is_in_brackets = line.startswith("(")
    line = line.lstrip(_AROUND)
    first, _blank, rest = line.partition(" ")
    line = rest if first.lower().rstrip(":,") in _REASON_WORDS else line
    line = line.rstrip("*_` ").rstrip(")" if is_in_brackets else "")
    return sanitize.shorten(secrets.mask(sanitize.clean_line(line)), MAX_REASON)


def _close_gaps(kept: list[str], gaps: list[int]) -> list[str]:
    """Remove the blank lines and the empty code block that lines left behind."""
    for at in sorted(set(gaps), reverse=True):
        above, below = kept[at - 1 : at], kept[at : at + 1]
        fence = above[0].lstrip()[:3] if above else ""
        if fence in ("```", "~~~") and below and below[0].strip() == fence:
            del kept[at - 1 : at + 1]
            at -= 1
        above, below = kept[at - 1 : at] if at else [""], kept[at : at + 1] or [""]
        if not above[0].strip() and not below[0].strip():
            del kept[at : at + 1]
    return kept
