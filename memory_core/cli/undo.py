"""`agent-memory undo`: the last changes taken back."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import AsJson, User, check_user, hint, project_of
from memory_core.cli.log import fields, minute
from memory_core.cli.output import as_json, counter, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.timeline import Undone


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter("a whole number from 1 on is expected") from None


def undo(
    ctx: typer.Context,
    number: Annotated[
        int, typer.Argument(metavar="N", help="How many changes.", parser=_whole)
    ] = 1,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Take back the last changes of all memories, the latest first.

    A change is what one report of an agent or one command did.
    An undo is one as well: another undo brings back what it took.
    What a person did in a file stays, whatever is taken back around it.
    Exit 1 when there are not so many changes.

    \b
    Example:
      agent-memory undo || echo "nothing to undo"
    """
    from memory_core import timeline

    if number < 1:
        raise Refused(f"undo {number}: a number from 1 on is expected")
    check_user(user)
    project = project_of(ctx)
    done = timeline.undo(project, project.level(user), number, counter("Taking back"))
    if json:
        as_json([_fields(each) for each in done])
        return
    for each in done:
        _print(each)
    note(f"{hint('undo', user)} brings it back.")


def _print(done: Undone) -> None:
    out(text_of(f"Taken back: the change of {minute(done.change.id)}"))
    for record in done.change.records:
        if record.get("text"):
            out(text_of(f"  {record['agent']}: {record['kind']}: {record['text']}"))
        elif record["kind"] == "undone":
            out(f"  {record['agent']}: undone: the change of {minute(record['id'])}")
    for text in done.stays:
        out(text_of(f"  stays, since it was changed again: {text}"))


def _fields(done: Undone) -> dict[str, object]:
    return {
        "change": text_of(done.change.id),
        "time": text_of(done.change.time),
        "agents": done.change.agents,
        "records": [fields(each) for each in done.change.records],
        "stays": [text_of(text) for text in done.stays],
    }
