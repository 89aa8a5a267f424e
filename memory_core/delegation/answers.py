"""The answer of a call: whether the memory arrived, and the task of a run in the background."""

from __future__ import annotations

import time

from memory_core.claude_code import events, run_fields
from memory_core.delegation.run_event import PROMPT_HEAD, RunEvent
from memory_core.storage import receipts, run_records
from memory_core.text import memory_echoes


def note_launch(launch: RunEvent) -> bool:
    """Check the delivery to a background agent, and record its task; return whether it has ended.

    The event of its end does not have the task.
    """
    check_delivery(launch)
    if not launch.is_served or not launch.run_id:
        return False
    words = {**task_words(launch.event), "call": launch.call}
    launch.runs.try_note(run_records.launch_id_of(launch.run_id), launched=time.time(), **words)
    return "ended" in launch.runs.record(launch.run_id)


def check_delivery(answer: RunEvent) -> None:
    """Log whether the memory reached the agent's prompt: delivered, doubled or lost."""
    if not events.is_delegation(answer.event) or "arrived" in answer.runs.record(answer.call):
        return  # a skill, or another installation has checked it
    has_arrived = memory_echoes.has_block(events.prompt(answer.event))
    has_receipt = receipts.settle(
        answer.runs,
        answer.call,
        answer.run_id,
        events.is_background_launch(answer.event) and has_arrived,
    )
    route = answer.record.get("route")
    verdict = _judge_delivery(has_arrived, has_receipt, route)
    if verdict == "lost":
        receipts.prefer_start(answer.project.paths)
    if verdict:
        route = run_records.VIA_PROMPT if has_arrived else route or run_records.VIA_PROMPT
        answer.log(f"agent.memory.{verdict}", route=route)
        # Not in the record of the run, which an agent in the background may begin later.
        answer.runs.try_note(answer.call, arrived=verdict, arrived_by=route)


def _judge_delivery(has_arrived: bool, has_receipt: bool, route: object) -> str:
    if has_arrived:
        return "doubled" if route == run_records.VIA_START else "delivered"
    if has_receipt:
        return "lost"
    return "delivered" if route == run_records.VIA_START else ""


def task_words(event: events.Event) -> dict[str, str]:
    """Return the words of a call that classify its task; none for a skill."""
    if not events.is_delegation(event):
        return {}
    prompt = events.prompt(event).lstrip()[:PROMPT_HEAD]
    return {"description": run_fields.description(event)[:PROMPT_HEAD], "prompt": prompt}
