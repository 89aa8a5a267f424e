"""The table `notes`: single facts about a project, as texts by their names."""

from __future__ import annotations

from memory_core.storage.database import state_db
from memory_core.storage.state_folder import StateFiles


def read(state: StateFiles, name: str) -> str:
    """Return the text of a note, "" without one.  Raises OSError."""
    select = "SELECT value FROM notes WHERE name = ?"
    row = state_db.read(state, lambda db: db.execute(select, (name,)).fetchone())
    return str(row[0]) if row else ""


def write(state: StateFiles, name: str, text: str) -> None:
    """Replace the text of a note.  Raises OSError."""
    replace = "INSERT OR REPLACE INTO notes VALUES (?, ?)"
    state_db.write(state, lambda db: db.execute(replace, (name, text)))
