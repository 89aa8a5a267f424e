"""`agent-memory resolve`: the conflicts that a git merge left behind."""

from __future__ import annotations

import typer

from memory_core.cli.common import (
    Agents,
    AsJson,
    DryRun,
    User,
    agent_named,
    check_user,
    note_archived,
    note_nothing,
    project_of,
)
from memory_core.cli.output import as_json, counter, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.upkeep import Resolution


def resolve(
    ctx: typer.Context,
    agent: Agents = None,
    dry_run: DryRun = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Resolve merge conflicts in memories, keeping both sides.

    Printed are the files.  What is beyond the limits goes to the archive.
    Exit 1 when one cannot be read or changed.

    \b
    Example:
      agent-memory resolve --dry-run
    """
    from memory_core import upkeep

    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    names = [agent_named(project, name, level) for name in agent or []]
    found = upkeep.resolve(project, names, user, not dry_run, counter("Resolving"))
    if json:
        as_json({"written": not dry_run, "files": [_fields(each) for each in found]})
    elif found:
        _print(found, not dry_run, user)
    else:
        note_nothing(level, names, "No memory has merge conflicts.")
    if any(each.refused for each in found):
        raise typer.Exit(1)


def _fields(found: Resolution) -> dict[str, object]:
    from memory_core import upkeep

    return {
        "agent": found.agent,
        "file": text_of(found.change.path),
        "diff": text_of(upkeep.diff(found.change)),
        "archived": [text_of(text) for text in found.kept],
        "error": text_of(found.refused) or None,
    }


def _print(found: list[Resolution], written: bool, user: bool) -> None:
    from memory_core import upkeep

    for each in found:
        if each.refused:
            where = "" if each.change.path in each.refused else f"{each.change.path}: "
            note(text_of(f"not resolved: {where}{each.refused}"))
        elif written:
            out(text_of(each.change.path))
        else:
            out(text_of(upkeep.diff(each.change)), end="")
        note_archived(each.agent, len(each.kept), written, user)
    if not written and not all(each.refused for each in found):
        note("Nothing is changed yet; without --dry-run it is.")
