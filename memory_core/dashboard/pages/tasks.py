"""The memories of Backlog.md tasks."""

from __future__ import annotations

from contextlib import suppress

from memory_core.curation import memory_view
from memory_core.dashboard.page import NotFound, View, Visit, divide
from memory_core.document import markdown
from memory_core.tasks import sync, task_actions

TASKS_ON_A_PAGE = 100


def show_tasks(visit: Visit) -> View:
    """List the tasks with a memory, or the lines of their memories that have some words."""
    project, words = visit.project, visit.query["q"].strip()
    with suppress(OSError):  # the list still works; the log has the error
        sync.update(project)
    values = {"status": task_actions.read_status(project), "words": words}
    if words:
        hits = divide(task_actions.search(project, words), visit.query)
        return View("tasks.html", {**values, "hits": hits})
    tasks = divide(task_actions.list_memories(project), visit.query, TASKS_ON_A_PAGE)
    return View("tasks.html", {**values, "hits": None, "tasks": tasks})


def show_task(visit: Visit) -> View:
    wanted, memories = visit.names["task"], task_actions.list_memories(visit.project)
    memory = next((memory for memory in memories if memory.id == wanted), None)
    if memory is None:
        raise NotFound(f"Task {wanted!r} has no memory here.")
    parts = [*memory_view.list_parts(markdown.parse_document(memory.text))]
    return View("task.html", {"memory": memory, "parts": parts})
