"""Answer Claude Code's events in the life of a delegation.

    handle_call           PreToolUse          adds the memory to the prompt, writes a receipt
    handle_start          SubagentStart       adds the memory if there is no receipt
    handle_handback       PreToolUse          auto mode: removes learnings from the report
    handle_answer         PostToolUse         the same in the foreground; notes background launches
    handle_stop           SubagentStop        saves the learnings of the last message
    handle_failure        PostToolUseFailure  voids the receipt, or records a failed tool
    handle_session_start  SessionStart        gives the main session its own memory

Each function takes the project and an event, and returns the reply or None.
`claude_code.events` knows the fields of events, this module their order.
"""

from __future__ import annotations

import time

from memory_core.claude_code import agent_names, events
from memory_core.delegation import run_event
from memory_core.delegation.run_event import RunEvent
from memory_core.storage import run_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memory_core.claude_code.events import Event
    from memory_core.delegation.run_report import RunReport
    from memory_core.memory.recall import MemoryBlock
    from memory_core.storage.project import Project

    Reply = dict[str, Any]

# Claude Code shows the person a message in the reply to these, except inside of an agent.
NOTICING_EVENTS = ("PreToolUse", "PostToolUse", "SessionStart")

# The main agent reads this text if a report had only learnings.
EMPTY_REPORT = "(The report held only notes for the agent's own memory.)"


def handle(project: Project, event: Event, assumed: str) -> Reply | None:
    """Answer an event; `assumed` is the name of an event that does not have one."""
    handlers = {
        "PreToolUse": handle_call if events.is_delegation(event) else handle_handback,
        "SubagentStart": handle_start,
        "PostToolUse": handle_answer,
        "SubagentStop": handle_stop,
        "PostToolUseFailure": handle_failure,
        "SessionStart": handle_session_start,
    }
    name = events.name(event, assumed)
    return _add_notices(project, event, name, handlers[name](project, event))


def _add_notices(project: Project, event: Event, name: str, reply: Reply | None) -> Reply | None:
    """Add the lines for the person of this session; the client shows them to nobody else."""
    if name not in NOTICING_EVENTS or events.own_run(event):
        return reply
    from memory_core.claude_code import notices

    lines = notices.take(project.paths.state, events.session(event), name == "SessionStart")
    if not lines:
        return reply
    said = (reply or {}).get("systemMessage")
    return {**(reply or {}), "systemMessage": "\n".join(filter(None, [said, *lines]))}


def finish(project: Project, event: Event, assumed: str) -> None:
    """Do the work that can wait until the reply is printed."""
    if events.may_change_tasks(event):
        from memory_core.tasks import task_events

        task_events.handle_tool_use(project)
        return
    name = events.name(event, assumed)
    if name == "SessionStart":
        from memory_core.delegation import missed_reports
        from memory_core.tasks import task_events

        task_events.send_decisions(project)
        missed_reports.sweep_at_start(project, event)
    if name in ("SessionStart", "SubagentStop"):
        from memory_core.claude_code import notices
        from memory_core.origin import arrivals

        arrivals.look(project)
        for line in arrivals.ask_whose(project):  # the next hook of this session prints it
            notices.add(project.paths.state, events.session(event), line)


def handle_call(project: Project, event: Event) -> Reply | None:
    """Add the called agent's memory to its prompt."""
    call = run_event.of_call(project, event)
    if not call.is_served or _is_served_at_start(call):
        return None
    from memory_core.memory import recall

    task = events.prompt(event)
    block = recall.build_block(project, call.agent, project.prompt_budget(call.agent), lambda: task)
    group, block = _assign_group(call, call.call, block)
    # Without a receipt SubagentStart would add the memory again, so leave it to SubagentStart.
    facts = {
        "caller": events.calling_run(event),
        "given": " ".join(block.given),
        "named": block.named,
        "asked": task.lstrip()[: run_event.PROMPT_HEAD],
        "experiment": group,
    }
    if not block.text or not call.runs.add_receipt(call.call, call.agent, **facts):
        return None
    if group:
        call.runs.try_note(call.call, experiment=group)
    _log_loaded(call, block, run_records.VIA_PROMPT)
    return events.reply_input(event, prompt=f"{task}\n\n{block.text}")


def _is_served_at_start(call: RunEvent) -> bool:
    """Return whether the prompt must not be changed, so that SubagentStart adds the memory."""
    return events.is_auto_mode(call.event) or run_records.are_prompts_lost(call.project.paths)


def handle_start(project: Project, event: Event) -> Reply | None:
    """Give the starting agent its memory, unless its prompt already has it."""
    start = run_event.of_own_run(project, event)
    # The transcript of a resumed run still has its memory block.
    if not start.is_served or not start.runs.begin(start.run_id):
        return None
    from memory_core.memory import recall
    from memory_core.tasks import task_events

    claimed, receipt = _claim_receipt(start)
    block = recall.MemoryBlock() if claimed else _recall_at_start(start)
    group, block = _assign_group(start, start.run_id, block)
    served_here = run_records.VIA_START if block.text else "none"
    route = run_records.VIA_PROMPT if claimed else served_here
    facts = {name: receipt[name] for name in run_event.FACTS if receipt.get(name)}
    if claimed:
        start.runs.try_note(
            claimed, **facts
        )  # another run of this agent may be the one of the call
    if block.given:
        facts |= {"given": " ".join(block.given), "named": block.named}
    if group:
        facts["experiment"] = group
    start.runs.try_note(
        start.run_id, agent=start.agent, route=route, call=claimed, began=time.time(), **facts
    )
    if block.text:
        _log_loaded(start, block, run_records.VIA_START)
    room = recall.CONTEXT_LIMIT - len(block.text) - 2
    tasks = task_events.handle_agent_start(project, start.runs, room)
    text = "\n\n".join(part for part in (block.text, tasks) if part)
    return events.reply_context("SubagentStart", text) if text else None


def _assign_group(run: RunEvent, key: str, block: MemoryBlock) -> tuple[str, MemoryBlock]:
    """Return the run's group in an experiment, "" for none, and the block that it receives."""
    if not run.project.config["experiment"]["hold_out"]:
        return "", block
    from memory_core.delegation import hold_out

    return hold_out.assign_group(run.project, run.agent, key, block)


def _claim_receipt(start: RunEvent) -> tuple[str, dict[str, Any]]:
    """Return the call whose prompt had the memory for this run, or "", and its receipt."""
    from memory_core.claude_code import transcripts

    main = events.transcript_path(start.event)
    for call, receipt in start.runs.find_open_receipts(start.agent, start.run_id):
        caller = receipt.get("caller")
        path = transcripts.path_of_run(main, caller) if caller else main
        if transcripts.has_failed_call(path, call):
            start.runs.drop_receipt(call)
        elif start.runs.claim_receipt(call, start.run_id):
            return call, receipt
    return "", {}


def _recall_at_start(start: RunEvent) -> MemoryBlock:
    """Build the block at the start; the task is in the transcript of the main session."""
    from memory_core.claude_code import transcripts
    from memory_core.memory import recall

    main, agent = events.transcript_path(start.event), start.agent
    return recall.build_block(
        start.project,
        agent,
        recall.CONTEXT_LIMIT,
        lambda: transcripts.find_last_prompt(main, agent),
    )


def handle_handback(project: Project, event: Event) -> Reply | None:
    """Save the learnings of a report for the main agent, and remove them from the report."""
    from memory_core.delegation import run_report

    run = run_event.of_own_run(project, event)
    saved = _save_learnings(run, run_report.read_reports(run))
    if not saved:
        return None
    return events.reply_input(event, message=saved[events.report_texts(event)[0]])


def handle_answer(project: Project, event: Event) -> Reply | None:
    """Save the learnings of the answer of a delegation, a hand-back or a forked skill."""
    from memory_core.delegation import run_report

    if events.is_handback(event):
        return handle_stop(project, event)
    if events.may_change_tasks(event):
        return None
    is_delegation = events.is_delegation(event)
    answer = (run_event.of_call if is_delegation else run_event.of_skill)(project, event)
    if not answer.agent:
        return None  # a skill that did not fork
    if is_delegation:
        _check_delivery(answer)
    if events.is_background_launch(event):
        _note_launch(answer)
        return None
    # Another event may have recorded how a skill ended.
    is_recorded = not is_delegation and answer.record.get("recorded") in run_event.FINAL_OUTCOMES
    is_new = answer.is_served and not is_recorded
    fields = {**run_event.task_numbers(answer), **run_event.task_words(event)}
    if events.error(event):
        _take_failure(answer, fields if is_new else None)
        return None
    reports = run_report.read_reports(answer)
    # Before the learnings are saved, which merges the whole spool at once.
    if is_new:
        # Claude Code may have written the last tool calls after the event of the run's end.
        run_report.note_tool_use(answer)
        answer.save_success(**fields)
    saved = _save_learnings(answer, reports)
    _note_end(answer)
    _say_end(answer, reports)
    if not saved:
        return None
    report = events.edit_report(event, lambda text: saved.get(text, text))
    return events.reply_output(report)


def _take_failure(answer: RunEvent, fields: dict[str, Any] | None) -> None:
    """Log a delegation that failed; record it with these fields, unless they are None."""
    _log_failed(answer, events.error(answer.event))
    if fields is not None:
        from memory_core.delegation import run_outcomes

        run_outcomes.record_failed(answer, **fields)


def _note_launch(launch: RunEvent) -> None:
    """Record the task of a background agent, because the event of its end does not have it."""
    if not launch.is_served or not launch.run_id:
        return
    words = {**run_event.task_words(launch.event), "call": launch.call}
    launch.runs.try_note(run_records.launch_id_of(launch.run_id), launched=time.time(), **words)
    if "ended" in launch.runs.record(launch.run_id):  # while this process started
        _save_end(launch)


def handle_stop(project: Project, event: Event) -> Reply | None:
    """Save the learnings of an agent that ends; return None, so that it may end."""
    from memory_core.delegation import run_report

    stop = run_event.of_own_run(project, event)
    if not stop.agent:
        return None

    def save_end() -> None:
        if not events.is_handback(event) and stop.run_id and stop.is_served:
            run_report.note_tool_use(stop)
            _save_end(stop)

    reports = run_report.read_reports(stop)
    _save_learnings(stop, reports, save_end)
    if events.report_texts(event):
        _note_end(stop)
        if stop.runs.record(run_records.launch_id_of(stop.run_id)):
            _say_end(stop, reports)  # of a run in the background, which has no answer
    return None


def _say_end(run: RunEvent, reports: list[RunReport]) -> None:
    """With `notices: all`, say what a run received that taught nothing."""
    from memory_core.claude_code import notices

    is_told = any(report.extraction for report in reports)
    if is_told or run.project.config["notices"] != notices.ALL:
        return
    line = notices.describe_run(run.agent, run.record, {}, "")
    notices.add(run.project.paths.state, events.session(run.event), line)


def _save_end(run: RunEvent) -> None:
    """Record the outcome of a run that ended, unless the answer of its call has more details."""
    record = run.runs.record(run.run_id)
    launch = run.runs.record(run_records.launch_id_of(run.run_id))
    is_in_foreground = record.get("call") and not launch
    # A run without a report is a warm-up of 2.0.x, or in auto mode will be asked for its report.
    is_over = launch or "ended" in record or events.report_texts(run.event)
    if record.get("recorded") in run_event.FINAL_OUTCOMES or is_in_foreground or not is_over:
        return
    fields = {**run_event.measure({**launch, **record}), **run_event.launch_words(launch)}
    if events.error(run.event):
        from memory_core.delegation import run_outcomes

        run_outcomes.record_failed(run, **fields)
    else:
        run.save_success(**fields)


def _note_end(run: RunEvent) -> None:
    """Record that a hook has seen the report of the run, so that no sweep reads it again."""
    run.runs.try_note(run.run_id, agent=run.agent, ended=time.time())


def handle_failure(project: Project, event: Event) -> Reply | None:
    """Record that a delegation failed or was refused, or that a tool of an agent failed."""
    from memory_core.delegation import run_outcomes

    if events.is_delegation(event):
        call = run_event.of_call(project, event)
        call.run_id = call.runs.drop_receipt(call.call)
        _log_failed(call, events.error(event))
        run_outcomes.record_call_failure(call)
    elif events.is_shell(event) and events.own_agent(event):
        run_outcomes.record_tool_failure(run_event.of_own_run(project, event))
    return None


def handle_session_start(project: Project, event: Event) -> Reply | None:
    """Give the main session its own memory, never the memory of an agent."""
    from memory_core.git import merge_driver
    from memory_core.memory import recall
    from memory_core.origin import arrivals
    from memory_core.tasks import task_events

    session = RunEvent(project, event, agent_names.PM)
    if events.start_reason(event) in ("startup", "resume"):
        session.runs.drop_receipts()
    block = recall.build_block(project, agent_names.PM, recall.CONTEXT_LIMIT)
    if block.text:
        _log_loaded(session, block, "session")
    room = recall.CONTEXT_LIMIT - len(block.text) - 2
    tasks = task_events.handle_session_start(project, session.runs, room)
    text = "\n\n".join(part for part in (block.text, tasks) if part)
    notices = [merge_driver.format_notice(project.store.folder), *arrivals.format_notices(project)]
    notice = "\n".join(filter(None, notices))
    return events.reply_session_start(text, notice) if text or notice else None


def _save_learnings(
    run: RunEvent, reports: list[RunReport], before_merge: Callable[[], None] = lambda: None
) -> dict[str, str]:
    """Save the learnings and the feedback; return what is left of each text of the report.

    Without learnings and feedback, or if they have to stay in the report, the result is {}.
    """
    from memory_core.delegation import run_report

    about = _describe_subject(run, reports)
    is_whole = run_report.save_reports(run, reports, about=about, before_merge=before_merge)
    is_stripped = is_whole and run.project.config["strip_markers"]
    return {report.text: report.rest or EMPTY_REPORT for report in reports if is_stripped}


def _describe_subject(run: RunEvent, reports: list[RunReport]) -> str:
    """Return what the run was about, "" if it has no id, or an earlier event has saved it."""
    teaches = any(report.extraction for report in reports)
    if not teaches or not run.run_id or "keys" in run.record:
        return ""
    from memory_core.learning import run_subject

    launch = run.runs.record(run_records.launch_id_of(run.run_id))
    noted = str(run.record.get("asked") or launch.get("prompt") or "")
    prompt = events.prompt(run.event) if events.is_delegation(run.event) else noted
    return run_subject.describe_run(prompt, "\n".join(report.rest for report in reports))


def _check_delivery(answer: RunEvent) -> None:
    """Log whether the memory reached the agent's prompt: delivered, doubled or lost."""
    from memory_core.text import sanitize

    has_arrived = sanitize.has_block(events.prompt(answer.event))
    has_receipt = answer.runs.settle(
        answer.call, answer.run_id, events.is_background_launch(answer.event) and has_arrived
    )
    route = answer.record.get("route")
    verdict = _judge_delivery(has_arrived, has_receipt, route)
    if verdict == "lost":
        run_records.prefer_start(answer.project.paths)
    if verdict in ("lost", "doubled") and answer.record.get("experiment"):
        answer.runs.try_note(answer.call, experiment=verdict)  # in neither group
    if verdict:
        route = run_records.VIA_PROMPT if has_arrived else route or run_records.VIA_PROMPT
        answer.log(f"agent.memory.{verdict}", route=route)


def _judge_delivery(has_arrived: bool, has_receipt: bool, route: object) -> str:
    if has_arrived:
        return "doubled" if route == run_records.VIA_START else "delivered"
    if has_receipt:
        return "lost"
    return "delivered" if route == run_records.VIA_START else ""


def _log_loaded(run: RunEvent, block: MemoryBlock, route: str) -> None:
    from memory_core.selection import tokens

    run.log(
        "agent.memory.loaded",
        memory_source=block.source,
        memory_size=block.size,
        items=len(block.given),
        tokens_estimated=tokens.estimate_tokens(block.text),
        duration_ms=int((time.monotonic() - run_event.began) * 1000),
        route=route,
    )


def _log_failed(run: RunEvent, reason: str) -> None:
    """Log the error message, which comes from Claude Code and not from the agent."""
    from memory_core.history import error_text

    run.log("agent.delegation.failed", error=error_text.clean(reason))
