"""The end of a transcript, in which a hook reads what its event lacks.

A link in the place of a transcript, or of a folder with transcripts, is not followed.
"""

from __future__ import annotations

from memory_core.files import posix_paths
from memory_core.files.safe_files import SafeFiles

# The last lines matter; a line holds at most one message.
TAIL_BYTES = 512 * 1024


def has_failed_call(path: str, call: str) -> bool:
    """Check whether a call was denied, cancelled or failed, according to the transcript."""
    needle = call.encode()
    for line in _read_last_lines(path):
        if needle in line and b'"is_error"' in line:
            from memory_core.claude_code import run_fields

            if run_fields.has_failed(line, call):
                return True
    return False


def path_of_run(path: str, run: str) -> str:
    """Return the path of a run's transcript; `path` is the main session's transcript."""
    return f"{path.removesuffix('.jsonl')}/subagents/agent-{run}.jsonl"


def _read_last_lines(path: str) -> list[bytes]:
    """Return the last lines, the last one first; none of an unreadable file."""
    try:
        return read_end(path, TAIL_BYTES)[0][::-1]
    except OSError:
        return []


def read_end(path: str, limit: int) -> tuple[list[bytes], bool]:
    """Return the lines in the last `limit` bytes, and whether they are the whole file."""
    files, name = locate(path)
    data, is_whole = files.read_end(name, limit)
    return data.split(b"\n"), is_whole


def locate(path: str) -> tuple[SafeFiles, str]:
    """Return the folder of a transcript, and its name there."""
    folder, name = posix_paths.split(path)
    return SafeFiles(folder), name


def find_last_prompt(path: str, agent: str) -> str:
    """Return the prompt of the last delegation to `agent`, "" if there is none."""
    for line in _read_last_lines(path):
        if b'"tool_use"' in line:
            from memory_core.claude_code import run_fields

            if prompt := run_fields.find_prompt(line, agent):
                return prompt
    return ""
