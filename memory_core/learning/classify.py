"""Check the type and the content of a learning."""

from __future__ import annotations

# The type of a learning without a type, or with an unknown one in a report.
DEFAULT_TYPE = "learning"

# The types of document/template.py, repeated so that most reports do not import it.
TYPES = (
    *("pattern", "architecture", "guideline", "mistake", "strategy"),
    *("integration", "performance", "context"),
    *("best-practice", "anti-pattern", "tool-usage", "workflow", DEFAULT_TYPE),
)

# A content of up to this length is not a sentence: "none", "n/a", "todo".
TOO_SHORT = 5

# How the recording note's placeholder begins, for a report that lost its brackets.
NOTE_SAMPLE = "one sentence of at most"

_SPELLINGS = {
    **{kind: kind for kind in TYPES},
    **{kind + "s": kind for kind in TYPES},
    "strategies": "strategy",
}

# Characters around the name of a type.
_DECORATION = "`*_\"'[]<>(). "

# Characters of an unknown type in a reason.
_MAX_NAME = 80

_BRACKETS = {"[": "]", "<": ">", "{": "}", "(": ")"}


def is_placeholder(kind: str, content: str) -> bool:
    """Check for a placeholder: text in brackets, only dots, types to choose from."""
    bare = content.strip(" \t\r\n`*_\"'.\u2026")
    if not bare:
        return bool(content.strip())
    is_kind_open = "|" in kind or (not type_of(kind) and _is_bracketed(kind.strip("`*_ ")))
    return is_kind_open or _is_bracketed(bare) or bare.lower().startswith(NOTE_SAMPLE)


def type_of(name: str) -> str:
    """Return the type for a name in any spelling, "" for an unknown type."""
    words = name.strip(_DECORATION).lower().replace("_", " ").replace("-", " ").split()
    return _SPELLINGS.get("-".join(words), "") if name else DEFAULT_TYPE


def check_learning(name: str, content: str, max_length: int) -> str:
    """Return the reason for rejecting a learning, "" if it is valid."""
    length = len(content)
    if not type_of(name):
        return f"unknown type {name[:_MAX_NAME]!r}"
    if not length:
        return "no content"
    if length <= TOO_SHORT:
        noun = "character" if length == 1 else "characters"
        return f"{length} {noun}: at least {TOO_SHORT + 1} are required"
    return f"{length} characters: at most {max_length} are allowed" if length > max_length else ""


def _is_bracketed(text: str) -> bool:
    closing = _BRACKETS.get(text[:1], "")
    return closing != "" and text.find(closing) == len(text) - 1
