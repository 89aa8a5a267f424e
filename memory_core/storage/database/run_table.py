"""The runs of agents: how each ended, the items that it received and used, its subject, its errors.

Runs of the last DAYS days have a row each; older ones are summed by day, and their use by item.
`performance.make_run` and `performance.make_error` make the rows.

Errors never get into the history: what a failed command printed may hold anything, and a history
that came with a repository may hold any error and any resolution.  A resolution is the first thing
that the same run learned later, or what a program reported.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import NamedTuple

from memory_core.history import performance
from memory_core.history.performance import CommonError, Row

DAYS = 180

# What the newest runs of an agent were about is kept.
MAX_SUBJECTS = 10_000

# The runs of an agent that `read_recent` is about.
RECENT_RUNS = 10

TABLES = """
CREATE TABLE runs (
  agent TEXT, key TEXT, time TEXT, run TEXT, session TEXT, outcome TEXT, type TEXT,
  duration_ms INTEGER, tokens INTEGER, tool_uses INTEGER, experiment TEXT, given TEXT, used TEXT,
  arrived TEXT, arrived_by TEXT, prompt_tokens INTEGER, hook_ms INTEGER,
  PRIMARY KEY (agent, key)
) WITHOUT ROWID;
CREATE TABLE run_days (
  agent TEXT, day TEXT, given INTEGER, used INTEGER, type TEXT, outcome TEXT, runs INTEGER,
  duration_ms INTEGER, timed INTEGER, tokens INTEGER, counted INTEGER,
  tool_uses INTEGER, watched INTEGER
);
CREATE TABLE item_uses (
  agent TEXT, item TEXT, given INTEGER, used INTEGER, failed INTEGER,
  PRIMARY KEY (agent, item)
) WITHOUT ROWID;
CREATE TABLE subjects (agent TEXT, run TEXT, about TEXT, PRIMARY KEY (agent, run));
CREATE VIEW run_sums AS SELECT * FROM run_days UNION ALL SELECT
  agent, substr(time, 1, 10),
  length(given) - length(replace(given, ' ', '')) + (given != ''),
  length(used) - length(replace(used, ' ', '')) + (used != ''),
  type, outcome, 1,
  coalesce(duration_ms, 0), duration_ms IS NOT NULL, coalesce(tokens, 0), tokens IS NOT NULL,
  coalesce(tool_uses, 0), tool_uses IS NOT NULL
FROM runs;
CREATE TABLE errors (
  agent TEXT, id TEXT, time TEXT, run TEXT, session TEXT, source TEXT, tool TEXT, text TEXT,
  resolution TEXT, PRIMARY KEY (agent, id, time, run)
);
"""

COLUMNS = re.findall(r"(\w+) (?:TEXT|INTEGER)", TABLES.partition(";")[0])  # of `runs`

# Version 1 of the database lacks these.
NEWER_COLUMNS = ("arrived TEXT", "arrived_by TEXT", "prompt_tokens INTEGER", "hook_ms INTEGER")

# A second row of a run adds what the first one did not know.  A sweep may have taken a run for
# stopped that is still at work, so every other outcome wins.
UNKNOWN = {"outcome": "stopped", "type": "other"}

ADD = (
    f"INSERT INTO runs VALUES (:{', :'.join(COLUMNS)}) ON CONFLICT (agent, key) DO UPDATE SET "  # noqa: S608
    + ", ".join(
        f"{name} = coalesce(nullif(excluded.{name}, '{UNKNOWN.get(name, '')}'), {name})"
        for name in COLUMNS[2:]
    )
)

ADD_UP = """
CREATE TEMP TABLE older AS
  SELECT agent, day, sum(given), sum(used), type, outcome, sum(runs), sum(duration_ms), sum(timed),
    sum(tokens), sum(counted), sum(tool_uses), sum(watched)
  FROM run_sums WHERE day < ? GROUP BY agent, day, type, outcome
"""

ADD_USE = """
INSERT INTO item_uses (agent, item, given, used, failed) VALUES (?, ?, 1, ?, ?)
ON CONFLICT (agent, item) DO UPDATE SET
  given = given + 1, used = used + excluded.used, failed = failed + excluded.failed
"""

LIST_SUMS = """
SELECT type, sum(runs), sum(runs * (outcome = 'done')), sum(runs * (outcome = 'failed')),
  sum(runs * (outcome = 'stopped')), sum(duration_ms), sum(timed), sum(tokens), sum(counted),
  sum(tool_uses), sum(watched)
FROM run_sums WHERE agent = ? GROUP BY type ORDER BY sum(runs) DESC, type
"""

# The newest errors of an agent are kept, with and without a resolution.
MAX_ERRORS = 200

MAX_COMMON_ERRORS = 20

ADD_ERROR = """
INSERT OR IGNORE INTO errors
VALUES (:agent, :id, :time, :run, :session, :source, :tool, :text, :resolution)
"""

DROP_OLD_ERRORS = """
DELETE FROM errors WHERE agent = :agent AND (resolution != '') = :solved AND rowid NOT IN (
  SELECT rowid FROM errors WHERE agent = :agent AND (resolution != '') = :solved
  ORDER BY time DESC LIMIT :most
)
"""

# Of the columns without a function, SQLite takes the row with the latest time.
LIST_COMMON_ERRORS = """
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

DELIVERIES = """
SELECT agent, substr(time, 1, 10) AS day, count(prompt_tokens) AS loaded,
  coalesce(sum(prompt_tokens), 0) AS tokens,
  count(nullif(arrived = 'delivered', 0)) AS delivered,
  count(nullif(arrived = 'doubled', 0)) AS doubled, count(nullif(arrived = 'lost', 0)) AS lost
FROM runs GROUP BY 1, 2
"""

Uses = Counter[str]  # `given`, `used` and `failed`, each if it is not 0


class RecentUse(NamedTuple):
    """How many of the last runs are known, and the ids of the items that they received and used.

    `since` is the time of the first of them, ISO 8601, "" without runs.
    """

    runs: int = 0
    given: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    since: str = ""


class Delivery(NamedTuple):
    """One delivery of a memory to an agent; `verdict` is delivered, doubled or lost."""

    agent: str
    verdict: str
    route: str
    timestamp: str


def add_newer_columns(db: sqlite3.Connection) -> None:
    """Add the columns that a table of version 1 lacks."""
    for column in NEWER_COLUMNS:
        db.execute(f"ALTER TABLE runs ADD COLUMN {column}")


def add(db: sqlite3.Connection, runs: Iterable[Row]) -> None:
    """Add runs; those that are there already are completed."""
    db.executemany(ADD, runs)


def add_subject(db: sqlite3.Connection, agent: str, run: str, about: str) -> None:
    """Keep what a run was about."""
    db.execute("INSERT OR REPLACE INTO subjects VALUES (?, ?, ?)", (agent, run, about))


def read_subjects(db: sqlite3.Connection, agent: str) -> dict[str, str]:
    """Return what the runs of an agent were about, by their ids."""
    return dict(db.execute("SELECT run, about FROM subjects WHERE agent = ?", (agent,)))


def count_uses(db: sqlite3.Connection, agent: str) -> dict[str, Uses]:
    """Return by the id of each item how many runs received it, used it, and failed with it."""
    uses: dict[str, Uses] = {}
    names = ("given", "used", "failed")
    rows = db.execute("SELECT item, given, used, failed FROM item_uses WHERE agent = ?", (agent,))
    for item, *counts in rows:
        uses[item] = +Uses(dict(zip(names, counts, strict=True)))
    for given, used, outcome in db.execute(
        "SELECT given, used, outcome FROM runs WHERE agent = ? AND given != ''", (agent,)
    ):
        failed = given if outcome == "failed" else ""
        for name, ids in zip(names, (given, used, failed), strict=True):
            for key in ids.split():
                uses.setdefault(key, Uses())[name] += 1
    return uses


def read_recent(db: sqlite3.Connection) -> dict[str, RecentUse]:
    """Return the use of items in the last runs of each agent."""
    recent = {}
    for (agent,) in db.execute("SELECT DISTINCT agent FROM runs").fetchall():
        query = "SELECT time, given, used FROM runs WHERE agent = ? ORDER BY time DESC LIMIT ?"
        times, given, used = zip(*db.execute(query, (agent, RECENT_RUNS)), strict=True)
        ids = [frozenset(" ".join(texts).split()) for texts in (given, used)]
        recent[agent] = RecentUse(len(times), ids[0], ids[1], times[-1])
    return recent


def list_days(db: sqlite3.Connection) -> list[Row]:
    """Return by `agent` and `day` the finished `runs`, `failed` ones, items `given` and `used`."""
    return _read_rows(
        db,
        "SELECT agent, day, sum(runs) AS runs, sum(runs * (outcome = 'failed')) AS failed,"
        " sum(given) AS given, sum(used) AS used FROM run_sums GROUP BY agent, day",
    )


def list_deliveries(db: sqlite3.Connection) -> list[Row]:
    """Return by `agent` and `day` the runs that received memory (`loaded`), of the last half year.

    They have the sum of its `tokens`, and how it arrived: `delivered`, `doubled`, `lost`.
    """
    return _read_rows(db, DELIVERIES)


def find_last_delivery(db: sqlite3.Connection) -> Delivery | None:
    """Return the last delivery."""
    query = (
        "SELECT agent, arrived, arrived_by, time FROM runs"
        " WHERE arrived != '' ORDER BY time DESC LIMIT 1"
    )
    row = db.execute(query).fetchone()
    return row and Delivery(*row)


def list_hook_times(db: sqlite3.Connection, since: str) -> list[int]:
    """Return the milliseconds of the hooks that gave memory to runs since a day."""
    query = "SELECT hook_ms FROM runs WHERE time >= ? AND hook_ms IS NOT NULL"
    return [ms for (ms,) in db.execute(query, (since,))]


def list_sums(db: sqlite3.Connection, agent: str) -> dict[str, list[int]]:
    """Return the numbers of an agent's finished runs by their type, the most frequent first.

    They are of all runs, and of each outcome; then of each measure the sum, and of how many runs.
    """
    return {kind: numbers for kind, *numbers in db.execute(LIST_SUMS, (agent,))}


def list_runs(db: sqlite3.Connection, experiment: bool = False) -> list[Row]:
    """Return the rows of runs, oldest first, of all or of those that were part of an experiment."""
    where = " WHERE experiment != ''" if experiment else ""
    return _read_rows(db, f"SELECT * FROM runs{where} ORDER BY time, key")  # noqa: S608 - no value


def _read_rows(db: sqlite3.Connection, query: str) -> list[Row]:
    rows = db.execute(query)
    names = [column[0] for column in rows.description]
    return [dict(zip(names, row, strict=True)) for row in rows]


def sum_up(db: sqlite3.Connection, today: str) -> None:
    """Sum up the runs that are older than DAYS days before a day such as 2026-11-20."""
    day = (date.fromisoformat(today) - timedelta(days=DAYS)).isoformat()
    rows = db.execute("SELECT agent, given, used, outcome FROM runs WHERE time < ?", (day,))
    for agent, given, used, outcome in rows.fetchall():
        for item in given.split():
            db.execute(ADD_USE, (agent, item, item in used.split(), outcome == "failed"))
    db.execute(ADD_UP, (day,))
    db.execute("DELETE FROM run_days WHERE day < ?", (day,))
    db.execute("DELETE FROM runs WHERE time < ?", (day,))
    db.execute("INSERT INTO run_days SELECT * FROM older")
    db.execute("DROP TABLE older")
    db.execute(
        "DELETE FROM subjects WHERE rowid <= (SELECT max(rowid) FROM subjects) - ?", (MAX_SUBJECTS,)
    )


def add_errors(db: sqlite3.Connection, errors: Iterable[Row]) -> None:
    """Add errors, and remove older ones than the newest of their agents."""
    rows = list(errors)
    db.executemany(ADD_ERROR, rows)
    for agent in {row["agent"] for row in rows}:
        for is_solved in (False, True):
            db.execute(DROP_OLD_ERRORS, {"agent": agent, "solved": is_solved, "most": MAX_ERRORS})


def resolve_errors(db: sqlite3.Connection, agent: str, learned: Mapping[str, str]) -> None:
    """Give the errors of runs without a resolution what the run has just learned."""
    statement = "UPDATE errors SET resolution = ? WHERE agent = ? AND run = ? AND resolution = ''"
    rows = [(performance.clean_error(text), agent, run) for run, text in learned.items()]
    db.executemany(statement, rows)


def list_common_errors(
    db: sqlite3.Connection, agent: str, solved: bool = False
) -> list[CommonError]:
    """Return the common errors: the most frequent first, then the latest.

    With `solved` only those that agents may read.
    """
    query = LIST_COMMON_ERRORS.format(IS_SOLVED if solved else IS_COMMON)
    return [CommonError(*row) for row in db.execute(query, (agent, MAX_COMMON_ERRORS))]


def rename(db: sqlite3.Connection, old: str, new: str) -> None:
    """Give the runs and errors of an agent to another name."""
    for table in ("runs", "run_days", "item_uses", "subjects", "errors"):
        statement = f"UPDATE OR REPLACE {table} SET agent = ? WHERE agent = ?"  # noqa: S608
        db.execute(statement, (new, old))
