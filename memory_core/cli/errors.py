"""Errors of the command line, and the message and exit status for any error."""

from __future__ import annotations

import re
from typing import Any

import typer

from memory_core.files.problems import describe_expected

PROGRAM_NAME = "agent-memory"

# Of a Python from a package it is a part of the package, or of one beside it.
NO_SQLITE = (
    "this Python lacks its module sqlite3: on Debian `apt install python3`, on FreeBSD"
    " `pkg install py311-sqlite3`, with pyenv `apt install libsqlite3-dev`, then build Python again"
)

# "-5" and "- a text" are not the names of options.
_TEXT_AS_OPTION = re.compile(r"^No such option:? '?-(?!-?[a-zA-Z])", re.IGNORECASE)


class CommandRefused(Exception):
    """A command cannot do what was asked; the text is the message.

    Status 2 means wrong use, 1 a negative result or the answer no.
    """

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


def exit_if(failed: object) -> None:
    """End the command with status 1 if something failed, or was not found."""
    if failed:
        raise typer.Exit(1)


class ReaderGone(Exception):
    """The pipe that receives the output is closed."""


def describe_error(error: Exception) -> tuple[str, int]:
    """Return the message for an error and the exit status."""
    if hasattr(error, "format_message"):  # a usage error of click, or of typer's copy of click
        return _describe_usage(error), 2
    if expected := describe_expected(error):
        return expected, getattr(error, "status", 1)
    if isinstance(error, ModuleNotFoundError) and error.name in ("sqlite3", "_sqlite3"):
        return NO_SQLITE, 1
    return f"internal error, {type(error).__name__}: {error} (--debug shows where)", 1


def _describe_usage(error: Any) -> str:
    """Return the sentence of typer, and the usage of the command."""
    sentence = str(error.format_message()).rstrip(".")
    if _TEXT_AS_OPTION.search(sentence):
        sentence = f"{sentence.rstrip()} (put -- before a text or number that begins with -)"
    if error.ctx is None:
        return sentence
    usage = " ".join(error.ctx.get_usage().split())
    return f"{sentence[:1].lower()}{sentence[1:]}\n{usage}; see {error.ctx.command_path} --help"
