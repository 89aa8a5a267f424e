"""The tables `origins` and `own_records`: what this machine knows of texts and of histories.

`origins` has by the key of a text whence it came, or a lower decision; the highest `decision` of a
person, "" without one; and since when it is known, in seconds.  `own_records` has the digests of
the records of a history that this machine wrote.  Agents are named by the stems of their files.

A line of the journal may have `origins` of texts by their keys, since `since`; the decisions `back`
on texts that do not count any more; digests of `records`; and the `name` that the agent gets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from sqlite3 import Connection
from typing import Any

from memory_core.history.rights import DECIDED, rank_of

Line = dict[str, Any]

# Of all agents; of a history the newest 15,000 are read.
MAX_RECORDS = 200_000

ADD_ORIGIN = """
INSERT INTO origins VALUES (?, ?, ?, ?, ?)
ON CONFLICT (agent, key) DO UPDATE
SET origin = coalesce(nullif(decision, ''), origin), decision = excluded.decision
WHERE rank_of(excluded.decision) > rank_of(coalesce(nullif(decision, ''), origin))
"""


def read_origins(db: Connection, agent: str) -> dict[str, tuple[str, float]]:
    """Return the origins of texts and since when they are known, in seconds, by their keys.

    A decision counts before the origin; a text without a time is known since 0.0.
    """
    select = "SELECT key, origin, decision, since FROM origins WHERE agent = ?"
    rows = db.execute(select, (agent,))
    return {key: (decision or origin, float(since or 0)) for key, origin, decision, since in rows}


def apply(db: Connection, line: Line) -> None:
    """Change the tables as a line says."""
    agent, since, origins = line["agent"], line.get("since"), line.get("origins", {})
    since = since if type(since) is int else None
    add_records(db, agent, line.get("records", []))
    add_origins(db, agent, [(key, origin, since) for key, origin in origins.items()])
    if "back" in line:
        take_back(db, agent, line["back"])
    if "name" in line:
        rename(db, agent, line["name"])


def list_lines(db: Connection) -> list[Line]:
    """Return lines that say what the tables have."""
    lines: list[Line] = []
    for origin in ("origin", "decision"):  # a decision comes behind the origin
        query = f"SELECT agent, since, key, {origin} FROM origins ORDER BY agent, since"  # noqa: S608
        for (agent, since), rows in groupby(db.execute(query), lambda row: row[:2]):
            origins = {key: origin for *_, key, origin in rows if origin}
            lines.append({"agent": agent, "since": since, "origins": origins})
    records = db.execute("SELECT agent, digest FROM own_records ORDER BY agent, rowid")
    for agent, rows in groupby(records, lambda row: row[0]):
        lines.append({"agent": agent, "records": [digest for _agent, digest in rows]})
    return lines


def add_origins(db: Connection, agent: str, origins: Iterable[tuple[str, str, int | None]]) -> None:
    """Add (key, origin, time in seconds) of texts; of one text the first origin is kept.

    A decision of a person counts if it is higher than what was known before.
    """
    db.create_function("rank_of", 1, rank_of, deterministic=True)
    rows = [
        (agent, key, *(("", origin) if origin in DECIDED else (origin, "")), since)
        for key, origin, since in origins
    ]
    db.executemany(ADD_ORIGIN, rows)


def take_back(db: Connection, agent: str, decisions: Mapping[str, Sequence[str]]) -> None:
    """Forget decisions on texts, by their keys; the origin before them counts again.

    Without one, the next look at the texts finds it.
    """
    rows = [(agent, key, one) for key, kinds in decisions.items() for one in kinds]
    for column in ("decision", "origin"):
        update = f"UPDATE origins SET {column} = '' WHERE agent = ? AND key = ? AND {column} = ?"  # noqa: S608
        db.executemany(update, rows)
    db.execute("DELETE FROM origins WHERE agent = ? AND origin = '' AND decision = ''", (agent,))


def list_records(db: Connection, agent: str) -> set[str]:
    """Return the digests of the records that this machine wrote."""
    rows = db.execute("SELECT digest FROM own_records WHERE agent = ?", (agent,))
    return {digest for (digest,) in rows}


def add_records(db: Connection, agent: str, digests: Iterable[str]) -> None:
    """Add the digests of records."""
    rows = [(agent, digest) for digest in digests]
    db.executemany("INSERT OR IGNORE INTO own_records VALUES (?, ?)", rows)


def drop_old_records(db: Connection) -> None:
    """Remove the oldest digests if there are too many."""
    oldest = "(SELECT max(rowid) FROM own_records) - ?"
    db.execute(f"DELETE FROM own_records WHERE rowid <= {oldest}", (MAX_RECORDS,))  # noqa: S608


def rename(db: Connection, agent: str, new: str) -> None:
    """Give the rows of an agent to its new name."""
    db.execute("UPDATE OR REPLACE origins SET agent = ? WHERE agent = ?", (new, agent))
    db.execute("UPDATE OR REPLACE own_records SET agent = ? WHERE agent = ?", (new, agent))
