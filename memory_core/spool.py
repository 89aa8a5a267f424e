"""Learnings on their way into a memory: written down first, merged under the lock after.

A capture that is killed, or that cannot have the lock in time, has lost nothing:
the next writer of the same agent finds its entries here.
"""

from __future__ import annotations

import os
import time

from memory_core import fastjson, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.places import Place


def add(place: Place, stem: str, entry: dict[str, Any]) -> None:
    """Write one entry for the agent whose files are called `stem`; raises OSError."""
    folder = place.made("state", "spool", stem)
    runs.replace(os.path.join(folder, f"{time.time_ns()}-{os.getpid()}.json"), entry)


def entries(place: Place, stem: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the waiting entries with their paths, oldest first."""
    folder = os.path.join(place.state, "spool", stem)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    found = ((path, _read(path)) for path in (os.path.join(folder, name) for name in names))
    return [(path, entry) for path, entry in found if entry is not None]


def _read(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            entry = fastjson.loads(file.read())
    except (OSError, ValueError):
        return None  # another writer has just taken it, or somebody edited state/
    return entry if isinstance(entry, dict) and _is_whole(entry) else None


def _is_whole(entry: dict[str, Any]) -> bool:
    """Say whether an entry has what a writer needs; state/ is a folder like any other."""
    named = all(isinstance(entry.get(key), str) for key in ("agent", "run", "session", "source"))
    return named and _rows(entry.get("learnings"), 2) and _rows(entry.get("rejected"), 3)


def _rows(value: object, width: int) -> bool:
    if not isinstance(value, list):
        return False
    rows = [row for row in value if isinstance(row, list) and len(row) == width]
    return len(rows) == len(value) and all(isinstance(text, str) for row in rows for text in row)


def waiting(place: Place) -> list[tuple[str, str]]:
    """Return (stem, agent) of all agents with entries."""
    folder = os.path.join(place.state, "spool")
    try:
        stems = sorted(os.listdir(folder))
    except OSError:
        return []
    found = [(stem, entries(place, stem)) for stem in stems]
    return [(stem, str(first[0][1]["agent"])) for stem, first in found if first]


def done(paths: list[str]) -> None:
    """Take entries away that are in the memory now."""
    for path in paths:
        os.unlink(path)
