"""Keep what this machine knows of an agent's runs: outcomes, errors, use of items, subjects."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from memory_core.history import performance
from memory_core.history.performance import CommonError, Performance
from memory_core.origin import text_origins
from memory_core.storage.database import change_table, origin_table, run_table, state_db
from memory_core.storage.database.run_table import Uses
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text.times import format_utc

# A run or an error: `kind` is "task" or "error", and the fields are those of
# `performance.make_run`, or the row of `performance.make_error`.
RunRecord = dict[str, Any]


def date_records(agent: str, records: Sequence[RunRecord], when: float = 0.0) -> list[RunRecord]:
    """Return records with the agent's name and the time, `when` in seconds or now."""
    own = {"time": format_utc(when or time.time()), "agent": agent}
    return [{**record, **own} for record in records]


def add_records(store: Store, records: Sequence[RunRecord]) -> None:
    """Add runs and errors; each run counts once.  Raises OSError."""
    if not records:
        return
    runs = [performance.make_run(one) for one in records if one["kind"] == "task"]
    errors = [performance.make_error(**one) for one in records if one["kind"] == "error"]

    def add(db: sqlite3.Connection) -> None:
        run_table.add(db, runs)
        run_table.add_errors(db, filter(None, errors))

    state_db.write(store.paths.state, add)


def resolve_errors(store: Store, agent: str, learned: Mapping[str, str]) -> None:
    """Give the errors of runs without a resolution what the run has just learned."""
    with suppress(OSError):  # the learning is saved
        state_db.write(store.paths.state, lambda db: run_table.resolve_errors(db, agent, learned))


def add_subject(store: Store, agent: str, run: str, about: str) -> None:
    """Keep what a run was about; not in a history, since a prompt may name anything."""
    with suppress(OSError):  # selection does without
        state_db.write(store.paths.state, lambda db: run_table.add_subject(db, agent, run, about))


def read_use(store: Store, agent: str) -> tuple[dict[str, Uses], dict[str, str]]:
    """Return the use of an agent's items, by their ids, and what its runs were about, by theirs.

    Raises OSError.
    """
    return state_db.read(
        store.paths.state,
        lambda db: (run_table.count_uses(db, agent), run_table.read_subjects(db, agent)),
    )


def measure(store: Store, agent: str) -> Performance:
    """Return the performance of an agent.  Raises OSError."""
    return Performance(state_db.read(store.paths.state, lambda db: run_table.list_sums(db, agent)))


def list_errors(store: Store, agent: str) -> list[CommonError]:
    """Return the common errors of an agent, for people.  Raises OSError."""
    return state_db.read(store.paths.state, lambda db: run_table.list_common_errors(db, agent))


def list_given_errors(project: Project, agent: str) -> list[CommonError]:
    """Return the errors that the agent may receive: resolved ones that do not mislead.

    Nobody reviews them, so with `trust: strict` there are none.  Raises OSError.
    """
    if text_origins.is_strict(project):
        return []
    errors = state_db.read(
        project.paths.state, lambda db: run_table.list_common_errors(db, agent, solved=True)
    )
    return [one for one in errors if not text_origins.find_reason(performance.join_resolution(one))]


def rename(store: Store, old: str, new: str) -> None:
    """Give the changes, runs and errors of an agent to another name.  Raises OSError."""

    def change(db: sqlite3.Connection) -> None:
        change_table.rename(db, store.stem(old), store.stem(new))
        run_table.rename(db, old, new)

    state_db.write(store.paths.state, change)


def sum_up(store: Store) -> None:
    """Sum up the runs that are older than half a year, and a long journal.  Raises OSError."""
    state = store.paths.state

    def sum_up_tables(db: sqlite3.Connection) -> None:
        run_table.sum_up(db, format_utc(time.time())[:10])
        origin_table.drop_old_records(db)
        state_db.shorten_journal(db, state)

    state_db.write(state, sum_up_tables)
