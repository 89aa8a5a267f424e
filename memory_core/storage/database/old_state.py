"""What versions without `state.db` kept in files: taken over once, then removed.

These files were written by this user for this machine.  A line that cannot be read is skipped.
"""

from __future__ import annotations

import sqlite3

from memory_core.storage.state_folder import StateFiles

# Files and folders that are removed after that.
NAMES: tuple[str, ...] = ()


def take_over(connection: sqlite3.Connection, state: StateFiles) -> None:
    """Put what the files say into the tables of an empty database."""


def remove_files(state: StateFiles) -> None:
    """Remove the files that are taken over; what cannot be removed does no harm."""
    for name in NAMES:
        for entry in state.list_names(name):
            state.remove(f"{name}/{entry}")
        state.remove(name)
