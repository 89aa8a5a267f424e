"""What an agent recorded: of which type it is, and whether it is a learning at all."""

from __future__ import annotations

TYPES = (
    *("pattern", "architecture", "guideline", "mistake", "strategy"),
    *("integration", "performance", "context", "learning"),
)

# The type of what comes without one.
UNTYPED = "learning"

# "none", "n/a", "todo": nothing of up to this length is a sentence.
TOO_SHORT = 5

_SPELLINGS = {
    **{kind: kind for kind in TYPES},
    **{kind + "s": kind for kind in TYPES},
    "strategies": "strategy",
    "architectural": "architecture",
}

# What may stand around the name of a type.
_DECORATION = "`*_\"'[]<> "

# As much of an unknown type is told.
NAME = 80

# What stands where a learning would, in brackets or not; and no placeholder is longer.
_PLACEHOLDERS = ("content", "your content", "the content", "your learning", "the learning", "xxx")
_INSTRUCTIONS = ("one sentence of at most", "brief description of", "short description of")
_LONGEST = 300


def is_placeholder(kind: str, content: str) -> bool:
    """Tell what only shows where a learning would stand: `[specific pattern]`, `...`."""
    return _stands_for_content(content) or _stands_for_type(kind.strip())


def type_of(name: str) -> str:
    """Return the type that is meant, or "" for an unknown one."""
    return _SPELLINGS.get(name.strip(_DECORATION).lower(), "") if name else UNTYPED


def refusal(name: str, content: str, max_length: int) -> str:
    """Say why a learning is refused; "" for one that is kept."""
    length = len(content)
    if not type_of(name):
        return f"unknown type {name[:NAME]!r}"
    if not length:
        return "no content"
    if length <= TOO_SHORT:
        return f"{length} characters: more than {TOO_SHORT} are needed"
    return f"{length} characters: at most {max_length} are kept" if length > max_length else ""


def _stands_for_content(content: str) -> bool:
    bare = content.strip(" \t\r\n`*_\"'.\u2026").lower()
    if not bare:
        return bool(content.strip())
    if len(bare) > _LONGEST:
        return False
    if _is_bracketed(bare) or bare in _PLACEHOLDERS or bare.startswith(_INSTRUCTIONS):
        return True
    return bare.startswith("your ") and bare.endswith(" here")


def _stands_for_type(kind: str) -> bool:
    """Tell a list of types to choose from, or what stands for one."""
    names = kind.replace("/", ",").split(",")
    if "|" in kind or (len(names) > 2 and all(name and type_of(name) for name in names)):
        return True
    return not type_of(kind) and (_is_bracketed(kind) or not kind.strip(".\u2026"))


def _is_bracketed(text: str) -> bool:
    closing = {"[": "]", "<": ">", "{": "}", "(": ")"}.get(text[0], "")
    return closing != "" and text.find(closing) == len(text) - 1
