"""Whether a person or an agent acts: both use the same shell and files on the same machine.

An agent can edit a memory file as a person does, so its edits are not a person's.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from memory_core.claude_code import settings_files, transcripts
from memory_core.claude_code.run_fields import get_object, get_text, list_blocks
from memory_core.text import similarity

# Claude Code sets it in the shells of its agents (seen from 2.0.30 on).
VARIABLE = "CLAUDECODE"

CLIENT = b"claude"
RUNTIMES = (b"node", b"bun")  # they run the client as a script
MOST_PARENTS = 30

# Where Linux lists processes; macOS has only the program, in a place that no PATH changes.
PROCESSES = "/proc"
LIST_PROCESSES = ("/bin/ps", "-A", "-ww", "-o", "pid=,ppid=,args=")
LIST_SECONDS = 5

# So much of each transcript is read, from its end.
MAX_BYTES = 4_000_000

# So many transcripts are read for what a person typed, the newest ones.
MOST_SESSIONS = 3

# What stands in prompts that nobody typed.
NOTIFICATIONS = (
    *("<task-notification", "<system-reminder", "<local-command"),
    *("<bash-stdout", "<bash-stderr"),
)
ARGUMENTS = re.compile(r"^/\S*(.*)|<command-args>(.*?)(?:</command-args>|$)")

# Tools whose input has the path of a file and its new text.
FILE_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
SHELL = "Bash"
MCP_PREFIX = "mcp__"

# Commands that write no file but by ">".
READING = re.compile(
    r"\s*(cat|head|tail|less|grep|rg|ls|wc|stat|diff|cd"
    r"|git (add|commit|status|diff|log|show|blame))\b"
)

# The clocks of the file system and of the client may differ by so many seconds.
SLACK = 1.0


# Who runs a command


def is_agents_shell(environ: Mapping[str, str]) -> bool:
    """Return whether Claude Code started this process, directly or through others."""
    return bool(environ.get(VARIABLE)) or any(
        os.path.basename(program) == CLIENT for program in _list_parents()
    )


def _list_parents() -> Iterator[bytes]:
    """Yield the program of each process above this one."""
    read = _read_process if os.path.isdir(PROCESSES) else _list_processes().__getitem__
    process = os.getppid()
    for _ in range(MOST_PARENTS):
        try:
            process, words = read(process)
        except (OSError, LookupError, ValueError):
            return
        program, script = [*words, b"", b""][:2]
        yield script if os.path.basename(program) in RUNTIMES else program


def _read_process(process: int) -> tuple[int, list[bytes]]:
    """Return the parent of a process, and the words of its command."""
    with open(f"{PROCESSES}/{process}/stat", "rb") as file:
        _, _, rest = file.read().rpartition(b")")
    with open(f"{PROCESSES}/{process}/cmdline", "rb") as file:
        return int(rest.split()[1]), file.read().split(b"\0")


def _list_processes() -> dict[int, tuple[int, list[bytes]]]:
    """Return the same of all processes by their numbers; raises nothing: {} without `ps`."""
    try:
        done = subprocess.run(
            LIST_PROCESSES, capture_output=True, timeout=LIST_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = [line.split() for line in done.stdout.splitlines()]
    return {int(row[0]): (int(row[1]), row[2:]) for row in rows if len(row) > 2}


def has_typed(root: str, environ: Mapping[str, str], text: str) -> bool:
    """Return whether a person typed a text in a session of the project.

    It is a line of a prompt, or what a slash command is about, with or without an agent.
    """
    wanted = similarity.normalize_text(text)
    folders = settings_files.list_transcript_folders(root, environ)
    paths = [path for folder in folders for path in transcripts.list_all(folder)]
    sessions = [path for path in paths if os.path.dirname(path) in folders]
    newest = sorted(sessions, key=transcripts.mtime_of)[-MOST_SESSIONS:]
    prompts = [prompt for path in newest for prompt in transcripts.read_prompts(path, MAX_BYTES)]
    return bool(wanted) and any(
        wanted == similarity.normalize_text(line)
        for prompt in prompts
        if not prompt.lstrip().startswith(NOTIFICATIONS)
        for line in _list_lines(prompt)
    )


def _list_lines(prompt: str) -> Iterator[str]:
    """Yield the lines of a prompt, and those of a slash command without its first words."""
    for line in prompt.splitlines():
        yield line.lstrip("-*+ ")
        if match := ARGUMENTS.search(line):
            words = (match[1] or match[2] or "").split()
            yield from (" ".join(words[start:]) for start in (0, 1))


# Which tool calls may have written a file


class _Call(NamedTuple):
    """A tool call, with the times in seconds of its beginning and its end."""

    tool: str
    given: dict[str, Any]
    began: float
    ended: float

    def is_at(self, time: float) -> bool:
        return self.began - SLACK <= time <= self.ended + SLACK


def find_written(
    folders: Iterable[str], path: str, changed: float, since: float, texts: Iterable[str]
) -> set[str]:
    """Return those of the texts that tool calls may have written to the file `path`.

    `folders` have transcripts, `changed` is when the file changed (ctime, in seconds), and calls
    that ended before the time `since` do not count.  An edit counts for the texts that have a part
    of it; a command that names the file, or a call during which it changed, for all.
    """
    texts, written = list(texts), set[str]()
    paths = [path for folder in folders for path in transcripts.list_all(folder)]
    for call in _list_calls(paths, since):
        is_edit = call.tool in FILE_TOOLS
        if is_edit and not _is_same(str(call.given.get("file_path")), path):
            continue
        if call.is_at(changed) or (
            call.tool == SHELL and _names(str(call.given.get("command")), path)
        ):
            return set(texts)
        lines = [
            " ".join(line.split())
            for line in "\n".join(transcripts.list_strings(call.given)).split("\n")
        ]
        new = " ".join(lines)
        for text in texts if is_edit else ():
            if text in new or any(line.lstrip("-*+ ") in text for line in lines if len(line) > 2):
                written.add(text)
    return written


def find_files(
    paths: Iterable[str],
    times: Mapping[str, float],
    may_write: Callable[[str, dict[str, Any]], bool],
) -> set[str]:
    """Return the files, given with the times of their changes, that calls in transcripts wrote.

    Such a call names the file, or ran when it changed; `may_write` takes its tool and its input.
    """
    written = set[str]()
    for call in _list_calls(paths, 0.0):
        if may_write(call.tool, call.given):
            named = os.path.realpath(str(call.given.get("file_path")))
            written |= {path for path, time in times.items() if path == named or call.is_at(time)}
    return written


def _is_same(file: str, path: str) -> bool:
    """Return whether a tool's path may be that of a memory file, also in a worktree."""
    return file.split(os.sep)[-2:] == path.split(os.sep)[-2:]


def _names(command: str, path: str) -> bool:
    """Return whether a part of a shell command names a memory file, and may write it.

    The definition of its agent has the same name.
    """
    name = os.path.basename(path)
    named = re.compile(rf"(?<![\w.-])(?<!agents/){re.escape(name)}(?![\w.-])")
    parts = filter(named.search, re.split(r"[;&|\n]+", command))
    return any(">" in part or not READING.match(part) for part in parts)


def _list_calls(paths: Iterable[str], since: float) -> Iterator[_Call]:
    """Yield the calls of these tools since a time, of the newest transcripts first."""
    for changed, path in sorted(
        ((transcripts.mtime_of(path), path) for path in paths), reverse=True
    ):
        if changed < since:
            return
        try:
            lines = transcripts.read_last_lines(path, MAX_BYTES, b'"tool_use', b'"tool_result"')
        except OSError:
            continue
        yield from _pair(lines, since)


def _pair(lines: Iterable[dict[str, Any]], since: float) -> Iterator[_Call]:
    """Yield the calls in lines; one without a result, of a killed client, ends with them."""
    calls: dict[str, _Call] = {}
    when = 0.0
    for line in lines:
        when = _read_time(line.get("timestamp")) or when
        for block in list_blocks(line, str(line.get("type"))):
            if block.get("type") == "tool_use" and _may_write(block):
                given = get_object(block, "input")
                calls[str(block.get("id"))] = _Call(block["name"], given, when, 0.0)
            elif call := calls.get(str(block.get("tool_use_id"))):
                calls[str(block["tool_use_id"])] = call._replace(ended=when)
    whole = (call._replace(ended=call.ended or when) for call in calls.values())
    yield from (call for call in whole if call.ended >= since)


def _may_write(block: dict[str, Any]) -> bool:
    tool = get_text(block, "name")
    return tool in (*FILE_TOOLS, SHELL) or tool.startswith(MCP_PREFIX)


def _read_time(text: object) -> float:
    """Return a time of a transcript, such as 2026-11-20T22:10:05.123Z, in seconds; 0 if invalid."""
    try:
        return datetime.fromisoformat(str(text).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0
