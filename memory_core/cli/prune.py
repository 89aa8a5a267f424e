"""`agent-memory prune`: what nobody confirmed for long and is not sure goes to the archive."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import (
    Agents,
    AsJson,
    DryRun,
    User,
    Yes,
    asks,
    check_agreed,
    check_user,
    hint,
    note_nothing,
    project_of,
)
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, counter, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.pruning import Pruned


def prune(
    ctx: typer.Context,
    agent: Agents = None,
    older_than: Annotated[
        str,
        typer.Option(metavar="90d", help="Last used so long ago: in s, m, h, d or w; 0d is all."),
    ] = ...,  # type: ignore[assignment]
    below: Annotated[
        float, typer.Option(min=0, max=1, metavar="0..1", help="Less sure than that.")
    ] = 0.3,
    dry_run: DryRun = False,
    yes: Yes = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Archive items that are not sure and were not used for long.

    On a terminal they are shown first, and you are asked.
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
    is_asked = asks(yes, dry_run, json)
    project = project_of(ctx)
    level = project.level(user)
    names = [known_agent(project, name, level) for name in agent or []]

    def pruned(write: bool) -> list[Pruned]:
        every = names or level.agents()
        return pruning.prune(project, level, every, seconds, below, write, counter("Pruning"))

    found = pruned(write=not (dry_run or is_asked))
    if json:
        as_json({"written": not dry_run, "agents": [_fields(each) for each in found]})
    elif found:
        _print(found)
        if is_asked:
            check_agreed(f"Move {_counted(found)} to the archive?")
            found = pruned(write=True)
        _tell_end(found, not dry_run, user)
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


def _print(found: list[Pruned]) -> None:
    for each in found:
        for item, used in zip(each.items, each.used, strict=True):
            told = f"{item.confidence:g}, last used {used[:10]}"
            out(text_of(f"{each.agent}: [{item.section}] {item.text} ({told})"))


def _counted(found: list[Pruned]) -> str:
    from memory_core.overview import counted

    return counted(sum(len(each.items) for each in found), "item")


def _tell_end(found: list[Pruned], written: bool, user: bool) -> None:
    count = _counted(found)
    them = "it" if count == "1 item" else "them"
    if written:
        note(f"{count} went to the archive; {hint('undo', user)} brings {them} back.")
    else:
        note(f"{count} would go to the archive; nothing is changed.")
