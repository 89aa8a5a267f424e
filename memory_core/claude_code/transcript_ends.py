"""The end of a transcript, in which a hook reads what its event lacks.

A link in the place of a transcript, or of a folder with transcripts, is not followed.
"""

from __future__ import annotations

from memory_core.claude_code import agent_names, events
from memory_core.files import posix_paths
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
    return any(
        block.get("tool_use_id") == call and block.get("is_error") is True
        for line in _read_last_lines(path)
        if needle in line and b'"is_error"' in line
        for block in list_blocks(parse(line), "user")
    )


def path_of_run(path: str, run: str) -> str:
    """Return the path of a run's transcript; `path` is the main session's transcript."""
    return f"{path.removesuffix('.jsonl')}/subagents/agent-{run}.jsonl"


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
    folder, name = posix_paths.split(path)
    return SafeFiles(folder), name


def parse(line: bytes) -> dict[str, Any]:
    """Return the object in a line, {} for any other line."""
    return fastjson.load_object(line.decode("utf-8", "replace"))


def list_blocks(line: dict[str, Any], role: str) -> list[dict[str, Any]]:
    """Return the content blocks of a line, [] if another role wrote it."""
    content = get_object(line, "message").get("content") if line.get("type") == role else []
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict)]


def find_last_prompt(path: str, agent: str) -> str:
    """Return the prompt of the last delegation to `agent`, "" if there is none."""
    for line in _read_last_lines(path):
        if b'"tool_use"' in line:
            for tool, given in reversed(list_tool_calls(parse(line))):
                called = str(given.get("subagent_type") or events.DEFAULT_AGENT)
                if tool in events.DELEGATION_TOOLS and agent_names.is_same(called, agent):
                    return str(given.get("prompt") or "")
    return ""


def list_tool_calls(line: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return (tool, input) of the tool calls in a line of a transcript."""
    calls = [block for block in list_blocks(line, "assistant") if block.get("type") == "tool_use"]
    return [(get_text(call, "name"), get_object(call, "input")) for call in calls]


def get_object(fields: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a field, {} if it is not an object."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def get_text(fields: dict[str, Any], name: str) -> str:
    """Return a field, "" if it is not a text."""
    text = fields.get(name)
    return text if isinstance(text, str) else ""
