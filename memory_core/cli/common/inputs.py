"""What a person types or pipes in: answers to questions, files and stdin."""

from __future__ import annotations

import sys

import typer

from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import clean_text, is_json, is_terminal

NOTHING_CHANGED = "nothing was changed"


def can_ask() -> bool:
    """Say whether a person sees the result, and can answer a question about it."""
    has_terminal = bool(sys.stdin and sys.stderr) and sys.stdin.isatty() and sys.stderr.isatty()
    return has_terminal and is_terminal() and not is_json()


def ask_yes_no(question: str) -> bool:
    """Ask a question; any answer except y and yes means no."""
    return ask_line(f"{question} [y/N]: ").strip().lower() in ("y", "yes")


def ask_line(question: str) -> str:
    """Ask a question and return the line of the answer, "" for Ctrl-D."""
    _write_question(question)
    answer = ""
    try:
        answer = sys.stdin.readline()
    finally:
        if not answer:  # Ctrl-C and Ctrl-D leave the cursor behind the question
            sys.stderr.write("\n")
    return answer


def _write_question(question: str) -> None:
    if sys.stdout:
        sys.stdout.flush()
    sys.stderr.write(clean_text(question))
    sys.stderr.flush()


def read_key(question: str) -> str:
    """Ask a question and return the key that is pressed, "" for Ctrl-D.

    Arrows and other keys of several characters are returned as "?".
    """
    _write_question(question)
    try:
        key = typer.getchar()
    except EOFError:
        key = ""
    finally:
        sys.stderr.write("\n")
    return key if len(key) < 2 else "?"


def read_input(path: str, limit: int = -1) -> bytes:
    """Return the first `limit` bytes of a file, or of stdin for "-"."""
    try:
        if path == "-":
            if can_ask():
                sys.stderr.write("Reading from this terminal; Ctrl-D ends the input.\n")
            return sys.stdin.buffer.read(limit) if sys.stdin else b""
        with open(path, "rb") as file:
            return file.read(limit)
    except OSError as error:
        raise CommandRefused(f"{path}: {error.strerror}") from None
