"""Find demands that have the same form everywhere in a text; `forms.txt` lists them."""

from __future__ import annotations

import os

PATH = os.path.join(os.path.dirname(__file__), "forms.txt")

# Behind one of these, with at most three words between, a form is a warning.
NEGATIONS = frozenset(("never", "not", "don't", "avoid", "cannot"))
NEAR = 4

# How many words stand in a gap of a pattern.
GAPS = {"..": range(4), "+": range(1, 9)}

JOINTS = ("|", "$(", "<(", ">>", "&&", ";")
BEFORE_WORDS, BEHIND_WORDS = "`*_([{", "\"'`*_.,:!?)]}\u201d"

# Begins a part of a pattern that a word has to contain.
INSIDE = "%"


def find(text: str) -> list[str]:
    """Return the demands of a text, as a person reads them."""
    low = text.lower()
    words = split(low)
    demands = ["has hidden characters"] if has_hidden(text) else []
    demands += [PATTERNS[sign][0][0] for sign in SIGNS if sign[1:] in low]
    demands += [
        reason
        for at, word in enumerate(words)
        for reason, pattern in PATTERNS.get(word, ())
        if matches(words, at, pattern) and NEGATIONS.isdisjoint(words[max(0, at - NEAR) : at])
    ]
    return list(dict.fromkeys(demands))


def split(low: str) -> list[str]:
    """Return the words of a text, and the signs that join commands.

    A word in quotes keeps the first one: who quotes an order does not give it.
    """
    low = low.replace("\u2019", "'").replace("...", " ").replace("\u2026", " ")
    for joint in JOINTS:
        low = low.replace(joint, f" {joint} ")
    words = low.replace(" |  | ", " || ").split()
    return [word.lstrip(BEFORE_WORDS).rstrip(BEHIND_WORDS) or word for word in words]


def matches(words: list[str], at: int, pattern: list[str]) -> bool:
    """Check whether the parts of a pattern stand at a place of a text."""
    if not pattern:
        return True
    part, *rest = pattern
    if part in GAPS:
        return any(matches(words, at + gap, rest) for gap in GAPS[part])
    word = words[at] if at < len(words) else ""
    fits = any(one[1:] in word if one[0] == INSIDE else one == word for one in part.split(","))
    return fits and matches(words, at + 1, rest)


def has_hidden(text: str) -> bool:
    """Check for characters whose only use is to hide text from a reader, or to turn it around."""
    tags = sum("\U000e0020" <= char <= "\U000e007e" for char in text)  # flags have up to six
    return tags > 6 or text.count("\u200b") > 2 or "\u202d" in text or "\u202e" in text


def read() -> list[list[str]]:
    """Return the blocks of the file: reason, source, example, patterns.  Raises OSError."""
    with open(PATH, encoding="utf-8") as file:
        return [block.split("\n") for block in file.read().strip().split("\n\n")[1:]]


def index() -> dict[str, list[tuple[str, list[str]]]]:
    """Return the reasons and patterns by the words of their first part."""
    patterns: dict[str, list[tuple[str, list[str]]]] = {}
    for reason, _source, _example, *lines in read():
        for pattern in map(str.split, lines):
            for word in pattern[0].split(","):
                patterns.setdefault(word, []).append((reason, pattern))
    return patterns


PATTERNS = index()
SIGNS = [word for word in PATTERNS if word[0] == INSIDE]
