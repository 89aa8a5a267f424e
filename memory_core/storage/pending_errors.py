"""errors/AGENT.jsonl: errors without a known resolution, on this machine only.

What a failed command printed may hold anything.  It gets into the history, which is committed, and
into prompts only when a run has reported a resolution: `run_history.settle_errors` moves it.
"""

from __future__ import annotations

import os

from memory_core.storage import error_cache
from memory_core.text import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.history.item_history import Record
    from memory_core.storage.paths import LevelPaths

# The newest ones are kept.
MAX_ERRORS = 200

# A file of this size is cut to them; a record takes up to 700 bytes.
MAX_BYTES = 256 * 1024


def read(paths: LevelPaths, stem: str) -> list[Record]:
    """Return the newest errors of the agent with this file stem, oldest first; [] for none."""
    from memory_core.storage.history_file import HistoryFile

    try:
        records = HistoryFile(paths.state, _path(stem)).read()
    except OSError:
        return []
    return [record for record in records if record["kind"] == "error"][-MAX_ERRORS:]


def add(paths: LevelPaths, stem: str, errors: list[Record]) -> None:
    """Add errors; without a state folder they are not kept."""
    if not errors:
        return
    try:
        if paths.state.append(_path(stem), _format_lines(errors)) > MAX_BYTES:
            replace(paths, stem, read(paths, stem))
    except OSError:
        pass


def replace(paths: LevelPaths, stem: str, errors: list[Record]) -> None:
    """Write the errors that are left; raises OSError."""
    paths.state.replace(_path(stem), _format_lines(errors), durable=False)


def _format_lines(errors: list[Record]) -> bytes:
    return "".join(f"{fastjson.dumps(error)}\n" for error in errors).encode()


def _path(stem: str) -> str:
    return os.path.join(error_cache.FOLDER, f"{stem}.jsonl")
