"""The origins of texts, and the rights that a text has by its origin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory_core.secrets import scanner
from memory_core.text import digests

# The highest confidence of an item of which this machine knows nothing.
FOREIGN_CONFIDENCE = 0.5

# Origins: a person wrote it by a command, or by hand in the file; a person accepted or
# confirmed it; a colleague wrote it, and a person accepted it or trusts the key of the commit; a
# run reported it, or a run that had read from outside; an MCP client wrote it; or it came from
# elsewhere: a clone, a pull, an import.  Without one nobody knows yet: `origin.arrivals` decides.
PERSON, HAND, ACCEPTED, REVIEWED = "person", "hand", "accepted", "reviewed"
AGENT, TAINTED, MCP, IMPORT = "agent", "tainted", "mcp", "import"
UNKNOWN = "unknown"  # it was there before the first look here, and nobody was asked yet
DECIDED = (PERSON, HAND, ACCEPTED, REVIEWED)
WRITTEN_HERE = (PERSON, HAND)
INSIDE = (*DECIDED, AGENT)
OUTSIDE = (TAINTED, MCP, IMPORT)

# The origins, from outside, of what is no run's, by the source of its record.
BY_SOURCE = {"import": IMPORT, "mcp": MCP}

# A text replaces, contradicts and withdraws texts up to its own rank; others are from outside.
RANKS = {**dict.fromkeys((PERSON, HAND, ACCEPTED), 3), REVIEWED: 2, AGENT: 1, UNKNOWN: 1}


def rank_of(origin: str) -> int:
    """Return the rank of texts of an origin, 0 for one from outside."""
    return RANKS.get(origin, 0)


def make_rank(origin: str, confidence: float, born: str) -> tuple[int, float, str]:
    """Return a value that is greater for the item to trust: a person's, certain or newer."""
    rank = rank_of(origin)
    return rank, 0.0 if origin in DECIDED else confidence, born


def is_persons(origin: str, is_by_person: bool) -> bool:
    """Return whether only a person may replace or withdraw a text of this origin.

    So it is of a text that nobody knows yet and that may be a person's; it has no other rights.
    """
    return origin in DECIDED or (origin == UNKNOWN and is_by_person)


def judge_origin(origin: str, has_read_outside: bool) -> str:
    """Return the origin of a text, by the recorded one, "" if nobody knows.

    `has_read_outside`: its history says that a run had read from outside.
    """
    if origin in DECIDED:
        return origin
    return TAINTED if has_read_outside else origin or UNKNOWN


def find_run_origin(source: str, reading: Sequence[str]) -> str:
    """Return the origin of a learning that waits, by the source of its run; "" for none."""
    if reading:
        return TAINTED
    return {**BY_SOURCE, "person": PERSON, "": ""}.get(source, AGENT)


RECORD_FIELDS = (
    *("time", "kind", "id", "change", "n", "was"),
    *("source", "run", "text", "nested", "reading"),
)


UNRECORDED = ("", 0.0)  # the origin of a text, and since when it is known


class Origins:
    """Where the texts of an agent came from, and which records this machine wrote.

    `origins` has those of texts by their keys, with the times since when they are known, and `own`
    the digests of records.  `default` is the origin of any other text, "" if nobody knows.
    """

    def __init__(
        self,
        origins: Mapping[str, tuple[str, float]] | None = None,
        own: Iterable[str] = (),
        default: str = "",
    ) -> None:
        self._origins, self._own, self._default = origins or {}, set(own), default

    def find(self, text: str, nested: str = "") -> str:
        """Return the origin of a text, "" without one."""
        return self._origins.get(make_key(text, nested), UNRECORDED)[0] or self._default

    def find_time(self, text: str, nested: str = "") -> float:
        """Return since when a text is known, in seconds; 0.0 if it is not."""
        return self._origins.get(make_key(text, nested), UNRECORDED)[1]

    def owns(self, record: dict[str, Any]) -> bool:
        """Return whether this machine wrote the record."""
        return bool(self._own) and identify_record(record) in self._own

    def take(self, records: Iterable[dict[str, Any]]) -> None:
        """Count these records, which are about to be written, as this machine's."""
        self._own.update(map(identify_record, records))


def make_key(text: str, nested: str = "") -> str:
    """Return the key of an item; its lines count, not how they are indented.

    A secret counts as what replaces it, because the text that agents receive is without it.
    """
    lines = [line.strip() for line in (text, *nested.split("\n"))]
    return digests.hash_long(scanner.redact("\n".join(filter(None, lines))))


def identify_record(record: dict[str, Any]) -> str:
    """Return a digest of the fields that change the rights of an item."""
    parts = [str(record.get(name, "")) for name in RECORD_FIELDS]
    return digests.hash_long("\0".join([*parts, str("waiting" in record)]))
