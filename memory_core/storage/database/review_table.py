"""The table `reviews`, the learnings that wait for a person.

An entry is a dict of texts: `id`, `time` (ISO 8601, or only the day), `type`, `content` and
`reason`; where they are known also `nested` (lines below the item), `run`, `session`, `source`,
`other`, the text of the item that it contradicts, and `origin`, from whom it is.  Two fields are
lists of short texts: `reasons`, and `reading`, what the run read from outside.

The journal has a line for each entry, with its `agent`, and for each `decision` on the one with
this `id`.  Agents are named by the stems of their files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sqlite3 import Connection
from typing import Any

from memory_core.text import digests, fastjson, similarity

Waiting = dict[str, Any]

NEEDED_FIELDS = ("type", "content", "reason")
FIELDS = ("id", "time", *NEEDED_FIELDS, "nested", "run", "session", "source", "other", "origin")
LISTS = ("reasons", "reading")
MAX_LISTED = 5


def make_lines(db: Connection, agent: str, entries: Iterable[Waiting]) -> list[Waiting]:
    """Return the lines for the entries with ids that do not wait yet."""
    waiting = {entry["id"] for entry in read(db, agent)}
    new = {entry["id"]: _shorten(entry) for entry in entries if entry["id"] not in waiting}
    return [{"agent": agent, **entry} for entry in new.values()]


def make_decisions(
    db: Connection, agent: str, decisions: Mapping[str, str], when: str
) -> list[Waiting]:
    """Return the lines for the decisions on entries that wait, by their ids."""
    keys = [entry["id"] for entry in read(db, agent) if entry["id"] in decisions]
    return [{"agent": agent, "id": key, "time": when, "decision": decisions[key]} for key in keys]


def is_line(line: Waiting) -> bool:
    """Check a line of the journal, which may be damaged."""
    return isinstance(line.get("id"), str) and ("decision" in line or is_entry(line))


def apply(db: Connection, line: Waiting) -> None:
    """Add the entry of a line, or remove the one on which it decides."""
    if "decision" in line:
        row = line["agent"], line["id"]
        db.execute("DELETE FROM reviews WHERE agent = ? AND id = ?", row)
    else:
        insert(db, line["agent"], [line])


def list_lines(db: Connection) -> list[Waiting]:
    """Return the lines of all entries."""
    rows = db.execute("SELECT agent, entry FROM reviews ORDER BY rowid")
    return [{"agent": agent, **fastjson.load_object(entry)} for agent, entry in rows]


def insert(db: Connection, agent: str, entries: Iterable[Waiting]) -> None:
    """Add entries to the table only; the first one with an id counts."""
    rows = [(agent, entry["id"], fastjson.dumps(_shorten(complete(entry)))) for entry in entries]
    db.executemany("INSERT OR IGNORE INTO reviews VALUES (?, ?, ?)", rows)


def read(db: Connection, agent: str) -> list[Waiting]:
    """Return the entries with all fields, oldest first."""
    select = "SELECT entry FROM reviews WHERE agent = ? ORDER BY rowid"
    return [complete(fastjson.load_object(entry)) for (entry,) in db.execute(select, (agent,))]


def list_agents(db: Connection) -> list[str]:
    """Return the stems of the agents with learnings that wait."""
    return [agent for (agent,) in db.execute("SELECT DISTINCT agent FROM reviews")]


# Entries.


def fill(agent: str, entry: Waiting, when: str) -> Waiting:
    """Return an entry with an id and a time, `when` if it has none.

    The id depends on the words only: a learning that several runs report waits once.
    """
    return {**entry, "id": make_id(agent, entry), "time": entry.get("time") or when}


def make_id(agent: str, entry: Waiting) -> str:
    words = [similarity.normalize_text(entry.get(name, "")) for name in ("content", "other")]
    return digests.hash_text("\n".join((agent, *words, entry.get("nested", ""))))


def parse(agent: str, text: str) -> list[Waiting]:
    """Return the entries in a text with one in each line; other lines are skipped."""
    entries = map(complete, filter(is_entry, map(fastjson.load_object, text.split("\n"))))
    return [{**entry, "id": entry["id"] or make_id(agent, entry)} for entry in entries]


def is_entry(value: Waiting) -> bool:
    """Check that a value has the text of a learning, and that the fields of the first version,
    where it has them, are texts.
    """
    texts = [value.get(name, "") for name in FIELDS if name != "origin"]
    return all(isinstance(text, str) for text in texts) and bool(value.get("content"))


def complete(entry: Waiting) -> Waiting:
    """Return an entry with all fields; what is no text in `origin` and LISTS is left out.

    Older versions wrote `tier` for `origin`.
    """
    origin = "".join(_list_texts(entry.get("origin") or entry.get("tier")))
    lists = {name: _list_texts(entry.get(name))[:MAX_LISTED] for name in LISTS}
    return {name: entry.get(name, "") for name in FIELDS} | lists | {"origin": origin}


def _list_texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str) and text]


def format_line(entry: Waiting) -> str:
    """Return an entry as one item of Markdown, for the archive."""
    line = f"[{entry['type']}] {entry['content']} ({entry['reason']})"
    return "\n".join(filter(None, (line, entry.get("nested"))))


def _shorten(entry: Waiting) -> Waiting:
    """Return the fields of an entry that have a value."""
    return {name: entry[name] for name in (*FIELDS, *LISTS) if entry.get(name)}
