"""Deliver a memory: to a prompt, to an agent that starts, or to the main session.

handle_call           PreToolUse     adds the memory to the prompt, writes a receipt
handle_start          SubagentStart  adds the memory if there is no receipt
handle_session_start  SessionStart   gives the main session its own memory

Each takes the project and an event, and returns the reply or None.
"""

from __future__ import annotations

import time

from memory_core.claude_code import agent_names, events
from memory_core.delegation import run_event, worker
from memory_core.delegation.run_event import RunEvent
from memory_core.memory import recall
from memory_core.storage import run_records
from memory_core.text import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.claude_code.events import Event
    from memory_core.delegation.run_event import Reply
    from memory_core.memory.ready import ReadyMemory
    from memory_core.memory.recall import MemoryBlock
    from memory_core.storage.project import Project

# The values of `experiment` in a record, as in `performance`, which hooks do not load.
GIVEN, HELD_OUT = "memory", "held_out"

# For an agent that gets no recording note: it does not learn, and an empty prompt has no receipt.
PLACEHOLDER = "No memory is given to this run."


def handle_call(project: Project, event: Event) -> Reply | None:
    """Add the called agent's memory to its prompt."""
    call = run_event.of_call(project, event)
    # Where the prompt must not be changed, or that was lost, SubagentStart adds the memory.
    is_kept = events.is_auto_mode(event) or run_records.are_prompts_lost(project.paths)
    if is_kept or not call.is_served:
        return None
    worker.await_reports(project, call.agent)
    task = events.prompt(event)
    budget = project.prompt_budget(call.agent)
    block = recall.build_block(project, call.agent, budget, lambda: task, _prepare)
    group, block = _assign_group(call, call.call, block)
    # Without a receipt SubagentStart would add the memory again, so leave it to SubagentStart.
    facts = {
        "caller": events.own_run(event),
        "asked": task.lstrip()[: run_event.PROMPT_HEAD],
        **_describe(block, group),
    }
    if not block.text or not call.runs.add_receipt(call.call, call.agent, **facts):
        return None
    if group:
        call.runs.try_note(call.call, experiment=group)
    _log_loaded(call, block, run_records.VIA_PROMPT, facts)
    return events.reply_input(event, prompt=f"{task}\n\n{block.text}")


def handle_start(project: Project, event: Event) -> Reply | None:
    """Give the starting agent its memory, unless its prompt already has it."""
    start = run_event.of_own_run(project, event)
    # The transcript of a resumed run still has its memory block.
    if not start.is_served or not start.runs.begin(start.run_id):
        return None
    taken, receipt = _take_receipt(start)
    if taken:
        block, route = recall.MemoryBlock(), run_records.VIA_PROMPT
        facts = {name: receipt[name] for name in run_event.FACTS if receipt.get(name)}
        # Another run of this agent may be the one of the call.
        start.runs.try_note(taken, **facts)
    else:
        group, block = _assign_group(start, start.run_id, _recall_at_start(start))
        route = run_records.VIA_START if block.text else "none"
        facts = _describe(block, group) if block.text else {}
    start.runs.try_note(
        start.run_id, agent=start.agent, route=route, call=taken, began=time.time(), **facts
    )
    if block.text:
        _log_loaded(start, block, run_records.VIA_START, facts)
    text = _add_tasks(start, block.text)
    return events.reply_context("SubagentStart", text) if text else None


def _take_receipt(start: RunEvent) -> tuple[str, dict[str, Any]]:
    """Return the call whose prompt had the memory for this run, or "", and its receipt."""
    from memory_core.claude_code import transcript_ends

    main = events.transcript_path(start.event)
    for call, receipt in start.runs.find_open_receipts(start.agent, start.run_id):
        caller = receipt.get("caller")
        path = transcript_ends.path_of_run(main, caller) if caller else main
        if transcript_ends.has_failed_call(path, call):
            from memory_core.storage import receipts

            receipts.drop(start.runs, call)
        elif start.runs.take_receipt(call, start.run_id):
            return call, receipt
    return "", {}


def _recall_at_start(start: RunEvent) -> MemoryBlock:
    """Build the block at the start; the task is in the transcript of the main session."""
    from memory_core.claude_code import transcript_ends

    worker.await_reports(start.project, start.agent)
    main, agent = events.transcript_path(start.event), start.agent
    return recall.build_block(
        start.project,
        agent,
        recall.CONTEXT_LIMIT,
        lambda: transcript_ends.find_last_prompt(main, agent),
        _prepare,
    )


def _prepare(project: Project, agent: str) -> ReadyMemory:
    from memory_core.delegation import background

    return background.prepare(project, agent)


def handle_session_start(project: Project, event: Event) -> Reply | None:
    """Give the main session its own memory, never the memory of an agent."""
    session = RunEvent(project, event, agent_names.PM)
    if events.start_reason(event) in ("startup", "resume"):
        session.runs.drop_receipts()
    block = recall.build_block(project, agent_names.PM, recall.CONTEXT_LIMIT, prepare=_prepare)
    if block.text:
        _log_loaded(session, block, "session", _describe(block))
    text = _add_tasks(session, block.text, is_session=True)
    return events.reply_context("SessionStart", text) if text else None


def _add_tasks(run: RunEvent, text: str, is_session: bool = False) -> str:
    """Return a text with what an agent or session that starts has to know about tasks."""
    if not run.project.has_tasks:
        return text
    from memory_core.tasks import sync

    room = recall.CONTEXT_LIMIT - len(text) - 2
    tasks = sync.handle_start(run.project, run.runs, room, is_session)
    return "\n\n".join(filter(None, (text, tasks)))


# Comparing runs with and without memory: it is withheld from some of those for which it has
# something, so that the two groups differ in nothing else.


def _assign_group(run: RunEvent, key: str, block: MemoryBlock) -> tuple[str, MemoryBlock]:
    """Return the run's group in an experiment, "" for none, and the block that it receives.

    `key` is the id of the call if the memory is added to the prompt, else that of the run; the
    receipt hands the group on to the run's record.  Without an id a run takes no part.
    """
    share = run.project.config["experiment"]["hold_out"]
    if not (share and key and block.size):
        return "", block
    if not is_held_out(key, share):
        return GIVEN, block
    is_short = block.memory is not None and block.memory.has_recorded
    note = recall.format_note(run.project, run.agent, is_short) or [PLACEHOLDER]
    text = recall.wrap_body(run.project.paths.state.read_key(), run.agent, "", "", note)
    return HELD_OUT, recall.MemoryBlock(text=text, choices=block.choices, memory=block.memory)


def is_held_out(key: str, share: float) -> bool:
    """Return whether the run of this id is one of the share that gets no memory.

    A hash decides, so that no state is needed, and a hook that runs again decides the same.
    """
    digits = digests.hash_text(f"experiment {key}")
    return bool(int(digits, 16) < share * 16 ** len(digits))


def _describe(block: MemoryBlock, group: str = "") -> dict[str, Any]:
    """Return what the record of a run says of its memory: its items, its group, and what it costs.

    That is tokens of the prompt, and milliseconds of this hook so far.
    """
    from memory_core.selection.passages import estimate_tokens

    facts = {"given": " ".join(block.given), "named": block.named, "experiment": group}
    return {
        **{name: value for name, value in facts.items() if value},
        "prompt_tokens": estimate_tokens(block.text),
        "hook_ms": int((time.monotonic() - run_event.began) * 1000),
    }


def _log_loaded(run: RunEvent, block: MemoryBlock, route: str, facts: dict[str, Any]) -> None:
    run.log(
        "agent.memory.loaded",
        source="runtime",  # from files that are read at the start of each run
        files=list(block.files),
        memory_size=block.size,
        items=len(block.given),
        tokens_estimated=facts["prompt_tokens"],
        duration_ms=facts["hook_ms"],
        route=route,
    )


HANDLERS: run_event.Handlers = {
    "PreToolUse": handle_call,
    "SubagentStart": handle_start,
    "SessionStart": handle_session_start,
}
