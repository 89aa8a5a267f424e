"""The errors of agents' runs, and their resolutions, on this machine only.

They never get into the history: what a failed command printed may hold anything, and a history that
came with a repository may hold any error and any resolution.  A resolution is the first thing that
the same run learned later, or what a program reported.  `performance.make_error` makes the rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from memory_core.history import error_text
from memory_core.history.performance import CommonError, Row

# The newest errors of an agent are kept, with and without a resolution.
MAX_KEPT = 200

# Maximum number of common errors.
MAX_COMMON = 20

TABLE = """
CREATE TABLE errors (
  agent TEXT, id TEXT, time TEXT, run TEXT, session TEXT, source TEXT, tool TEXT, text TEXT,
  resolution TEXT, PRIMARY KEY (agent, id, time, run)
);
"""

ADD = """
INSERT OR IGNORE INTO errors
VALUES (:agent, :id, :time, :run, :session, :source, :tool, :text, :resolution)
"""

DROP_OLD = """
DELETE FROM errors WHERE agent = :agent AND (resolution != '') = :solved AND rowid NOT IN (
  SELECT rowid FROM errors WHERE agent = :agent AND (resolution != '') = :solved
  ORDER BY time DESC LIMIT :most
)
"""

# Of the columns without a function, SQLite takes the row with the latest time.
LIST_COMMON = """
SELECT id, text, tool, max(time) AS last,
  count(DISTINCT coalesce(nullif(run, ''), time || ' ' || session)) AS count,
  coalesce((
    SELECT resolution FROM errors AS solved
    WHERE agent = all_errors.agent AND id = all_errors.id AND resolution != ''
    ORDER BY time DESC LIMIT 1
  ), '') AS solution
FROM errors AS all_errors WHERE agent = ? GROUP BY id HAVING {}
ORDER BY count DESC, last DESC, id LIMIT ?
"""

# Failures of a delegation itself; agents see failures of other tools every day.
IS_COMMON = "tool IN ('', 'Agent', 'Task') OR solution != '' OR count >= 2"

# What agents may read: errors with a resolution which an MCP client did not only report.
IS_SOLVED = "solution != '' AND sum(source != 'mcp')"


def add(db: sqlite3.Connection, errors: Iterable[Row]) -> None:
    """Add errors, and remove older ones than the newest of their agents."""
    rows = list(errors)
    db.executemany(ADD, rows)
    for agent in {row["agent"] for row in rows}:
        for is_solved in (False, True):
            db.execute(DROP_OLD, {"agent": agent, "solved": is_solved, "most": MAX_KEPT})


def resolve(db: sqlite3.Connection, agent: str, learned: Mapping[str, str]) -> None:
    """Give the errors of runs without a resolution what the run has just learned."""
    statement = "UPDATE errors SET resolution = ? WHERE agent = ? AND run = ? AND resolution = ''"
    rows = [(error_text.clean(text), agent, run) for run, text in learned.items()]
    db.executemany(statement, rows)


def list_common(db: sqlite3.Connection, agent: str, solved: bool = False) -> list[CommonError]:
    """Return the common errors: the most frequent first, then the latest.

    With `solved` only those that agents may read.
    """
    query = LIST_COMMON.format(IS_SOLVED if solved else IS_COMMON)
    return [CommonError(*row) for row in db.execute(query, (agent, MAX_COMMON))]
