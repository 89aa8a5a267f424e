"""Record failed runs, failed tools and interrupted runs in the history of their agent.

The outcome of a run is recorded once, by the first of these events:

    its answer     PostToolUse: has the numbers, in the foreground
    its failure    PostToolUseFailure: names only the call, whose receipt names the run
    its end        SubagentStop: in the background, and for an agent that nobody called
    the sweep      for a run that was killed, or whose end no hook has seen

The key `recorded` in the record of the run prevents a second record.  If two of them still record
the outcome, both records have one id, and `performance` counts them once.  Successful runs are
saved by `RunEvent.save_success`, which imports less.
"""

from __future__ import annotations

from memory_core.claude_code import events
from memory_core.delegation import run_event, run_report
from memory_core.delegation.run_event import RunEvent
from memory_core.history import performance
from memory_core.memory import run_history
from memory_core.storage import run_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.history.item_history import Record

# Maximum number of errors to record per run; more would teach nothing new.
MAX_RUN_ERRORS = 20


def record_call_failure(call: RunEvent) -> None:
    """Record that a delegation failed or was stopped, if its agent was at work.

    A denied call, or a call of an unknown agent, causes the same event.  In these cases no run has
    claimed its receipt, and there is no API error.
    """
    has_begun = call.run_id or events.API_ERROR in events.error(call.event)
    if has_begun and call.is_served and "recorded" not in call.runs.record(call.call):
        run_report.note_tool_use(call)
        record_failed(call, **run_event.task_numbers(call), **run_event.task_words(call.event))


def record_failed(run: RunEvent, **fields: Any) -> None:
    """Record a run that failed or was stopped; `fields` describe and measure its task."""
    key = run.run_id or run.call
    if not key:
        return  # without an id the history cannot distinguish it from other runs
    is_stopped = events.is_interrupt(run.event)
    outcome = run_event.STOPPED if is_stopped else run_event.FAILED
    ids = {"run": run.run_id, "session": events.session(run.event)}
    kind = performance.classify_task(fields.get("description", ""), fields.get("prompt", ""))
    fields |= run.list_use()
    records = [performance.make_task_record(key, outcome, type=kind, **ids, **fields)]
    error = None if is_stopped else _make_error(run)
    records += [error] if error else []
    if run_history.save_records(run.project.store, run.agent, records):
        run.runs.try_note(key, recorded=outcome)
        if run.call not in ("", key):
            run.runs.try_note(run.call, recorded=outcome)


def record_tool_failure(run: RunEvent) -> None:
    """Record the failure of a tool in a run; each error is recorded once per run."""
    if not run.run_id or events.is_interrupt(run.event) or not run.is_served:
        return
    error = _make_error(run)
    recorded = run.record.get("errors") or []
    if error is None or error["id"] in recorded or len(recorded) >= MAX_RUN_ERRORS:
        return
    if run_history.save_records(run.project.store, run.agent, [error]):
        run.runs.try_note(run.run_id, errors=[*recorded, error["id"]])


def record_missed_run(run: RunEvent, session: str, path: str) -> None:
    """Record the outcome or the numbers of a run that no event had.

    They are read from its transcript at `path`.
    """
    launch, record = run.runs.record(run_records.launch_id_of(run.run_id)), run.record
    # A background run ends before its last message is in its transcript.
    is_counted = (
        not launch or record.get("recorded") not in run_event.FINAL_OUTCOMES or "counted" in record
    )
    if not run.run_id or ("recorded" in record and is_counted) or not run.is_served:
        return
    from memory_core.claude_code import transcripts

    outline = transcripts.summarize(path)
    if not record.get("agent") and not run.project.contains(outline.cwd):
        return  # another project's run, whose transcript is in the same folder
    if run.runs.record(outline.call).get("recorded"):
        return  # the call failed, and no event named its run
    until = record.get("ended") or transcripts.mtime_of(path)
    numbers: dict[str, Any] = {**outline.numbers, **run_event.measure({**launch, **record}, until)}
    words = run_event.launch_words(launch)
    kind = performance.classify_task(
        words.get("description", outline.description), words.get("prompt", outline.prompt)
    )
    outcome, error = _judge(record, outline.last)
    run_report.note_tool_use(run)
    run_report.read_reports(run, [outline.last])
    numbers |= run.list_use()
    ids = {"run": run.run_id, "session": session}
    records = [performance.make_task_record(run.run_id, outcome, type=kind, **ids, **numbers)]
    failure = performance.make_error_record(error, "Agent", **ids)
    records += [failure] if failure else []
    if run_history.save_records(run.project.store, run.agent, records, until):
        run.runs.try_note(run.run_id, recorded=outcome, counted=1)


def _judge(record: dict[str, Any], last: str) -> tuple[str, str]:
    """Return (outcome, error) of a run; `last` is its last message, "" if it still worked."""
    if record.get("recorded") in run_event.FINAL_OUTCOMES:
        return record["recorded"], ""
    if last.startswith(events.API_ERROR):
        return run_event.FAILED, last
    return (run_event.DONE if last or "ended" in record else run_event.STOPPED), ""


def _make_error(run: RunEvent) -> Record | None:
    ids = {"run": run.run_id, "session": events.session(run.event)}
    # An event at the end of a run has no tool: the delegation itself failed.
    tool = events.tool_name(run.event) or "Agent"
    return performance.make_error_record(events.cause(run.event), tool, **ids)
