"""`agent-memory import`: memories from a file of `agent-memory export`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import (
    AsJson,
    DryRun,
    User,
    Yes,
    asks,
    check_agreed,
    check_user,
    hint,
    note_archived,
    project_of,
)
from memory_core.cli.output import as_json, counter, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.exchange import Imported


def import_(
    ctx: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of agent-memory export; - is stdin.")
    ],
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Let it take the place of the memories.  Default: merge."),
    ] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Take in memories that were exported.

    What is there stays; of a preference with two values yours stays.
    With --replace the file's memories stand in the place of those that are there;
    on a terminal they are shown first, and you are asked.
    What has to leave goes to the archive.
    A file that is not right in all parts is refused, and nothing is changed.

    \b
    Example:
      agent-memory export | agent-memory import - --dry-run
    """
    from memory_core import exchange

    check_user(user)
    is_asked = asks(yes, dry_run, json) and replace
    project = project_of(ctx)

    def taken_in(write: bool) -> list[Imported]:
        level = project.level(user)
        return exchange.take_in(project, level, found, replace, write, counter("Importing"))

    try:
        found = exchange.parsed(_data(file))
        done = taken_in(write=not (dry_run or is_asked))
        if not json:
            _print(done, not (dry_run or is_asked), user)
        if is_asked and any(map(_brings, done)):
            check_agreed("Put this in the place of what is there?")
            done = taken_in(write=True)
    except exchange.Malformed as error:
        raise Refused(text_of(f"{file}: {error}; nothing is changed")) from None
    if json:
        as_json({"written": not dry_run, "agents": [_fields(each) for each in done]})
    else:
        _tell_end(done, not dry_run, user)


def _data(file: str) -> bytes:
    from memory_core import exchange

    most = exchange.LARGEST + 1
    try:
        if file == "-":
            return sys.stdin.buffer.read(most)
        with open(file, "rb") as stream:
            return stream.read(most)
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}") from None


def _fields(done: Imported) -> dict[str, object]:
    from memory_core import upkeep

    return {
        "agent": done.agent,
        "file": text_of(done.change.path),
        "diff": text_of(upkeep.diff(done.change)),
        "archived": [text_of(each) for each in done.kept],
        "records": done.records,
        "entries": done.entries,
    }


def _print(found: list[Imported], written: bool, user: bool) -> None:
    for each in filter(_brings, found):
        _print_one(each, written)
        note_archived(each.agent, len(each.kept), written, user)


def _tell_end(found: list[Imported], written: bool, user: bool) -> None:
    if not any(map(_brings, found)):
        note("Nothing to import: all of it is here." if found else "The file holds no memory.")
    elif written:
        note(f"{hint('undo', user)} takes the items back.")
    else:
        note("Nothing is changed yet; without --dry-run it is done.")


def _brings(done: Imported) -> bool:
    return bool(done.change.before != done.change.after or done.records or done.entries)


def _print_one(done: Imported, written: bool) -> None:
    from memory_core import upkeep
    from memory_core.overview import counted

    beside = f"{counted(done.records, 'record')}, {counted(done.entries, 'entry')} beside it"
    out(text_of(f"{done.agent}: {done.change.path}; {beside}"))
    if not written:
        out(text_of(upkeep.diff(done.change)), end="")
    for text in done.kept:
        out(text_of(f"{'moved' if written else 'would move'} to the archive: {text}"))
