"""What this machine knows of a memory: where texts came from, and which records it wrote.

A committed history can be forged, so it does not say what a person decided on this machine.  A
line of `decided/AGENT` in the state has the digest of an item with its nested lines, and its
origin.  Of several lines with one text a decision counts, else the first.  A text without a line
came by other means than hooks and commands.

A line of `made/AGENT` has the digest of a record of the history that this machine wrote.  Other
records give no pin and no confirmation, and no confidence above FOREIGN_CONFIDENCE.
"""

from __future__ import annotations

import os

from memory_core.text import digests, secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from memory_core.files.safe_files import SafeFiles

    Record = dict[str, Any]

FOLDER, MADE_FOLDER = "decided", "made"
MAX_MADE_BYTES = 512 * 1024  # 15,000 records; a larger file loses its older half

RECORD_FIELDS = (
    *("time", "kind", "id", "change", "n", "was"),
    *("source", "run", "text", "nested", "reading"),
)

# The highest confidence of an item of which this machine knows nothing.
FOREIGN_CONFIDENCE = 0.5

# Origins, and tiers: a person wrote it by a command, or by hand in the file; a person accepted it;
# a run reported it, or a run that had read from outside; an MCP client wrote it; or it came from
# elsewhere: a clone, a pull, an import.  Without one nobody knows yet: `git.arrivals` decides.
PERSON, HAND, REVIEWED = "person", "hand", "reviewed"
AGENT, TAINTED, MCP, IMPORT = "agent", "tainted", "mcp", "import"
UNKNOWN = "unknown"  # it was there before the first look here, and nobody was asked yet
DECIDED = (PERSON, HAND, REVIEWED)
WRITTEN_HERE = (PERSON, HAND)
INSIDE = (*DECIDED, AGENT)

# The origins, from outside, of what is no run's, by the source of its record.
BY_SOURCE = {"import": IMPORT, "mcp": MCP}

# A text replaces, contradicts and withdraws texts up to its own rank; others are from outside.
RANKS = {**dict.fromkeys(DECIDED, 2), AGENT: 1, UNKNOWN: 1}


class Origins:
    """The origins of an agent's texts, and its records of this machine; read when needed.

    `default` is the origin of a text without a line.
    """

    def __init__(self, state: SafeFiles, stem: str, default: str = "") -> None:
        self._state, self._stem, self._default = state, stem, default
        self._origins: dict[str, str] | None = None
        self._records: set[str] | None = None
        self._found: dict[tuple[str, str], str] = {}

    def find(self, text: str, nested: str = "") -> str:
        """Return the origin of a text that is recorded on this machine, "" without one."""
        if self._origins is None:
            self._origins = read(self._state, self._stem)
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
            text = self._state.read_text(os.path.join(MADE_FOLDER, self._stem))
            self._records = set(text.split())
        return self._records


def rank_of(tier: str) -> int:
    """Return the rank of texts of a tier: 2 for a person, 1 for an agent, 0 for outside."""
    return RANKS.get(tier, 0)


def make_rank(tier: str, confidence: float, born: str) -> tuple[int, float, str]:
    """Return a value that is greater for the item to trust: a person's, certain or newer."""
    rank = rank_of(tier)
    return rank, 0.0 if tier in DECIDED else confidence, born


def is_persons(tier: str, is_claimed: bool) -> bool:
    """Return whether only a person may replace or withdraw a text of this tier.

    So it is of a text that nobody knows yet and that may be a person's; it has no other rights.
    """
    return tier in DECIDED or (tier == UNKNOWN and is_claimed)


def find_tier(origin: str, is_tainted: bool) -> str:
    """Return how much a text is to be trusted, by its origin here, "" if nobody knows.

    `is_tainted`: its history says that a run had read from outside.
    """
    if origin in DECIDED:
        return origin
    return TAINTED if is_tainted else origin or UNKNOWN


def find_source_tier(source: str, reading: Sequence[str]) -> str:
    """Return the tier of a learning that waits, by the source of its run; "" for none."""
    if reading:
        return TAINTED
    return {**BY_SOURCE, "person": PERSON, "hand": IMPORT, "": ""}.get(source, AGENT)


def read(state: SafeFiles, stem: str) -> dict[str, str]:
    """Return the origins of texts by their keys; {} without any."""
    origins: dict[str, str] = {}
    for key, origin in _read_lines(state, stem):
        if key not in origins or origin in DECIDED:
            origins[key] = origin
    return origins


def _read_lines(state: SafeFiles, stem: str) -> list[tuple[str, str]]:
    lines = [line.partition(" ") for line in state.read_text(locate(stem)).split("\n")]
    return [(key, origin) for key, _space, origin in lines if key]


def make_key(text: str, nested: str = "") -> str:
    """Return the key of an item; its lines count, not how they are indented.

    A secret counts as what replaces it, because the text that agents receive is without it.
    """
    lines = [line.strip() for line in (text, *nested.split("\n"))]
    return digests.hash_long(secrets.redact("\n".join(filter(None, lines))))


def add(state: SafeFiles, stem: str, origins: Mapping[str, str]) -> bool:
    """Add origins by the keys of texts; return whether there is news.  Raises OSError."""
    before = read(state, stem)
    new = {
        key: origin
        for key, origin in origins.items()
        if key not in before or (origin in DECIDED and before[key] not in DECIDED)
    }
    if new:
        state.append(locate(stem), _format(new.items()))
    return bool(new)


def remove(
    state: SafeFiles, stem: str, keys: Iterable[str], decisions: Sequence[str] = DECIDED
) -> bool:
    """Take back these decisions on texts; return whether there were any.  Raises OSError.

    The origin before them counts again; a text without one came from elsewhere.
    """
    lines, gone = _read_lines(state, stem), set(keys)
    rest = [
        (key, IMPORT if key in gone and origin in decisions else origin) for key, origin in lines
    ]
    if rest != lines:
        state.replace(locate(stem), _format(rest))
    return rest != lines


def forget(state: SafeFiles, stem: str, origin: str) -> None:
    """Forget which texts have this origin.  Raises OSError."""
    lines = _read_lines(state, stem)
    rest = [line for line in lines if line[1] != origin]
    if rest != lines:
        state.replace(locate(stem), _format(rest))


def identify_record(record: Record) -> str:
    """Return a digest of the fields that change the rights of an item."""
    parts = [str(record.get(name, "")) for name in RECORD_FIELDS]
    return digests.hash_long("\0".join([*parts, str("waiting" in record)]))


def note_records(state: SafeFiles, stem: str, records: Iterable[Record]) -> None:
    """Remember that this machine wrote these records.  Raises OSError."""
    path = os.path.join(MADE_FOLDER, stem)
    data = "".join(f"{identify_record(record)}\n" for record in records).encode()
    if data and state.append(path, data) + len(data) > MAX_MADE_BYTES:
        lines = state.read_text(path).splitlines(keepends=True)
        state.replace(path, "".join(lines[len(lines) // 2 :]).encode())


def rename(state: SafeFiles, stem: str, new_stem: str) -> None:
    """Add the lines of an agent to those of its new name.  Raises OSError."""
    add(state, new_stem, read(state, stem))
    if records := state.read_text(os.path.join(MADE_FOLDER, stem)):
        state.append(os.path.join(MADE_FOLDER, new_stem), records.encode())
    for folder in (FOLDER, MADE_FOLDER):
        state.remove(os.path.join(folder, stem))


def _format(lines: Iterable[tuple[str, str]]) -> bytes:
    return "".join(f"{key} {origin}\n" for key, origin in lines).encode()


def locate(stem: str) -> str:
    """Return the path of an agent's lines in the state."""
    return os.path.join(FOLDER, stem)
