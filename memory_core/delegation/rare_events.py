"""Handle the events of which a session has few.

handle_failure   PostToolUseFailure   of a delegation, or of a tool of an agent
handle_handback  PreToolUse           the report of an agent in auto mode
handle_answer    PostToolUse          of a hand-back or a forked skill
handle_end       SessionEnd

Each takes the project and an event, and returns the reply or None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memory_core.claude_code import events, run_fields
from memory_core.delegation import collecting, draining, run_event
from memory_core.delegation.run_event import RunEvent
from memory_core.storage import receipts
from memory_core.storage.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_core.claude_code.events import Event

    Reply = dict[str, Any]


def handle_failure(project: Project, event: Event) -> Reply | None:
    """Collect that a delegation failed or was refused, or that a tool of an agent failed."""
    name = "PostToolUseFailure"
    if events.is_delegation(event):
        call = run_event.of_call(project, event)
        call.run_id = receipts.drop(call.runs, call.call)
        collecting.collect(call, name)
    elif run_fields.is_shell(event) and events.own_agent(event):
        run = run_event.of_own_run(project, event)
        if run.is_served and run.run_id and not run_fields.is_interrupt(event):
            collecting.collect(run, name)
    return None


def handle_handback(project: Project, event: Event) -> Reply | None:
    """Collect a report for the main agent, and remove the learnings from it."""
    run = run_event.of_own_run(project, event)
    if not (run.is_served and events.report_texts(event)):
        return None
    collecting.collect(run, "PreToolUse")
    rests = collecting.strip(run)
    return events.reply_input(event, message=next(iter(rests.values()))) if rests else None


def handle_answer(project: Project, event: Event) -> Reply | None:
    """Collect that a report was handed back, or what a forked skill reports."""
    if events.is_handback(event):
        run = run_event.of_own_run(project, event)
        if run.is_served:
            collecting.collect(run, "PostToolUse")
        return None
    skill = RunEvent(project, event, run_id=events.called_run(event))
    skill.agent = str(skill.record.get("agent") or "")  # the answer has only the id of the run
    return collecting.collect_answer(skill) if skill.agent else None


def handle_end(project: Project, _event: Event) -> Reply | None:
    """Wait a moment for what the worker has to save."""
    draining.handle_session_end(project)
    return None


HANDLERS: dict[str, Callable[[Project, Event], Reply | None]] = {
    "PostToolUseFailure": handle_failure,
    "PreToolUse": handle_handback,
    "PostToolUse": handle_answer,
    "SessionEnd": handle_end,
}
