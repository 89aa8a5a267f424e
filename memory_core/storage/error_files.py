"""errors/AGENT.jsonl and errors/AGENT.md: the errors of an agent's runs, on this machine only.

AGENT.jsonl has the errors without a known resolution.  What a failed command printed may hold
anything.  It gets into the history, which is committed, and into prompts only when a run has
reported a resolution: `run_history.settle_errors` moves it.

AGENT.md has the resolved errors as Markdown list items, ready for a prompt.  They are computed
from the whole history, which takes longer to read than a hook may take.  Therefore the writer of
an error, or of what may solve one, also updates this file.  Without the file an agent gets no
errors until the next update.  Lines that may be poisoned are left out.
"""

from __future__ import annotations

import os

from memory_core.text import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_core.history.item_history import Record
    from memory_core.history.performance import CommonError
    from memory_core.storage.paths import LevelPaths

FOLDER = "errors"

# The newest pending errors are kept.
MAX_PENDING = 200

# A file of this size is cut to them; a record takes up to 700 bytes.
MAX_PENDING_BYTES = 256 * 1024

# Characters of the resolved errors; a longer file was not written by agent-memory.
MAX_RESOLVED_CHARS = 4000

# A hook updates the resolved errors up to this size of a history in bytes: some 40,000 packed
# records.  Beyond that a learning of the run, or `context`, does it.
MAX_HISTORY_BYTES = 1_000_000


def read_pending(paths: LevelPaths, stem: str) -> list[Record]:
    """Return the newest pending errors of the agent with this file stem, oldest first."""
    from memory_core.storage.history_file import HistoryFile

    try:
        records = HistoryFile(paths.state, _pending_path(stem)).read()
    except OSError:
        return []
    return [record for record in records if record["kind"] == "error"][-MAX_PENDING:]


def add_pending(paths: LevelPaths, stem: str, errors: list[Record]) -> None:
    """Add pending errors; without a state folder they are not kept."""
    if not errors:
        return
    try:
        if paths.state.append(_pending_path(stem), _format_lines(errors)) > MAX_PENDING_BYTES:
            replace_pending(paths, stem, read_pending(paths, stem))
    except OSError:
        pass


def replace_pending(paths: LevelPaths, stem: str, errors: list[Record]) -> None:
    """Write the pending errors that are left; raises OSError."""
    paths.state.replace(_pending_path(stem), _format_lines(errors), durable=False)


def read_resolved(paths: LevelPaths, stem: str) -> list[str]:
    """Return the resolved errors of an agent as lines of a Markdown list."""
    text = paths.state.read_text(_resolved_path(stem))
    lines = text.split("\n") if len(text) <= MAX_RESOLVED_CHARS else []
    return [line for line in lines if line.startswith("- ")]


def update_resolved(paths: LevelPaths, stem: str, records: Sequence[Record]) -> None:
    """Compute the resolved errors from an agent's history; after a failure the old ones stay."""
    before = read_resolved(paths, stem)
    if not before and not any(record["kind"] == "error" for record in records):
        return
    from memory_core.history import performance
    from memory_core.text import secrets

    lines = performance.format_errors(list_delivered(records))
    if lines == before:
        return
    text = secrets.redact("".join(f"{line}\n" for line in lines))  # others wrote the history, too
    try:
        paths.state.replace(_resolved_path(stem), text.encode("utf-8", "replace"))
    except OSError:
        pass  # the history has them


def list_delivered(records: Sequence[Record]) -> list[CommonError]:
    """Return the resolved errors of a history that agents may receive: none that may mislead."""
    from memory_core.history import performance
    from memory_core.trust import checking

    errors = performance.find_common_errors(records, resolved=True)
    return [
        error for error in errors if not checking.find_reason(performance.join_resolution(error))
    ]


def _format_lines(errors: list[Record]) -> bytes:
    return "".join(f"{fastjson.dumps(error)}\n" for error in errors).encode()


def _pending_path(stem: str) -> str:
    return os.path.join(FOLDER, f"{stem}.jsonl")


def _resolved_path(stem: str) -> str:
    return os.path.join(FOLDER, f"{stem}.md")
