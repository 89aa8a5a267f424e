"""notes/AGENT in the state: what the history knows of each item, computed for delivery.

The history may be long, and reading it takes longer than a hook may take.  So the writer of
learnings computes the notes, and so does the first reader after any other change of the history.
A damaged file, or one of an older history, is computed again, never trusted.
"""

from __future__ import annotations

import marshal
import os

from memory_core.history.item_notes import FIELDS, ItemNote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.history.item_history import Weights
    from memory_core.storage.store import Store

FOLDER = "notes"
VERSION = 1


def read_notes(store: Store, agent: str, weights: Weights) -> dict[str, ItemNote]:
    """Return the notes on an agent's items by their texts; raises OSError."""
    stamp = _make_stamp(store, agent, weights)
    if not stamp:
        return {}
    rows = _read_rows(store, agent, stamp)
    return _update(store, agent, weights, stamp) if rows is None else rows


def update_notes(store: Store, agent: str, weights: Weights) -> None:
    """Compute the notes from the history; raises OSError."""
    if stamp := _make_stamp(store, agent, weights):
        _update(store, agent, weights, stamp)


def _make_stamp(store: Store, agent: str, weights: Weights) -> list[Any]:
    """Return what the notes depend on, [] without a history."""
    history = store.history(agent)
    status = history.files.status(history.path)
    if not status:
        return []
    settings = [getattr(weights, name) for name in sorted(vars(weights))]
    return [VERSION, status.st_size, status.st_mtime_ns, status.st_ino, *settings]


def _read_rows(store: Store, agent: str, stamp: list[Any]) -> dict[str, ItemNote] | None:
    data = store.paths.state.read(_make_path(store, agent))
    try:
        written, rows = marshal.loads(data)  # noqa: S302 - only this user can write the state
        if written == stamp:
            return {text: ItemNote(*values) for text, values in rows.items()}
    except (EOFError, ValueError, TypeError, AttributeError):
        pass
    return None


def _update(store: Store, agent: str, weights: Weights, stamp: list[Any]) -> dict[str, ItemNote]:
    from memory_core.history import item_history, item_notes

    records = store.history(agent).read()
    notes = item_notes.list_notes(item_history.History(records, weights), records)
    rows = {text: tuple(getattr(note, name) for name in FIELDS) for text, note in notes.items()}
    try:
        data = marshal.dumps((stamp, rows))
        store.paths.state.replace(_make_path(store, agent), data, durable=False)
    except OSError:
        pass  # computed again next time
    return notes


def _make_path(store: Store, agent: str) -> str:
    return os.path.join(FOLDER, store.stem(agent))
