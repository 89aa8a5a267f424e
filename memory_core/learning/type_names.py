"""The types of learnings in any spelling, and placeholders in place of a content."""

from __future__ import annotations

# The type of a learning without a type.
DEFAULT_TYPE = "learning"

# The types of document/template.py, repeated so that hooks do not import it.
TYPES = (
    *("pattern", "architecture", "guideline", "mistake", "strategy"),
    *("integration", "performance", "context"),
    *("best-practice", "anti-pattern", "tool-usage", "workflow", DEFAULT_TYPE),
)
_SPELLINGS = {f"{name}{ending}": name for name in TYPES for ending in ("", "s")}
_SPELLINGS["strategies"] = "strategy"

# A content of up to this length is not a sentence: "none", "n/a", "todo".
TOO_SHORT = 5

# How the recording note's placeholder begins, for a report that lost its brackets.
NOTE_SAMPLE = "one sentence of at most"

# A longer text in square brackets is a placeholder only if it has one of these words.
_FILLERS = {"sentence", "characters", "optional", "describe", "learning", "learned"}
_SHORT = 3  # words

# Characters around the name of a type.
DECORATION = "`*_\"'\u201c\u201d[]<>(),. "

_BRACKETS = {"[": "]", "<": ">", "{": "}", "(": ")"}


def type_of(name: str) -> str:
    """Return the type for a name in any spelling, "" for an unknown type."""
    bare = name.strip(DECORATION).partition(" (")[0].lower()
    words = bare.replace("_", " ").replace("-", " ").split()
    return _SPELLINGS.get("-".join(words), "") if name else DEFAULT_TYPE


def is_placeholder(content: str) -> bool:
    """Check for a placeholder: text in brackets, only dots, or nothing.

    Square brackets may also stand around a learning, as in the note: it has more than three words
    or a path, and no word of a filler.
    """
    bare = content.strip(" \t\r\n`*_\"'.\u2026")
    low = bare.lower()
    if is_bracketed(bare):
        words = low[1:-1].replace(",", "").split()
        is_short = len(words) <= _SHORT and "/" not in low
        return bare[0] != "[" or is_short or not _FILLERS.isdisjoint(words)
    return low.startswith(NOTE_SAMPLE) or NOTE_SAMPLE.startswith(low)


def is_bracketed(text: str) -> bool:
    """Check for brackets around all of a text."""
    closing = _BRACKETS.get(text[:1], "")
    return closing != "" and text.find(closing) == len(text) - 1
