"""notices/SESSION in the state: lines for the person of a session, which the next hook prints.

A line is written when learnings are merged, which may be after the reply to Claude Code.
"""

from __future__ import annotations

import os

from memory_core.text import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.files.safe_files import SafeFiles

FOLDER = "notices"

MAX_BYTES = 20_000
MOST_LINES = 10


def take(state: SafeFiles, session: str, is_start: bool = False) -> list[str]:
    """Return the lines of a session, once; at its start also those of sessions that have ended."""
    names = state.list_names(FOLDER) if is_start else []
    files = [os.path.join(FOLDER, name) for name in names] or [locate(session)]
    lines = []
    for file in files:
        if state.is_file(file):
            taken = f"{file}.{os.getpid()}"
            try:
                state.rename(file, taken)  # so that no other hook prints them, too
            except OSError:
                continue
            lines += state.read_text(taken, MAX_BYTES).split("\n")
            state.remove(taken)
    return list(filter(None, lines))[-MOST_LINES:]


def locate(session: str) -> str:
    """Return the path of the lines of a session in the state."""
    return os.path.join(FOLDER, digests.hash_text(session))
