"""Items and tables as lines, wrapped on a terminal, and numbers in few characters.

Items stand below headings on a terminal; in a pipe each has one line.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memory_core.cli import output
from memory_core.secrets.scanner import redact
from memory_core.text import word_search

# If fewer terminal cells are left behind the cells of an entry, its text begins on the next line.
MIN_TEXT_WIDTH = 36

INDENT = "  "
MAX_NESTED_INDENT = 8

HEADING_STYLES = ("bold", "section")


class Entry(NamedTuple):
    """An item to print.

    `headings` are printed once above all entries that share them, on a terminal only; `piped` are
    the cells that replace them in a pipe.  `cells` precede the text, `note` follows it.  The text
    may have nested lines.
    """

    headings: tuple[str, ...]
    piped: tuple[str, ...]
    cells: tuple[str, ...]
    text: str
    section: str = ""
    note: str = ""


def print_entries(entries: Sequence[Entry], words: str = "") -> None:
    """Print entries, with the searched words highlighted.

    On a terminal, no line is wider than it, and no text is cut.  In a pipe, each entry is one
    line, except for nested lines.  Secrets are left out.
    """
    entries = [one._replace(text=redact(one.text), note=redact(one.note)) for one in entries]
    if output.is_terminal():
        _print_below_headings(entries, words)
        return
    rows = [(*entry.piped, *entry.cells) for entry in entries]
    for entry, head in zip(entries, _align(rows), strict=True):
        first, *nested = entry.text.splitlines() or [""]
        output.print_line(f"{head}{format_section(entry.section)}{first}{entry.note}".rstrip())
        for line in nested:
            output.print_line(f"{' ' * count_cells(head)}{line}".rstrip())


def print_list(
    rows: list[dict[str, Any]], entries: list[Entry], empty: str, words: str = ""
) -> None:
    """Print a list as JSON, or as entries; without any, say that it is empty."""
    output.print_json(rows)
    print_entries(entries, words)
    if not entries:
        output.print_note(empty)


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Print rows as lines of aligned cells; on a terminal, the last cell is wrapped."""
    print_entries([Entry((), (), tuple(cells), text) for *cells, text in rows])


def _print_below_headings(entries: Sequence[Entry], words: str) -> None:
    width = shutil.get_terminal_size().columns
    shown: tuple[str, ...] = ()
    for entry, head in zip(entries, _align([entry.cells for entry in entries]), strict=True):
        headings = (*entry.headings, *([entry.section] if entry.section else []))
        for depth, heading in enumerate(headings):
            if shown[: depth + 1] != headings[: depth + 1]:
                for line in wrap_text(heading, width, INDENT * depth, INDENT * depth):
                    output.print_line(line, style=HEADING_STYLES[min(depth, 1)])
        shown = headings
        _print_wrapped(entry, head, INDENT * len(headings), width, words)


def _print_wrapped(entry: Entry, head: str, indent: str, width: int, words: str) -> None:
    first, *nested = entry.text.splitlines() or [""]
    below = indent + " " * count_cells(head)
    if head and width - count_cells(below) < MIN_TEXT_WIDTH:
        for line in wrap_text(head, width, indent, indent + INDENT):
            output.print_line(line, style="dim")
        head, below = "", indent + INDENT * 2
    lines = list(wrap_text(first + entry.note, width, below, below)) or [below]
    for line in nested:
        own = below + " " * min(len(line) - len(line.lstrip()), MAX_NESTED_INDENT)
        lines += wrap_text(line, width, own, own + INDENT)
    if head:
        output.print_line(
            indent, output.paint(head, "dim"), *highlight(lines.pop(0)[len(below) :], words)
        )
    for line in lines:
        output.print_line(*highlight(line, words))


def _align(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the rows as aligned cells with blanks behind each; empty columns are left out."""
    rows = [tuple(map(output.make_safe, row)) for row in rows]
    widths = [max(map(count_cells, cells)) for cells in zip(*rows, strict=True)]
    shown = [
        [(cell, width) for cell, width in zip(row, widths, strict=True) if width] for row in rows
    ]
    return ["".join(f"{_format_cell(*cell)}  " for cell in row) for row in shown]


def print_sentence(text: str, indent: str = "", severity: str = "") -> None:
    """Print a text, wrapped on a terminal; `severity`, such as `warning`, precedes it in colour."""
    text = output.name_command(text)
    width, label = shutil.get_terminal_size().columns, f"{severity}: " if severity else ""
    lines = [indent + label + text]
    if output.is_terminal():
        lines = list(wrap_text(label + text, width, indent, indent + INDENT))
    if severity:
        output.print_line(
            indent, output.paint(severity, severity), lines.pop(0).removeprefix(indent + severity)
        )
    for line in lines:
        output.print_line(line)


def wrap_text(text: str, width: int, first: str = "", rest: str = "") -> Iterator[str]:
    """Yield a text as lines of at most `width` cells, which begin with `first` and `rest`.

    Only a word that is wider than a line is split.
    """
    from rich.console import Console
    from rich.text import Text

    words = output.make_safe(text).split()
    room = width - max(count_cells(first), count_cells(rest))
    if not words:
        return
    lines = Text(" ".join(words)).wrap(Console(width=width), max(room, 2))
    for number, line in enumerate(lines):
        yield (rest if number else first) + line.plain.rstrip()


def highlight(text: str, words: str) -> list[str]:
    """Return a text in parts, with the words in colour."""
    parts = word_search.split_matches(text, words) if words else [(text, False)]
    return [output.paint(part, "hit") if is_hit else part for part, is_hit in parts]


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
    """Print a table with a title line in bold, without the optional columns that are empty.

    On a terminal, it fits the width.
    """
    lines = [[column.title for column in columns], *rows]
    widths = [max(map(count_cells, cells)) for cells in zip(*lines, strict=True)]
    shown = [
        at
        for at, column in enumerate(columns)
        if not column.is_optional or {row[at] for row in rows} - {"", "-"}
    ]
    if output.is_terminal():
        _fit_terminal(columns, widths, shown)
    for number, line in enumerate(lines):
        cells = [_format_cell(line[at], widths[at], columns[at].align_right) for at in shown]
        text = "  ".join(cells).rstrip()
        output.print_line(text, style="" if number else "bold")


def _fit_terminal(columns: list[Column], widths: list[int], shown: list[int]) -> None:
    """Omit and shorten columns.  One column, of rank 0, has a least width."""

    def measure_room() -> int:
        return shutil.get_terminal_size().columns - sum(widths[at] + 2 for at in shown) + 2

    name = next(at for at, column in enumerate(columns) if column.least_width)
    whole, widths[name] = widths[name], min(widths[name], columns[name].least_width)
    while len(shown) > 1 and measure_room() < 0:
        shown.remove(max(shown, key=lambda at: columns[at].rank))
    widths[name] = min(whole, widths[name] + max(0, measure_room()))


def _format_cell(text: str, width: int, align_right: bool = False) -> str:
    if count_cells(text) > width:
        while count_cells(f"{text}..") > width:
            text = text[:-1]
        text += ".."
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
