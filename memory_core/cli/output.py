"""Printing: results to stdout, messages to stderr, tables as plain text."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import Any, NamedTuple

from memory_core.cli import ReaderGone

# By the words that say how something is.
COLOURS = {"ok": "32", "warning": "33", "broken": "31", "bold": "1"}

NARROWEST_NAME = 12


class Painted(str):
    """Text with colours of ours."""

    __slots__ = ()


def out(*parts: str, end: str = "\n") -> None:
    """Print a line of a result.

    What a terminal would take for a command to it is made visible: memories and events
    come from elsewhere.
    """
    safe = (part if isinstance(part, Painted) else _safe(part) for part in parts)
    _write("".join(parts if not is_terminal() else safe) + end)


def _safe(text: str) -> str:
    return "".join(map(_visible, text))


def _visible(char: str) -> str:
    return char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}"


def text_of(text: str) -> str:
    """Return text that every reader takes: no lone surrogates for bytes that are not UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # half a surrogate pair, as JSON may hold it
        return text.encode("utf-8", "replace").decode()


def raw(data: bytes) -> None:
    """Print a file's bytes as they are; to a terminal, as text."""
    if is_terminal():
        out(data.decode("utf-8", "replace").removesuffix("\n"))
    elif sys.stdout:
        sys.stdout.flush()
        _guarded(lambda: sys.stdout.buffer.write(data))


def _write(text: str) -> None:
    if sys.stdout:
        encoding = sys.stdout.encoding or "utf-8"
        _guarded(lambda: sys.stdout.write(text.encode(encoding, "replace").decode(encoding)))


def _guarded(write: Any) -> None:
    try:
        write()
    except BrokenPipeError:
        raise ReaderGone from None


def note(text: str) -> None:
    """Print a message."""
    print(text.encode("utf-8", "replace").decode(), file=sys.stderr)


def as_json(value: Any) -> None:
    """Print a result for a program: ASCII, so that no locale can spoil it."""
    import json

    _write(json.dumps(value, indent=2) + "\n")


def is_terminal() -> bool:
    return bool(sys.stdout) and sys.stdout.isatty()


def paint(text: str, style: str) -> str:
    """Colour a text for a terminal whose user has not declined."""
    if not is_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return Painted(f"\x1b[{COLOURS[style]}m{_safe(text)}\x1b[0m")


class Column(NamedTuple):
    """A column of a table; of those that do not fit, the highest `rank` goes first."""

    title: str
    rank: int
    right: bool = True


def table(columns: list[Column], rows: list[list[str]]) -> list[str]:
    """Return rows as lines; the first column is the name, the others give way on a terminal."""
    width = shutil.get_terminal_size().columns if is_terminal() else 0
    kept = _fitting(columns, rows, width)
    all_rows = [[column.title for column in columns], *rows]
    widths = {at: max(cells(row[at]) for row in all_rows) for at in kept}
    if width:
        others = sum(widths[at] + 2 for at in kept[1:])
        widths[0] = min(widths[0], max(NARROWEST_NAME, width - others))
    return [
        "  ".join(_cell(row[at], widths[at], columns[at].right) for at in kept).rstrip()
        for row in all_rows
    ]


def _fitting(columns: list[Column], rows: list[list[str]], width: int) -> list[int]:
    kept = list(range(len(columns)))
    while width and len(kept) > 1:
        widths = [max(cells(row[at]) for row in [*rows, [c.title for c in columns]]) for at in kept]
        if min(widths[0], NARROWEST_NAME) + sum(each + 2 for each in widths[1:]) <= width:
            break
        kept.remove(max(kept[1:], key=lambda at: columns[at].rank))
    return kept


def _cell(text: str, width: int, right: bool) -> str:
    while cells(text) > width:
        text = f"{text.removesuffix('…')[:-1]}…"
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks


def cells(text: str) -> int:
    """Return how many cells of a terminal a text fills."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        2 if east_asian_width(char) in "WF" else 0 if category(char) in ("Mn", "Me", "Cf") else 1
        for char in text
    )


def size(number: int) -> str:
    """Return bytes as people say them."""
    return f"{number} B" if number < 1000 else f"{number / 1024:.1f} KB"


def day_or_hour(seconds: float) -> str:
    """Return a local time as `ls` does: the hour of today, else the day."""
    if not seconds:
        return "-"
    then, now = time.localtime(seconds), time.localtime()
    return time.strftime("%H:%M" if then[:3] == now[:3] else "%Y-%m-%d", then)


def utc(seconds: float) -> str | None:
    """Return a time for a program, or None for no time."""
    from memory_core import log

    return log.utc(seconds) if seconds else None
