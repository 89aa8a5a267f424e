"""errors/AGENT.jsonl and errors/AGENT.txt: the errors of an agent's runs, on this machine only.

AGENT.jsonl has the errors, and their resolutions: the first thing that the same run learned later,
or what a program reported.  They never get into the history: what a failed command printed may
hold anything, and a history that came with a repository may hold any error and any resolution.

AGENT.txt has the resolved errors as Markdown list items, ready for a prompt.  Left out are lines
that may be poisoned, and errors that only an MCP client reported.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from memory_core.history import error_text, item_history, performance
from memory_core.history.item_history import Record
from memory_core.history.performance import CommonError
from memory_core.memory import ready
from memory_core.origin import text_origins
from memory_core.storage.history_file import HistoryFile
from memory_core.storage.paths import LevelPaths

# The newest errors of each kind are kept, with and without a resolution.
MAX_KEPT = 200

# A file of this size is cut to them; a record takes up to 900 bytes.
MAX_BYTES = 512 * 1024

# Characters of the resolved errors; a longer file was not written by agent-memory.
MAX_RESOLVED_CHARS = 4000


def read(paths: LevelPaths, stem: str) -> list[Record]:
    """Return the errors of the agent with this file stem, oldest first."""
    try:
        records = HistoryFile(paths.state, locate(stem)).read()
    except OSError:
        return []
    return [record for record in records if record["kind"] == "error"]


def add(paths: LevelPaths, stem: str, errors: list[Record]) -> None:
    """Add errors; without a state folder they are not kept."""
    if not errors:
        return
    try:
        if paths.state.append(locate(stem), _format_lines(errors)) > MAX_BYTES:
            kept = read(paths, stem)
            older = [error for error in kept if error.get("resolution")][:-MAX_KEPT]
            older += [error for error in kept if not error.get("resolution")][:-MAX_KEPT]
            _replace(paths, stem, [error for error in kept if error not in older])
    except OSError:
        pass
    refresh(paths, stem)


def resolve(paths: LevelPaths, stem: str, learned: Mapping[str, str]) -> None:
    """Give the errors of runs without a resolution what the run has just learned."""
    errors = read(paths, stem)
    resolved = [
        error
        if error.get("resolution") or error.get("run") not in learned
        else {**error, "resolution": error_text.clean(learned[error["run"]])}
        for error in errors
    ]
    if resolved != errors:
        try:
            _replace(paths, stem, resolved)
        except OSError:
            return
        refresh(paths, stem)


def read_given(paths: LevelPaths, stem: str) -> list[str]:
    """Return the errors that agents receive as lines of a Markdown list."""
    text = paths.state.read_text(ready.locate_errors(stem))
    lines = text.split("\n") if len(text) <= MAX_RESOLVED_CHARS else []
    return [line for line in lines if line.startswith("- ")]


def refresh(paths: LevelPaths, stem: str) -> None:
    """Compute the errors that agents receive; after a failure the old ones stay."""
    lines = performance.format_errors(list_given(read(paths, stem)))
    if lines == read_given(paths, stem):
        return
    text = "".join(f"{line}\n" for line in lines)
    try:
        paths.state.replace(ready.locate_errors(stem), text.encode())
    except OSError:
        pass  # the next error refreshes it


def list_given(errors: list[Record]) -> list[CommonError]:
    """Return the resolved errors that agents may receive: that occurred, and do not mislead."""
    mcp = item_history.MCP_SOURCE
    occurred = {error["id"] for error in errors if error.get("source") != mcp}
    seen = [error for error in errors if error["id"] in occurred]
    return [
        error
        for error in performance.find_common_errors(seen, resolved=True)
        if not text_origins.find_reason(performance.join_resolution(error))
    ]


def _replace(paths: LevelPaths, stem: str, errors: list[Record]) -> None:
    paths.state.replace(locate(stem), _format_lines(errors), durable=False)


def _format_lines(errors: list[Record]) -> bytes:
    return "".join(f"{json.dumps(error)}\n" for error in errors).encode()


def locate(stem: str) -> str:
    """Return the path of an agent's errors in the state."""
    return os.path.join(ready.ERRORS_FOLDER, f"{stem}.jsonl")
