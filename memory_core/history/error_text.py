"""What an error says, in one line, and which errors are one."""

from __future__ import annotations

from memory_core.history import item_history
from memory_core.text import sanitize

# Characters of an error's text.
MAX_LENGTH = 200


def summarize(text: str) -> str:
    """Return what an error says, in a line of at most LONGEST characters.

    A command's status alone says nothing: the last line of what it printed comes with it.
    Without any it is no error to learn from, as when `grep` finds nothing.
    """
    lines = text.splitlines()
    first = next(filter(None, map(clean_line, lines)), "")
    if not first.removeprefix("Exit code ").isdecimal():
        return shorten(first)
    last = next(filter(None, map(clean_line, reversed(lines))), "")
    return shorten(f"{first}: {last}") if last != first else ""


def clean_line(text: str) -> str:
    """Leave of a line what can be seen, with single blanks."""
    return " ".join(sanitize.remove_invisible(text[: 4 * MAX_LENGTH]).split())


def shorten(line: str) -> str:
    """Cut a line to LONGEST characters."""
    return line if len(line) <= MAX_LENGTH else line[: MAX_LENGTH - 1].rstrip() + "…"


def id_of(line: str) -> str:
    """Return the id of an error: the same where only numbers and ids of a run differ."""
    return item_history.id_of("".join(map(_masked, _chunks(line))))


def _chunks(line: str) -> list[str]:
    """Split a line before and after each word of letters, digits and _."""
    chunks: list[str] = []
    for char in line:
        is_word = char.isalnum() or char == "_"
        if chunks and is_word and (chunks[-1][-1].isalnum() or chunks[-1][-1] == "_"):
            chunks[-1] += char
        else:
            chunks.append(char)
    return chunks


def _masked(word: str) -> str:
    """Put a sign for a number of more than three digits, and for an id in hexadecimal."""
    if word.startswith(("req_", "msg_", "toolu_")):
        return "#"
    is_hex = len(word) > 6 and not word.strip("0123456789abcdefABCDEF")
    if is_hex and any(char.isdigit() for char in word):
        return "#"
    if sum(char.isdigit() for char in word) < 4:
        return word
    return "".join(["#" if len(part) > 3 and part.isdigit() else part for part in _runs(word)])


def _runs(word: str) -> list[str]:
    """Split a word into digits and what is none."""
    parts: list[str] = []
    for char in word:
        if parts and parts[-1][-1].isdigit() == char.isdigit():
            parts[-1] += char
        else:
            parts.append(char)
    return parts
