"""Shorten the text of an error to one line without secrets, and recognise the same error again."""

from __future__ import annotations

import re

from memory_core.history import item_history
from memory_core.text import sanitize

# Maximum number of characters of an error's text.
MAX_LENGTH = 200

# What differs between two errors of one kind: ids, hexadecimal numbers, and numbers of more than
# three digits.
_CHANGING = re.compile(
    r"(?<!\w)(?:req_|msg_|toolu_)\w*"
    r"|(?<!\w)(?=[a-fA-F]*[0-9])[0-9a-fA-F]{7,}(?!\w)"
    r"|\d{4,}"
)

# Characters of an output that are looked at: from its beginning, and from its end.
MAX_BEGIN, MAX_END = 4_000, 16_000


def summarize(text: str) -> str:
    """Return an error in a line of at most MAX_LENGTH characters.

    A command's status alone says nothing, so the last line of its output is added.  Without
    output the result is "": `grep` that finds nothing is not an error to learn from.
    """
    lines = _list_lines(text)
    first = lines[0] if lines else ""
    if not first.removeprefix("Exit code ").isdecimal():
        return sanitize.shorten(first, MAX_LENGTH)
    return sanitize.shorten(f"{first}: {lines[-1]}", MAX_LENGTH) if lines[-1] != first else ""


def clean(text: str) -> str:
    """Return a text as one line of at most MAX_LENGTH characters, without secrets."""
    return sanitize.shorten(" ".join(_list_lines(text)), MAX_LENGTH)


def _list_lines(text: str) -> list[str]:
    """Return the lines with visible characters.

    Secrets are masked before anything is cut, since half of one would not be recognised.
    """
    from memory_core.secrets import scanner

    if len(text) > MAX_BEGIN + MAX_END:
        _cut_line, newline, end = text[-MAX_END:].partition("\n")
        text = text[:MAX_BEGIN] + newline + end
    lines = map(sanitize.join_visible, text.splitlines())
    masked = scanner.redact("\n".join(filter(None, lines)))
    return masked.split("\n") if masked else []


def id_of(line: str) -> str:
    """Return the id of an error; errors that differ only in numbers and ids have the same id."""
    return item_history.id_of(_CHANGING.sub("#", line))
