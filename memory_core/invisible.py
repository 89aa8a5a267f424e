"""What nobody sees in a text: controls, terminal escapes, marks of direction."""

from __future__ import annotations

# Characters that show nothing, or turn the direction of what follows, and are
# no format characters by their category.
UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"

# No terminal escape is longer.
_LONGEST = 80


def take_out(text: str) -> str:
    """Leave of a text what can be seen; blanks of all kinds become a simple one."""
    first, *parts = text.replace("\x9b", "\x1b[").split("\x1b")
    text = first + "".join([_behind_escape(part) for part in parts])
    return text.translate({ord(char): _shown(char) for char in set(text)})


def _shown(char: str) -> str:
    from unicodedata import category

    kind = category(char)
    if kind == "Cf" or char in UNSEEN or "\U000e0100" <= char <= "\U000e01ef":
        return ""
    if kind == "Cs":
        return "\ufffd"
    return " " if kind[0] == "Z" or kind == "Cc" else char


def _behind_escape(part: str) -> str:
    """Return what a terminal would show of a text behind an escape character."""
    if part[:1] == "[":
        ends = [at for at, char in enumerate(part[1:_LONGEST], 1) if "@" <= char <= "~"]
        return part[ends[0] + 1 :] if ends else part[1:]
    if part[:1] == "]" and "\x07" in part:
        return part.partition("\x07")[2]
    return part[1:]
