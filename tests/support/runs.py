"""Runs and errors of agents in the database."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from memory_core.history import performance
from memory_core.history.performance import Row
from memory_core.storage.database import run_table, state_db
from memory_core.storage.paths import LevelPaths


@contextmanager
def open_tables() -> Iterator[sqlite3.Connection]:
    """Open an empty database in memory."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(state_db.TABLES)
        yield db


def make_run(
    key: str, outcome: str = "done", time: str = "2026-11-20T08:00:00.000Z", **fields: Any
) -> Row:
    """Return the row of a run of engineer, or of the agent in `fields`."""
    return performance.make_run(
        {"agent": "engineer", "key": key, "outcome": outcome, "time": time, **fields}
    )


def add_runs(paths: LevelPaths, *runs: Row) -> None:
    state_db.write(paths.state, lambda db: run_table.add(db, runs))


def list_runs(paths: LevelPaths, agent: str = "engineer") -> list[Row]:
    """Return what is known of the runs of an agent, oldest first."""
    runs = state_db.read(paths.state, run_table.list_runs)
    known = [{name: run[name] for name in run if run[name] is not None} for run in runs]
    return [run for run in known if run["agent"] == agent]


def list_errors(paths: LevelPaths, agent: str = "engineer") -> list[Row]:
    """Return the errors of an agent, in the order in which they were added."""

    def read(db: sqlite3.Connection) -> list[Row]:
        db.row_factory = sqlite3.Row
        rows = db.execute("SELECT * FROM errors WHERE agent = ? ORDER BY rowid", (agent,))
        return [dict(row) for row in rows]

    return state_db.read(paths.state, read)
