"""state.db: what this machine remembers of a project, in one SQLite file of its state folder.

The worker and the commands open it, a hook only if it has no inbox or no worker.  Nothing in it is
irreplaceable: a damaged file gets the time as suffix, and a new one begins with what the journal,
review.jsonl, has.  A file of a newer version is left alone.

Each line of the journal has the `agent`, by the stem of its files.  It belongs to `review_table`,
as an entry or a `decision` on one, or to `origin_table`.  It is written before the tables get it.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from typing import TypeVar

from memory_core.files import file_actions
from memory_core.storage.database import old_state, origin_table, review_table, run_table
from memory_core.storage.database.origin_table import Line
from memory_core.storage.paths import ORIGINS_FOLDER, StateFiles
from memory_core.text import fastjson

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]

FILE_NAME = "state.db"
VERSION = 3

JOURNAL = "review.jsonl"
MAX_JOURNAL_LENGTH = 4_000_000  # a longer one is written again with what the tables have
MAX_JOURNAL_BYTES = 64_000_000  # years of work fit into this size
# Of a damaged line of it: values of other types.
DAMAGED_LINE = (AttributeError, TypeError, sqlite3.InterfaceError, sqlite3.ProgrammingError)

# The note with the last look, see `last_look`, and what it says in place of a lost database.
LOOK, LOST_LOOK = "look", '{"lost": true, "first": true, "rights": true}'

# The note with the progress of sweeps.  Seconds: so long a session is likely to be resumed; if the
# note is lost, transcripts are read again from so long ago.
SWEEP, RESUMED_SECONDS = "sweep", 2 * 86400

# What a person has to know of a file that was set aside, and may do.
SET_ASIDE = (
    "the database was damaged: decisions and learnings that wait were restored, results of runs and"
    " the texts for undo are gone"
)
AFTER_DAMAGE = "if lines of yours are unknown now: agent-memory review --mine; then delete {}"

# What sqlite says of a damaged file; Python 3.10 has no codes for it.
DAMAGES = ("file is not a database", "malformed")

# What it says if a file cannot be used now: an error of the system, and what to do.
DOCTOR = "; agent-memory doctor says what to do"
REASONS = {
    "disk is full": (errno.ENOSPC, ""),
    "locked": (errno.EBUSY, " by another program; try again when it is done"),
    "readonly": (errno.EACCES, DOCTOR),
    "unable to open": (errno.EACCES, DOCTOR),
}

# The tables; `old_state` takes over what earlier versions kept in files.
TABLES = (
    """
CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE origins (
    agent TEXT NOT NULL, key TEXT NOT NULL, origin TEXT NOT NULL, decision TEXT NOT NULL,
    since INTEGER, PRIMARY KEY (agent, key)
) WITHOUT ROWID;
CREATE TABLE own_records (agent TEXT NOT NULL, digest TEXT NOT NULL, UNIQUE (agent, digest));
CREATE TABLE reviews (
    agent TEXT NOT NULL, id TEXT NOT NULL, entry TEXT NOT NULL, UNIQUE (agent, id)
);
CREATE TABLE changes (
    number INTEGER PRIMARY KEY, agent TEXT NOT NULL, change TEXT NOT NULL, seq INTEGER NOT NULL,
    time_before TEXT NOT NULL, time_after TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL,
    is_written INTEGER NOT NULL DEFAULT 0, UNIQUE (agent, change)
);
CREATE TABLE texts (
    agent TEXT NOT NULL, digest TEXT NOT NULL, text BLOB NOT NULL, PRIMARY KEY (agent, digest)
);
"""
    + run_table.TABLES
)


class NotKept(OSError):
    """The journal cannot be written."""


class NewerState(OSError):
    """The state is of a newer version of the program; the message says what to do."""


def read(state: StateFiles, work: Work[Result]) -> Result:
    """Return the result of `work`, which only reads; no file is made for it.

    Raises NewerState, and OSError.
    """
    return _use(state, work, makes=False)


def write(state: StateFiles, work: Work[Result]) -> Result:
    """Return the result of `work` with a connection: all that it changes is kept, or nothing.

    Without a folder that can be written its changes are gone afterwards.  Raises NewerState, and
    OSError.
    """
    return _use(state, work, makes=True)


def read_note(state: StateFiles, name: str) -> str:
    """Return a single fact about the project, "" without one.  Raises OSError."""
    select = "SELECT value FROM notes WHERE name = ?"
    row = read(state, lambda db: db.execute(select, (name,)).fetchone())
    return str(row[0]) if row else ""


def write_note(state: StateFiles, name: str, text: str) -> None:
    """Replace a single fact about the project.  Raises OSError."""
    replace = "INSERT OR REPLACE INTO notes VALUES (?, ?)"
    write(state, lambda db: db.execute(replace, (name, text)))


def _use(state: StateFiles, work: Work[Result], makes: bool) -> Result:
    before = _identify(state)
    try:
        return _work(state, work, makes)
    except sqlite3.DatabaseError as error:
        if not _tells_damage(error):
            raise _convert(state, error) from error
    # Another process may be quicker, and of a disk that failed once sqlite says the same.
    if before == _identify(state) and _is_damaged(state):
        _set_aside(state)
    try:
        return _work(state, work, makes)
    except sqlite3.Error as error:
        raise _convert(state, error) from error


def _work(state: StateFiles, work: Work[Result], makes: bool) -> Result:
    path = state.locate(FILE_NAME)
    if makes or (not os.path.isfile(path) and _has_files(state)):
        _make_file(state)
    name = path if state.has_database and os.path.isfile(path) else ":memory:"
    with closing(sqlite3.connect(name, timeout=state.busy_seconds)) as connection:
        _migrate(connection, state)
        if makes:
            connection.execute("BEGIN IMMEDIATE")  # nobody writes what `work` has read
        with connection:
            return work(connection)


def _make_file(state: StateFiles) -> None:
    """Make the file for this user alone, if that is possible.

    A file that is there is not opened: to close it would end the locks that other threads of this
    process have.
    """
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC
    with suppress(OSError):  # the database is in memory then
        state.make_root()
        os.close(os.open(state.locate(FILE_NAME), flags, 0o600))


def _migrate(connection: sqlite3.Connection, state: StateFiles) -> None:
    """Bring the database to the version of this program, once."""
    version = _read_version(connection)
    if version > VERSION:
        raise NewerState(
            errno.ENOTSUP,
            "is of a newer version: run agent-memory upgrade; reports wait until then",
            state.locate(FILE_NAME),
        )
    if version == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        version = _read_version(connection)
        if version >= VERSION:  # another process was quicker
            return
        if version == 0:
            _begin(connection, state)
        elif version == 1:
            run_table.add_newer_columns(connection)
        old_state.take_notes(connection, state, LOST_LOOK)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    if _is_file(connection):
        with suppress(OSError):  # else the files are as good as a journal
            if version == 0 and old_state.has_files(state):
                shorten_journal(connection, state, length=0)
                old_state.remove_files(state)
            old_state.remove_notes(state)


def _read_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _is_file(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA database_list").fetchone()[2])


def _begin(connection: sqlite3.Connection, state: StateFiles) -> None:
    """Make the tables, and take over the files of versions without a database."""
    for statement in TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    if state.has_entry(JOURNAL) or state.has_entry(ORIGINS_FOLDER):
        sweep = fastjson.dumps({"since": time.time() - RESUMED_SECONDS})
        notes = [(LOOK, LOST_LOOK), (SWEEP, sweep)]
        connection.executemany("INSERT INTO notes VALUES (?, ?)", notes)
    if _has_files(state):
        old_state.take_over(connection, state)
        _replay(connection, state)


def _has_files(state: StateFiles) -> bool:
    """Return whether there is something with which an empty database has to begin."""
    return state.has_entry(JOURNAL) or old_state.has_files(state)


def _tells_damage(error: sqlite3.Error) -> bool:
    return any(damage in str(error) for damage in DAMAGES)


def _is_damaged(state: StateFiles) -> bool:
    path = state.locate(FILE_NAME)
    try:
        with open(path, "rb") as file:  # of a disk that cannot be read sqlite says "malformed"
            while file.read(1 << 20):
                pass
    except OSError:
        return False
    try:
        with closing(sqlite3.connect(path, timeout=state.busy_seconds)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except sqlite3.Error as error:
        return _tells_damage(error)


def _identify(state: StateFiles) -> int:
    try:
        return os.stat(state.locate(FILE_NAME)).st_ino
    except OSError:
        return 0


def _set_aside(state: StateFiles) -> None:
    """Give a damaged file the time as suffix."""
    path = state.locate(FILE_NAME)
    stamp = time.strftime("%Y-%m-%dT%H%M%S", time.gmtime())
    for name in (f"{path}-journal", path):  # a new database must not find this journal
        if os.path.lexists(name):
            os.replace(name, f"{name}.{stamp}")


def list_set_aside(state: StateFiles) -> list[str]:
    """Return the names of damaged databases, which may be deleted; the oldest comes first."""
    names = state.list_names()
    return sorted(name for name in names if name.startswith(f"{FILE_NAME}."))


# The journal.


def add_lines(state: StateFiles, make: Callable[[sqlite3.Connection], Sequence[Line]]) -> None:
    """Add lines to the journal, then to the tables; `make` returns them.

    Raises OSError, and NotKept if one of them is a learning, which would be lost.
    """
    write(state, lambda db: _add_lines(db, state, make(db)))


def _add_lines(db: sqlite3.Connection, state: StateFiles, lines: Sequence[Line]) -> None:
    if not lines:
        return
    has_learnings = any("content" in line for line in lines)
    try:
        if not state.has_database:
            raise OSError(errno.ENODEV, "there is no database")
        state.append(JOURNAL, _format(lines))
        if has_learnings:  # all else the tables keep, too
            file_actions.sync(state, JOURNAL)
    except OSError as error:
        if has_learnings:
            raise NotKept(error.errno, error.strerror, JOURNAL) from error
    for line in lines:
        _apply(db, line)


def _replay(db: sqlite3.Connection, state: StateFiles) -> None:
    """Fill empty tables with what the journal says."""
    for text in state.read_text(JOURNAL, MAX_JOURNAL_BYTES).split("\n"):
        line = fastjson.load_object(text)
        if isinstance(line.get("agent"), str) and ("id" not in line or review_table.is_line(line)):
            with suppress(*DAMAGED_LINE):
                _apply(db, line)


def shorten_journal(
    db: sqlite3.Connection, state: StateFiles, length: int = MAX_JOURNAL_LENGTH
) -> None:
    """Write a journal of more bytes than `length` again; raises OSError."""
    status = state.status(JOURNAL)
    if (status.st_size if status else 0) >= length:
        lines = [*review_table.list_lines(db), *origin_table.list_lines(db)]
        state.replace(JOURNAL, _format(lines))


def _apply(db: sqlite3.Connection, line: Line) -> None:
    if "id" in line:
        review_table.apply(db, line)
    else:
        origin_table.apply(db, line)


def _format(lines: Iterable[Line]) -> bytes:
    return "".join(f"{fastjson.dumps(line)}\n" for line in lines).encode()


def _convert(state: StateFiles, error: sqlite3.Error) -> OSError:
    number, advice = next(
        (reason for text, reason in REASONS.items() if text in str(error)), (errno.EIO, "")
    )
    return OSError(number, f"{error}{advice}", state.locate(FILE_NAME))
