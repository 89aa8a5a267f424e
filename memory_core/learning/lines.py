"""Lines of a report: their parts, and the fenced code blocks that they form."""

from __future__ import annotations

# Characters in front of the first word of a line.
INDENT = " \t>"

# The words of a heading that begin a block.  The first one has no other purpose.
MARKERS = ("add to memory", "memorize", "memorise", "remember")

# The types of sentences, by the words before their colon.
SENTENCES = {
    "discovered pattern": "pattern",
    "best practice": "guideline",
    "mistake": "mistake",
    "architecture": "architecture",
}

# Keys whose values become lines below an item, and how these lines begin.
NESTED = {"why": "Why: ", "see": "See: "}
FIELDS = ("type", "content", *NESTED)

# Type, content, reason why it cannot be a learning (or ""), values of nested lines by their keys:
# those of NESTED, or the number of a line.
Draft = tuple[str, str, str, dict[str, str]]

# A memory file holds 150 items.  A report with more learnings than this is not a real one.
MAX_LEARNINGS = 100

_DECORATION = "*_`\"'\u201c\u201d "
_MAX_KEY = 40
_MAX_NUMBER = 5  # characters of "123. "


def may_teach(text: str, has_sentences: bool = False) -> bool:
    """Return False for a text that certainly lacks learnings, as most texts do.

    Sentences are learnings only if `has_sentences`.  The text may be encoded as JSON.
    """
    low = text.lower()
    return any(words in low for words in (*MARKERS, *(SENTENCES if has_sentences else ())))


def strip_indent(line: str) -> str:
    """Return a line without its indentation and its signs of quotation."""
    return line.lstrip(INDENT).rstrip()


def is_quoted(line: str) -> bool:
    return line.lstrip(" \t")[:1] == ">"


def is_heading(line: str) -> bool:
    """Check for a heading with words: `## Words`, `**Words**` or `**Words:**`."""
    is_bold = line.startswith("**") and line.rstrip(":").endswith("**") and line.count("**") == 2
    words = (heading := line.lstrip("*")).lstrip("#")
    return is_bold or (words != heading and words[:1] in (" ", "\t") and words.strip() != "")


def remove_bullet(line: str) -> str:
    """Return a line without the sign or the number of a list item; any symbol is such a sign."""
    sign, blank, rest = line[:_MAX_NUMBER].partition(" ")
    is_number = sign[-1:] in (".", ")") and sign[:-1].isdecimal()
    is_symbol = sign[:1] > "\x7f" and not sign[0].isalnum()
    is_item = blank and (is_number or is_symbol or sign in ("-", "*", "+"))
    return (rest + line[_MAX_NUMBER:]).lstrip() if is_item else line


def split_at_colon(line: str) -> tuple[str, str, str]:
    """Do the same as `line.partition(":")`; a full-width colon counts, too."""
    at = line.find(":")
    wide = line.find("\uff1a", 0, at if at >= 0 else len(line))
    return line.partition(":" if wide < 0 else "\uff1a")


def split_field(line: str) -> tuple[str, str]:
    """Split a line at its colon; the key is in lower case and without decoration."""
    name, colon, value = split_at_colon(line)
    if not colon or len(name) > _MAX_KEY:
        return "", ""
    key = name.strip(_DECORATION)
    opening = name[: name.find(key)].strip() if key else ""
    if opening and not name.endswith(opening):
        value = value.lstrip().removeprefix(opening)  # the decoration includes the colon
    return key.lower(), value.strip()


def find_fences(rows: list[str]) -> dict[int, int]:
    """Return the first and the last line of each fenced code block that is closed.

    Unlike in Markdown, a line with a word ("```bash") always opens a block: in a fenced page
    with fences of the same length, Markdown would close the page too early.
    """
    fences: dict[int, int] = {}
    opened: list[tuple[int, str]] = []
    for number, row in enumerate(rows):
        bare = strip_indent(row)
        sign = bare[:1]
        if bare[:3] not in ("```", "~~~") or sign in (word := bare.lstrip(sign)):
            continue
        if opened and not word and bare.startswith(opened[-1][1]):
            fences[opened.pop()[0]] = number
        else:
            opened.append((number, bare[: len(bare) - len(word)]))
    return fences
