"""What the commands of `agent-memory task` share: arguments, synchronisation, output."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli.app import find_project
from memory_core.cli.output import print_note, select_fields
from memory_core.files.problems import describe_expected
from memory_core.storage.project import Project
from memory_core.tasks import sync, task_actions
from memory_core.tasks.task_actions import TaskMemory

TASK_HELP = "A task: 368, task-368 or TASK-368."

Task = Annotated[str, typer.Argument(metavar="ID", help=TASK_HELP)]
OptionalTask = Annotated[
    str, typer.Argument(metavar="ID", help=TASK_HELP, show_default="the active task")
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
            print_note(f"The task files could not be read: {describe_expected(error)}")
    return project


def task_to_json(memory: TaskMemory) -> dict[str, object]:
    """Return the --json fields of a task memory."""
    fields = select_fields(memory, "id", "title", "state", "active", file="path")
    for name in ("created", "updated", "archived"):
        time = getattr(memory, name).replace(" ", "T")
        fields[name] = f"{time}Z" if time else None
    return fields


def format_task(memory: TaskMemory) -> str:
    """Return the id, title and file of a task memory."""
    title = f", {memory.title}" if memory.title else ""
    return f"{memory.id}{title} ({memory.path})"


def print_active_task(project: Project) -> None:
    active = task_actions.find_active(project)
    print_note(f"Active now: {format_task(active)}" if active else "No task is in progress now.")
