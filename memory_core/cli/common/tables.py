"""Tables, aligned columns and nested items, and numbers in few characters."""

from __future__ import annotations

import shutil
import time
from typing import NamedTuple

from memory_core.cli.output import can_show, is_terminal

MIN_NAME_WIDTH = 12  # of the first column of a table


class Column(NamedTuple):
    """A column of a table; on a narrow terminal, the columns of the highest rank are omitted."""

    title: str
    rank: int
    align_right: bool = True


def format_table(columns: list[Column], rows: list[list[str]]) -> list[str]:
    """Return the lines of a table with a title line; on a terminal, it fits the width.

    The first column is the name: it is shortened after all others of high rank are omitted.
    """
    lines = [[column.title for column in columns], *rows]
    widths = [max(map(count_cells, cells)) for cells in zip(*lines, strict=True)]
    shown = list(range(len(columns)))
    if is_terminal():
        room = shutil.get_terminal_size().columns
        min_name = min(widths[0], MIN_NAME_WIDTH)
        while len(shown) > 1 and min_name + sum(widths[at] + 2 for at in shown[1:]) > room:
            shown.remove(max(shown[1:], key=lambda at: columns[at].rank))
        widths[0] = min(widths[0], max(min_name, room - sum(widths[at] + 2 for at in shown[1:])))
    return [
        "  ".join(
            _format_cell(line[at], widths[at], columns[at].align_right) for at in shown
        ).rstrip()
        for line in lines
    ]


def _format_cell(text: str, width: int, align_right: bool) -> str:
    if count_cells(text) > width:
        mark = "…" if can_show("…") else ".."
        while count_cells(text + mark) > width:
            text = text[:-1]
        text += mark
    padding = " " * (width - count_cells(text))
    return padding + text if align_right else text + padding


def count_cells(text: str) -> int:
    """Return how many terminal cells a text fills."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def format_section(section: str) -> str:
    """Return what is printed before the text of an item: nothing without a section."""
    return f"[{section}] " if section else ""


def format_size(size: int) -> str:
    """Return a number of bytes with its unit."""
    return f"{size} B" if size < 1000 else f"{size / 1024:.1f} KB"


def format_age(seconds: float) -> str:
    """Return how long ago a time (seconds since 1970) is, in at most seven characters."""
    if not seconds:
        return "-"
    age = time.time() - seconds
    units = {"y": 365 * 86400, "w": 7 * 86400, "d": 86400, "h": 3600, "m": 60}
    for unit, length in units.items():
        if age >= length:
            return f"{int(age // length)}{unit} ago"
    return "now"
