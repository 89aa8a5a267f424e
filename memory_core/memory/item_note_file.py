"""notes/AGENT in the state: what the history knows of each item, computed for delivery.

A history may be long, and a hook has no time to read it before each delegation.  So each writer of
the history also writes the notes.  After a change from outside, such as a pull, the next reader
computes them again; only of a long history it uses the notes as they are.
"""

from __future__ import annotations

import marshal
import os

from memory_core.history.item_notes import FIELDS, NO_SUBJECTS, ItemNote, Subjects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.history.item_history import History, Record
    from memory_core.history.item_notes import Counts
    from memory_core.memory.project import Project
    from memory_core.storage.store import Store

    Notes = dict[str, ItemNote]  # by the text of the item
    Stamp = list[Any]

FOLDER = "notes"
VERSION = 4

# The largest history in bytes that a reader computes notes from: some 1,000 records, or 5 ms.
MAX_READ = 256 * 1024


def read_notes(project: Project, store: Store, agent: str) -> Notes:
    """Return the notes on an agent's items; raises OSError."""
    stamp = make_stamp(store, agent)
    if not stamp:
        return {}
    written, notes = _read(store, agent)
    if written == stamp or stamp[1] > MAX_READ:
        return notes
    from memory_core.history import item_history, item_notes

    records = store.history(agent).read()
    history = item_history.History(records, project.weights)
    counts = item_notes.count_runs(records, {})
    notes = item_notes.list_notes(history, counts, _get_subjects(notes))
    _write(store, agent, stamp, notes)
    return notes


def make_stamp(store: Store, agent: str) -> Stamp:
    """Return what tells the present state of a history from others, [] without a history."""
    status = store.files.status(store.history_path(agent))
    return [VERSION, status.st_size, status.st_mtime_ns, status.st_ino] if status else []


def take_history(store: Store, agent: str, history: History, size: int) -> None:
    """Write the notes after a change of the items; `history` has all of their records.

    `size` is that of the history before the change.  If the notes were not up to date then, the
    next reader computes them, unless the history is long.
    """
    written, notes = _read(store, agent)
    if written[1:2] != [size] and size <= MAX_READ:
        return
    from memory_core.history import item_notes

    notes = item_notes.list_notes(history, _list_counts(notes), _get_subjects(notes))
    _write(store, agent, make_stamp(store, agent), notes)


def take_runs(store: Store, agent: str, before: Stamp, records: list[Record]) -> None:
    """Count the runs of new records in the notes; `before` is the stamp without the records."""
    from memory_core.history import item_notes

    written, notes = _read(store, agent)
    if written != before or not before:
        return  # the next reader counts them
    counts = item_notes.count_runs(records, _list_counts(notes))
    for note in notes.values():
        note.given, note.used, note.failed = counts.get(note.id, (0, 0, 0))
    _write(store, agent, make_stamp(store, agent), notes)


def _list_counts(notes: Notes) -> Counts:
    return {note.id: (note.given, note.used, note.failed) for note in notes.values()}


def _get_subjects(notes: Notes) -> Subjects:
    """Return what the runs of the notes were about; all notes of a file share it."""
    return next((note.subjects for note in notes.values()), NO_SUBJECTS)


def _read(store: Store, agent: str) -> tuple[Stamp, Notes]:
    """Return the notes as they were written, and their stamp; [] if the file is damaged."""
    try:
        stamp, rows, by_word, runs = marshal.loads(  # noqa: S302 - only this user can write the state
            store.paths.state.read(_make_path(store, agent))
        )
        notes = {text: ItemNote(*values) for text, values in rows.items()}
        subjects = Subjects(by_word, runs)
    except (EOFError, ValueError, TypeError, AttributeError, OSError):
        return [], {}
    for note in notes.values():
        note.subjects = subjects
    return (stamp, notes) if stamp[:1] == [VERSION] else ([], {})


def _write(store: Store, agent: str, stamp: Stamp, notes: Notes) -> None:
    rows = {text: tuple(getattr(note, name) for name in FIELDS) for text, note in notes.items()}
    subjects = _get_subjects(notes)
    try:
        data = marshal.dumps((stamp, rows, subjects.by_word, subjects.runs))
        store.paths.state.replace(_make_path(store, agent), data, durable=False)
    except OSError:
        pass  # the next reader computes them


def _make_path(store: Store, agent: str) -> str:
    return os.path.join(FOLDER, store.stem(agent))
