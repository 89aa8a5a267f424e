"""notices/SESSION in the state: lines for the person of a session, which the next hook prints.

A line is written when learnings are merged, which may be after the reply to Claude Code.
"""

from __future__ import annotations

import os

from memory_core.text import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.files.safe_files import SafeFiles
    from memory_core.storage.project import Project

FOLDER = "notices"

# The value of memory.notices for a line after each run.
ALL = "all"

MAX_BYTES = 20_000
MOST_LINES = 10


def add(project: Project, session: str, line: str) -> None:
    """Add a line for the person, with commands as people here type them, if there is a state."""
    from memory_core.storage import typed_command

    line = typed_command.name_command(line, project.environ)
    try:
        project.paths.state.append(_locate(session), f"{line}\n".encode())
    except OSError:
        pass


def take(state: SafeFiles, session: str, is_start: bool = False) -> list[str]:
    """Return the lines of a session, once; at its start also those of sessions that have ended."""
    names = state.list_names(FOLDER) if is_start else []
    files = [os.path.join(FOLDER, name) for name in names] or [_locate(session)]
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


def _locate(session: str) -> str:
    return os.path.join(FOLDER, digests.hash_text(session))
