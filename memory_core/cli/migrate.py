"""`agent-memory migrate`: old file names to the one that is used today."""

from __future__ import annotations

import os

import typer

from memory_core.cli.common import (
    Agents,
    AsJson,
    DryRun,
    User,
    YesOrAsk,
    agent_named,
    asks,
    check_agreed,
    check_user,
    note_archived,
    note_nothing,
    project_of,
)
from memory_core.cli.output import as_json, counter, is_terminal, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.upkeep import Migration


def migrate(
    ctx: typer.Context,
    agent: Agents = None,
    dry_run: DryRun = False,
    yes: YesOrAsk = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Give each memory one file, of the name that is used today.

    Two files of one agent become one; what both say stays once.
    What is beyond the limits goes to the archive.
    Exit 1 when a file cannot be read or changed.

    \b
    Example:
      agent-memory migrate
    """
    from memory_core import upkeep

    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    names = [agent_named(project, name, level) for name in agent or []]
    is_asked = asks(yes, dry_run, json) and is_terminal()

    def migrated(write: bool) -> list[Migration]:
        return upkeep.migrate(project, names, user, write, counter("Migrating"))

    found = migrated(write=yes)
    if json:
        as_json({"written": yes, "migrations": [_fields(each) for each in found]})
    elif found:
        _print(found, yes, user)
        if is_asked and not all(each.refused for each in found):
            check_agreed("Do this?")
            found, yes = migrated(write=True), True
        _tell_end(found, yes)
    else:
        note_nothing(level, names, "Nothing to do: each memory has its one name.")
    if any(each.refused for each in found):
        raise typer.Exit(1)


def _fields(found: Migration) -> dict[str, object]:
    from memory_core import upkeep

    return {
        "agent": found.agent,
        "file": text_of(found.file),
        "old": [text_of(path) for path in found.old],
        "diff": text_of(upkeep.diff(found.change)),
        "archived": [text_of(text) for text in found.kept],
        "error": text_of(found.refused) or None,
    }


def _print(found: list[Migration], written: bool, user: bool) -> None:
    for each in found:
        if each.refused:
            note(text_of(f"{each.agent} stays as it is: {each.refused}"))
        else:
            _print_one(each, written)
            note_archived(each.agent, len(each.kept), written, user)


def _tell_end(found: list[Migration], written: bool) -> None:
    able = [each for each in found if not each.refused]
    if able and not written:
        note("Nothing is changed yet; --yes does it.")
    elif any(each.change.after != each.change.before for each in able):
        note("The old files are gone; git has them where they were committed.")


def _print_one(done: Migration, written: bool) -> None:
    from memory_core import upkeep

    old = " and ".join(os.path.basename(path) for path in done.old)
    out(text_of(f"{done.agent}: {old} -> {os.path.basename(done.file)}"))
    if not written:
        out(text_of(upkeep.diff(done.change)), end="")
    for text in done.kept:
        out(text_of(f"{'moved' if written else 'would move'} to the archive: {text}"))
