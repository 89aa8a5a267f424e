"""Check the type and the content of a learning."""

from __future__ import annotations

# The type of a learning without a type.
DEFAULT_TYPE = "learning"

# The types of document/template.py, repeated so that most reports do not import it.
TYPES = (
    *("pattern", "architecture", "guideline", "mistake", "strategy"),
    *("integration", "performance", "context"),
    *("best-practice", "anti-pattern", "tool-usage", "workflow", DEFAULT_TYPE),
)

# A content of up to this length is not a sentence: "none", "n/a", "todo".
TOO_SHORT = 5

# Exactly this, in place of a learning, says that there is none.
_NOTHING = {
    *("no", "none", "nothing", "n/a", "nothing new", "nothing to add", "nothing to record"),
    *("no learnings", "no new learnings", "no new findings", "no findings", "no memory updates"),
}
EMPTY_REASON = "it may say nothing about the project"

# How the recording note's placeholder begins, for a report that lost its brackets.
NOTE_SAMPLE = "one sentence of at most"

_SPELLINGS = {"strategies": "strategy", **{kind + "s": kind for kind in TYPES}}

# Characters around the name of a type.
_DECORATION = "`*_\"'\u201c\u201d[]<>(),. "

# Characters of an unknown type.
_MAX_NAME = 80

_BRACKETS = {"[": "]", "<": ">", "{": "}", "(": ")"}


def is_placeholder(content: str) -> bool:
    """Check for a placeholder: text in brackets, or only dots."""
    bare = content.strip(" \t\r\n`*_\"'.\u2026")
    if not bare:
        return bool(content.strip())
    low = bare.lower()
    is_sample = low.startswith(NOTE_SAMPLE) or NOTE_SAMPLE.startswith(low)
    return is_sample or _is_bracketed(bare)


def is_blank(line: str) -> bool:
    """Check for a nested line that says nothing: "Why: [the reason]", "See: none"."""
    value = line.partition(": ")[2]
    return _says_nothing(value) or is_placeholder(value)


def type_of(name: str) -> str:
    """Return the type for a name in any spelling, "" for an unknown type."""
    if name in TYPES:  # without more work for the usual spelling
        return name
    words = (
        name.strip(_DECORATION)
        .partition(" (")[0]
        .lower()
        .replace("_", " ")
        .replace("-", " ")
        .split()
    )
    kind = "-".join(words)
    return _SPELLINGS.get(kind, kind if kind in TYPES else "") if name else DEFAULT_TYPE


def clean_type(name: str) -> str:
    """Return the type for a name, or an unknown name itself, as a short line."""
    if name in TYPES:
        return name
    from memory_core.text.sanitize import clean_line, shorten

    line = clean_line(name).strip(_DECORATION)
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
    if not type_of(kind) and _is_bracketed(kind.strip("`*_ ")):
        return "the type is a placeholder"
    if (texts[0].isascii() and texts[0].isupper()) or _says_nothing(texts[0]):
        return EMPTY_REASON
    return check_learning("", max(texts, key=len) if texts[0] else "", max_length)


def _says_nothing(text: str) -> bool:
    return text.strip(" .").lower() in _NOTHING


def _is_bracketed(text: str) -> bool:
    closing = _BRACKETS.get(text[:1], "")
    return closing != "" and text.find(closing) == len(text) - 1
