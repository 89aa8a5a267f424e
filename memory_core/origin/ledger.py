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
from typing import Any

from memory_core.document import markdown
from memory_core.history import item_history
from memory_core.history.item_history import History, Record
from memory_core.history.rights import PERSON
from memory_core.secrets import scanner
from memory_core.selection import splitting
from memory_core.storage.config_yml import project_rules
from memory_core.storage.database import journal, origin_table, state_db
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text import digests

Text = tuple[str, str]  # a text, and its nested lines

RECORD_FIELDS = (
    *("time", "kind", "id", "change", "n", "was"),
    *("source", "run", "text", "nested", "reading"),
)


class Ledger:
    """The origins of an agent's texts, and its records of this machine; read when needed.

    `default` is the origin of a text without a line.
    """

    def __init__(self, store: Store, agent: str, default: str = "") -> None:
        self._store, self._agent, self._default = store, agent, default
        self._origins: dict[str, str] | None = None
        self._records: set[str] | None = None

    def find(self, text: str, nested: str = "") -> str:
        """Return the origin of a text that is recorded on this machine, "" without one."""
        if self._origins is None:
            self._origins = read_origins(self._store, self._agent)
        return self._origins.get(make_key(text, nested)) or self._default

    def owns(self, record: Record) -> bool:
        """Return whether this machine wrote the record."""
        records = self._read_records()
        return bool(records) and identify_record(record) in records

    def take(self, records: Iterable[Record]) -> None:
        """Count these records, which are about to be written, as this machine's."""
        self._read_records().update(map(identify_record, records))

    def _read_records(self) -> set[str]:
        if self._records is None:
            state, stem = self._store.paths.state, self._store.stem(self._agent)
            self._records = state_db.read(state, lambda db: origin_table.list_records(db, stem))
        return self._records


def of(project: Project, store: Store, agent: str) -> Ledger:
    """Return the ledger of an agent's texts; at user level every other text is the user's."""
    return Ledger(store, agent, "" if store.paths is project.paths else PERSON)


def read_history(project: Project, store: Store, agent: str) -> History:
    """Return an agent's history; what gives rights counts if this machine wrote it.

    Raises OSError.
    """
    records = store.history(agent).read()
    return item_history.History(
        records, project_rules.read_weights(project), of(project, store, agent)
    )


def read_origins(store: Store, agent: str) -> dict[str, str]:
    """Return the origins of texts by their keys; {} without any.  Raises OSError."""
    stem = store.stem(agent)
    return state_db.read(store.paths.state, lambda db: origin_table.read_origins(db, stem))


def read_times(store: Store, agent: str) -> dict[str, float]:
    """Return since when this machine knows texts, in seconds, by their keys.  Raises OSError."""
    stem = store.stem(agent)
    return state_db.read(store.paths.state, lambda db: origin_table.read_times(db, stem))


def make_key(text: str, nested: str = "") -> str:
    """Return the key of an item; its lines count, not how they are indented.

    A secret counts as what replaces it, because the text that agents receive is without it.
    """

    lines = [line.strip() for line in (text, *nested.split("\n"))]
    return digests.hash_long(scanner.redact("\n".join(filter(None, lines))))


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


def identify_record(record: Record) -> str:
    """Return a digest of the fields that change the rights of an item."""
    parts = [str(record.get(name, "")) for name in RECORD_FIELDS]
    return digests.hash_long("\0".join([*parts, str("waiting" in record)]))


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
    state_db.write(state, lambda db: journal.add(db, state, [line]))
    for path in paths:
        with suppress(OSError):  # without a place for state no hook has prepared anything
            state.replace(path, b"", durable=False)
