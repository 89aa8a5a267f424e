"""`agent-memory resolve`: the conflicts that a git merge left behind."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli.common import AsJson, User, agent_named, check_user, project_of
from memory_core.cli.output import as_json, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.upkeep import Resolution


def resolve(
    ctx: typer.Context,
    agent: Annotated[
        list[str] | None,
        typer.Argument(help="Agents in any spelling, or PM.", show_default="all"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the diff and change nothing.")
    ] = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Resolve merge conflicts in memories, keeping what either side has.

    Printed are the files.  Exit 1 when one cannot be read or changed.

    \b
    Example:
      agent-memory resolve --dry-run
    """
    from memory_core import upkeep

    check_user(user)
    project = project_of(ctx)
    level = upkeep.level(project, user)
    names = [agent_named(project, name, level) for name in agent or []]
    found = upkeep.resolve(project, names, user, not dry_run)
    if json:
        as_json({"written": not dry_run, "files": [_fields(each) for each in found]})
    else:
        _print(found, dry_run)
    if any(each.refused for each in found):
        raise typer.Exit(1)


def _fields(found: Resolution) -> dict[str, object]:
    from memory_core import upkeep

    return {
        "agent": found.agent,
        "file": text_of(found.change.path),
        "diff": text_of(upkeep.diff(found.change)),
        "error": text_of(found.refused) or None,
    }


def _print(found: list[Resolution], dry_run: bool) -> None:
    from memory_core import upkeep

    for each in found:
        if each.refused:
            where = "" if each.change.path in each.refused else f"{each.change.path}: "
            note(text_of(f"not resolved: {where}{each.refused}"))
        elif dry_run:
            out(text_of(upkeep.diff(each.change)), end="")
        else:
            out(text_of(each.change.path))
    if not found:
        note("No memory has merge conflicts.")
    elif dry_run:
        note("Nothing is changed yet; without --dry-run it is.")
