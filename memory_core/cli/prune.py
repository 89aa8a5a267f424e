"""`agent-memory prune`: what nobody confirmed for long and is not sure goes to the archive."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import AsJson, User, check_user, note_nothing, project_of
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.pruning import Pruned


def prune(
    ctx: typer.Context,
    agent: Annotated[
        list[str] | None,
        typer.Argument(help="Agents in any spelling, or PM.", show_default="all"),
    ] = None,
    older_than: Annotated[
        str,
        typer.Option(metavar="90d", help="Last used so long ago: in s, m, h, d or w; 0d is all."),
    ] = ...,  # type: ignore[assignment]
    below: Annotated[
        float, typer.Option(min=0, max=1, metavar="0..1", help="Less sure than that.")
    ] = 0.3,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show it.")] = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Move items to the archive that are not sure and were not used for long.

    agent-memory undo brings them back.
    A use is that a run taught the item again, or a person confirmed it.
    One that never was is as old as it is.  Preferences stay.

    \b
    Example:
      agent-memory prune --older-than 90d
    """
    from memory_core import pruning, times

    if below != below:
        raise Refused("--below nan: a number from 0 to 1 is expected")
    seconds = times.duration(older_than)
    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    names = [known_agent(project, name, level) for name in agent or []]
    found = pruning.prune(project, level, names or level.agents(), seconds, below, not dry_run)
    if json:
        as_json({"written": not dry_run, "agents": [_fields(each) for each in found]})
    elif found:
        _print(found, not dry_run, user)
    else:
        note_nothing(level, names, "Nothing to prune: no item is that old and that unsure.")


def _fields(found: Pruned) -> dict[str, object]:
    items = [
        {
            "id": each.id,
            "text": text_of(each.text),
            "section": text_of(each.section),
            "confidence": each.confidence,
            "used": used,
        }
        for each, used in zip(found.items, found.used, strict=True)
    ]
    return {"agent": found.agent, "items": items}


def _print(found: list[Pruned], written: bool, user: bool) -> None:
    from memory_core.overview import counted

    for each in found:
        for item, used in zip(each.items, each.used, strict=True):
            told = f"{item.confidence:g}, last used {used[:10]}"
            out(text_of(f"{each.agent}: [{item.section}] {item.text} ({told})"))
    number = sum(len(each.items) for each in found)
    count, them = counted(number, "item"), "it" if number == 1 else "them"
    undo = f"agent-memory undo{' --user' if user else ''}"
    if written:
        note(f"{count} went to the archive; {undo} brings {them} back.")
    else:
        note(f"{count} would go to the archive; nothing is changed.")
