"""What the last look at memory files found, a note in the database; see `origin.arrivals`."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from memory_core.storage.database import state_db
from memory_core.storage.database.state_db import LOOK
from memory_core.storage.paths import StateFiles
from memory_core.text import fastjson

# What the last look found: git's log of this clone and its size, -1 for the folder of a project
# without a repository; and the agents with texts that came, for a notice in the next session.
GIT_LOG, NEWS = "log", "news"

# Raise it to look at all texts again that nobody has decided on.
VERSION = 3


def read_look(state: StateFiles) -> dict[str, Any]:
    """Return what the last look found, {} before the first one.  Raises OSError."""
    return fastjson.load_object(state_db.read_note(state, LOOK))


def write_look(state: StateFiles, look: dict[str, Any]) -> None:
    """Replace what the last look found, if that is possible."""
    with suppress(OSError):
        state_db.write_note(state, LOOK, fastjson.dumps(look))
