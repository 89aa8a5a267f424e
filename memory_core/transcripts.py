"""Claude Code's transcripts: what the events do not tell.  Read in bounded pieces only."""

from __future__ import annotations

import os

from memory_core import events, fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# The lines that matter stand at the end; a line holds at most one message.
TAIL = 512 * 1024

# A longer line is no report: the largest seen had 0.2 MB.
LONGEST_LINE = 4_000_000


def refused(path: str, call: str) -> bool:
    """Say whether the transcript tells that a call was denied, cancelled or failed."""
    needle = call.encode()
    lines = (line for line in _last_lines(path) if needle in line and b'"is_error"' in line)
    return any(events.refuses(value, call) for value in map(_value, lines))


def last_task(path: str, agent: str) -> str:
    """Return the prompt of the last delegation to `agent`, or an empty string."""
    from memory_core import agents

    for line in _last_lines(path):
        if b'"tool_use"' in line:
            for name, task in reversed(events.delegations(_value(line))):
                if agents.is_same(name, agent):
                    return task
    return ""


def of_run(path: str, run: str) -> str:
    """Return where the transcript of `run` is, beside the main session's at `path`."""
    folder = path.removesuffix(".jsonl")
    return os.path.join(folder, "subagents", f"agent-{run}.jsonl")


def found(folder: str, since: float) -> list[str]:
    """Return the agent transcripts below a project's transcript folder, oldest change first.

    `since` is the time in seconds from which on a change counts.
    """
    paths = [*_agent_files(folder)]
    for session in _folders(folder):
        paths += _agent_files(os.path.join(session, "subagents"))
        for workflow in _folders(os.path.join(session, "subagents", "workflows")):
            paths += _agent_files(workflow)
    dated = [(changed(path), path) for path in paths]
    return [path for when, path in sorted(dated) if when >= since]


def agent_of(path: str) -> str:
    """Return the agent's name from the description beside its transcript, if there is one."""
    return events.described_agent(_description(path))


def _description(path: str) -> dict[str, Any]:
    try:
        with open(path.removesuffix(".jsonl") + ".meta.json", "rb") as file:
            return _value(file.read(TAIL))
    except OSError:
        return {}


def session_of(path: str) -> str:
    """Return the session that an agent's transcript names in its first line."""
    with open(path, "rb") as file:
        return events.transcribed_session(_value(file.readline(TAIL)))


def lines(path: str, offset: int, limit: int) -> tuple[list[dict[str, Any]], int]:
    """Return the whole lines from `offset` that may hold a learning, and where they end.

    At most `limit` bytes are read.  Where not one line ends within them the end is
    `offset` itself, but for a line longer than LONGEST_LINE, which is passed over.
    """
    from memory_core import learnings

    with open(path, "rb") as file:
        file.seek(offset)
        data = file.read(limit)
    end = data.rfind(b"\n") + 1
    if not end:
        return [], offset + (len(data) if len(data) == LONGEST_LINE else 0)
    whole = data[:end].split(b"\n")
    return [_value(line) for line in whole if learnings.may_teach(line)], offset + end


class Outline:
    """What an agent's transcript comes to: what was asked, what it took, how it ends.

    `call` is the delegation's `tool_use_id`, `last` what the agent said last, empty where
    it was at work; `numbers` has tokens and tool_uses, as far as the transcript was read.
    """

    __slots__ = ("call", "last", "numbers", "type")

    def __init__(self, described: dict[str, Any], lines: list[bytes], is_whole: bool) -> None:
        from memory_core import performance

        messages = [value for line in lines if (value := _message(line))]
        task = events.asked(messages[0]) if messages else ""
        self.call = events.described_call(described)
        self.type = performance.task_type(events.described_task(described), task)
        self.last = "\n".join(events.said(messages[-1])) if messages else ""
        if messages and events.uses(messages[-1]):
            self.last = ""
        used = [tokens for value in messages if (tokens := events.context_size(value))]
        self.numbers = {"tokens": used[-1]} if used else {}
        if is_whole:
            self.numbers["tool_uses"] = sum(map(events.uses, messages))


def outline(path: str) -> Outline:
    """Read an agent's transcript, of a very long one the end; raises OSError."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - LONGEST_LINE))
        data = file.read(LONGEST_LINE)
    return Outline(_description(path), data.split(b"\n"), size <= LONGEST_LINE)


def _message(line: bytes) -> dict[str, Any]:
    """Return a line that the agent or its caller said; empty for what stands in between."""
    is_said = b'"assistant"' in line or b'"user"' in line
    value = _value(line) if is_said else {}
    return value if value.get("type") in ("assistant", "user") else {}


def _last_lines(path: str) -> Iterator[bytes]:
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - TAIL))
            data = file.read(TAIL)
    except OSError:
        return
    yield from reversed(data.split(b"\n"))


def _value(line: bytes) -> dict[str, Any]:
    try:
        value = fastjson.loads(line.decode("utf-8", "replace"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _agent_files(folder: str) -> list[str]:
    names = _listed(folder)
    chosen = [name for name in names if name.startswith("agent-") and name.endswith(".jsonl")]
    return [os.path.join(folder, name) for name in chosen]


def _folders(folder: str) -> list[str]:
    paths = [os.path.join(folder, name) for name in _listed(folder)]
    return [path for path in paths if os.path.isdir(path)]


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def changed(path: str) -> float:
    """Return when a transcript last changed, in seconds; 0 for one that is gone."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
