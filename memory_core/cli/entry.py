"""Start and end of the program: signals, exit status, and errors turned into messages."""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from contextlib import suppress

from memory_core.cli import output
from memory_core.cli.app import build_command, shared
from memory_core.cli.errors import PROGRAM_NAME, ReaderGone, describe_error

COMPLETE_VARIABLE = "_AGENT_MEMORY_COMPLETE"  # set by the completion script of a shell

STATUS_INTERRUPTED = 130
STATUS_READER_GONE = 141  # 128 + SIGPIPE, as shells report it

# SIGTERM and SIGHUP that arrived.
_signals: list[int] = []


def run() -> None:
    """Run the command line and exit with its status."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # not under nohup
            signal.signal(number, _interrupt)
    status = main()
    sys.exit(128 + _signals[0] if _signals else status)


def _interrupt(number: int, _frame: object) -> None:
    """Treat the signal like Ctrl-C; a closing terminal may send it twice."""
    _signals.append(number)
    if len(_signals) == 1:
        raise KeyboardInterrupt


def main() -> int:
    """Run the command line with `sys.argv`; return the exit status."""
    try:
        status = _run_command(sys.argv[1:])
        output.end_page()
    except KeyboardInterrupt:
        status = STATUS_INTERRUPTED
    except ReaderGone:
        status = STATUS_READER_GONE
    except Exception as error:  # noqa: BLE001 - the one place where errors become messages
        status = _report(error)
    _discard_unwritable()
    return status


def _run_command(arguments: list[str]) -> int:
    gc.freeze()
    gc.enable()
    try:
        status = build_command().main(arguments, prog_name=PROGRAM_NAME, standalone_mode=False)
    except SystemExit as end:  # typer exits by itself, for example after a completion
        status = end.code
    return status if isinstance(status, int) else 0


def _report(error: Exception) -> int:
    if COMPLETE_VARIABLE in os.environ:
        return 1  # a message would disturb the command line that is being typed
    if shared.debug or os.environ.get("AGENT_MEMORY_DEBUG"):
        traceback.print_exception(error)
    message, status = describe_error(error)
    with suppress(ReaderGone, OSError):  # the message matters more than the rest of the output
        output.end_page()
    with suppress(ReaderGone, OSError):  # nobody may read stderr
        output.print_problem(f"{PROGRAM_NAME}: {message}")
    return status


def _discard_unwritable() -> None:
    """Drop output that nobody reads; the interpreter would complain about it at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream:
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
