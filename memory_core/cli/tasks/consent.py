"""`agent-memory task init`, `delete` and `cleanup`: commands that ask before they change."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import times
from memory_core.cli.common import suggestions
from memory_core.cli.common.arguments import AsJson, DryRun, Yes, flag
from memory_core.cli.common.inputs import NOTHING_CHANGED, can_ask, require_consent, should_ask
from memory_core.cli.common.notes import DRY_RUN_HINT, format_command
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import make_progress, print_json, print_line, print_note
from memory_core.cli.tasks.common import (
    find_synced_project,
    format_task,
    print_active_task,
    task_argument,
    task_to_json,
)
from memory_core.document.diff import TextChange, format_diff
from memory_core.tasks import backlog_folder, claude_md_import, task_actions
from memory_core.tasks.task_actions import StaleMemory

DEFAULT_AGE = "30d"  # of `cleanup` without options

CANNOT_ASK = f"not a terminal: pass --yes to confirm; {NOTHING_CHANGED}"


def init(
    remove: Annotated[bool, flag("--remove", "Remove the lines again; memories are kept.")] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Give the notes of the active task to every session of Claude Code.

    Adds a line to CLAUDE.md that imports backlog/CLAUDE.md, which imports the memory
    of the active task.
    The changes are shown first and you are asked; without a terminal, pass --yes.
    Exit 1 if nothing was done.

    \b
    Example:
      agent-memory task init --yes
    """
    should_ask(yes, dry_run, json)
    project = find_synced_project(dry_run)
    plan = (
        claude_md_import.plan_removal(project.place)
        if remove
        else claude_md_import.plan_set_up(project)
    )
    relative = project.place.relative
    changes = [TextChange(relative(path), before, after) for path, before, after in plan]
    diffs = {change.path: format_diff(change) for change in changes}
    if not json:
        for path, diff in diffs.items():
            print_line(diff.removesuffix("\n") or f"{path}:")
    write = bool(changes) and not dry_run
    if write and not remove:
        _confirm(yes, "Add this?", json)
    if write and remove:
        claude_md_import.remove(project.place)
    elif write:
        claude_md_import.set_up(project)
    if json:
        rows = [{"file": path, "diff": diff} for path, diff in diffs.items()]
        print_json({"written": write, "changes": rows})
    elif not changes:
        state = "does not import tasks" if remove else "imports the active task already"
        print_note(f"Nothing to do: CLAUDE.md {state}.")
    elif dry_run:
        print_note(DRY_RUN_HINT)
    elif remove:
        print_note("Removed.  The memories are kept.")
    else:
        print_note("Done.  The next session and its agents receive the notes of the active task.")
        print_note(f"To remove it: {format_command('task init --remove')}")


def _confirm(yes: bool, question: str, json: bool) -> None:
    """Ask a question unless --yes is given; refuse the command if nobody can answer yes."""
    if yes:
        return
    if json or not can_ask():
        raise CommandRefused(CANNOT_ASK, 1)
    require_consent(question)


def delete(
    task: Annotated[str, task_argument(suggestions.suggest_tasks)],
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Delete the memory of a task for good.

    You are asked first; without a terminal, pass --yes.
    agent-memory task archive keeps the memory.

    \b
    Example:
      agent-memory task delete 368 --yes
    """
    project = find_synced_project()
    memory = task_actions.find(project, task)
    _confirm(yes, f"Delete {format_task(memory)} for good?", json)
    task_actions.delete(project, memory)
    if json:
        print_json({**task_to_json(memory), "deleted": True})
        return
    print_line(f"Deleted: {format_task(memory)}")
    if memory.active:
        print_active_task(project)


def cleanup(
    archive_after: Annotated[
        str | None,
        typer.Option(
            metavar="30d",
            help="Archive memories not changed for this time: in s, m, h, d or w.",
            show_default=f"{DEFAULT_AGE}, without --delete-after",
        ),
    ] = None,
    delete_after: Annotated[
        str | None,
        typer.Option(
            metavar="90d",
            help="Delete memories archived for this time.",
            show_default="delete nothing",
        ),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Archive unused memories and delete old archived ones.

    The dates in the files count, not the times of the files.
    Tasks in progress are skipped.
    You are asked before a deletion; without a terminal, pass --yes.

    \b
    Example:
      agent-memory task cleanup --archive-after 30d --delete-after 90d --dry-run
    """
    should_ask(yes, dry_run, json)
    if archive_after is None and delete_after is None:
        archive_after = DEFAULT_AGE
    limits = (_parse_limit(archive_after), _parse_limit(delete_after))
    project = find_synced_project(dry_run)
    stale = task_actions.find_stale(project, *limits)
    if not json:
        for memory in stale:
            print_line(f"{'would ' if dry_run else ''}{_describe(memory)}")
    if not dry_run:
        if any(memory.will_delete for memory in stale):
            _confirm(yes, "Continue, and delete these for good?", json)
        # A memory may have been reopened while the question waited.
        stale = [memory for memory in task_actions.find_stale(project, *limits) if memory in stale]
        task_actions.clean_up(project, stale, make_progress("Cleaning up"))
    if json:
        rows = [(task_to_json(memory), will_delete) for memory, will_delete in stale]
        archived = [row for row, will_delete in rows if not will_delete]
        deleted = [row for row, will_delete in rows if will_delete]
        print_json({"written": not dry_run, "archived": archived, "deleted": deleted})
    elif not stale:
        print_note("Nothing to clean up.")
    else:
        print_note(DRY_RUN_HINT if dry_run else "Done.")


def _parse_limit(age: str | None) -> str:
    """Return the time before which a memory counts as old, "" for None."""
    return "" if age is None else backlog_folder.now(times.parse_duration(age))


def _describe(memory: StaleMemory) -> str:
    task = memory.memory
    if memory.will_delete:
        return f"delete {format_task(task)}, archived on {task.archived[:10]}"
    return f"archive {format_task(task)}, not changed since {task.updated[:10]}"
