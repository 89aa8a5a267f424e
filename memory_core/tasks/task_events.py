"""Update task memories for the hooks, and return the text for the prompt.

session start    update; the main session imports the active task, and is sent a change
agent start      update; the agent is sent what changed since its session began
tool use         update, if Bash or Backlog.md's MCP server may have changed a task
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_core.storage import event_log
from memory_core.storage.project import Project
from memory_core.storage.run_records import SessionRuns
from memory_core.tasks import claude_md_import, sync


def handle_session_start(project: Project, records: SessionRuns, room: int) -> str:
    """Update the memories; return text for the main session, at most `room` characters.

    It is usually "", because Claude Code imports the memory.  But Claude Code reads CLAUDE.md
    while this hook runs, and either may be first (seen from 2.1.63 to 2.1.329), so a change
    that this hook makes is also returned as text.
    """
    _try(project, lambda: claude_md_import.record_session(project, records))
    return handle_agent_start(project, records, room)


def handle_agent_start(project: Project, records: SessionRuns, room: int) -> str:
    """Update the memories; return text for an agent that starts, at most `room` characters."""
    update(project)
    text: str = _try(project, lambda: claude_md_import.format_update(project, records, room))
    return text


def update(project: Project) -> None:
    """Update the memories after a tool that may have changed a task."""
    _try(project, lambda: sync.update(project))


def _try(project: Project, work: Callable[[], Any]) -> Any:
    """Return the result of `work`, "" if it fails: task memories must not stop an agent."""
    try:
        return work()
    except (OSError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        event_log.write(project.paths, "agent.memory.error", error=reason)
        return ""
