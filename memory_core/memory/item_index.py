"""index/AGENT in the state: what a hook needs to choose items, computed before.

To parse a memory, read its history and split its items into words takes longer than to choose
some of them.  So each writer also writes the index.  It says of which files it was made: if one of
them is another now, for example after an edit or a pull, the next reader computes it again, and
splits only the items that are new.  Only of a long history a reader uses the old notes.
"""

from __future__ import annotations

import marshal
import os

from memory_core import __version__
from memory_core.selection.passage_index import NOTHING, PassageIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.memory.project import Project
    from memory_core.selection.item_notes import Counts
    from memory_core.selection.passage_index import Parts
    from memory_core.storage.store import Store

    Stamp = list[Any]

FOLDER = "index"

# Raise it if the passages, words or notes of the same files become others.
VERSION = 1

# The largest history in bytes that a reader computes notes from: some 1,000 records, or 5 ms.
MAX_READ = 256 * 1024

# Larger than the index of any memory file may be.
MAX_BYTES = 32_000_000


class AgentIndex:
    """The passages of an agent's memory files, and what the block says about the files.

    `paths` are those of the files, as people read them, and `day` is that of their last change.
    `id_length` is the length of the longest short id, and `has_recorded` says whether the agent
    has recorded an item.
    """

    def __init__(self, passages: PassageIndex, facts: tuple[Any, ...] = ([], "", 0, False)) -> None:
        self.passages = passages
        self.paths, self.day, self.id_length, self.has_recorded = facts


class StoredIndex:
    """The content of index/AGENT: all is empty if it is absent or damaged.

    `stamp` tells which history the notes are from, and `documents` which files the passages are
    from; `counts` has those of `count_runs`.
    """

    __slots__ = ("stamp", "counts", "notes", "documents", "facts", "parts")  # noqa: RUF023 - as read

    def __init__(
        self,
        stamp: Stamp,
        counts: Counts,
        notes: bytes,
        documents: Stamp,
        facts: tuple[Any, ...],
        parts: Parts,
    ) -> None:
        self.stamp = stamp
        self.counts = counts
        self.notes = notes
        self.documents = documents
        self.facts = facts
        self.parts = parts


def open_index(project: Project, agent: str) -> AgentIndex | None:
    """Return the index of an agent's memory files; None if it is not of the present files.

    Without files it is empty.
    """
    store = project.store
    documents = stamp_documents(project, agent)
    if not documents:
        return AgentIndex(PassageIndex())
    stored, stamp = read_stored(store, agent), make_stamp(store, agent)
    if stored.documents == documents and is_current(stored, stamp):
        return AgentIndex(PassageIndex(parts=stored.parts, counts=stored.counts), stored.facts)
    return None


def make_stamp(store: Store, agent: str) -> Stamp:
    """Return what tells the present state of a history from others, [] without a history."""
    status = store.files.status(store.history_path(agent))
    return [VERSION, __version__, *_identify(status)] if status else []


def is_current(stored: StoredIndex, stamp: Stamp) -> bool:
    """Return whether the stored notes count: they are of this history, or it is a long one."""
    is_long = len(stamp) > 2 and stamp[2] > MAX_READ
    return is_long or stored.stamp == stamp


def stamp_documents(project: Project, agent: str) -> Stamp:
    """Return what tells the present memory files of an agent from others, [] without a file.

    The settings are those on which it depends which items the agent may receive.
    """
    levels = [project.store, *([project.level(user=True)] if project.user_paths else [])]
    files = [(store, store.path(agent)) for store in levels]
    identities = [_identify(store.files.status(path)) for store, path in files]
    if not any(identities):
        return []
    settings = [project.config[name] for name in ("min_confidence", "confidence", "user_level")]
    history = make_stamp(levels[1], agent) if identities[1:] and identities[1] else []
    paths = [path for _store, path in files]
    return [VERSION, __version__, *settings, *paths, *identities, history]


def _identify(status: os.stat_result | None) -> list[int]:
    """Return what tells a file from another, and from itself after a change; [] without a file."""
    if status is None:
        return []
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def read_stored(store: Store, agent: str) -> StoredIndex:
    try:
        data = store.paths.state.read(locate(store, agent), MAX_BYTES)
        fields = marshal.loads(data)  # noqa: S302 - only this user can write the state
        if fields[0][:2] in ([], [VERSION, __version__]):
            return StoredIndex(*fields)
    except (EOFError, ValueError, TypeError, KeyError, IndexError, OSError):
        pass
    return StoredIndex([], {}, b"", [], (), NOTHING)


def locate(store: Store, agent: str) -> str:
    return os.path.join(FOLDER, store.stem(agent))


def remove(store: Store, agent: str) -> None:
    """Remove a damaged index, so that the next reader makes it again."""
    store.paths.state.remove(locate(store, agent))
