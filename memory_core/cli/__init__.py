"""The command line: its start, its end, and the one place where errors become messages.

Everything else is in `app` and one module a topic, imported here only once a
command runs: so Ctrl-C is quiet from the beginning on.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "agent-memory"

# Set by a shell that wants to know what may stand next.
COMPLETE = "_AGENT_MEMORY_COMPLETE"

INTERRUPTED = 130

# What a shell reports of a program whose reader went away: 128 + SIGPIPE.
READER_GONE = 141

# The options before a command of `run` that are two words.
WITH_VALUE = ("--project", "--memory-limit")


# The shared options of this command line; a process has one.
GIVEN: dict[str, str] = {}


class Refused(Exception):
    """What cannot be done, in a sentence for a person; 1: it is so, 2: wrong use."""

    def __init__(self, sentence: str, status: int = 2) -> None:
        super().__init__(sentence)
        self.status = status


class ReaderGone(Exception):
    """Nobody reads our output any more."""


def program() -> None:
    """Be the program: run the command line, and end.

    The collector has nothing to do while modules are loaded, nor the interpreter at its end:
    both cost a fifth of a short command.  Who was interrupted may have left a temporary folder:
    then the interpreter does its part.
    """
    gc.disable()
    try:
        _heed()
        status = main()
    except KeyboardInterrupt:  # while the pager was open
        status = INTERRUPTED
    try:
        sys.stderr.flush()
    except (AttributeError, OSError):
        pass  # there is none, or nobody reads it
    if _ended_by or status == INTERRUPTED:
        sys.exit(128 + _ended_by[0] if _ended_by else status)
    os._exit(status)


# The signals that ended us, the first one first.
_ended_by: list[int] = []


def _heed() -> None:
    """Take the end of the terminal, or of the machine, for Ctrl-C.

    What is ignored stays so: that is what `nohup` asks for.
    """
    import signal

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: object) -> None:
    """Let all be tidied up once: a terminal that is closed may say so twice."""
    _ended_by.append(number)
    if len(_ended_by) == 1:
        raise KeyboardInterrupt


def main() -> int:
    """Run the command line; return the exit status."""
    try:
        status = _run(sys.argv[1:])
        _flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except ReaderGone:
        status = READER_GONE
    except Exception as error:  # noqa: BLE001 - the one place: no traceback reaches a person
        status = _report(error)
    return _end(status)


def _run(arguments: list[str]) -> int:
    if COMPLETE in os.environ:
        from memory_core.cli import completing

        completing.answer(arguments, os.environ[COMPLETE])
        return 0
    from memory_core.cli.app import command

    gc.freeze()  # what is loaded by now stays
    gc.enable()
    try:
        status = command().main(arguments, prog_name=NAME, standalone_mode=False)
    except SystemExit as end:  # typer's own answer to a reader that went away
        status = end.code
    return status if isinstance(status, int) else 0


def ours(arguments: list[str]) -> list[str]:
    """Return the arguments before `--` and before the command that `run` is to run.

    What follows is not ours, `--debug` neither.
    """
    waiting = iter(enumerate(arguments))
    words: list[str] = []
    for at, argument in waiting:
        if argument == "--" or (words == ["run"] and not argument.startswith("-")):
            return arguments[:at]
        if argument in WITH_VALUE:
            next(waiting, None)
        elif not argument.startswith("-"):
            words.append(argument)
    return arguments


def _flush() -> None:
    try:
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None


def _let_go() -> None:
    """Give up what cannot be written: the interpreter would complain of it at its end."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(status: int) -> int:
    _let_go()
    # Who leaves the pager before the end has seen enough: that is no failure.
    was_paged = _if_printing("end_page")
    return 0 if was_paged and status == READER_GONE else status


def _if_printing(what: str) -> Any:
    """Do this with what stands on the terminal, if the commands' way to print was loaded."""
    output = sys.modules.get("memory_core.cli.output")
    return getattr(output, what)() if output else None


def _report(error: Exception) -> int:
    if COMPLETE in os.environ:
        return 1  # whoever presses the Tab key asked for no sentence
    _if_printing("end_bar")
    if "--debug" in ours(sys.argv[1:]) or os.environ.get("AGENT_MEMORY_DEBUG"):
        import traceback

        _say("".join(traceback.format_exception(error)))
    sentence, status = _told(error)
    _say(f"{NAME}: {sentence}\n")
    return status


def _say(text: str) -> None:
    try:
        if sys.stderr:
            sys.stderr.write(text.encode("utf-8", "replace").decode())
    except OSError:
        pass  # nobody reads that either


def _told(error: Exception) -> tuple[str, int]:
    """Return what to say of an error, and its exit status."""
    if hasattr(error, "format_message"):  # a usage error of typer's, whichever version
        return _usage(error), 2
    if isinstance(error, OSError):
        return _system(error), 1
    if isinstance(error, UnicodeEncodeError):
        return "the locale has no such letters; LC_ALL=C.UTF-8 has them", 1
    status = getattr(error, "status", None)
    if isinstance(status, int):  # of ours, or of an installation that is refused
        return str(error), status
    if type(error).__name__ == "Abort":
        return "stopped, nothing was done", 1
    return f"internal error, {type(error).__name__}: {error} (--debug shows where)", 1


def _usage(error: Any) -> str:
    context = error.ctx
    sentence = str(error.format_message())
    if hasattr(error, "possibilities"):  # a mistyped option
        sentence = f"{error.message}{_suggestion(error.option_name, context)}"
    sentence = sentence.rstrip(".")
    path = context.command_path if context else NAME
    return f"{sentence[:1].lower()}{sentence[1:]}\nSee {path} --help"


def _suggestion(option: str, context: Any) -> str:
    from memory_core.cli.app import SHARED, suggestion

    params = context.command.get_params(context) if context else []
    return suggestion(
        option, [*(name for each in params for name in (*each.opts, *each.secondary_opts)), *SHARED]
    )


def _system(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason
