"""`agent-memory help`: the help of a command, or the reference of the JSON fields."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memory_core.cli.app import ALL_COMMANDS
from memory_core.cli.common.arguments import argument, flag
from memory_core.cli.output import print_line


def help_(
    ctx: typer.Context,
    command: Annotated[list[str] | None, argument("COMMAND", "A command, or json.")] = None,
    all_: Annotated[bool, flag("--all", "List all commands.")] = False,
) -> None:
    """Show the help of a command, or the JSON fields.

    \b
    Example:
      agent-memory help task start
    """
    if command == ["json"]:
        from memory_core.setup import hook_runner

        path = hook_runner.find_own_file("memory_core/json.md", "docs/json.md")
        print_line(Path(path).read_text(encoding="utf-8").removesuffix("\n"))
        return
    root = ctx.find_root()
    root.command.main(
        [*(command or []), "--help"],
        prog_name=root.info_name,
        standalone_mode=False,
        obj=ALL_COMMANDS if all_ else None,
    )
