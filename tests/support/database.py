"""Look into `state.db`, and change it, as only tests do."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from memory_core.storage.database import state_db


def execute(state: Path, statement: str, *values: object) -> list[Any]:
    """Run a statement in the database of a state folder, and return its rows."""
    assert (state / state_db.FILE_NAME).is_file()
    with closing(sqlite3.connect(state / state_db.FILE_NAME)) as db, db:
        return db.execute(statement, values).fetchall()


def change_note(state: Path, name: str, change: dict[str, Any]) -> None:
    """Change values of a note; a value of None removes one."""
    ((text,),) = execute(state, "SELECT value FROM notes WHERE name = ?", name)
    note = {
        key: value for key, value in {**json.loads(text), **change}.items() if value is not None
    }
    execute(state, "UPDATE notes SET value = ? WHERE name = ?", json.dumps(note), name)
