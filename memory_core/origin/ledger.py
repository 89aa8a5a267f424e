"""What this machine knows of a memory: where texts came from, and which records it wrote.

A committed history can be forged, so it does not say what a person decided on this machine.  The
table `origins` has the origins of items with their nested lines, by digests; a text without one
came by other means than hooks and commands.

The table `own_records` has the digests of the records of the history that this machine wrote.
Other records give no pin and no confirmation, and no confidence above FOREIGN_CONFIDENCE.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from sqlite3 import Connection
from typing import Any

from memory_core.document import markdown
from memory_core.history.item_history import History, Record, Weights
from memory_core.history.rights import PERSON, Origins, identify_record, make_key
from memory_core.selection import splitting
from memory_core.storage.database import origin_table, state_db
from memory_core.storage.project import Project
from memory_core.storage.store import Store

Text = tuple[str, str]  # a text, and its nested lines


def read_origins(store: Store, agent: str, project: Project | None = None) -> Origins:
    """Return what this machine knows of an agent's memory.  Raises OSError.

    At the user level of a project every text of which nothing is known is the user's.
    """
    stem = store.stem(agent)
    default = PERSON if project and store.paths is not project.paths else ""

    def read_tables(db: Connection) -> Origins:
        own = origin_table.list_records(db, stem)
        return Origins(origin_table.read_origins(db, stem), own, default)

    return state_db.read(store.paths.state, read_tables)


def read_history(project: Project, store: Store, agent: str) -> History:
    """Return an agent's history; what gives rights counts if this machine wrote it.

    Raises OSError.
    """
    weights = Weights(**project.config["confidence"])
    return History(store.history(agent).read(), weights, read_origins(store, agent, project))


def list_texts(text: str) -> list[Text]:
    """Return the parts of a memory file: items, headings and paragraphs."""
    return splitting.list_texts(markdown.parse_document(text))


def list_keys(text: str) -> Iterable[str]:
    """Return the keys of the texts in a memory file."""
    return [make_key(*part) for part in list_texts(text)]


def add_origins(
    store: Store,
    agent: str,
    origins: Mapping[Text, str],
    records: Iterable[Record] = (),
    taken_back: Mapping[Text, Sequence[str]] | None = None,
) -> None:
    """Keep the origins of texts, and which records this machine wrote.  Raises OSError.

    Of the texts `taken_back` these decisions do not count any more: the origin before them counts
    again; a text without one came from elsewhere.
    """
    back = {make_key(*text): list(decisions) for text, decisions in (taken_back or {}).items()}
    line: dict[str, Any] = {
        "origins": {make_key(*text): origin for text, origin in origins.items()},
        "records": [*map(identify_record, records)],
        "back": back,
    }
    if line := {name: value for name, value in line.items() if value}:
        _write(store, [agent], {**line, "since": int(time.time())})


def rename_origins(store: Store, agent: str, new: str) -> None:
    """Give what is known of an agent's texts to its new name.  Raises OSError."""
    _write(store, [agent, new], {"name": store.stem(new)})


def _write(store: Store, agents: Sequence[str], line: dict[str, Any]) -> None:
    """Keep a line about the first agent, and change the files by which hooks see that.

    While such a file is absent, what was prepared before counts as outdated.
    """
    state, paths = store.paths.state, [*map(store.origins_path, agents)]
    line = {"agent": store.stem(agents[0]), **line}
    for path in paths:
        state.remove(path)
    state_db.add_lines(state, lambda _db: [line])
    for path in paths:
        with suppress(OSError):  # without a place for state no hook has prepared anything
            state.replace(path, b"", durable=False)
