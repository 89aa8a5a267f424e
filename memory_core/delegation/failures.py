"""Collect what failed: PostToolUseFailure, of a delegation or of a tool of an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_core.claude_code import events, outcome_fields
from memory_core.delegation import collecting, run_event
from memory_core.storage.project import Project

if TYPE_CHECKING:
    from memory_core.claude_code.events import Event


def handle_failure(project: Project, event: Event) -> None:
    """Collect that a delegation failed or was refused, or that a tool of an agent failed."""
    name = "PostToolUseFailure"
    if events.is_delegation(event):
        call = run_event.of_call(project, event)
        call.run_id = call.runs.drop_receipt(call.call)
        collecting.collect(call, name)
    elif outcome_fields.is_shell(event) and events.own_agent(event):
        run = run_event.of_own_run(project, event)
        if run.run_id and not outcome_fields.is_interrupt(event):
            collecting.collect_end(run, name)
