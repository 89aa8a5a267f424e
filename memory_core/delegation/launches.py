"""The task of a run: in the background, only the event of its launch has it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from memory_core.claude_code import events, outcome_fields
from memory_core.delegation.run_event import PROMPT_HEAD, RunEvent
from memory_core.storage import run_records

if TYPE_CHECKING:
    from memory_core.claude_code.events import Event


def note(launch: RunEvent) -> bool:
    """Record the task of a background agent, because the event of its end does not have it.

    Return whether the agent has ended already.
    """
    if not launch.is_served or not launch.run_id:
        return False
    words = {**task_words(launch.event), "call": launch.call}
    launch.runs.try_note(run_records.launch_id_of(launch.run_id), launched=time.time(), **words)
    return "ended" in launch.runs.record(launch.run_id)


def task_words(event: Event) -> dict[str, str]:
    """Return the words of a call that classify its task; none for a skill."""
    if not events.is_delegation(event):
        return {}
    prompt = events.prompt(event).lstrip()[:PROMPT_HEAD]
    return {"description": outcome_fields.description(event)[:PROMPT_HEAD], "prompt": prompt}
