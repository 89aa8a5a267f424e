"""Handle the events of which a session has few.

handle_failure   PostToolUseFailure   of a delegation, or of a tool of an agent
handle_handback  PreToolUse           the report of an agent in auto mode
handle_answer    PostToolUse          of a hand-back or a forked skill
handle_end       SessionEnd

Each takes the project and an event, and returns the reply or None.  All but the last avoid slow
imports, as the fast path does.
"""

from __future__ import annotations

from memory_core.claude_code import events, run_fields
from memory_core.delegation import collecting, run_event, worker
from memory_core.delegation.run_event import RunEvent
from memory_core.storage import inbox, receipts
from memory_core.storage.project import Project

# How long the end of a session waits for the worker.
SESSION_END_SECONDS = 1.2


def handle_failure(project: Project, event: events.Event) -> run_event.Reply | None:
    """Collect that a delegation failed or was refused, or that a tool of an agent failed."""
    name = "PostToolUseFailure"
    if events.is_delegation(event):
        call = run_event.of_call(project, event)
        call.run_id = receipts.drop(call.runs, call.call)
        collecting.collect(call, name)
    elif run_fields.tool_name(event) == events.SHELL_TOOL and events.own_agent(event):
        run = run_event.of_own_run(project, event)
        if run.is_served and run.run_id and not run_fields.is_interrupt(event):
            collecting.collect(run, name)
    return None


def handle_handback(project: Project, event: events.Event) -> run_event.Reply | None:
    """Collect a report for the main agent, and remove the learnings from it."""
    run = run_event.of_own_run(project, event)
    if not (run.is_served and events.report_texts(event)):
        return None
    collecting.collect(run, "PreToolUse")
    rests = collecting.strip(run)
    return events.reply_input(event, message=next(iter(rests.values()))) if rests else None


def handle_answer(project: Project, event: events.Event) -> run_event.Reply | None:
    """Collect that a report was handed back, or what a forked skill reports."""
    if events.is_handback(event):
        run = run_event.of_own_run(project, event)
        if run.is_served:
            collecting.collect(run, "PostToolUse")
        return None
    skill = RunEvent(project, event, run_id=events.called_run(event))
    skill.agent = str(skill.record.get("agent") or "")  # the answer has only the id of the run
    return collecting.collect_answer(skill) if skill.agent else None


def handle_end(project: Project, _event: events.Event) -> run_event.Reply | None:
    """Wait a moment for the worker: where a container ends with the session, so does the worker.

    Claude Code ends the hook of a plugin after 1.5 s.  The next session saves the rest.
    """
    from memory_core.storage import hook_files

    if inbox.has_new(project.paths):
        worker.start(project)
    hook_files.await_worker(project.paths, SESSION_END_SECONDS)
    return None


HANDLERS: run_event.Handlers = {
    "PostToolUseFailure": handle_failure,
    "PreToolUse": handle_handback,
    "PostToolUse": handle_answer,
    "SessionEnd": handle_end,
}
