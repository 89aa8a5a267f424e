"""`agent-memory run`: one command under other settings."""

from __future__ import annotations

import os
import signal
from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.app import new_app
from memory_core.shapes import LARGEST_KB

# As a shell tells that a command is not there, and that it is but cannot be run.
NOT_FOUND = 127
NOT_RUN = 126

app = new_app()


# What stands behind COMMAND is COMMAND's, with or without `--`.
@app.command(context_settings={"allow_interspersed_args": False})
def run(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND", help="What to run, behind --.")
    ],
    no_memory: Annotated[bool, typer.Option("--no-memory", help="Give and keep nothing.")] = False,
    learning: Annotated[
        bool | None,
        typer.Option(
            "--enable-learning/--no-learning",
            help="Keep what agents report, or do not.",
            show_default="as configured",
        ),
    ] = None,
    memory_limit: Annotated[
        int | None,
        typer.Option(
            metavar="KB",
            min=1,
            max=LARGEST_KB,
            help="Size of a memory file in KB.",
            show_default="as configured",
        ),
    ] = None,
) -> None:
    """Run one command, mostly claude, with other memory settings.

    The exit status is the command's.

    \b
    Example:
      agent-memory run --no-learning -- claude --version
    """
    told = {
        "AGENT_MEMORY": "off" if no_memory else None,
        "AGENT_MEMORY_LEARNING": None if learning is None else ("on" if learning else "off"),
        "AGENT_MEMORY_LIMIT_KB": None if memory_limit is None else str(memory_limit),
    }
    changed = {name: value for name, value in told.items() if value is not None}
    _become(command, {**os.environ, **changed})


def _become(command: list[str], environ: dict[str, str]) -> None:
    """Put the command in our place."""
    if not command[0]:
        raise Refused("'': command not found", NOT_FOUND)
    # Python ignores it, and what is ignored stays so: `yes | head` would complain.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, environ)  # noqa: S606 - the person's own command
    except (FileNotFoundError, NotADirectoryError):
        raise Refused(f"{command[0]}: command not found", NOT_FOUND) from None
    except OSError as error:
        raise Refused(f"{command[0]}: {error.strerror}", NOT_RUN) from None
