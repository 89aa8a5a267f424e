"""The changes that this machine wrote: each with the text of its memory file before and after.

Texts are named by their digests, "" for no file.  No decision depends on a clock: rows are in the
order of the writes.  The last `KEPT_TEXTS` changes of an agent keep their texts for undo; older
ones keep the digests.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from memory_core.storage.database import state_db
from memory_core.storage.paths import LevelPaths
from memory_core.text import digests

KEPT_TEXTS = 200
KEPT_ROWS = 2000

LAST, OLD, NEW = "last", "old", "new"

# A command that writes a memory twice makes one step of it.
INSERT = """
INSERT INTO changes (agent, change, seq, time_before, time_after, before, after)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (agent, change) DO UPDATE SET seq = excluded.seq, is_written = 0,
    time_before = CASE WHEN is_written AND after = excluded.before
        THEN time_before ELSE excluded.time_before END,
    before = CASE WHEN is_written AND after = excluded.before
        THEN before ELSE excluded.before END,
    time_after = excluded.time_after, after = excluded.after
"""
FORGET_TEXTS = """
WITH kept AS (SELECT * FROM changes WHERE agent = :agent ORDER BY number DESC LIMIT :kept)
DELETE FROM texts WHERE agent = :agent
    AND digest NOT IN (SELECT before FROM kept UNION SELECT after FROM kept)
"""
FORGET_CHANGES = """
DELETE FROM changes WHERE agent = :agent AND number NOT IN (
    SELECT number FROM changes WHERE agent = :agent ORDER BY number DESC LIMIT :kept
)
"""
SELECT_STEP = """
SELECT before, (SELECT text FROM texts WHERE agent = :agent AND digest = before),
    after, (SELECT text FROM texts WHERE agent = :agent AND digest = after)
FROM changes WHERE agent = :agent AND change = :change
"""
KEPT = """
SELECT change FROM changes WHERE agent = :agent
    AND before IN (SELECT digest FROM texts WHERE texts.agent = :agent UNION SELECT '')
    AND after IN (SELECT digest FROM texts WHERE texts.agent = :agent UNION SELECT '')
ORDER BY number
"""
LATER = """
SELECT change FROM changes WHERE agent = :agent AND number >= coalesce(
    (SELECT max(number) + 1 FROM changes WHERE agent = :agent AND time_after = :time),
    (SELECT min(number) FROM changes WHERE agent = :agent AND time_before = :time),
    :otherwise
) ORDER BY number
"""
WRITTEN = """
SELECT before, after FROM changes WHERE agent = :agent AND is_written AND before != after
ORDER BY number DESC
"""


class TextStep(NamedTuple):
    """What a change did to a memory file: its text before and after, None for no file.

    The times are those in the header of both texts, which name the versions; "" without one.
    """

    change: str
    before: str | None
    after: str | None
    time_before: str = ""
    time_after: str = ""


def begin(paths: LevelPaths, stem: str, seq: int, step: TextStep) -> None:
    """Keep a change before it is written; `seq` is its number.  Raises OSError."""

    def insert(db: sqlite3.Connection) -> None:
        before, after = (_keep_text(db, stem, text) for text in (step.before, step.after))
        times = (step.time_before, step.time_after)
        db.execute(INSERT, (stem, step.change, seq, *times, before, after))
        db.execute(FORGET_TEXTS, {"agent": stem, "kept": KEPT_TEXTS})
        db.execute(FORGET_CHANGES, {"agent": stem, "kept": KEPT_ROWS})

    state_db.write(paths.state, insert)


def _keep_text(db: sqlite3.Connection, stem: str, text: str | None) -> str:
    if text is None:
        return ""
    digest = digests.hash_text(text)
    data = zlib.compress(text.encode("utf-8", "surrogatepass"))
    db.execute("INSERT OR IGNORE INTO texts VALUES (?, ?, ?)", (stem, digest, data))
    return digest


def finish(paths: LevelPaths, stem: str, change: str) -> None:
    """Note that a change is written; an unfinished one is no version of the file."""
    update = "UPDATE changes SET is_written = 1 WHERE agent = ? AND change = ?"
    # A version that is not recognised later does less harm than a change made twice.
    with suppress(OSError):
        state_db.write(paths.state, lambda db: db.execute(update, (stem, change)))


def read_steps(paths: LevelPaths, stem: str, changes: Sequence[str]) -> dict[str, TextStep | None]:
    """Return the steps of these changes, None for one whose texts are not kept any more.

    A change of another machine is not among them.  Raises OSError.
    """
    steps: dict[str, TextStep | None] = {}
    for change in changes:
        for old, old_data, new, new_data in _select(paths, SELECT_STEP, stem, change=change):
            is_kept = (old_data or not old) and (new_data or not new)
            before, after = (data and _unpack(data) for data in (old_data, new_data))
            steps[change] = TextStep(change, before, after) if is_kept else None
    return steps


def _unpack(data: bytes) -> str:
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def _select(paths: LevelPaths, query: str, stem: str = "", **values: object) -> list[Any]:
    """Return the rows of a query about an agent.  Raises OSError."""
    values |= {"agent": stem}
    return state_db.read(paths.state, lambda db: db.execute(query, values).fetchall())


def list_changes(paths: LevelPaths, stem: str) -> list[str]:
    """Return the ids of the changes that this machine made, oldest first.  Raises OSError."""
    query = "SELECT change FROM changes WHERE agent = :agent ORDER BY number"
    return [change for (change,) in _select(paths, query, stem)]


def list_kept(paths: LevelPaths, stem: str) -> list[str]:
    """Return the ids of those of which the texts are kept, oldest first.  Raises OSError."""
    return [change for (change,) in _select(paths, KEPT, stem)]


def list_later(paths: LevelPaths, stem: str, time: str, or_all: bool = False) -> list[str]:
    """Return the changes made here since the memory last had a header with this time.

    If it had none here, these are no changes, or all.  Raises OSError.
    """
    rows = _select(paths, LATER, stem, time=time, otherwise=0 if or_all else None)
    return [change for (change,) in rows]


def identify(paths: LevelPaths, stem: str, text: str) -> str:
    """Return whether this is the LAST text that the memory had, an OLD one, or a NEW one.

    The file may be older than its history for one of two reasons: somebody restored an old version
    on purpose, or an editor that was open saved a stale copy.  A restored version is listed here.
    Raises OSError.
    """
    digest, rows = digests.hash_text(text), _select(paths, WRITTEN, stem)
    if rows and rows[0][1] == digest:
        return LAST
    return OLD if any(digest in row for row in rows) else NEW


def is_continued(paths: LevelPaths, stem: str, before: str, text: str) -> bool:
    """Return whether only writes of this machine are between a text with this digest and `text`.

    Raises OSError.
    """
    now = digests.hash_text(text)
    for earlier, later in _select(paths, WRITTEN, stem):
        if now == before or later != now:
            break
        now = earlier
    return now == before


def rename(db: sqlite3.Connection, stem: str, new_stem: str) -> None:
    """Give the changes of an agent to its new name, which has no memory."""
    for table in ("changes", "texts"):
        db.execute(f"DELETE FROM {table} WHERE agent = ?", (new_stem,))  # noqa: S608
        db.execute(f"UPDATE {table} SET agent = ? WHERE agent = ?", (new_stem, stem))  # noqa: S608


def read_sequence(paths: LevelPaths) -> int:
    """Return the last number that this machine gave to a change, 0 for none.  Raises OSError."""
    return int(_select(paths, "SELECT coalesce(max(seq), 0) FROM changes")[0][0])
