"""`agent-memory completion`: print or install typer's completion script for a shell."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer
from typer import completion as typer_completion

from memory_core.cli.common.arguments import flag
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_line, print_note
from memory_core.setup import shell_completion


def completion(
    ctx: typer.Context,
    shell: Annotated[
        Literal["bash", "zsh", "fish"] | None,
        typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default="$SHELL"),
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
    if name not in shell_completion.SHELLS:
        raise CommandRefused(f"unsupported shell {name!r} (bash, zsh or fish)")
    if install and uninstall:
        raise CommandRefused("--install and --uninstall exclude each other")
    if uninstall:
        if not shell_completion.remove(name, False, print_line):
            print_note(f"No completion for {name} is installed.")
    else:
        if install:
            _check_files(name)
        callback = typer_completion.install_callback if install else typer_completion.show_callback
        callback(ctx, ctx.command.params[0], name)


def _check_files(shell: str) -> None:
    """Raise CommandRefused if one of the files, or a folder above it, is a link."""
    if refusal := shell_completion.find_link(shell):
        line = shell_completion.START_LINES[shell]
        advice = f"Add this line to what {shell} reads when it starts: {line}"
        raise CommandRefused(f"~/{refusal}. {advice}", 1)
