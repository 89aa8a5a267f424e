"""What the commands of `agent-memory task` share: arguments, synchronisation, output."""

from __future__ import annotations

import calendar
import time
from collections.abc import Callable
from typing import Annotated, Any

import typer

from memory_core.cli import suggestions
from memory_core.cli.app import find_project
from memory_core.cli.errors import describe_os_error
from memory_core.cli.output import print_note
from memory_core.memory.project import Project
from memory_core.tasks import decision_notes, sync, task_actions
from memory_core.tasks.task_actions import TaskMemory

TIME_FORMAT = "%Y-%m-%d %H:%M:%S"  # in memories of tasks


def task_argument(suggest: Callable[..., Any], **settings: Any) -> Any:
    return typer.Argument(
        metavar="ID", help="A task, in any spelling.", autocompletion=suggest, **settings
    )


OpenTask = Annotated[
    str, task_argument(suggestions.suggest_open_tasks, show_default="the active task")
]


def find_synced_project(dry_run: bool = False) -> Project:
    """Return the project, after its task memories are updated from the files of Backlog.md.

    A dry run does not update them.
    """
    project = find_project()
    if not dry_run:
        try:
            sync.update(project)
        except OSError as error:
            print_note(f"The task files could not be read: {describe_os_error(error)}")
    return project


def send_decisions(project: Project) -> None:
    """Append the decisions of finished tasks to Backlog.md, and report problems."""
    try:
        problems = decision_notes.send(project, decision_notes.COMMAND_WAIT)
    except OSError as error:
        problems = [describe_os_error(error)]
    for problem in problems:
        print_note(f"Decisions are not yet written to Backlog.md: {problem}")


def parse_time(text: str) -> float:
    """Return a time of a memory in seconds since 1970, 0 if it is missing or invalid."""
    try:
        return calendar.timegm(time.strptime(text, TIME_FORMAT))
    except ValueError:
        return 0.0


def task_to_json(memory: TaskMemory) -> dict[str, object]:
    """Return the --json fields of a task memory."""
    fields: dict[str, object] = {
        "id": memory.id,
        "title": memory.title or None,
        "file": memory.path,
        "state": memory.state,
        "active": memory.active,
    }
    for key in ("created", "updated", "archived"):
        text = getattr(memory, key)
        fields[key] = f"{text.replace(' ', 'T')}Z" if parse_time(text) else None
    return fields


def format_task(memory: TaskMemory) -> str:
    """Return the id, title and file of a task memory."""
    title = f", {memory.title}" if memory.title else ""
    return f"{memory.id}{title} ({memory.path})"


def print_active_task(project: Project) -> None:
    active = task_actions.find_active(project)
    print_note(f"Active now: {format_task(active)}" if active else "No task is in progress now.")
