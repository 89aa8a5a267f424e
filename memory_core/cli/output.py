"""Printing: results to stdout, messages to stderr, tables, progress bars and questions."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from memory_core.cli.errors import ReaderGone

EntryT = TypeVar("EntryT")

COLOURS = {"ok": "32", "warning": "33", "broken": "31", "bold": "1", "hit": "1;31"}
DIFF_STYLES = {"-": "broken", "+": "ok", "@": "bold"}

PROGRESS_DELAY = 1.0  # seconds before a progress bar appears
MIN_NAME_WIDTH = 12  # of the first column of a table


class ColouredText(str):
    """Text with colour codes of `paint`."""

    __slots__ = ()


def clean_text(text: str) -> str:
    """Replace lone surrogates, which stand for bytes that are not UTF-8."""
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def print_line(*parts: str, end: str = "\n") -> None:
    """Print a line of a result.

    On a terminal, control characters are made visible: memories and events come from elsewhere.
    """
    _write("".join(map(_make_safe if is_terminal() else clean_text, parts)) + end)


def _make_safe(text: str) -> str:
    if isinstance(text, ColouredText):
        return text
    return "".join(
        char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for char in clean_text(text)
    )


def print_bytes(data: bytes) -> None:
    """Print the bytes of a file unchanged; to a terminal, print them as text."""
    if is_terminal():
        print_line(data.decode("utf-8", "replace").removesuffix("\n"))
    elif sys.stdout:
        sys.stdout.flush()
        _check_reader(lambda: sys.stdout.buffer.write(data))


def print_diff(text: str) -> None:
    """Print a unified diff, on a terminal with colours."""
    for line in text.removesuffix("\n").split("\n"):
        style = DIFF_STYLES.get(line[:1])
        print_line(paint(line, style) if style else line)


def print_note(text: str) -> None:
    """Print a message for people; it follows the results if these wait for the pager."""
    if _page and sys.stderr and sys.stderr.isatty():
        _page.append(f"{_make_safe(text)}\n")
    elif sys.stderr:  # print would use stdout instead of None
        _check_reader(lambda: print(clean_text(text), file=sys.stderr))


def print_json(value: Any) -> None:
    """Print a result for programs: ASCII, so that it fits any locale, and never paged."""
    disable_pager()
    _write(json.dumps(_clean_json(value), indent=2) + "\n")


def _clean_json(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_text(key): _clean_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_json(entry) for entry in value]
    return value


def _write(text: str) -> None:
    if _page is not None:
        _page.append(text)
    elif sys.stdout:
        encoding = sys.stdout.encoding or "utf-8"
        _check_reader(lambda: sys.stdout.write(text.encode(encoding, "replace").decode(encoding)))


def _check_reader(write: Callable[[], object]) -> None:
    try:
        write()
    except BrokenPipeError:
        raise ReaderGone from None


def is_terminal() -> bool:
    return bool(sys.stdout) and sys.stdout.isatty()


# Output that waits for the pager; None if there is no pager.
_page: list[str] | None = None
_is_pager_forbidden = False


def forbid_pager() -> None:
    """Ignore `enable_pager`, for --no-pager."""
    global _is_pager_forbidden
    _is_pager_forbidden = True


def enable_pager() -> None:
    """Show the result of this command in a pager if stdout is a terminal."""
    global _page
    if is_terminal() and not _is_pager_forbidden and _has_pager():
        _page = []


def _has_pager() -> bool:
    """Say whether the program of PAGER exists and can page on this terminal."""
    try:
        words = shlex.split(os.environ.get("PAGER", "less"))
    except ValueError:
        return False
    program = next((word for word in words if "=" not in word), "cat")
    has_program = program != "cat" and shutil.which(program) is not None
    return has_program and os.environ.get("TERM", "dumb") != "dumb"


def disable_pager() -> None:
    global _page
    _page = None


def end_page() -> None:
    """Show in the pager what waits for it, and flush stdout."""
    text = "".join(_page or [])
    disable_pager()
    if text:
        _show_in_pager(text)
    if sys.stdout:
        _check_reader(sys.stdout.flush)


def _show_in_pager(text: str) -> None:
    import subprocess

    # less exits if the text fits on the screen, keeps colours, and does not clear the screen.
    environ = {"LESS": "FRX", **os.environ}
    process = subprocess.Popen(  # noqa: S602 - the user's own command
        os.environ.get("PAGER", "less"), shell=True, stdin=subprocess.PIPE, env=environ
    )
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from now on, Ctrl-C is for the pager
    process.communicate(text.encode(sys.stdout.encoding or "utf-8", "replace"))


def can_ask() -> bool:
    """Say whether a person can answer a question."""
    return bool(sys.stdin and sys.stderr) and sys.stdin.isatty() and sys.stderr.isatty()


def ask_yes_no(question: str) -> bool:
    """Ask a question; any answer except y and yes means no."""
    return ask_line(f"{question} [y/N]: ").strip().lower() in ("y", "yes")


def ask_line(question: str) -> str:
    """Ask a question and return the line of the answer, "" for Ctrl-D."""
    if sys.stdout:
        sys.stdout.flush()
    sys.stderr.write(clean_text(question))
    sys.stderr.flush()
    answer = ""
    try:
        answer = sys.stdin.readline()
    finally:
        if not answer:  # Ctrl-C and Ctrl-D leave the cursor behind the question
            sys.stderr.write("\n")
    return answer


_progress_bar: Any = None


def make_progress(title: str) -> Callable[[Collection[Any]], Iterator[Any]]:
    """Return `show_progress` with this title, for functions that take a progress wrapper."""
    return lambda entries: show_progress(entries, title)


def show_progress(entries: Collection[EntryT], title: str) -> Iterator[EntryT]:
    """Yield the entries, with a progress bar on a terminal once that takes long."""
    global _progress_bar
    is_visible = bool(sys.stderr) and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    start = time.monotonic()
    try:
        for count, entry in enumerate(entries):
            if is_visible and not _progress_bar and time.monotonic() - start > PROGRESS_DELAY:
                from rich.console import Console
                from rich.progress import Progress

                _progress_bar = Progress(console=Console(stderr=True), transient=True)
                _progress_bar.add_task(title, total=len(entries))
                _progress_bar.start()
            if _progress_bar:
                _progress_bar.update(_progress_bar.task_ids[0], completed=count)
            yield entry
    finally:
        end_progress()


def end_progress() -> None:
    """Remove the progress bar, so that messages can be printed in its place."""
    global _progress_bar
    if _progress_bar:
        _progress_bar.stop()
        _progress_bar = None


def paint(text: str, style: str) -> str:
    """Colour a text if the terminal and the user accept colours."""
    if not is_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return ColouredText(f"\x1b[{COLOURS[style]}m{_make_safe(text)}\x1b[0m")


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


def align_columns(rows: list[list[str]]) -> list[str]:
    """Return rows as lines of aligned cells, without the columns that are empty."""
    widths = [max(map(count_cells, cells)) for cells in zip(*rows, strict=True)]
    return [
        "  ".join(
            _format_cell(cell, width, align_right=False)
            for cell, width in zip(row, widths, strict=True)
            if width
        ).rstrip()
        for row in rows
    ]


def count_cells(text: str) -> int:
    """Return how many terminal cells a text fills."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def can_show(characters: str) -> bool:
    """Say whether stdout and the user's locale can show these characters."""
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    # In the C locale Python itself writes UTF-8 and sets LC_CTYPE to C.UTF-8 (PEP 538).
    kind = os.environ.get("LC_CTYPE", "")
    locale = os.environ.get("LC_ALL") or (kind if kind != "C.UTF-8" else "")
    locale = locale or os.environ.get("LANG", "")
    return "utf8" in locale.casefold().replace("-", "")


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
