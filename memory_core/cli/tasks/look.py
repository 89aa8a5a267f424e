"""`agent-memory task show`, `list`, `search` and `status`: nothing is changed."""

from __future__ import annotations

import calendar
import time
from typing import Annotated, Any

from memory_core.cli.common.arguments import argument, flag
from memory_core.cli.common.entries import Entry, print_columns, print_list
from memory_core.cli.common.notes import format_command
from memory_core.cli.common.scopes import find_synced_project
from memory_core.cli.errors import exit_if
from memory_core.cli.output import print_bytes, print_json, print_line, print_note, select_fields
from memory_core.storage.project import Project
from memory_core.tasks import backlog_folder, task_actions, task_document
from memory_core.tasks.task_actions import TaskHit, TaskMemory, TaskStatus
from memory_core.text.phrases import format_age


def show(task: OptionalTask = "") -> None:
    """Print the memory of a task.

    \b
    Example:
      agent-memory task show 368
    """
    project = find_synced_project()
    memory = task_actions.find(project, task)
    text = task_actions.read_text(project, memory)
    sections = [
        {"title": title, "text": content}
        for title, content in task_document.list_sections(text)
        if title
    ]
    print_json({**task_to_json(memory), "sections": sections, "text": text})
    print_bytes(text.encode("utf-8", "surrogateescape"))
    if memory.state == task_actions.ARCHIVED:
        print_note(f"It is archived; to reopen it: {format_command(f'task reopen {memory.id}')}")


def list_(every: Annotated[bool, flag("--all", "Archived tasks, too.")] = False) -> None:
    """Print the tasks with a memory, the active one first.

    \b
    Example:
      agent-memory task list --all
    """
    memories = task_actions.list_memories(find_synced_project())
    shown = [memory for memory in memories if every or memory.state != task_actions.ARCHIVED]
    print_json([task_to_json(memory) for memory in shown])
    rows = [_format_row(memory) for memory in shown]
    if rows:
        print_columns([["TASK", "STATE", "UPDATED", "TITLE"], *rows])
    else:
        print_note("No task has a memory.")
    hidden = len(memories) - len(shown)
    if hidden:
        print_note(f"{hidden} archived; to list them, too: {format_command('task list --all')}")


def _format_row(memory: TaskMemory) -> list[str]:
    state = "active" if memory.active else memory.state
    try:
        moment = calendar.timegm(time.strptime(memory.updated, backlog_folder.TIME_FORMAT))
    except ValueError:
        moment = 0  # missing, or written by hand
    return [memory.id, state, format_age(moment), memory.title]


def search(text: Annotated[list[str], argument("TEXT", "Words that all occur in a line.")]) -> None:
    """Find lines in the memories of tasks, also archived ones.

    Exit 1 if nothing is found.

    \b
    Example:
      agent-memory task search event bus || echo "not yet"
    """
    words = " ".join(text)
    hits = task_actions.search(find_synced_project(), words)
    names, own = ("id", "title", "state"), ("section", "text")
    rows = [select_fields(hit.memory, *names) | select_fields(hit, *own) for hit in hits]
    print_list(rows, list(map(_to_entry, hits)), "Nothing found.", words)
    exit_if(not hits)


def _to_entry(hit: TaskHit) -> Entry:
    task = (hit.memory.id,)
    note = "  (archived)" if hit.memory.state == task_actions.ARCHIVED else ""
    return Entry(task, task, (), hit.text, hit.section, note)


def status() -> None:
    """Show the active task, and what Claude Code receives of it.

    \b
    Example:
      agent-memory task status
    """
    state = task_actions.read_status(find_synced_project())
    print_json(_status_to_json(state))
    print_line(f"Active: {format_task(state.active) if state.active else 'none'}")
    counts = ", ".join(f"{number} {name}" for name, number in state.counts.items())
    print_line(f"Memories: {counts}, in {state.folder}")
    print_line(f"Claude Code: {_describe_import(state)}")
    print_line(f"Backlog.md: command {'found' if state.has_command else 'not found'}")
    if not state.is_enabled:
        print_note("Task memory is switched off: hooks do not use it.")
    if not state.is_set_up:
        command = format_command("task init")
        print_note(f"To give the active task to each session: {command}")


def _describe_import(state: TaskStatus) -> str:
    imported = state.imported
    if imported is None:
        return "imports nothing"
    copy = " (a copy within the budget, without imports of its own)" if imported.is_copy else ""
    return f"imports {imported.path}{copy}, about {imported.tokens} of {state.budget} tokens"


def _status_to_json(state: TaskStatus) -> dict[str, Any]:
    renamed = {"enabled": "is_enabled", "command": "has_command"}
    imported = select_fields(state.imported, "tokens", file="path", copy="is_copy")
    return {
        **select_fields(state, "folder", "budget", set_up="is_set_up", **renamed),
        **{name.replace(" ", "_"): number for name, number in state.counts.items()},
        "active": task_to_json(state.active) if state.active else None,
        "imported": imported if state.imported else None,
    }


TASK_HELP = "A task: 368, task-368 or TASK-368."

Task = Annotated[str, argument("ID", TASK_HELP)]
OptionalTask = Annotated[str, argument("ID", TASK_HELP, "the active task")]


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
