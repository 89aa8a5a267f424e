"""Printing: results to stdout, messages to stderr, tables as plain text."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import Any, NamedTuple

from memory_core.cli import ReaderGone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import TypeVar

    Thing = TypeVar("Thing")

# By the words that say how something is.
COLOURS = {"ok": "32", "warning": "33", "broken": "31", "bold": "1", "hit": "1;31"}

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
        if _pager.is_wanted and sys.stdout.isatty():
            _pager.start()
        encoding = sys.stdout.encoding or "utf-8"
        _guarded(lambda: sys.stdout.write(text.encode(encoding, "replace").decode(encoding)))


def _guarded(write: Any) -> None:
    try:
        write()
    except BrokenPipeError:
        raise ReaderGone from None


def note(text: str) -> None:
    """Print a message."""
    safe = text.encode("utf-8", "replace").decode()
    if sys.stderr:  # without one, print would take stdout
        _guarded(lambda: print(safe, file=sys.stderr))


def as_json(value: Any) -> None:
    """Print a result for a program: ASCII, so that no locale can spoil it, and never paged."""
    import json

    _pager.is_wanted = False
    _write(json.dumps(value, indent=2) + "\n")


def is_terminal() -> bool:
    """Say whether somebody looks at the results, if through a pager."""
    return _pager.process is not None or (bool(sys.stdout) and sys.stdout.isatty())


class _Pager:
    """What shows a long result by the screen, as git does it; there is one stdout, and so one."""

    def __init__(self) -> None:
        self.is_wanted = self.is_refused = False
        self.process: Any = None
        self._messages: int | None = None  # where they went before

    def start(self) -> None:
        """Let what is printed from here on go to the pager, where there is one."""
        self.is_wanted = False
        command = _pager_of(os.environ)
        if not command:
            return
        import subprocess

        # What fits the screen is only printed; colours stay; the screen is not cleared.
        environ = {"LESS": "FRX", "LV": "-c", **os.environ}
        os.environ["COLUMNS"] = str(shutil.get_terminal_size().columns)
        sys.stdout.flush()
        self.process = subprocess.Popen(  # noqa: S602 - the person's own command
            command, shell=True, stdin=subprocess.PIPE, env=environ
        )
        if sys.stderr and sys.stderr.isatty():  # messages among the results, not over them
            self._messages = os.dup(sys.stderr.fileno())
            os.dup2(self.process.stdin.fileno(), sys.stderr.fileno())
        os.dup2(self.process.stdin.fileno(), sys.stdout.fileno())

    def end(self) -> bool:
        """Let the person read to the end; say whether there was a pager at all."""
        if self.process is None:
            return False
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # from now on it is meant for the pager
        self.process.stdin.close()
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if self._messages is not None:
            os.dup2(self._messages, sys.stderr.fileno())
        self.process.wait()
        self.process = None
        return True


def _pager_of(environ: Mapping[str, str]) -> str:
    """Return the command that shows results by the screen, "" for none."""
    import shlex

    command = environ.get("PAGER", "less")
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    program = next((word for word in words if "=" not in word), "cat")
    is_there = program != "cat" and shutil.which(program)
    return command if is_there and environ.get("TERM", "dumb") != "dumb" else ""


_pager = _Pager()


def page() -> None:
    """Show the results of this command in a pager, where they are for a terminal."""
    _pager.is_wanted = not _pager.is_refused


def never_page() -> None:
    _pager.is_refused = True


def end_page() -> bool:
    """Wait until the person has read what is in the pager; say whether there was one."""
    return _pager.end()


def can_ask() -> bool:
    """Say whether somebody is there to answer."""
    return bool(sys.stdin and sys.stderr) and sys.stdin.isatty() and sys.stderr.isatty()


def is_agreed(question: str) -> bool:
    """Ask somebody who is there; all but a yes is a no."""
    return answer_to(f"{question} [y/N]: ").strip().lower() in ("y", "yes")


def answer_to(question: str) -> str:
    """Return the line with which somebody who is there answers, "" for Ctrl-D."""
    if sys.stdout:
        sys.stdout.flush()
    sys.stderr.write(text_of(question))
    sys.stderr.flush()
    answer = ""
    try:
        answer = sys.stdin.readline()
    finally:
        if not answer:  # Ctrl-C and Ctrl-D leave the cursor behind the question
            sys.stderr.write("\n")
    return answer


# Seconds after which a person wants to see that something happens.
PATIENCE = 1.0

_bars: list[Any] = []


def counter(what: str) -> Callable[[Collection[Any]], Iterator[Any]]:
    """Return how a verb is to go through its things, so that a person sees how far it is."""
    return lambda things: counted_off(things, what)


def counted_off(things: Collection[Thing], what: str) -> Iterator[Thing]:
    """Give things on; a bar on a terminal shows how many are done, once that takes long."""
    if not (sys.stderr and sys.stderr.isatty()) or os.environ.get("TERM") == "dumb":
        yield from things
        return
    began = time.monotonic()
    try:
        for done, thing in enumerate(things):
            if not _bars and time.monotonic() - began > PATIENCE:
                _bars.append(_bar(what, len(things)))
            for bar in _bars:
                bar.update(bar.task_ids[0], completed=done)
            yield thing
    finally:
        end_bar()


def _bar(what: str, number: int) -> Any:
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.add_task(what, total=number)
    bar.start()
    return bar


def end_bar() -> None:
    """Take a bar away, if there is one: what is printed next stands in its place."""
    while _bars:
        _bars.pop().stop()


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
    if cells(text) > width:
        mark = "…" if can_show("…") else ".."
        while cells(text) > width:
            text = text.removesuffix(mark)[:-1] + mark
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


def ago(seconds: float) -> str:
    """Return how long ago a time is, in at most seven characters."""
    if not seconds:
        return "-"
    age = time.time() - seconds
    for unit, length in (
        ("y", 365 * 86400),
        ("w", 7 * 86400),
        ("d", 86400),
        ("h", 3600),
        ("m", 60),
    ):
        if age >= length:
            return f"{int(age // length)}{unit} ago"
    return "now"


def can_show(signs: str) -> bool:
    """Say whether a terminal of this encoding, in this locale, has these signs."""
    try:
        signs.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return _is_utf8(os.environ)


def _is_utf8(environ: Mapping[str, str]) -> bool:
    """Say whether the person's locale is one of UTF-8, whatever Python makes of it.

    In the C locale, and in one that this machine lacks, Python writes UTF-8 all the same, and
    says so in LC_CTYPE (PEP 538).
    """
    kind = environ.get("LC_CTYPE", "")
    told = environ.get("LC_ALL") or (kind if kind != "C.UTF-8" else "") or environ.get("LANG", "")
    return "utf8" in told.casefold().replace("-", "")


def utc(seconds: float) -> str | None:
    """Return a time for a program, or None for no time."""
    from memory_core import log

    return log.utc(seconds) if seconds else None
