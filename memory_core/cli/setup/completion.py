"""`agent-memory completion`: print or install typer's completion script for a shell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import completion as typer_completion

from memory_core.cli.common.arguments import flag
from memory_core.cli.errors import PROGRAM_NAME, CommandRefused
from memory_core.cli.output import print_line, print_note

# The files of typer, below the home directory.
SCRIPT_PATHS = {
    "bash": f".bash_completions/{PROGRAM_NAME}.sh",
    "zsh": f".zfunc/_{PROGRAM_NAME}",
    "fish": f".config/fish/completions/{PROGRAM_NAME}.fish",
}


def completion(
    ctx: typer.Context,
    shell: Annotated[
        Literal["bash", "zsh", "fish"] | None,
        typer.Argument(help="Your shell.", show_default="$SHELL"),
    ] = None,
    install: Annotated[bool, flag("--install", "Install it for new shells.")] = False,
    uninstall: Annotated[bool, flag("--uninstall", "Remove it again.")] = False,
) -> None:
    """Print or install the completion for your shell.

    To try it without installing: eval "$(agent-memory completion bash)"

    \b
    Example:
      agent-memory completion bash
    """
    name = shell or os.path.basename(os.environ.get("SHELL", ""))
    if name not in SCRIPT_PATHS:
        raise CommandRefused(f"unsupported shell {name!r} (bash, zsh or fish)")
    if install and uninstall:
        raise CommandRefused("--install and --uninstall exclude each other")
    if uninstall:
        _uninstall(name)
    else:
        callback = typer_completion.install_callback if install else typer_completion.show_callback
        callback(ctx, ctx.command.params[0], name)


def _uninstall(shell: str) -> None:
    """Remove the script, and the line of ~/.bashrc that reads it."""
    path = Path.home() / SCRIPT_PATHS[shell]
    start = Path.home() / ".bashrc"
    if not path.exists():
        print_note(f"No completion for {shell} is installed.")
        return
    if shell == "bash" and start.exists():
        line = f"\nsource '{path}'\n".encode()
        start.write_bytes(start.read_bytes().replace(line, b"\n"))
    path.unlink()
    print_line(f"Removed: {path}")
