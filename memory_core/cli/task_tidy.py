"""`agent-memory task init`, `delete` and `cleanup`: what a person is asked about first."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import NOTHING_DONE, AsJson, DryRun, Yes, asks, check_agreed, hint
from memory_core.cli.output import as_json, can_ask, counter, note, out, text_of
from memory_core.cli.task_common import complete_all, fields, looked, named, pay, tell_active

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.tasks import Stale

# Where neither is said what is to be done: the one that loses nothing.
UNTOUCHED = "30d"

NOBODY = f"{NOTHING_DONE}: nobody is here to agree; --yes does it"


# Consent.


def init(
    ctx: typer.Context,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take it out again; memories stay.")
    ] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Let Claude Code give each session the memory of the active task.

    One line in CLAUDE.md imports backlog/CLAUDE.md, which imports that memory, and nothing
    while no task is active.  The lines are shown first, and you are asked; where nobody is
    there to answer, --yes is wanted.  Exit 1 when nothing was done.

    \b
    Example:
      agent-memory task init --yes
    """
    asks(yes, dry_run, json)
    project = looked(ctx, dry_run)
    changes = _changes(project, remove)
    if not json:
        for path, diff in changes:
            out(text_of(f"{path}:") if not diff else text_of(diff), end="" if diff else "\n")
    is_to_do = bool(changes) and not dry_run
    if is_to_do and not remove:
        _check_agreed(yes, "Add this?", json)
    if is_to_do:
        _carry_out(project, remove)
    if json:
        told = [{"file": text_of(path), "diff": text_of(diff)} for path, diff in changes]
        as_json({"written": is_to_do, "changes": told})
    else:
        _tell_init(bool(changes), dry_run, remove)


def _changes(project: Project, remove: bool) -> list[tuple[str, str]]:
    """Return (path, diff) of the files that would change."""
    from memory_core import task_delivery, upkeep

    if remove:
        found = task_delivery.to_take_down(project.place)
    else:
        found = task_delivery.to_set_up(project)
    changes = (upkeep.Change(project.place.relative(path), *texts) for path, *texts in found)
    return [(change.path, upkeep.diff(change)) for change in changes]


def _carry_out(project: Project, remove: bool) -> None:
    from memory_core import task_delivery

    if remove:
        task_delivery.take_down(project.place)
    else:
        task_delivery.set_up(project)


def _check_agreed(yes: bool, question: str, json: bool) -> None:
    """Ask whoever is there; raise Refused for a no, and where nobody is."""
    if yes:
        return
    if json or not can_ask():
        raise Refused(NOBODY, 1)
    check_agreed(question)


def _tell_init(is_some: bool, dry_run: bool, remove: bool) -> None:
    if not is_some:
        state = "imports no task" if remove else "imports the active task already"
        note(f"Nothing to do: CLAUDE.md {state}.")
    elif dry_run:
        note("Nothing is changed yet; without --dry-run it is done.")
    elif remove:
        note("Taken out.  Memories stay.")
    else:
        note("Done.  The next session and its agents have the memory of the active task.")
        note(f"{hint('task init --remove')} takes it out again.")


# Deleting.


def delete(
    ctx: typer.Context,
    task: Annotated[
        str,
        typer.Argument(metavar="ID", help="A task, in any spelling.", autocompletion=complete_all),
    ],
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Remove the memory of a task for good.

    You are asked first; where nobody is there to answer, --yes is wanted.
    agent-memory task archive keeps it.

    \b
    Example:
      agent-memory task delete 368 --yes
    """
    from memory_core import tasks

    project = looked(ctx)
    told = tasks.find(project, task)
    _check_agreed(yes, f"Delete {named(told)} for good?", json)
    tasks.delete(project, told)
    if json:
        as_json({**fields(told), "deleted": True})
        return
    out(f"Deleted: {named(told)}")
    if told.active:
        tell_active(project)


def cleanup(
    ctx: typer.Context,
    archive_after: Annotated[
        str | None,
        typer.Option(
            metavar="30d",
            help="Archive what was not touched for so long: in s, m, h, d or w.",
            show_default=f"{UNTOUCHED}, where --delete-after is not given",
        ),
    ] = None,
    delete_after: Annotated[
        str | None,
        typer.Option(
            metavar="90d",
            help="Delete what was archived so long ago.",
            show_default="nothing is deleted",
        ),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Archive memories that rest, and delete old archived ones.

    What the files say counts, not when they were last saved.
    A task in progress keeps its memory.
    Before anything is deleted you are asked; where nobody is there to answer, --yes is wanted.

    \b
    Example:
      agent-memory task cleanup --archive-after 30d --delete-after 90d --dry-run
    """
    from memory_core import tasks

    asks(yes, dry_run, json)
    times = _times(archive_after, delete_after)
    project = looked(ctx, dry_run)
    found = tasks.stale(project, *times)
    if not json:
        _print(found, dry_run)
    if not dry_run:
        if any(each.deleted for each in found):
            _check_agreed(yes, "Go on, and delete for good what is said above?", json)
        # Somebody may have taken one up while the question stood there.
        found = [each for each in tasks.stale(project, *times) if each in found]
        tasks.clean(project, found, counter("Cleaning up"))
        pay(project)
    if json:
        _print_json(found, dry_run)
    elif found:
        note("Nothing is changed yet; without --dry-run it is done." if dry_run else "Done.")
    else:
        note("Nothing to clean up.")


def _times(archive_after: str | None, delete_after: str | None) -> tuple[str, str]:
    """Return the times before which memories are archived, and deleted; "" for never."""
    from memory_core import backlog, times

    if archive_after is None and delete_after is None:
        archive_after = UNTOUCHED
    ages = (archive_after, delete_after)
    seconds = [None if age is None else times.duration(age) for age in ages]
    archived, deleted = ("" if age is None else backlog.now(age) for age in seconds)
    return archived, deleted


def _print(found: list[Stale], dry_run: bool) -> None:
    for each in found:
        word = "delete" if each.deleted else "archive"
        since = each.told.archived if each.deleted else each.told.updated
        what = "archived on" if each.deleted else "not touched since"
        out(f"{'would ' if dry_run else ''}{word} {named(each.told)}, {what} {since[:10]}")


def _print_json(found: list[Stale], dry_run: bool) -> None:
    as_json(
        {
            "written": not dry_run,
            "archived": [fields(each.told) for each in found if not each.deleted],
            "deleted": [fields(each.told) for each in found if each.deleted],
        }
    )
