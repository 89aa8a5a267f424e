"""What this machine knows of a memory: where texts came from, and which records it wrote.

A committed history can be forged, so it does not say what a person decided on this machine.  A
line of `decided/AGENT` in the state has the digest of an item with its nested lines, its origin,
and the time of the line in seconds.  Of several lines with one text the highest decision counts,
else the first.  A text without a line came by other means than hooks and commands.

A line of `made/AGENT` has the digest of a record of the history that this machine wrote.  Other
records give no pin and no confirmation, and no confidence above FOREIGN_CONFIDENCE.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from memory_core.document import markdown
from memory_core.history import item_history
from memory_core.history.item_history import History, Record
from memory_core.history.rights import DECIDED, IMPORT, PERSON, rank_of
from memory_core.secrets import scanner
from memory_core.selection import splitting
from memory_core.storage.config_yml import project_rules
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text import digests

Text = tuple[str, str]  # a text, and its nested lines
Line = tuple[str, str, str]  # the key of a text, its origin, and the time of the line, "" without


MAX_MADE_BYTES = 512 * 1024  # 15,000 records; a larger file loses its older half

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
        self._found: dict[Text, str] = {}

    def find(self, text: str, nested: str = "") -> str:
        """Return the origin of a text that is recorded on this machine, "" without one."""
        if self._origins is None:
            self._origins = read_origins(self._store, self._agent)
        if (text, nested) not in self._found:
            origin = self._origins.get(make_key(text, nested), "")
            self._found[text, nested] = origin or self._default
        return self._found[text, nested]

    def owns(self, record: Record) -> bool:
        """Return whether this machine wrote the record."""
        records = self._read_records()
        return bool(records) and identify_record(record) in records

    def take(self, records: Iterable[Record]) -> None:
        """Count these records, which are about to be written, as this machine's."""
        self._read_records().update(map(identify_record, records))

    def _read_records(self) -> set[str]:
        if self._records is None:
            state, path = self._store.paths.state, self._store.made_path(self._agent)
            self._records = set(state.read_text(path).split())
        return self._records


def of(project: Project, store: Store, agent: str) -> Ledger:
    """Return the ledger of an agent's texts; at user level every other text is the user's."""
    return Ledger(store, agent, "" if store.paths is project.paths else PERSON)


def read_history(project: Project, store: Store, agent: str, runs: bool = False) -> History:
    """Return an agent's history; what gives rights counts if this machine wrote it.

    Without `runs`, packed records of runs are left out.  Raises OSError.
    """
    records = store.history(agent).read(runs)
    return item_history.History(
        records, project_rules.read_weights(project), of(project, store, agent)
    )


def read_origins(store: Store, agent: str) -> dict[str, str]:
    """Return the origins of texts by their keys; {} without any."""
    origins: dict[str, str] = {}
    for key, origin, _since in _read_lines(store, agent):
        if key not in origins or _counts_before(origin, origins[key]):
            origins[key] = origin
    return origins


def read_times(store: Store, agent: str) -> dict[str, float]:
    """Return since when this machine knows texts, in seconds, by their keys."""
    lines = reversed(_read_lines(store, agent))
    return {key: float(since) for key, _origin, since in lines if since.isdecimal()}


def _counts_before(origin: str, other: str) -> bool:
    """Return whether a decision of a person counts before what was recorded earlier."""
    return origin in DECIDED and rank_of(origin) > rank_of(other)


def _read_lines(store: Store, agent: str) -> list[Line]:
    text = store.paths.state.read_text(store.decided_path(agent))
    lines = [[*line.split(" "), "", ""] for line in text.split("\n") if line]
    return [(key, origin, since) for key, origin, since, *_rest in lines]


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


def add_origins(store: Store, agent: str, origins: Mapping[Text, str]) -> None:
    """Add the origins of texts.  Raises OSError."""
    before = read_origins(store, agent) if origins else {}
    rows = [(make_key(*text), origin) for text, origin in origins.items()]
    new = [
        (key, origin, str(int(time.time())))
        for key, origin in rows
        if key not in before or _counts_before(origin, before[key])
    ]
    if new:
        store.paths.state.append(store.decided_path(agent), _format(new))


def take_back(
    store: Store, agent: str, texts: Iterable[Text], decisions: Sequence[str] = DECIDED
) -> None:
    """Take back these decisions on texts.  Raises OSError.

    The origin before them counts again; a text without one came from elsewhere.
    """
    lines, gone = _read_lines(store, agent), {make_key(*text) for text in texts}
    rest = [
        (key, IMPORT if key in gone and origin in decisions else origin, since)
        for key, origin, since in lines
    ]
    if rest != lines:
        store.paths.state.replace(store.decided_path(agent), _format(rest))


def identify_record(record: Record) -> str:
    """Return a digest of the fields that change the rights of an item."""
    parts = [str(record.get(name, "")) for name in RECORD_FIELDS]
    return digests.hash_long("\0".join([*parts, str("waiting" in record)]))


def note_records(store: Store, agent: str, records: Iterable[Record]) -> None:
    """Remember that this machine wrote these records.  Raises OSError."""
    state, path = store.paths.state, store.made_path(agent)
    data = "".join(f"{identify_record(record)}\n" for record in records).encode()
    if data and state.append(path, data) + len(data) > MAX_MADE_BYTES:
        lines = state.read_text(path).splitlines(keepends=True)
        state.replace(path, "".join(lines[len(lines) // 2 :]).encode())


def rename_origins(store: Store, agent: str, new: str) -> None:
    """Add the lines of an agent to those of its new name.  Raises OSError."""
    state = store.paths.state
    for locate in (store.decided_path, store.made_path):
        if lines := state.read_text(locate(agent)):
            state.append(locate(new), lines.encode())
        state.remove(locate(agent))


def _format(lines: Iterable[Line]) -> bytes:
    return "".join(f"{' '.join(line).rstrip()}\n" for line in lines).encode()
