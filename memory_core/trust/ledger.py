"""decided/AGENT in the state: how the texts of a memory came here, and which a person reviewed.

A committed history can be forged, so it does not say what a person decided on this machine.  A
line has the digest of an item with its nested lines, and its origin.  Of several lines with one
text a decision counts, else the first.  A text without a line came by other means than hooks and
commands.
"""

from __future__ import annotations

import os

from memory_core.text import digests, secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memory_core.files.safe_files import SafeFiles

FOLDER = "decided"

# Origins, and tiers: a person wrote it by a command, or by hand in the file; a person accepted it;
# a run reported it, or a run that had read from outside; an MCP client wrote it; or it came from
# elsewhere: a clone, a pull, an import.  Without one nobody knows yet: `git.arrivals` decides.
PERSON, HAND, REVIEWED = "person", "hand", "reviewed"
AGENT, TAINTED, MCP, IMPORT = "agent", "tainted", "mcp", "import"
UNKNOWN = "unknown"  # it was there before the first look here, and nobody was asked yet
DECIDED = (PERSON, HAND, REVIEWED)
WRITTEN_HERE = (PERSON, HAND)
INSIDE = (*DECIDED, AGENT)

# The origins of what is no run's, by the source of its record.
BY_SOURCE = {"import": IMPORT, "mcp": MCP}

# Sources of learnings from outside, as those of runs that had read from outside.
OUTSIDE_SOURCES = ("import", "mcp")


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


def rename(state: SafeFiles, stem: str, new_stem: str) -> None:
    """Add the lines of an agent's items to those of its new name.  Raises OSError."""
    add(state, new_stem, read(state, stem))
    state.remove(locate(stem))


def _format(lines: Iterable[tuple[str, str]]) -> bytes:
    return "".join(f"{key} {origin}\n" for key, origin in lines).encode()


def locate(stem: str) -> str:
    """Return the path of an agent's lines in the state."""
    return os.path.join(FOLDER, stem)
