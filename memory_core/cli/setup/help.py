"""`agent-memory help`: the help of a command, or the reference of the JSON fields."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import memory_core
from memory_core.cli.app import ALL_COMMANDS
from memory_core.cli.common.arguments import flag
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_line

PACKAGE = Path(memory_core.__file__).parent

# The page in an installed package, and in a clone.
JSON_PAGES = (PACKAGE / "json.md", PACKAGE.parent / "docs" / "json.md")


def help_(
    ctx: typer.Context,
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", help="A command, or json."),
    ] = None,
    all_: Annotated[bool, flag("--all", "List all commands.")] = False,
) -> None:
    """Show the help of a command, or the JSON fields.

    \b
    Example:
      agent-memory help task start
    """
    if command == ["json"]:
        print_line(_read_json_page())
        return
    root = ctx.find_root()
    root.command.main(
        [*(command or []), "--help"],
        prog_name=root.info_name,
        standalone_mode=False,
        obj=ALL_COMMANDS if all_ else None,
    )


def _read_json_page() -> str:
    for path in JSON_PAGES:
        if path.exists():
            return path.read_text(encoding="utf-8").removesuffix("\n")
    raise CommandRefused(f"the JSON reference is missing: {JSON_PAGES[0]}", 1)
