"""errors/AGENT.md: the resolved errors of an agent as Markdown list items, ready for a prompt.

They are computed from the whole history, which takes longer to read than a hook may take.
Therefore the writer of an error, or of what may solve one, also updates this file.  Without the
file an agent gets no errors until the next update.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_core.history.item_history import Record
    from memory_core.storage.paths import LevelPaths

FOLDER = "errors"

# Characters; a longer file was not written by agent-memory.
MAX_CHARS = 4000

# A hook updates the errors up to this size of a history in bytes: some 40,000 packed records.
# Beyond that a learning of the run, or `context`, does it.
MAX_HISTORY_BYTES = 1_000_000


def read(paths: LevelPaths, stem: str) -> list[str]:
    """Return the resolved errors of an agent as lines of a Markdown list."""
    text = paths.state.read_text(_path(stem))
    lines = text.split("\n") if len(text) <= MAX_CHARS else []
    return [line for line in lines if line.startswith("- ")]


def update(paths: LevelPaths, stem: str, records: Sequence[Record]) -> None:
    """Compute the errors from an agent's history; after a failure the old ones stay."""
    before = read(paths, stem)
    if not before and not any(record["kind"] == "error" for record in records):
        return
    from memory_core.history import performance

    lines = performance.format_errors(performance.find_common_errors(records, resolved=True))
    if lines == before:
        return
    text = "".join(f"{line}\n" for line in lines)
    try:
        paths.state.replace(_path(stem), text.encode("utf-8", "replace"))
    except OSError:
        pass  # the history has them


def _path(stem: str) -> str:
    return os.path.join(FOLDER, f"{stem}.md")
