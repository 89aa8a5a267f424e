"""`agent-memory clean`: what nothing needs any more."""

from __future__ import annotations

import os

import typer

from memory_core.cli.common import (
    AsJson,
    DryRun,
    User,
    YesOrAsk,
    asks,
    check_agreed,
    check_user,
    hint,
    project_of,
)
from memory_core.cli.output import as_json, counter, note, out, size, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.cleaning import Cleaned, Found, Skipped, Stale
    from memory_core.store import Store

# As many files of one kind are named.
NAMED = 5


def clean(
    ctx: typer.Context,
    dry_run: DryRun = False,
    yes: YesOrAsk = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Remove what nothing needs any more.

    Files that interrupted writes left, notes of sessions that ended 30 days ago, a log of
    90 days ago, and what is left of agents that have nothing else.
    And memories of agents that are defined nowhere and were not used for 30 days: their
    items go to the archive, and a file with nothing else in it goes, too.
    Exit 1 when something could not be removed.

    Where it cannot be known which agents are defined, all memories stay.

    \b
    Example:
      agent-memory clean
    """
    from memory_core import cleaning

    is_asked = asks(yes, dry_run, json)
    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    found = cleaning.find(project, level, os.environ, counter("Looking"))
    if not json:
        _print(found, level)
    if is_asked and (found.files or found.orphans):
        check_agreed("Remove this?")
        yes = True
    done = cleaning.clean(project, level, found, counter("Cleaning")) if yes else None
    if json:
        as_json({"written": yes, **_fields(found, done, level)})
    else:
        _tell_end(found, done, level, user)
    if done and done.failed:
        raise typer.Exit(1)


def _print(found: Found, level: Store) -> None:
    kinds: dict[str, list[Stale]] = {}
    for stale in found.files:
        kinds.setdefault(stale.why, []).append(stale)
    for why, files in kinds.items():
        out(f"{_amount(files)} {why}:")
        for stale in files[:NAMED]:
            out(text_of(f"  {level.place.relative(stale.path)}"))
        if len(files) > NAMED:
            out(f"  and {len(files) - NAMED} more")
    for orphan in found.orphans:
        out(text_of(f"{orphan.agent} is defined nowhere, last used on {orphan.last[:10]}:"))
        stays = "" if orphan.is_bare else "; the file stays, for it has other text"
        out(text_of(f"  {orphan.path}: {_counted(len(orphan.items), 'item')}{stays}"))
    for skipped in found.skipped:
        note(text_of(f"{skipped.what} stays: {skipped.why}"))


def _amount(files: list[Stale]) -> str:
    return f"{_counted(len(files), 'file')} ({size(sum(each.size for each in files))})"


def _counted(number: int, noun: str) -> str:
    from memory_core.overview import counted

    return counted(number, noun)


def _tell_end(found: Found, done: Cleaned | None, level: Store, user: bool) -> None:
    if not (found.files or found.orphans):
        note("Nothing to clean.")
    elif done is None:
        files = f"{_amount(found.files)} would go" if found.files else ""
        number = len(found.orphans)
        memories = f"{_counted(number, 'memory')} would be emptied" if number else ""
        both = ", ".join(part for part in (files, memories) if part)
        note(f"{both}; nothing is changed. --yes does it.")
    else:
        _tell_done(done, level, user)


def _tell_done(done: Cleaned, level: Store, user: bool) -> None:
    for failed in done.failed:
        note(text_of(f"{level.place.relative(failed.what)} stays: {failed.why}"))
    if done.files or not done.orphans:
        note(f"Removed: {_amount(done.files) if done.files else 'nothing'}.")
    if done.orphans:
        note(_emptied(len(done.orphans), len(done.gone)))
        note(f"{hint('undo', user)} brings the items back.")


def _emptied(memories: int, gone: int) -> str:
    whose = "its file" if memories == 1 else f"{gone} of their files"
    return f"Emptied {_counted(memories, 'memory')}{f', and removed {whose}' if gone else ''}."


def _fields(found: Found, done: Cleaned | None, level: Store) -> dict[str, object]:
    files = done.files if done else found.files
    orphans = done.orphans if done else found.orphans
    return {
        "bytes": sum(each.size for each in files),
        "files": [
            {"file": text_of(level.place.relative(each.path)), "bytes": each.size, "why": each.why}
            for each in files
        ],
        "memories": [
            {
                "agent": each.agent,
                "file": text_of(each.path),
                "items": [text_of(text) for text in each.items],
                "last": each.last,
                "gone": bool(done and each.agent in done.gone),
            }
            for each in orphans
        ],
        "skipped": [_reason(each, level) for each in found.skipped],
        "failed": [_reason(each, level) for each in (done.failed if done else [])],
    }


def _reason(skipped: Skipped, level: Store) -> dict[str, str]:
    return {"what": text_of(level.place.relative(skipped.what)), "why": text_of(skipped.why)}
