"""What the commands of `agent-memory task` share: the look at task files, how a memory is told."""

from __future__ import annotations

import calendar
import time
from typing import Annotated, Any

import typer

from memory_core.cli.common import project_of
from memory_core.cli.output import note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.tasks import Done, Told

STAMP = "%Y-%m-%d %H:%M:%S"


def complete_open(ctx: Any, args: Any, incomplete: str) -> Any:
    from memory_core.cli import completing

    return list(completing.tasks(ctx, archived=False))


def complete_all(ctx: Any, args: Any, incomplete: str) -> Any:
    from memory_core.cli import completing

    return list(completing.tasks(ctx))


def complete_archived(ctx: Any, args: Any, incomplete: str) -> Any:
    from memory_core.cli import completing

    return list(completing.tasks(ctx, archived=True))


def complete_files(ctx: Any, args: Any, incomplete: str) -> Any:
    from memory_core.cli import completing

    return list(completing.task_files(ctx))


Open = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="A task, in any spelling.",
        show_default="the active one",
        autocompletion=complete_open,
    ),
]
Shown = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="A task, in any spelling.",
        show_default="the active one",
        autocompletion=complete_all,
    ),
]


def looked(ctx: typer.Context, dry_run: bool = False) -> Project:
    """Return the project, its memories in line with the files of its tasks.

    What only shows what would be done leaves them as they are.
    """
    project = project_of(ctx)
    if not dry_run:
        from memory_core import task_watch

        try:
            task_watch.check(project)
        except OSError as error:
            note(text_of(f"The files of tasks were not looked at: {_reason(error)}"))
    return project


def pay(project: Project) -> None:
    """Have Backlog.md told what it is owed, and say what stopped that."""
    from memory_core import task_watch

    try:
        problems = task_watch.pay(project, task_watch.COMMAND_WAIT)
    except OSError as error:
        problems = [_reason(error)]
    for problem in problems:
        note(text_of(f"Decisions wait for Backlog.md: {problem}"))


def _reason(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


def fields(told: Told) -> dict[str, object]:
    """Return a memory for a program."""
    return {
        "id": told.id,
        "title": text_of(told.title) or None,
        "file": text_of(told.path),
        "state": told.state,
        "active": told.active,
        "created": _iso(told.created),
        "updated": _iso(told.updated),
        "archived": _iso(told.archived),
    }


def _iso(stamp: str) -> str | None:
    seconds = seconds_of(stamp)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)) if seconds else None


def seconds_of(stamp: str) -> float:
    """Return a time of a memory, which a person may have written, in seconds; 0 for none."""
    try:
        return calendar.timegm(time.strptime(stamp, STAMP))
    except ValueError:
        return 0.0


def named(told: Told) -> str:
    """Return a memory in a few words: its id, title and file."""
    return text_of(f"{told.id}{', ' if told.title else ''}{told.title} ({told.path})")


def tell(done: Done) -> None:
    """Say what came of a change, and what did not work."""
    out(f"{SAID[done.what]}: {named(done.told)}")
    for problem in done.problems:
        note(text_of(problem))


SAID = {
    "begun": "Begun",
    "restored": "Restored",
    "taken up again": "Taken up again",
    "is in progress already": "In progress already",
    "archived": "Archived",
    "is archived already": "Archived already",
}


def tell_active(project: Project) -> None:
    """Say which task is the active one now."""
    from memory_core import tasks

    active = tasks.active(project)
    note(f"Active now: {named(active)}" if active else "No task is in progress now.")
