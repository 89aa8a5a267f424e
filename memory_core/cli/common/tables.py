"""Tables, aligned columns and nested items, and numbers in few characters."""

from __future__ import annotations

import shutil
import time
from typing import NamedTuple

from memory_core.cli.output import can_show, is_terminal, paint, print_line


class Column(NamedTuple):
    """A column of a table; on a narrow terminal, the columns of the highest rank are omitted.

    A column with a least width is shortened to it, after all others of high rank are omitted.
    An optional column is shown only if one of its cells has a value.
    """

    title: str
    rank: int
    align_right: bool = True
    least_width: int = 0
    is_optional: bool = False


def print_table(columns: list[Column], rows: list[list[str]]) -> None:
    """Print a table with a title line in bold, without the optional columns that are empty."""
    shown = [
        at
        for at, column in enumerate(columns)
        if not column.is_optional or {row[at] for row in rows} - {"", "-"}
    ]
    head, *lines = _format_table(
        [columns[at] for at in shown], [[row[at] for at in shown] for row in rows]
    )
    print_line(paint(head, "bold"))
    print_line("\n".join(lines))


def _format_table(columns: list[Column], rows: list[list[str]]) -> list[str]:
    """Return the lines of a table with a title line; on a terminal, it fits the width.

    One column, of rank 0, has a least width.
    """
    lines = [[column.title for column in columns], *rows]
    widths = [max(map(count_cells, cells)) for cells in zip(*lines, strict=True)]
    shown = list(range(len(columns)))
    if is_terminal():
        name = next(at for at, column in enumerate(columns) if column.least_width)
        whole, widths[name] = widths[name], min(widths[name], columns[name].least_width)
        room = shutil.get_terminal_size().columns
        while len(shown) > 1 and _sum_widths(widths, shown) > room:
            shown.remove(max(shown, key=lambda at: columns[at].rank))
        widths[name] = min(whole, widths[name] + max(0, room - _sum_widths(widths, shown)))
    return [
        "  ".join(
            _format_cell(line[at], widths[at], columns[at].align_right) for at in shown
        ).rstrip()
        for line in lines
    ]


def _sum_widths(widths: list[int], shown: list[int]) -> int:
    """Return the width of a table with these columns, which have two blanks between them."""
    return sum(widths[at] + 2 for at in shown) - 2


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
