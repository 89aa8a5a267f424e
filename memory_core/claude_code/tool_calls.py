"""Calls of tools in transcripts: delegations, and what they were given."""

from __future__ import annotations

from typing import Any

from memory_core.claude_code import agent_names, events
from memory_core.claude_code.transcript_ends import list_blocks, parse, read_last_lines


def find_last_prompt(path: str, agent: str) -> str:
    """Return the prompt of the last delegation to `agent`, "" if there is none."""
    for line in read_last_lines(path):
        if b'"tool_use"' in line:
            for name, task in reversed(_list_delegations(parse(line))):
                if agent_names.is_same(name, agent):
                    return task
    return ""


def _list_delegations(line: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (agent, task) of the delegations in a line of the delegator's transcript."""
    calls = [given for name, given in list_tool_calls(line) if name in events.DELEGATION_TOOLS]
    return [
        (str(given.get("subagent_type") or events.DEFAULT_AGENT), str(given.get("prompt") or ""))
        for given in calls
    ]


def list_tool_calls(line: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return (tool, input) of the tool calls in a line of a transcript."""
    calls = [block for block in list_blocks(line, "assistant") if block.get("type") == "tool_use"]
    return [(get_text(call, "name"), _get_input(call)) for call in calls]


def _get_input(call: dict[str, Any]) -> dict[str, Any]:
    given = call.get("input")
    return given if isinstance(given, dict) else {}


def get_text(fields: dict[str, Any], name: str) -> str:
    """Return a field, "" if it is not a text."""
    text = fields.get(name)
    return text if isinstance(text, str) else ""
