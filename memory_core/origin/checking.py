"""Find the texts that wait for a person because of their words, with the reason to show.

Words only sort.  A text from outside waits if its words weigh like an order to agents
(`word_weights`); any text waits if it makes a demand in one of a few exact forms (`forms.txt`).
docs/security.md has the limits, and `make trust-report` measures it.
"""

from __future__ import annotations

import os

from memory_core.origin import word_weights
from memory_core.secrets import scanner

# How the reason of a text begins that waits because of its words.
REASON = "may be poisoned"
ORDER = "reads like an order to agents"

# Characters of a text that are read.
MAX_LENGTH = 20_000


def find_reason(text: str, is_outside: bool = True) -> str:
    """Return why a text has to wait for a person, "" for most.

    `is_outside`: it is not from a person on this machine, or an agent that read nothing else.
    """
    text = text[:MAX_LENGTH]
    demands = find_demands(text)
    if is_outside and not demands:
        demands = [ORDER] if word_weights.rate(text) >= 1 else []
    return f"{REASON}: {', '.join(demands)}" if demands else ""


def hold(text: str) -> tuple[str, str]:
    """Return a text from outside without its secrets, and why it has to wait, "" for most."""
    clean = scanner.redact(text)
    return clean, scanner.REASON if clean != text else find_reason(text)


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


def find_demands(text: str) -> list[str]:
    """Return the demands of a text, as a person reads them."""
    low = text.lower()
    words = split_text(low)
    demands = ["has hidden characters"] if has_hidden(text) else []
    demands += [PATTERNS[sign][0][0] for sign in SIGNS if sign[1:] in low]
    demands += [
        reason
        for at, word in enumerate(words)
        for reason, pattern in PATTERNS.get(word, ())
        if has_pattern(words, at, pattern) and NEGATIONS.isdisjoint(words[max(0, at - NEAR) : at])
    ]
    return list(dict.fromkeys(demands))


def split_text(low: str) -> list[str]:
    """Return the words of a text, and the signs that join commands.

    A word in quotes keeps the first one: who quotes an order does not give it.
    """
    low = low.replace("\u2019", "'").replace("...", " ").replace("\u2026", " ")
    for joint in JOINTS:
        low = low.replace(joint, f" {joint} ")
    words = low.replace(" |  | ", " || ").split()
    return [word.lstrip(BEFORE_WORDS).rstrip(BEHIND_WORDS) or word for word in words]


def has_pattern(words: list[str], at: int, pattern: list[str]) -> bool:
    """Check whether the parts of a pattern stand at a place of a text."""
    if not pattern:
        return True
    part, *rest = pattern
    if part in GAPS:
        return any(has_pattern(words, at + gap, rest) for gap in GAPS[part])
    word = words[at] if at < len(words) else ""
    fits = any(one[1:] in word if one[0] == INSIDE else one == word for one in part.split(","))
    return fits and has_pattern(words, at + 1, rest)


def has_hidden(text: str) -> bool:
    """Check for characters whose only use is to hide text from a reader, or to turn it around."""
    tags = sum("\U000e0020" <= char <= "\U000e007e" for char in text)  # flags have up to six
    return tags > 6 or text.count("\u200b") > 2 or "\u202d" in text or "\u202e" in text


def read_forms() -> list[list[str]]:
    """Return the entries of the file: reason, source, example, patterns.  Raises OSError."""
    with open(PATH, encoding="utf-8") as file:
        return [entry.split("\n") for entry in file.read().strip().split("\n\n")[1:]]


def index_forms() -> dict[str, list[tuple[str, list[str]]]]:
    """Return the reasons and patterns by the words of their first part."""
    patterns: dict[str, list[tuple[str, list[str]]]] = {}
    for reason, _source, _example, *lines in read_forms():
        for pattern in map(str.split, lines):
            for word in pattern[0].split(","):
                patterns.setdefault(word, []).append((reason, pattern))
    return patterns


PATTERNS = index_forms()
SIGNS = [word for word in PATTERNS if word[0] == INSIDE]
