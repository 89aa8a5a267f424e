"""Shorten the text of an error to one line, and recognise the same error again."""

from __future__ import annotations

from itertools import groupby

from memory_core.history import item_history
from memory_core.text import sanitize

# Maximum number of characters of an error's text.
MAX_LENGTH = 200


def summarize(text: str) -> str:
    """Return an error in a line of at most MAX_LENGTH characters.

    A command's status alone says nothing, so the last line of its output is added.  Without
    output the result is "": `grep` that finds nothing is not an error to learn from.
    """
    lines = text.splitlines()
    first = next(filter(None, map(clean_line, lines)), "")
    if not first.removeprefix("Exit code ").isdecimal():
        return sanitize.shorten(first, MAX_LENGTH)
    last = next(filter(None, map(clean_line, reversed(lines))), "")
    return sanitize.shorten(f"{first}: {last}", MAX_LENGTH) if last != first else ""


def clean_line(text: str) -> str:
    """Remove invisible characters and repeated blanks."""
    return " ".join(sanitize.remove_invisible(text[: 4 * MAX_LENGTH]).split())


def id_of(line: str) -> str:
    """Return the id of an error; errors that differ only in numbers and ids have the same id."""
    words = ("".join(chars) for _is_word, chars in groupby(line, _is_word_char))
    return item_history.id_of("".join(map(_mask, words)))


def _is_word_char(char: str) -> bool:
    return char.isalnum() or char == "_"


def _mask(word: str) -> str:
    """Replace ids, hexadecimal numbers, and numbers of more than three digits by #."""
    is_hex = len(word) > 6 and not word.strip("0123456789abcdefABCDEF")
    if word.startswith(("req_", "msg_", "toolu_")) or (is_hex and any(map(str.isdigit, word))):
        return "#"
    parts = ("".join(chars) for _is_digit, chars in groupby(word, str.isdigit))
    return "".join(["#" if len(part) > 3 and part.isdigit() else part for part in parts])
