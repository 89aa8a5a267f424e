"""`agent-memory restore`: what had to leave a memory, and the way back."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import AsJson, User, check_user, complete_agents, hint, project_of
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, note, out, page, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.archive import Archived, Restored
    from memory_core.memory import Project
    from memory_core.store import Store


def restore(
    ctx: typer.Context,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="An agent in any spelling, or PM; an item, if one agent had it.",
            autocompletion=complete_agents,
        ),
    ],
    item: Annotated[
        str | None,
        typer.Argument(
            metavar="ITEM",
            help="The item to put back: its id or text, a part of it, or its number.",
            show_default="list them",
        ),
    ] = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """List what had to leave a memory, or put it back.

    The list is of the archive; what was removed by hand, the history has.
    What leaves for the item goes to the archive.
    Exit 1 when there is no room for it.

    \b
    Example:
      agent-memory restore engineer
    """
    from memory_core import archive

    check_user(user)
    project = project_of(ctx)
    held = project.level(user)
    name, item = _meant(project, held, agent, item)
    if item is None:
        _list(name, archive.archived(held, name), json)
        return
    done = archive.restore(project, held, name, item)
    if json:
        as_json(_fields(name, done))
    else:
        _print(done)
        if not done.known:
            note(f"{hint('undo', user)} takes it back.")


def _meant(project: Project, held: Store, first: str, item: str | None) -> tuple[str, str | None]:
    """Return the agent, and the item: one that stands alone may be that of any agent."""
    from memory_core import archive, naming, roster

    try:
        return known_agent(project, first, held), item
    except roster.Unknown as unknown:
        if item is not None:
            raise
        try:
            return archive.owner(project, held, first), first
        except naming.NotFound as error:
            raise Refused(f"{error}, and {unknown}") from None


def _list(agent: str, found: list[Archived], json: bool) -> None:
    if json:
        as_json(
            [
                {
                    "number": each.number,
                    "day": each.day or None,
                    "section": text_of(each.section),
                    "text": text_of(each.text),
                }
                for each in found
            ]
        )
        return
    page()
    width = len(str(len(found)))
    for each in found:
        first, *nested = each.text.split("\n")
        out(text_of(f"{each.number:{width}}  {each.day}  [{each.section}] {first}"))
        for line in nested:
            out(text_of(f"{'':{width}}  {'':{len(each.day)}}  {line}".rstrip()))
    if not found:
        note(f"Nothing of {agent} is in the archive.")


def _print(done: Restored) -> None:
    first = done.text.split("\n")[0]
    if done.known:
        out(text_of(f"{done.file} has it already: {first}"))
    else:
        out(text_of(f"Put back into {done.file} [{done.section}]: {first}"))
    for section, text in done.left:
        first = text.split("\n")[0]
        out(text_of(f"To the archive [{section}]: {first}"))


def _fields(agent: str, done: Restored) -> dict[str, object]:
    return {
        "agent": agent,
        "file": text_of(done.file),
        "section": text_of(done.section),
        "text": text_of(done.text),
        "known": done.known,
        "archived": [
            {"section": text_of(section), "text": text_of(text)} for section, text in done.left
        ],
    }
