"""Read the events in the inbox, for the worker: each adds records and learnings to a memory.

PreToolUse of a hand-back   learnings
SubagentStop                learnings, the use of items, the outcome of a run in the background
PostToolUse of a hand-back  learnings, the use of items
PostToolUse                 the same of a delegation or a forked skill in the foreground
PostToolUseFailure          the outcome of a delegation that failed, or the error of a tool
"""

from __future__ import annotations

from memory_core.claude_code import events
from memory_core.delegation import answers, run_outcomes
from memory_core.delegation.run_event import RunEvent
from memory_core.delegation.run_outcomes import EventResult, RunReport
from memory_core.history import performance
from memory_core.learning import run_subject
from memory_core.memory import remember


def read_event(run: RunEvent) -> EventResult:
    """Return the additions to the memory, and note the items that the run used."""
    result, name = EventResult(run), events.name(run.event, "")
    if name == "PreToolUse":
        _add_lesson(result, _read_report(run))
    elif name == "SubagentStop" or events.is_handback(run.event):
        _read_end(result)
    elif name == "PostToolUse":
        _read_answer(result)
    elif events.is_delegation(run.event):
        _log_failed(run)
        run_outcomes.add_call_failure(result)
    else:
        run_outcomes.add_tool_failure(result)
    return result


def _read_answer(result: EventResult) -> None:
    """Read the answer of a delegation or a forked skill, or a launch that came after the end."""
    run, event = result.run, result.run.event
    if events.is_background_launch(event):
        _add_end(result)
        return
    answers.check_delivery(run)
    # Another event may have recorded how a skill ended.
    is_recorded = run.record.get("recorded") in run_outcomes.FINAL_OUTCOMES
    is_new = run.is_served and (events.is_delegation(event) or not is_recorded)
    if events.error(event):
        _log_failed(run)
        if is_new:
            run_outcomes.add_failure(result)
        return
    report = _note_end(result)
    if is_new:
        # Claude Code may have written the last tool calls after the event of the run's end.
        run_outcomes.note_tool_use(run)
        run_outcomes.add_outcome(result, performance.DONE)
    _add_lesson(result, report)
    _say_end(result, report)


def _read_report(run: RunEvent) -> RunReport:
    return run_outcomes.read_report(run, events.report_texts(run.event))


def _read_end(result: EventResult) -> None:
    """Read the end of a run, or its report for the main agent."""
    run = result.run
    has_ended_before = "ended" in run.record
    report = _note_end(result) if events.report_texts(run.event) else _read_report(run)
    if not events.is_handback(run.event) and run.run_id and run.is_served:
        run_outcomes.note_tool_use(run)
        _add_end(result, has_ended_before)
    _add_lesson(result, report)
    if events.report_texts(run.event) and run.launch:
        _say_end(result, report)  # of a run in the background, which has no answer


def _note_end(result: EventResult) -> RunReport:
    """Return the report, and note that no sweep need read them, and which items the run used.

    It comes before the record of the launch is read: a hook that writes that one looks for the
    end afterwards, so at least one of the two sees both.
    """
    run = result.run
    run.runs.try_note(run.run_id, agent=run.agent, ended=run.when)
    report = _read_report(run)
    run_outcomes.note_used(run, report.used)
    return report


def _add_end(result: EventResult, has_ended: bool = False) -> None:
    """Add the outcome of a run that ended, unless the answer of its call has more details."""
    run = result.run
    record, launch = run.runs.record(run.run_id), run.launch
    is_in_foreground = record.get("call") and not launch
    # A run without a report is a warm-up of 2.0.x, or in auto mode will be asked for its report.
    is_over = launch or has_ended or events.report_texts(run.event)
    if record.get("recorded") in run_outcomes.FINAL_OUTCOMES or is_in_foreground or not is_over:
        return
    if events.error(run.event):
        run_outcomes.add_failure(result)
    else:
        run_outcomes.add_outcome(result, performance.DONE)


def _add_lesson(result: EventResult, report: RunReport) -> None:
    about = _describe_subject(result.run, report)
    result.lesson = run_outcomes.make_lesson(result.run, report, about=about)


def _describe_subject(run: RunEvent, report: RunReport) -> str:
    """Return what the run was about, "" if it has no id, or an earlier event has saved it."""
    if not report.learnings or not run.run_id or "keys" in run.record:
        return ""
    noted = str(run.record.get("asked") or run.launch.get("prompt") or "")
    prompt = events.prompt(run.event) if events.is_delegation(run.event) else noted
    return run_subject.describe_run(prompt, report.rest)


def _say_end(result: EventResult, report: RunReport) -> None:
    """With `notices: all`, say what a run received that taught nothing."""
    run = result.run
    if not report.learnings and run.project.config["notices"] == remember.ALL:
        line = remember.format_run(run.agent, run.record, {}, "")
        session = events.session(run.event)
        result.notes.append(lambda: remember.add_notice(run.project, session, line))


def _log_failed(run: RunEvent) -> None:
    """Log the error message, which comes from Claude Code and not from the agent."""
    run.log("agent.delegation.failed", error=performance.clean_error(events.error(run.event)))
