"""The table `reviews`, the learnings that wait for a person, and its journal `review.jsonl`.

An entry is a dict of texts: `id`, `time` (ISO 8601, or only the day), `type`, `content` and
`reason`; where they are known also `nested` (lines below the item), `run`, `session`, `source`,
`other`, the text of the item that it contradicts, and `tier`, from whom it is.  Two fields are
lists of short texts: `reasons`, and `reading`, what the run read from outside.

Each change is written to the journal first, one a line: an entry with its `agent`, or a `decision`
with the `id` of an entry.  A new database begins with what the journal says.  Agents are named by
the stems of their files.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Iterable, Iterator, Mapping
from sqlite3 import Connection
from typing import Any

from memory_core.files import file_actions
from memory_core.storage.state_folder import WAITING_FILE, StateFiles
from memory_core.text import digests, fastjson, similarity
from memory_core.text.times import format_utc

Waiting = dict[str, Any]

NEEDED_FIELDS = ("type", "content", "reason")
FIELDS = ("id", "time", *NEEDED_FIELDS, "nested", "run", "session", "source", "other", "tier")
LISTS = ("reasons", "reading")
MAX_LISTED = 5

JOURNAL = "review.jsonl"

# A longer journal is written again, with what waits and the decisions of half a year.
MAX_JOURNAL_BYTES = 4_000_000
KEPT_SECONDS = 180 * 86400

# Years of work fit into this size.
MAX_BYTES = 64_000_000


class NotKept(OSError):
    """The journal cannot be written."""


def add(db: Connection, state: StateFiles, agent: str, entries: Iterable[Waiting]) -> None:
    """Add entries with ids that do not wait yet.  Raises NotKept."""
    waiting = {entry["id"] for entry in read(db, agent)}
    new = {entry["id"]: _shorten(entry) for entry in entries if entry["id"] not in waiting}
    _keep_first(db, state, [{"agent": agent, **entry} for entry in new.values()])
    insert(db, agent, new.values())
    _note_waiting(db, state)


def insert(db: Connection, agent: str, entries: Iterable[Waiting]) -> None:
    """Add entries to the table only; the first one with an id counts."""
    rows = [(agent, entry["id"], fastjson.dumps(_shorten(entry))) for entry in entries]
    db.executemany("INSERT OR IGNORE INTO reviews VALUES (?, ?, ?)", rows)


def read(db: Connection, agent: str) -> list[Waiting]:
    """Return the entries with all fields, oldest first."""
    select = "SELECT entry FROM reviews WHERE agent = ? ORDER BY rowid"
    return [complete(fastjson.load_object(entry)) for (entry,) in db.execute(select, (agent,))]


def list_agents(db: Connection) -> list[str]:
    """Return the stems of the agents with learnings that wait."""
    return [agent for (agent,) in db.execute("SELECT DISTINCT agent FROM reviews")]


def remove(
    db: Connection, state: StateFiles, agent: str, decisions: Mapping[str, str], when: str
) -> None:
    """Remove entries by their ids, with the decision on each.  Raises NotKept."""
    waiting = {entry["id"] for entry in read(db, agent)}
    rows = [(agent, key) for key in decisions if key in waiting]
    lines = [
        {"agent": agent, "id": key, "time": when, "decision": decisions[key]} for _, key in rows
    ]
    _keep_first(db, state, lines)
    db.executemany("DELETE FROM reviews WHERE agent = ? AND id = ?", rows)
    _note_waiting(db, state)


def replay(db: Connection, state: StateFiles) -> None:
    """Fill an empty table with what waits according to the journal."""
    for line in _read_journal(state):
        agent, key = str(line["agent"]), str(line["id"])
        if "decision" in line:
            db.execute("DELETE FROM reviews WHERE agent = ? AND id = ?", (agent, key))
        else:
            insert(db, agent, [line])


def keep(state: StateFiles, lines: Iterable[dict[str, Any]]) -> None:
    """Add lines to the journal.  Raises NotKept."""
    data = _format(lines)
    if data and not state.has_database:
        raise NotKept(errno.ENODEV, "there is no database", JOURNAL)
    try:
        if data:
            state.append(JOURNAL, data)
            file_actions.sync(state, JOURNAL)
    except OSError as error:
        raise NotKept(error.errno, error.strerror, JOURNAL) from error


def _keep_first(db: Connection, state: StateFiles, lines: Iterable[dict[str, Any]]) -> None:
    """Add lines to the journal before the table gets them; the database is locked."""
    status = state.status(JOURNAL)
    if status and status.st_size > MAX_JOURNAL_BYTES:
        since = format_utc(time.time() - KEPT_SECONDS)
        kept = [line for line in _read_journal(state) if str(line.get("time")) > since]
        decisions = [line for line in kept if "decision" in line]
        rows = db.execute("SELECT agent, entry FROM reviews ORDER BY rowid")
        waiting = [{"agent": agent, **fastjson.load_object(entry)} for agent, entry in rows]
        state.replace(JOURNAL, _format([*decisions, *waiting]))
    keep(state, lines)


def _read_journal(state: StateFiles) -> Iterator[dict[str, Any]]:
    for text in state.read_text(JOURNAL, MAX_BYTES).split("\n"):
        line = fastjson.load_object(text)
        is_known = all(isinstance(line.get(name), str) for name in ("agent", "id"))
        if is_known and ("decision" in line or is_entry(line)):
            yield line


def _note_waiting(db: Connection, state: StateFiles) -> None:
    """Keep a file for hooks that says whether something waits, and changes with it."""
    ids = [key for (key,) in db.execute("SELECT id FROM reviews ORDER BY id")]
    if ids:
        state.replace(WAITING_FILE, digests.hash_text(" ".join(ids)).encode(), durable=False)
    else:
        state.remove(WAITING_FILE)


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
    texts = [value.get(name, "") for name in FIELDS if name != "tier"]
    return all(isinstance(text, str) for text in texts) and bool(value.get("content"))


def complete(entry: Waiting) -> Waiting:
    """Return an entry with all fields; what is no text in `tier` and LISTS is left out."""
    tier = "".join(_list_texts(entry.get("tier")))
    lists = {name: _list_texts(entry.get(name))[:MAX_LISTED] for name in LISTS}
    return {name: entry.get(name, "") for name in FIELDS} | lists | {"tier": tier}


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


def _format(lines: Iterable[dict[str, Any]]) -> bytes:
    return "".join(f"{fastjson.dumps(line)}\n" for line in lines).encode()
