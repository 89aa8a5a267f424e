"""review.jsonl: what waits for a person, and what is known of texts; a new database begins with it.

Each line has the `agent`, by the stem of its files.  It belongs to `review_table`, as an entry or a
`decision` on one, or to `origin_table`.  It is written before the tables get it.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Sequence
from sqlite3 import Connection, InterfaceError, ProgrammingError

from memory_core.files import file_actions
from memory_core.storage.database import origin_table, review_table
from memory_core.storage.database.origin_table import Line
from memory_core.storage.paths import WAITING_FILE, StateFiles
from memory_core.text import digests, fastjson

FILE_NAME = "review.jsonl"

# A longer journal is written again with what the tables have.
MAX_LENGTH = 4_000_000

# Years of work fit into this size.
MAX_BYTES = 64_000_000


class NotKept(OSError):
    """The journal cannot be written."""


def add(db: Connection, state: StateFiles, lines: Sequence[Line]) -> None:
    """Add lines to the journal, then to the tables.

    Raises NotKept if that is impossible, and one of them is a learning, which would be lost.
    """
    if not lines:
        return
    has_learnings = any("content" in line for line in lines)
    try:
        if not state.has_database:
            raise OSError(errno.ENODEV, "there is no database")
        state.append(FILE_NAME, _format(lines))
        if has_learnings:  # all else the tables keep, too
            file_actions.sync(state, FILE_NAME)
    except OSError as error:
        if has_learnings:
            raise NotKept(error.errno, error.strerror, FILE_NAME) from error
    for line in lines:
        _apply(db, line)
    if any("id" in line for line in lines):
        _note_waiting(db, state)


def replay(db: Connection, state: StateFiles) -> None:
    """Fill empty tables with what the journal says."""
    for line in _read(state):
        try:
            _apply(db, line)
        except (AttributeError, TypeError, InterfaceError, ProgrammingError):
            continue  # it is damaged, and has values of other types


def shorten(db: Connection, state: StateFiles, length: int = MAX_LENGTH) -> None:
    """Write a journal of more bytes than `length` again; raises OSError."""
    status = state.status(FILE_NAME)
    if (status.st_size if status else 0) >= length:
        lines = [*review_table.list_lines(db), *origin_table.list_lines(db)]
        state.replace(FILE_NAME, _format(lines))


def _read(state: StateFiles) -> Iterator[Line]:
    for text in state.read_text(FILE_NAME, MAX_BYTES).split("\n"):
        line = fastjson.load_object(text)
        if isinstance(line.get("agent"), str) and ("id" not in line or review_table.is_line(line)):
            yield line


def _apply(db: Connection, line: Line) -> None:
    if "id" in line:
        review_table.apply(db, line)
    else:
        origin_table.apply(db, line)


def _format(lines: Iterable[Line]) -> bytes:
    return "".join(f"{fastjson.dumps(line)}\n" for line in lines).encode()


def _note_waiting(db: Connection, state: StateFiles) -> None:
    """Keep a file for hooks that says whether something waits, and changes with it."""
    ids = [key for (key,) in db.execute("SELECT id FROM reviews ORDER BY id")]
    if ids:
        state.replace(WAITING_FILE, digests.hash_text(" ".join(ids)).encode(), durable=False)
    else:
        state.remove(WAITING_FILE)
