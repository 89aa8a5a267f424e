"""The fields of events that say how a run went, and those of lines of transcripts.

Hooks mostly leave them to the worker.
"""

from __future__ import annotations

from memory_core.claude_code import agent_names, events
from memory_core.claude_code.events import API_ERROR, error
from memory_core.text import fastjson

# How PostToolUseFailure words it from 2.1.199 on: TERMINATED, the error, DETAILS.
TERMINATED_PREFIX = "Agent terminated early due to an API error: "
ERROR_TYPE_START = " (error type "


def own_transcript_path(event: events.Event) -> str:
    """Return the path of the transcript of the agent that a SubagentStop is about."""
    return get_text(event, "agent_transcript_path")


def totals(event: events.Event) -> events.Event:
    """Return the size of the run from PostToolUse or PostToolUseFailure, unchecked.

    Time in milliseconds, the tokens of its last request (its whole context), calls of tools; only
    a run in the foreground has all of them.
    """
    response = get_object(event, "tool_response")
    return {
        "duration_ms": response.get("totalDurationMs") or event.get("duration_ms"),
        "tokens": response.get("totalTokens"),
        "tool_uses": response.get("totalToolUseCount"),
    }


def tool_name(event: events.Event) -> str:
    return str(event.get("tool_name") or "")


def cause(event: events.Event) -> str:
    """Return the error without additions, so that all events of one error return the same."""
    text = error(event).removeprefix(TERMINATED_PREFIX)
    return text.partition(ERROR_TYPE_START)[0] if text.startswith(API_ERROR) else text


def is_interrupt(event: events.Event) -> bool:
    """Check whether a PostToolUseFailure was caused by the user, who stopped the call."""
    return event.get("is_interrupt") is True


def description(event: events.Event) -> str:
    """Return the name of the delegation: three to five words by the model."""
    return get_text(event["tool_input"], "description")


# Lines of transcripts.


def has_failed(line: bytes, call: str) -> bool:
    """Check whether a line says that a call was denied, cancelled or failed."""
    return any(
        block.get("tool_use_id") == call and block.get("is_error") is True
        for block in list_blocks(parse(line), "user")
    )


def find_prompt(line: bytes, agent: str) -> str:
    """Return the prompt of the last delegation to `agent` in a line, "" if there is none."""
    for tool, given in reversed(list_tool_calls(parse(line))):
        called = str(given.get("subagent_type") or events.DEFAULT_AGENT)
        is_same = agent_names.id_of(called) == agent_names.id_of(agent)
        if is_same and tool in events.DELEGATION_TOOLS:
            return str(given.get("prompt") or "")
    return ""


def parse(line: bytes) -> events.Event:
    """Return the object in a line, {} for any other line."""
    return fastjson.load_object(line.decode("utf-8", "replace"))


def list_blocks(line: events.Event, role: str) -> list[events.Event]:
    """Return the content blocks of a line, [] if another role wrote it."""
    content = get_object(line, "message").get("content") if line.get("type") == role else []
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict)]


def list_tool_calls(line: events.Event) -> list[tuple[str, events.Event]]:
    """Return (tool, input) of the tool calls in a line of a transcript."""
    calls = [block for block in list_blocks(line, "assistant") if block.get("type") == "tool_use"]
    return [(get_text(call, "name"), get_object(call, "input")) for call in calls]


def get_object(fields: events.Event, name: str) -> events.Event:
    """Return a field, {} if it is not an object."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def get_text(fields: events.Event, name: str) -> str:
    """Return a field, "" if it is not a text."""
    text = fields.get(name)
    return text if isinstance(text, str) else ""
