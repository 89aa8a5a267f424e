"""The end of a transcript, in which a hook reads what its event lacks.

A link in the place of a transcript, or of a folder with transcripts, is not followed.
"""

from __future__ import annotations

import os

from memory_core.claude_code import agent_names, events
from memory_core.files.safe_files import SafeFiles
from memory_core.text import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# The last lines matter; a line holds at most one message.  What happened just now is in the first
# of these ends.
TAIL_BYTES = 512 * 1024
NEWEST_BYTES = 64 * 1024


def has_failed_call(path: str, call: str) -> bool:
    """Check whether a call was denied, cancelled or failed, according to the transcript."""
    needle = call.encode()
    lines = (line for line in _read_last_lines(path) if needle in line and b'"is_error"' in line)
    return any(_has_call_error(value, call) for value in map(parse, lines))


def path_of_run(path: str, run: str) -> str:
    """Return the path of a run's transcript; `path` is the main session's transcript."""
    return os.path.join(path.removesuffix(".jsonl"), "subagents", f"agent-{run}.jsonl")


def _read_last_lines(path: str) -> Iterator[bytes]:
    """Yield the last lines, the last one first, some of them twice; none of an unreadable file."""
    for limit in (NEWEST_BYTES, TAIL_BYTES):
        try:
            lines, is_whole = read_end(path, limit)
        except OSError:
            return
        yield from reversed(lines)
        if is_whole:
            return


def read_end(path: str, limit: int) -> tuple[list[bytes], bool]:
    """Return the lines in the last `limit` bytes, and whether they are the whole file."""
    files, name = locate(path)
    data, is_whole = files.read_end(name, limit)
    return data.split(b"\n"), is_whole


def locate(path: str) -> tuple[SafeFiles, str]:
    """Return the folder of a transcript, and its name there."""
    folder, name = os.path.split(path)
    return SafeFiles(folder), name


def parse(line: bytes) -> dict[str, Any]:
    """Return the object in a line, {} for any other line."""
    return fastjson.load_object(line.decode("utf-8", "replace"))


def _has_call_error(line: dict[str, Any], call_id: str) -> bool:
    """Check whether a line of a transcript reports the failure of a call."""
    return any(
        block.get("tool_use_id") == call_id and block.get("is_error") is True
        for block in list_blocks(line, "user")
    )


def list_blocks(line: dict[str, Any], role: str) -> list[dict[str, Any]]:
    """Return the content blocks of a line, [] if another role wrote it."""
    message = line.get("message")
    if line.get("type") != role or not isinstance(message, dict):
        return []
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict)]


def find_last_prompt(path: str, agent: str) -> str:
    """Return the prompt of the last delegation to `agent`, "" if there is none."""
    for line in _read_last_lines(path):
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
