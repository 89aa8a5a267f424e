"""When Claude Code's events are an occasion to look at tasks: what is done, and who is told.

session start    the look; the main session imports the task in progress, and is told of a change
agent start      the look; the agent is told what has changed since its session began
a tool was used  the look, where Bash or Backlog.md's MCP server may have moved a task
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memory_core.memory import Project
    from memory_core.runs import Runs

# What there is one of, where there are tasks; a project without pays for these looks only.
SIGNS = ("backlog", ".backlog", "backlog.config.yml")


def has_tasks(project: Project) -> bool:
    """Say whether there may be tasks in a project."""
    root = project.place.root
    return any(os.path.lexists(os.path.join(root, sign)) for sign in SIGNS)


def at_session(project: Project, records: Runs, room: int) -> str:
    """Look at tasks; return what the main session is told, at most `room` characters.

    Mostly nothing: Claude Code imports it.  But it reads CLAUDE.md while this hook runs, and
    either may be first (seen from 2.1.63 to 2.1.329); so what changes now is told as well.
    """
    if not has_tasks(project):
        return ""
    from memory_core import task_delivery

    _try(project, lambda: task_delivery.note_session(project, records))
    _check(project)
    told: str = _try(project, lambda: task_delivery.told_at_start(project, records, room))
    return told


def at_start(project: Project, records: Runs, room: int) -> str:
    """Look at tasks; return what an agent that starts is told, at most `room` characters."""
    if not has_tasks(project):
        return ""
    from memory_core import task_delivery

    _check(project)
    told: str = _try(project, lambda: task_delivery.told_at_start(project, records, room))
    return told


def moved(project: Project) -> None:
    """Look at tasks after a tool that may have moved one, and tell Backlog.md what is owed."""
    if has_tasks(project):
        _check(project)
        settle(project)


def settle(project: Project) -> None:
    """Have Backlog.md told the decisions of tasks that are done."""
    if not has_tasks(project):
        return
    from memory_core import log, task_watch

    for problem in _try(project, lambda: task_watch.pay(project)):
        log.write(project.place, "agent.memory.error", error=problem)


def _check(project: Project) -> None:
    from memory_core import task_watch

    _try(project, lambda: task_watch.check(project))


def _try(project: Project, work: Callable[[], Any]) -> Any:
    """Return what comes of a piece of work, "" where it fails: no agent waits for tasks."""
    try:
        return work()
    except (OSError, ValueError) as error:
        from memory_core import log

        told = f"{type(error).__name__}: {error}"
        log.write(project.place, "agent.memory.error", error=told)
        return ""
