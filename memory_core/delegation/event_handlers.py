"""Answer Claude Code's events in the life of a delegation.

    handle_call           PreToolUse          adds the memory to the prompt, writes a receipt
    handle_start          SubagentStart       adds the memory if there is no receipt
    handle_session_start  SessionStart        gives the main session its own memory
    handle_handback       PreToolUse          auto mode: removes learnings from the report
    handle_answer         PostToolUse         the same in the foreground; notes background launches
    handle_stop           SubagentStop        collects the last message
    handle_failure        PostToolUseFailure  voids the receipt, collects the error
    handle_session_end    SessionEnd          waits a moment for the worker

Each function takes the project and an event, and returns the reply or None.  The first three
deliver a memory.  The others collect: they only put the event into the inbox, and the worker saves
what it teaches.  `claude_code.events` knows the fields of events, this module their order.
"""

from __future__ import annotations

import time

from memory_core.claude_code import agent_names, events
from memory_core.delegation import run_event, worker
from memory_core.delegation.run_event import RunEvent
from memory_core.memory import notices
from memory_core.storage import inbox, run_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memory_core.claude_code.events import Event
    from memory_core.memory.recall import MemoryBlock
    from memory_core.storage.project import Project

    Reply = dict[str, Any]

# How long the end of a session waits for the worker.
SESSION_END_SECONDS = 1.2

# Where a memory that was given comes from: files that are read at the start of each run.
RUNTIME = "runtime"

# Claude Code shows the person a message in the reply to these, except inside of an agent.
NOTICING_EVENTS = ("PreToolUse", "PostToolUse", "SessionStart")


def handle(project: Project, event: Event, assumed: str) -> Reply | None:
    """Answer an event; `assumed` is the name of an event that does not have one."""
    handlers = {
        "PreToolUse": handle_call if events.is_delegation(event) else handle_handback,
        "SubagentStart": handle_start,
        "PostToolUse": handle_answer,
        "SubagentStop": handle_stop,
        "PostToolUseFailure": handle_failure,
        "SessionStart": handle_session_start,
        "SessionEnd": handle_session_end,
    }
    name = events.name(event, assumed)
    return _add_notices(project, event, name, handlers[name](project, event))


def _add_notices(project: Project, event: Event, name: str, reply: Reply | None) -> Reply | None:
    """Add the lines for the person of this session; the client shows them to nobody else."""
    if name not in NOTICING_EVENTS or events.own_run(event):
        return reply
    lines = notices.take(project.paths.state, events.session(event), name == "SessionStart")
    said = str((reply or {}).get("systemMessage") or "").split("\n")
    text = "\n".join(dict.fromkeys(filter(None, [*said, *lines])))
    if not text:
        return reply
    from memory_core.storage import typed_command

    text = typed_command.name_command(text, project.environ)
    return {**(reply or {}), "systemMessage": text}


def finish(project: Project, event: Event, assumed: str) -> None:
    """When the reply is printed, start the worker if there is something to do for it."""
    name = events.name(event, assumed)
    if name == "SessionStart" or events.may_change_tasks(event):
        _add_chore(project, event, name)
    if inbox.has_new(project.paths):
        worker.start(project)


def _add_chore(project: Project, event: Event, name: str) -> None:
    """Ask the worker for the work at the start of a session, or after a change of tasks."""
    if name != "SessionStart" and not project.has_tasks:
        return
    try:
        _write_report(RunEvent(project, event), name)
    except OSError:
        from memory_core.delegation import inbox_batches

        inbox_batches.do_chores(project, [event])


def _collect(run: RunEvent, name: str) -> None:
    """Put an event into the inbox; without an inbox save what it teaches now.

    Raises OSError if neither is possible.
    """
    try:
        _write_report(run, name)
    except OSError as error:
        from memory_core.delegation import inbox_batches
        from memory_core.storage import event_log

        event_log.write(
            run.project.paths, "agent.memory.error", agent_id=run.agent, error=str(error)
        )
        try:
            inbox_batches.merge_now(run.project, _make_report(run, name))
        except OSError:
            run.runs.try_note(run.run_id, ended=0)  # so that a sweep reads the transcript
            raise


def _write_report(run: RunEvent, name: str) -> None:
    from memory_core.claude_code import agent_names

    event, stem = run.event, agent_names.file_stem_of(run.agent) if run.agent else ""
    # Without a text and a call, two events are of different moments.
    what = events.report_texts(event) or [run.call or str(time.time_ns())]
    key = inbox.make_key(events.session(event), stem, run.run_id, run.call, name, *what)
    inbox.add(run.project.paths, stem, key, _make_report(run, name))


def _make_report(run: RunEvent, name: str) -> inbox.Report:
    return {
        "time": run.when,
        "agent": run.agent,
        "run": run.run_id,
        "settings": inbox.select_settings(run.project.environ),
        "event": {**run.event, "hook_event_name": name},
    }


def handle_call(project: Project, event: Event) -> Reply | None:
    """Add the called agent's memory to its prompt."""
    call = run_event.of_call(project, event)
    if not call.is_served or _is_served_at_start(call):
        return None

    worker.await_reports(project, call.agent)
    task = events.prompt(event)
    budget = project.prompt_budget(call.agent)
    block = _build_block(project, call.agent, budget, lambda: task)
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


def _build_block(
    project: Project, agent: str, budget: int, task: Callable[[], str] | None = None
) -> MemoryBlock:
    """Build a block in limited time; a large memory may come with the next event instead."""
    from memory_core.memory import recall

    block = recall.build_block(project, agent, budget, task, is_hook=True)
    if block.is_late:
        worker.start(project)
    return block


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
    text = _add_tasks(start, block.text)
    return events.reply_context("SubagentStart", text) if text else None


def _add_tasks(run: RunEvent, text: str, is_session: bool = False) -> str:
    """Return a text with what an agent or session that starts has to know about tasks."""
    if not run.project.has_tasks:
        return text
    from memory_core.memory import recall
    from memory_core.tasks import task_events

    handle = task_events.handle_session_start if is_session else task_events.handle_agent_start
    tasks = handle(run.project, run.runs, recall.CONTEXT_LIMIT - len(text) - 2)
    return "\n\n".join(filter(None, (text, tasks)))


def _assign_group(run: RunEvent, key: str, block: MemoryBlock) -> tuple[str, MemoryBlock]:
    """Return the run's group in an experiment, "" for none, and the block that it receives."""
    if not run.project.config["experiment"]["hold_out"]:
        return "", block
    from memory_core.delegation import hold_out

    return hold_out.assign_group(run.project, run.agent, key, block)


def _claim_receipt(start: RunEvent) -> tuple[str, dict[str, Any]]:
    """Return the call whose prompt had the memory for this run, or "", and its receipt."""
    from memory_core.claude_code import transcript_ends

    main = events.transcript_path(start.event)
    for call, receipt in start.runs.find_open_receipts(start.agent, start.run_id):
        caller = receipt.get("caller")
        path = transcript_ends.path_of_run(main, caller) if caller else main
        if transcript_ends.has_failed_call(path, call):
            start.runs.drop_receipt(call)
        elif start.runs.claim_receipt(call, start.run_id):
            return call, receipt
    return "", {}


def _recall_at_start(start: RunEvent) -> MemoryBlock:
    """Build the block at the start; the task is in the transcript of the main session."""
    from memory_core.claude_code import transcript_ends
    from memory_core.memory import recall

    worker.await_reports(start.project, start.agent)
    main, agent = events.transcript_path(start.event), start.agent
    return _build_block(
        start.project,
        agent,
        recall.CONTEXT_LIMIT,
        lambda: transcript_ends.find_last_prompt(main, agent),
    )


def handle_handback(project: Project, event: Event) -> Reply | None:
    """Collect a report for the main agent, and remove the learnings from it."""
    from memory_core.delegation import report_texts

    run = run_event.of_own_run(project, event)
    if not (run.is_served and events.report_texts(event)):
        return None
    _collect(run, "PreToolUse")
    rests = report_texts.list_rests(run, report_texts.read_texts(run))
    return events.reply_input(event, message=next(iter(rests.values()))) if rests else None


def handle_answer(project: Project, event: Event) -> Reply | None:
    """Collect the answer of a delegation, a hand-back or a forked skill."""
    if events.may_change_tasks(event):
        return None
    if events.is_handback(event):
        _collect_end(run_event.of_own_run(project, event), "PostToolUse")
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
    if not (answer.is_served or events.error(event)):
        return None
    from memory_core.delegation import report_texts

    _collect(answer, "PostToolUse")
    rests = report_texts.list_rests(answer, report_texts.read_texts(answer))
    if not rests:
        return None
    return events.reply_output(events.edit_report(event, lambda text: rests.get(text, text)))


def _note_launch(launch: RunEvent) -> None:
    """Record the task of a background agent, because the event of its end does not have it."""
    if not launch.is_served or not launch.run_id:
        return
    words = {**run_event.task_words(launch.event), "call": launch.call}
    launch.runs.try_note(run_records.launch_id_of(launch.run_id), launched=time.time(), **words)
    if "ended" in launch.runs.record(launch.run_id):  # while this process started
        _collect(launch, "PostToolUse")


def handle_stop(project: Project, event: Event) -> Reply | None:
    """Collect the last message of an agent that ends; return None, so that it may end."""
    _collect_end(run_event.of_own_run(project, event), "SubagentStop")
    return None


def _collect_end(run: RunEvent, name: str) -> None:
    if run.is_served:
        _collect(run, name)


def handle_failure(project: Project, event: Event) -> Reply | None:
    """Collect that a delegation failed or was refused, or that a tool of an agent failed."""
    name = "PostToolUseFailure"
    if events.is_delegation(event):
        call = run_event.of_call(project, event)
        call.run_id = call.runs.drop_receipt(call.call)
        _collect(call, name)
    elif events.is_shell(event) and events.own_agent(event):
        run = run_event.of_own_run(project, event)
        if run.run_id and not events.is_interrupt(event):
            _collect_end(run, name)
    return None


def handle_session_start(project: Project, event: Event) -> Reply | None:
    """Give the main session its own memory, never the memory of an agent."""
    from memory_core.delegation import start_notices
    from memory_core.memory import recall

    session = RunEvent(project, event, agent_names.PM)
    if events.start_reason(event) in ("startup", "resume"):
        session.runs.drop_receipts()
    block = _build_block(project, agent_names.PM, recall.CONTEXT_LIMIT)
    if block.text:
        _log_loaded(session, block, "session")
    text = _add_tasks(session, block.text, is_session=True)
    notice = "\n".join(start_notices.format_notices(project))
    return events.reply_session_start(text, notice) if text or notice else None


def handle_session_end(project: Project, event: Event) -> Reply | None:
    """Wait a moment for the worker: where a container ends with the session, so does the worker.

    Claude Code ends the hook of a plugin after 1.5 s.  The next session saves the rest.
    """
    if inbox.has_new(project.paths):
        worker.start(project)
    inbox.await_worker(project.paths, SESSION_END_SECONDS)
    return None


def _check_delivery(answer: RunEvent) -> None:
    """Log whether the memory reached the agent's prompt: delivered, doubled or lost."""
    from memory_core.text import memory_tags

    has_arrived = memory_tags.has_block(events.prompt(answer.event))
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
        source=RUNTIME,
        files=list(block.files),
        memory_size=block.size,
        items=len(block.given),
        tokens_estimated=tokens.estimate_tokens(block.text),
        duration_ms=int((time.monotonic() - run_event.began) * 1000),
        route=route,
    )
