"""The spool: learnings that are written down first and merged into a memory under its lock.

An entry is a dict of `agent`, `run`, `session`, `source`; `learnings` as [type, content, nested],
`rejected` as [type, content, reason, nested]; `records`, which only go to the history;
`wrong`, the items that a run reported as wrong, as [id, reason]; and `reading`, what the run read
from outside, if it did.
`nested` has the lines below an item, or ""; entries of older versions lack it.

A capture that is killed, or that does not get the lock in time, loses nothing: the next writer
of the same agent merges its entries.
"""

from __future__ import annotations

import os
import time

from memory_core.text import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memory_core.storage.paths import LevelPaths

FOLDER = "spool"
# Above the reports of a whole session.
MAX_ENTRY_BYTES = 64 * 1024 * 1024

UNLIMITED = float("inf")  # seconds

# So many learnings are always taken, whatever the load of the machine.
FEW = 20

ID_KEYS = ("agent", "run", "session", "source")


def add(paths: LevelPaths, stem: str, entry: dict[str, Any]) -> str:
    """Write one entry for the agent with the file stem `stem`; raises OSError.

    Return its path, for `flush`.  The entry need not be durable yet: usually it is merged within
    milliseconds, and then the memory is.
    """
    path = os.path.join(FOLDER, stem, f"{time.time_ns()}-{os.getpid()}.json")
    paths.state.replace(path, fastjson.dumps(entry).encode(), durable=False)
    return path


def add_records(paths: LevelPaths, stem: str, agent: str, records: list[dict[str, Any]]) -> str:
    """Write an entry of history records alone; return its path.  Raises OSError.

    A record may also be the outcome of a run with `key`, `description` and `prompt`, of
    which `run_history.complete_record` makes the history record.
    """
    entry = {"agent": agent, "run": "", "session": "", "source": "agent"}
    return add(paths, stem, {**entry, "learnings": [], "rejected": [], "records": records})


def flush(paths: LevelPaths, path: str) -> None:
    """Make an entry durable that has to wait, because it is the only copy now.

    A failing disk is logged, never raised: the entry exists, but may not survive a power failure.
    """
    try:
        # The folders above may be as new as the entry.
        for part in (path, os.path.dirname(path), FOLDER, ""):
            paths.state.sync(part)
    except FileNotFoundError:
        pass  # another writer has just merged it
    except OSError as error:
        from memory_core.storage import event_log

        message = f"{path} might not survive a power failure: {error}"
        event_log.write(paths, "agent.memory.error", error=message)


def read_entries(
    paths: LevelPaths, stem: str, own: str = "", until: float = UNLIMITED
) -> list[tuple[str, dict[str, Any]]]:
    """Return (path, entry) of the agent's entries, oldest first, without damaged ones.

    After the time `until` of `time.monotonic`, only the entry with the path `own` is read.
    """
    return list(_iterate_entries(paths, stem, own, until))


def has_time(until: float, taken: int) -> bool:
    """Say whether a writer may take one more entry after this number of learnings."""
    return taken < FEW or time.monotonic() < until


def count_learnings(entry: dict[str, Any]) -> int:
    """Return the number for `has_time`; an entry without learnings counts as one."""
    return max(1, len(entry["learnings"]) + len(entry["rejected"]))


def _iterate_entries(
    paths: LevelPaths, stem: str, own: str = "", until: float = UNLIMITED
) -> Iterator[tuple[str, dict[str, Any]]]:
    taken = 0
    for path in _list_entries(paths, stem):
        if path != own and not has_time(until, taken):
            continue
        try:
            entry = _load(paths, path)
        except (OSError, ValueError):
            continue  # another writer has just merged it, or see `find_damaged`
        taken += count_learnings(entry)
        yield path, entry


def _list_entries(paths: LevelPaths, stem: str) -> list[str]:
    folder = os.path.join(FOLDER, stem)
    names = paths.state.list_names(folder)
    return [os.path.join(folder, name) for name in names if name.endswith(".json")]


def _load(paths: LevelPaths, path: str) -> dict[str, Any]:
    """Return an entry; raises OSError, and ValueError if the file is not an entry."""
    opened = paths.state.read_with_status(path, MAX_ENTRY_BYTES)
    if opened is None:
        raise FileNotFoundError(path)
    return parse_entry(opened[0].decode("utf-8"))


def parse_entry(text: str) -> dict[str, Any]:
    """Return the entry in the text of a file; raises ValueError if it is not one."""
    entry = fastjson.loads(text)
    if isinstance(entry, dict) and _is_whole(entry):
        return entry
    raise ValueError("it lacks fields of an entry")


def _is_whole(entry: dict[str, Any]) -> bool:
    """Check whether an entry has all that a writer needs."""
    return (
        all(isinstance(entry.get(key), str) for key in ID_KEYS)
        and _are_rows(entry.get("learnings"), 2)
        and _are_rows(entry.get("rejected"), 3)
        and _are_rows(entry.get("wrong", []), 2)
        and _are_records(entry.get("records", []))
        and _are_rows([entry.get("reading", [])])
    )


def _are_records(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(record, dict) and record.get("time") and record.get("kind") for record in value
    )


def _are_rows(value: object, width: int = 0) -> bool:
    """Check for lists of `width` texts or one more; 0: of any number."""
    return isinstance(value, list) and all(
        isinstance(row, list)
        and (not width or len(row) in (width, width + 1))
        and all(isinstance(text, str) for text in row)
        for row in value
    )


def list_agents(paths: LevelPaths) -> list[tuple[str, str]]:
    """Return (stem, agent) of all agents with entries."""
    stems = paths.state.list_names(FOLDER)
    waiting = [(stem, next(_iterate_entries(paths, stem), None)) for stem in stems]
    return [(stem, str(pair[1]["agent"])) for stem, pair in waiting if pair]


def find_damaged(paths: LevelPaths) -> list[tuple[str, str]]:
    """Return (path, problem) of the files that no writer can merge.

    They stay until a person has looked at them, because they may hold learnings.
    """
    entries = [
        path for stem in paths.state.list_names(FOLDER) for path in _list_entries(paths, stem)
    ]
    problems = [(paths.state.locate(path), _find_problem(paths, path)) for path in entries]
    return [(path, problem) for path, problem in problems if problem]


def _find_problem(paths: LevelPaths, path: str) -> str:
    """Return what is wrong with an entry, as the end of a sentence; "" for nothing."""
    try:
        _load(paths, path)
    except FileNotFoundError:
        return ""  # another writer has just merged it
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except ValueError as error:
        return f"is invalid: {error}"
    return ""


def remove(paths: LevelPaths, entries: list[str]) -> None:
    """Remove the files of entries that are merged; raises OSError."""
    for path in entries:
        paths.state.delete(path)
