"""Printing: results to stdout, messages to stderr.

A command prints its result twice, for people and with `print_json`; only one of them is shown,
depending on its option --json.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import typer

from memory_core.cli.errors import ReaderGone
from memory_core.secrets import scanner
from memory_core.storage import typed_command
from memory_core.text import characters

STYLES: dict[str, dict[str, Any]] = {
    "ok": {"fg": "green"},
    "warning": {"fg": "yellow"},
    "broken": {"fg": "red"},
    "hit": {"fg": "red", "bold": True},
    "bold": {"bold": True},
    "dim": {"dim": True},
    "section": {"fg": "cyan"},
    "note": {"fg": "cyan"},
}
DIFF_STYLES = {"-": "broken", "+": "ok", "@": "bold"}


# Whether the result is for programs: --json was given.
_is_json = False


def choose_json(_ctx: Any, _option: Any, value: bool) -> None:
    """Print results for programs, or for people."""
    global _is_json
    _is_json = value


def is_json() -> bool:
    return _is_json


class ColouredText(str):
    """Text with colour codes of `paint`."""

    __slots__ = ()


def clean_text(text: str) -> str:
    """Replace lone surrogates, which stand for bytes that are not UTF-8."""
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def print_line(*parts: str, end: str = "\n", style: str = "") -> None:
    """Print a line of a result for people, without secrets; `style` is for the whole line.

    On a terminal, control characters are made visible: memories and events come from elsewhere.
    """
    if _is_json:
        return
    clean = make_safe if is_terminal() else clean_text
    shown = (part if isinstance(part, ColouredText) else scanner.redact(part) for part in parts)
    _write(paint("".join(map(clean, shown)), style) + end)


def name_command(text: str) -> str:
    """Return a text with the commands in it as people have to type them."""
    return typed_command.name_command(text, os.environ)


def make_safe(text: str) -> str:
    """Replace control characters and characters that show nothing, except in `ColouredText`."""
    return text if isinstance(text, ColouredText) else characters.show_hidden(text)


def print_bytes(data: bytes) -> None:
    """Print the bytes of a file unchanged; to a terminal, print them as text without secrets."""
    if is_terminal():
        print_line(data.decode("utf-8", "replace").removesuffix("\n"))
    elif sys.stdout and not _is_json:
        sys.stdout.flush()
        _check_reader(lambda: sys.stdout.buffer.write(data))


def print_diff(text: str) -> None:
    """Print a unified diff without secrets, on a terminal with colours."""
    for line in scanner.redact(text.removesuffix("\n")).split("\n"):
        print_line(line, style=DIFF_STYLES.get(line[:1], ""))


def print_token(text: str) -> None:
    """Print a line with a token that this program made for the person who started it."""
    _write(f"{make_safe(text)}\n")


def print_note(text: str) -> None:
    """Print a message for people, which a program does not need."""
    if not _is_json:
        print_problem(text)


def print_problem(text: str) -> None:
    """Print a message, without secrets, after the results that wait for the pager."""
    text = scanner.redact(name_command(text))
    if _page and sys.stderr and sys.stderr.isatty():
        _page.append(f"{make_safe(text)}\n")
    elif sys.stderr:  # print would use stdout instead of None
        with suppress(OSError, AttributeError):  # `end_page` reports it; stdout may be None
            sys.stdout.flush()
        _check_reader(lambda: print(clean_text(text), file=sys.stderr))


def print_json(value: Any) -> None:
    """Print a result for programs, if it is for them."""
    if _is_json:
        print_data(value)


def print_data(value: Any) -> None:
    """Print JSON, without secrets: ASCII, for any locale, and never paged."""
    disable_pager()
    valid = scanner.redact_values(json.loads(clean_text(json.dumps(value, ensure_ascii=False))))
    _write(json.dumps(valid, indent=2) + "\n")


def select_fields(value: Any, *names: str, **renamed: str) -> dict[str, Any]:
    """Return attributes of a value as --json fields: null for an empty text or without a value.

    `renamed` names the attribute of a field that is called otherwise: `bytes="size"`.
    """
    attributes = {**dict(zip(names, names, strict=True)), **renamed}
    if value is None:
        return dict.fromkeys(attributes)
    fields = {field: getattr(value, name) for field, name in attributes.items()}
    return {field: None if content == "" else content for field, content in fields.items()}


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


def enable_pager() -> None:
    """Show the result of this command in a pager if stdout is a terminal."""
    global _page
    if is_terminal() and os.environ.get("PAGER", "less").strip():
        _page = []


def disable_pager() -> None:
    global _page
    _page = None


def end_page() -> None:
    """Show in the pager what waits for it and is longer than the screen, and flush stdout."""
    text = "".join(_page or [])
    disable_pager()
    if text.count("\n") < shutil.get_terminal_size().lines:
        _write(text)
    else:
        import click

        # less exits if the text fits on the screen, keeps colours, and does not clear the screen.
        os.environ.setdefault("LESS", "FRX")
        click.echo_via_pager(text.removesuffix("\n"), color=True)
    if sys.stdout:
        _check_reader(sys.stdout.flush)


def paint(text: str, style: str) -> str:
    """Colour a text in a style, "" for none, if the terminal and the user accept colours."""
    has_colours = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    if not (style and has_colours and is_terminal()):
        return text
    return ColouredText(typer.style(make_safe(text), **STYLES[style]))
