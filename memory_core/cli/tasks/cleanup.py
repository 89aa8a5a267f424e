"""`agent-memory task delete` and `cleanup`: delete memories, after a question."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import times
from memory_core.cli.common.arguments import AsJson, DryRun, Yes
from memory_core.cli.common.inputs import check_options
from memory_core.cli.common.notes import may_change
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.cli.tasks.common import (
    Task,
    find_synced_project,
    format_task,
    print_active_task,
    task_to_json,
)
from memory_core.tasks import backlog_folder, task_actions
from memory_core.tasks.task_actions import StaleMemory

DEFAULT_AGE = "30d"  # of `cleanup` without options

ArchiveAfter = Annotated[
    str | None,
    typer.Option(
        metavar="30d",
        help="Archive memories not changed for this time.",
        show_default=f"{DEFAULT_AGE}, without --delete-after",
    ),
]
DeleteAfter = Annotated[
    str | None,
    typer.Option(
        metavar="90d",
        help="Delete memories archived for this time.",
        show_default="delete nothing",
    ),
]


def delete(
    task: Task,
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Delete the memory of a task for good.

    agent-memory task archive keeps the memory.

    \b
    Example:
      agent-memory task delete 368 --yes
    """
    project = find_synced_project()
    memory = task_actions.find(project, task)
    if not (yes or json):
        print_line(f"would delete {format_task(memory)}")
    written = may_change("Delete this for good?", yes, False, json)
    if written:
        task_actions.delete(project, memory)
    if json:
        print_json({**task_to_json(memory), "deleted": written})
    elif written:
        print_line(f"Deleted: {format_task(memory)}")
        if memory.active:
            print_active_task(project)


def cleanup(
    archive_after: ArchiveAfter = None,
    delete_after: DeleteAfter = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Archive unused memories and delete old archived ones.

    The dates in the files count. Tasks in progress are skipped.

    \b
    Example:
      agent-memory task cleanup --archive-after 30d --delete-after 90d --dry-run
    """
    check_options(yes, dry_run)
    if archive_after is None and delete_after is None:
        archive_after = DEFAULT_AGE
    limits = (_parse_limit(archive_after), _parse_limit(delete_after))
    project = find_synced_project(dry_run)
    stale = task_actions.find_stale(project, *limits)
    yes = yes or not (dry_run or any(memory.will_delete for memory in stale))
    if not json:
        for memory in stale:
            print_line(f"{'' if yes else 'would '}{_describe(memory)}")
    written = bool(stale) and may_change("Continue, and delete these for good?", yes, dry_run, json)
    if written:
        # A memory may have been reopened while the question waited.
        stale = [memory for memory in task_actions.find_stale(project, *limits) if memory in stale]
        task_actions.clean_up(project, stale)
    if json:
        archived = [task_to_json(memory) for memory, will_delete, _ in stale if not will_delete]
        deleted = [task_to_json(memory) for memory, will_delete, _ in stale if will_delete]
        print_json({"written": written, "archived": archived, "deleted": deleted})
    elif not stale:
        print_note("Nothing to clean up.")
    elif written:
        print_note("Done.")


def _parse_limit(age: str | None) -> str:
    """Return the time before which a memory counts as old, "" for None."""
    return "" if age is None else backlog_folder.now(times.parse_duration(age))


def _describe(memory: StaleMemory) -> str:
    task = memory.memory
    if memory.will_delete:
        return f"delete {format_task(task)}, archived on {memory.since[:10]}"
    return f"archive {format_task(task)}, not changed since {memory.since[:10]}"
