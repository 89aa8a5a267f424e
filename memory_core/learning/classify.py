"""Check the type and the content of a learning."""

from __future__ import annotations

from memory_core.learning.type_names import (
    DECORATION,
    TOO_SHORT,
    is_bracketed,
    is_placeholder,
    type_of,
)
from memory_core.text.sanitize import clean_line, shorten

# Exactly this, in place of a learning, says that there is none.
_NOTHING = {
    *("no", "none", "nothing", "n/a", "nothing new", "nothing to add", "nothing to record"),
    *("no learnings", "no new learnings", "no new findings", "no findings", "no memory updates"),
}
EMPTY_REASON = "it may say nothing about the project"

_QUOTES = (('"', '"'), ("'", "'"), ("\u201c", "\u201d"), ("**", "**"))

# Characters of an unknown type.
_MAX_NAME = 80


def remove_quotes(text: str) -> str:
    """Remove quotation marks or bold type around all of a text."""
    bare = text.removesuffix(".")
    for opening, closing in _QUOTES:
        inner = bare.removeprefix(opening).removesuffix(closing)
        is_around = len(inner) == len(bare) - len(opening + closing)
        if is_around and opening not in inner and closing not in inner:
            return inner
    return text


def is_blank(line: str) -> bool:
    """Check for a nested line that says nothing: "Why: [the reason]", "See: none"."""
    value = line.partition(": ")[2]
    return _says_nothing(value) or is_placeholder(value)


def clean_type(name: str) -> str:
    """Return the type for a name, or an unknown name itself, as a short line."""
    line = clean_line(name).strip(DECORATION)
    return type_of(line) or shorten(line, _MAX_NAME)


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


def check_report(kind: str, texts: list[str], max_length: int) -> str:
    """Return the reason for rejecting a content with its nested lines, "" if it is valid."""
    if not type_of(kind) and is_bracketed(kind.strip("`*_ ")):
        return "the type is a placeholder"
    if (texts[0].isascii() and texts[0].isupper()) or _says_nothing(texts[0]):
        return EMPTY_REASON
    return check_learning("", max(texts, key=len) if texts[0] else "", max_length)


def _says_nothing(text: str) -> bool:
    return text.strip(" .").lower() in _NOTHING
