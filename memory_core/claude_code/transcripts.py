"""Claude Code's transcripts, which hold what events lack; read in pieces of limited size.

`transcript_ends` and `run_fields` have what hooks read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from memory_core.claude_code import events, run_fields
from memory_core.claude_code.transcript_ends import TAIL_BYTES, locate, read_end
from memory_core.text import fastjson

# The part of an agent's transcript in which its tool calls are read: nearly always all of it.
READING_BYTES = 8_000_000

TOOL_USE = "tool_use"

# The parts of a request's tokens, in and out.
TOKEN_FIELDS = (
    *("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    "output_tokens",
)

# The part from which the summary of a run is read.
SUMMARY_BYTES = 4_000_000


def list_of_session(path: str) -> list[str]:
    """Return the transcripts of an agent's session; `path` is the agent's."""
    folder = path.partition(f"{os.sep}subagents{os.sep}")[0]
    return list({path, f"{folder}.jsonl", *list_all(folder)})


def list_changed(folder: str, since: float) -> list[str]:
    """Return the agent transcripts below a project's transcript folder, oldest change first.

    Only files that changed at `since`, a time in seconds, or later are returned.
    """
    paths = (path for path in list_all(folder) if os.path.basename(path).startswith("agent-"))
    dated = [(mtime_of(path), path) for path in paths]
    return [path for when, path in sorted(dated) if when >= since]


def list_all(folder: str) -> list[str]:
    """Return the transcripts of sessions and agents below a project's transcript folder."""
    return [
        os.path.join(parent, name)
        for parent, _folders, names in os.walk(folder)
        for name in names
        if name.endswith(".jsonl")
    ]


def read_prompts(path: str, limit: int) -> list[str]:
    """Return the prompts in the last `limit` bytes of a main session, [] if it is not readable."""
    try:
        lines = read_last_lines(path, limit, b'"user"')
    except OSError:
        return []
    return list(filter(None, map(_line_typed, lines)))


def read_last_lines(path: str, limit: int, *parts: bytes) -> list[dict[str, Any]]:
    """Return the lines in the last `limit` bytes that have one of the parts; raises OSError."""
    lines = read_end(path, limit)[0]
    return [run_fields.parse(line) for line in lines if any(part in line for part in parts)]


def read_agent(path: str) -> str:
    """Return the agent's name from the .meta.json next to its transcript, "" if it is missing."""
    return run_fields.get_text(_read_meta(path), "agentType")


def _read_meta(path: str) -> dict[str, Any]:
    files, name = locate(path.removesuffix(".jsonl") + ".meta.json")
    return fastjson.load_object(files.read_text(name, TAIL_BYTES))


def read_lines(path: str, offset: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the whole lines from `offset` on, each with its length in bytes; raises OSError."""
    files, name = locate(path)
    with os.fdopen(files.open(name, os.O_RDONLY), "rb") as file:
        file.seek(offset)
        for line in file:
            if not line.endswith(b"\n"):
                return
            yield run_fields.parse(line), len(line)


def read_calls(path: str, *words: str) -> list[tuple[str, dict[str, Any]]]:
    """Return (tool, input) of an agent's calls, of lines with a text that begins with such a word.

    The words are names of tools or, for all calls, TOOL_USE.  Raises OSError.
    """
    lines = read_last_lines(path, READING_BYTES, *(f'"{word}'.encode() for word in words))
    return [call for line in lines for call in run_fields.list_tool_calls(line)]


class TranscriptSummary:
    """The task of a run, its size, and its last message.

    `call` is the delegation's `tool_use_id`, `description` and `prompt` are its task, `cwd` is
    the folder in which it began, `last` is the agent's last message ("" if it was still working).
    `numbers` has tokens and tool_uses, as far as the transcript was read.
    """

    def __init__(self, path: str) -> None:
        """Read an agent's transcript, or the end of a very long one; raises OSError."""
        lines, is_whole = read_end(path, SUMMARY_BYTES)
        meta = _read_meta(path)
        messages = [value for line in lines if (value := _parse_message(line))]
        self.call = run_fields.get_text(meta, "toolUseId")
        self.description = run_fields.get_text(meta, "description")
        first, last = (messages[0], messages[-1]) if messages else ({}, {})
        self.prompt = _line_prompt(first)
        self.cwd = run_fields.get_text(first, "cwd")
        self.last = "" if _count_tool_uses(last) else "\n".join(agent_texts(last))
        tokens = [count for value in messages if (count := _count_context_tokens(value))]
        self.numbers = {"tokens": tokens[-1]} if tokens else {}
        if is_whole:
            self.numbers["tool_uses"] = sum(map(_count_tool_uses, messages))


def _parse_message(line: bytes) -> dict[str, Any]:
    """Return a message of the agent or its caller, {} for any other line."""
    is_message = b'"assistant"' in line or b'"user"' in line
    value = run_fields.parse(line) if is_message else {}
    return value if value.get("type") in ("assistant", "user") else {}


def mtime_of(path: str) -> float:
    """Return the time of a transcript's last change in seconds, 0 if it cannot be read."""
    files, name = locate(path)
    try:
        status = files.status(name)
    except OSError:
        return 0.0
    return status.st_mtime if status else 0.0


def agent_texts(line: dict[str, Any]) -> list[str]:
    """Return an agent's own texts and hand-backs in a line of its transcript."""
    said = [
        block for block in run_fields.list_blocks(line, "assistant") if block.get("type") == "text"
    ]
    calls = run_fields.list_tool_calls(line)
    handed_back = [given.get("message") for name, given in calls if name == events.HANDBACK_TOOL]
    return events.list_texts(said) + [text for text in handed_back if isinstance(text, str)]


def list_strings(value: object) -> Iterator[str]:
    """Yield the texts in the input of a tool call, which may be nested deeply."""
    values = [value]
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, (dict, list)):
            values += reversed(value.values() if isinstance(value, dict) else value)


def _line_typed(line: dict[str, Any]) -> str:
    """Return the prompt in a line of a main session, "" for a result, a note or another line."""
    flags = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
    if line.get("type") != "user" or any(map(line.get, flags)):
        return ""
    return _line_prompt(line)


def _line_prompt(line: dict[str, Any]) -> str:
    """Return the prompt from the first line of an agent's transcript."""
    content = run_fields.get_object(line, "message").get("content")
    return "\n".join(events.list_texts(content)) if line.get("type") == "user" else ""


def _count_tool_uses(line: dict[str, Any]) -> int:
    """Return the number of tool calls in a line of a transcript, as totalToolUseCount counts."""
    return sum(name != events.HANDBACK_TOOL for name, _given in run_fields.list_tool_calls(line))


def _count_context_tokens(line: dict[str, Any]) -> int:
    """Return the tokens of the request of a line; totalTokens has those of the last line."""
    usage = run_fields.get_object(run_fields.get_object(line, "message"), "usage")
    numbers = [usage.get(name) for name in TOKEN_FIELDS]
    return sum(number for number in numbers if type(number) is int and number > 0)
