"""Learnings on their way into a memory: written down first, merged under the lock after.

An entry is a dict of `agent`, `run`, `session`, `source`; `learnings` as [type, content],
`rejected` as [type, content, reason]; and `records`, which only the history lacks.

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


def add(place: Place, stem: str, entry: dict[str, Any]) -> str:
    """Write one entry for the agent whose files are called `stem`; raises OSError.

    Return its path, for `settle`.  It need not be on the disk yet: in most cases it is
    merged within milliseconds, and then the memory is.
    """
    path = os.path.join(place.made("state", "spool", stem), f"{time.time_ns()}-{os.getpid()}.json")
    runs.replace(path, entry)
    return path


def settle(place: Place, path: str) -> None:
    """Have an entry on the disk that has to wait: now it is the only copy.

    A disk that fails is told in the log, never raised: the entry is there all the same,
    only not for sure after a power failure.
    """
    from memory_core import store

    try:
        _sync(path)
        # The folders above may be as new as the entry.
        above = (_folder(place), place.state, place.folder, place.root)
        for folder in (os.path.dirname(path), *above):
            store.sync(folder)
    except FileNotFoundError:
        pass  # another writer has just merged it
    except OSError as error:
        from memory_core import log

        told = f"{place.relative(path)} might not outlive a power failure: {error}"
        log.write(place, "agent.memory.error", error=told)


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _folder(place: Place) -> str:
    return os.path.join(place.state, "spool")


def entries(place: Place, stem: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the waiting entries with their paths, oldest first."""
    paths, _why = _listed(os.path.join(_folder(place), stem))
    found = ((path, _read(path)) for path in paths if path.endswith(".json"))
    return [(path, entry) for path, entry in found if entry is not None]


def _listed(folder: str) -> tuple[list[str], str]:
    """Return the paths in a folder, in order, and what keeps us from knowing them."""
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))], ""
    except (FileNotFoundError, NotADirectoryError):
        return [], ""
    except OSError as error:
        return [], f"cannot be read: {error.strerror}"


def _read(path: str) -> dict[str, Any] | None:
    try:
        return _load(path)
    except (OSError, ValueError):
        return None  # another writer has just taken it, or see `spoilt`


def _load(path: str) -> dict[str, Any]:
    """Return an entry; raises OSError or, for anything else than an entry, ValueError."""
    with open(path, encoding="utf-8") as file:
        entry = fastjson.loads(file.read())
    if isinstance(entry, dict) and _is_whole(entry):
        return entry
    raise ValueError("it lacks what an entry has")


def _is_whole(entry: dict[str, Any]) -> bool:
    """Say whether an entry has what a writer needs; state/ is a folder like any other."""
    named = all(isinstance(entry.get(key), str) for key in ("agent", "run", "session", "source"))
    rows = _rows(entry.get("learnings"), 2) and _rows(entry.get("rejected"), 3)
    return named and rows and _records(entry.get("records", []))


def _records(value: object) -> bool:
    """Say whether these are records of a history that could not be added to it."""
    if not isinstance(value, list):
        return False
    return all(isinstance(each, dict) and each.get("time") and each.get("kind") for each in value)


def _rows(value: object, width: int) -> bool:
    if not isinstance(value, list):
        return False
    rows = [row for row in value if isinstance(row, list) and len(row) == width]
    return len(rows) == len(value) and all(isinstance(text, str) for row in rows for text in row)


def waiting(place: Place) -> list[tuple[str, str]]:
    """Return (stem, agent) of all agents with entries."""
    stems = [os.path.basename(path) for path in _listed(_folder(place))[0]]
    found = [(stem, entries(place, stem)) for stem in stems]
    return [(stem, str(first[0][1]["agent"])) for stem, first in found if first]


def spoilt(place: Place) -> list[tuple[str, str]]:
    """Return (path, what is wrong) of what no writer can take in.

    It stays until a person has seen it: something was learned there.
    """
    stems, fault = _listed(_folder(place))
    found = [(_folder(place), fault)]
    for stem in stems:
        paths, fault = _listed(stem)
        found.append((stem, fault))
        found += [(path, _fault(path)) for path in paths if path.endswith(".json")]
    return [(path, fault) for path, fault in found if fault]


def _fault(path: str) -> str:
    """Say what is wrong with an entry, in words that go on after its name; "" for nothing."""
    try:
        _load(path)
    except FileNotFoundError:
        return ""  # another writer has just taken it
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except ValueError as error:
        return f"is not understood: {error}"
    return ""


def done(paths: list[str]) -> None:
    """Take entries away that are in the memory now."""
    for path in paths:
        os.unlink(path)
