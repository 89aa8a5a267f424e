"""The fields of events that say how a run went; hooks leave them to the worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memory_core.claude_code import transcript_ends
from memory_core.claude_code.events import API_ERROR, SHELL_TOOL, error

if TYPE_CHECKING:
    from memory_core.claude_code.events import Event

# How PostToolUseFailure words it from 2.1.199 on: TERMINATED, the error, DETAILS.
TERMINATED_PREFIX = "Agent terminated early due to an API error: "
ERROR_TYPE_MARK = " (error type "

# A finished run's numbers in `tool_response`, in the foreground.
TOTALS_FIELDS = {
    "duration_ms": "totalDurationMs",
    "tokens": "totalTokens",
    "tool_uses": "totalToolUseCount",
}


def own_transcript_path(event: Event) -> str:
    """Return the path of the transcript of the agent that a SubagentStop is about."""
    return event.get("agent_transcript_path") or ""


def totals(event: Event) -> dict[str, Any]:
    """Return the size of the run from PostToolUse or PostToolUseFailure, unchecked.

    Time in milliseconds, the tokens of its last request (its whole context), calls of tools.
    """
    response = transcript_ends.get_object(event, "tool_response")
    numbers = {name: response.get(field) for name, field in TOTALS_FIELDS.items()}
    return {**numbers, "duration_ms": numbers["duration_ms"] or event.get("duration_ms")}


def tool_name(event: Event) -> str:
    return str(event.get("tool_name") or "")


def cause(event: Event) -> str:
    """Return the error without additions, so that all events of one error return the same."""
    text = error(event).removeprefix(TERMINATED_PREFIX)
    return text.partition(ERROR_TYPE_MARK)[0] if text.startswith(API_ERROR) else text


def is_shell(event: Event) -> bool:
    return event.get("tool_name") == SHELL_TOOL


def is_interrupt(event: Event) -> bool:
    """Check whether a PostToolUseFailure was caused by the user, who stopped the call."""
    return event.get("is_interrupt") is True


def description(event: Event) -> str:
    """Return the name of the delegation: three to five words by the model."""
    return transcript_ends.get_text(event["tool_input"], "description")
