"""`agent-memory completion`: print or install typer's completion script for a shell."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer
from typer import completion as typer_completion

from memory_core.cli.common.arguments import flag
from memory_core.cli.errors import PROGRAM_NAME, CommandRefused
from memory_core.cli.output import print_line, print_note
from memory_core.files.safe_files import Refused, SafeFiles

# The files that typer writes, below the home directory: the script, and what reads it.
SCRIPT_PATHS = {
    "bash": f".bash_completions/{PROGRAM_NAME}.sh",
    "zsh": f".zfunc/_{PROGRAM_NAME}",
    "fish": f".config/fish/completions/{PROGRAM_NAME}.fish",
}
START_PATHS = {"bash": ".bashrc", "zsh": ".zshrc"}
START_LINES = {
    "bash": f'eval "$({PROGRAM_NAME} completion bash)"',
    "zsh": f'eval "$({PROGRAM_NAME} completion zsh)"',
    "fish": f"{PROGRAM_NAME} completion fish | source",
}


def completion(
    ctx: typer.Context,
    shell: Annotated[
        Literal["bash", "zsh", "fish"] | None,
        typer.Argument(help="bash, zsh or fish.", show_default="$SHELL"),
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
        if install:
            _check_files(name)
        callback = typer_completion.install_callback if install else typer_completion.show_callback
        callback(ctx, ctx.command.params[0], name)


def _check_files(shell: str) -> None:
    """Raise CommandRefused if one of the files, or a folder above it, is a link."""
    files = SafeFiles(os.path.expanduser("~"))
    for path in (SCRIPT_PATHS[shell], START_PATHS.get(shell, "")):
        try:
            if path:
                os.close(files.open(path, os.O_RDONLY))
        except FileNotFoundError:
            continue
        except Refused as error:
            advice = f"Add this line to what {shell} reads when it starts: {START_LINES[shell]}"
            raise CommandRefused(f"~/{error}. {advice}", 1) from None


def _uninstall(shell: str) -> None:
    """Remove the script, and the line of ~/.bashrc that reads it."""
    files, path = SafeFiles(os.path.expanduser("~")), SCRIPT_PATHS[shell]
    if not files.has_entry(path):
        print_note(f"No completion for {shell} is installed.")
        return
    start = START_PATHS["bash"]
    line = f"source '{files.locate(path)}'"
    before = files.read(start) if shell == "bash" else b""
    after = before.replace(f"\n{line}\n".encode(), b"\n")
    if after != before:
        files.replace(start, after)
    for refusal in files.refused.values():
        print_note(f"~/{refusal}: remove this line yourself, if it is there: {line}")
    files.delete(path)
    print_line(f"Removed: {files.locate(path)}")
