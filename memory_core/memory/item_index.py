"""The file index/AGENT in the state: the items of an agent, prepared for the choice.

It takes longer to parse a memory, to read its history and to split its items into words than to
choose some of them.  So each writer also writes the index.  It has stamps of the files of which it
was made.  If a file has another stamp now, for example after an edit or a pull, the next reader
makes the index again and splits only new items.
"""

from __future__ import annotations

import marshal
import os

from memory_core import __version__
from memory_core.origin import new_lines
from memory_core.selection.passage_index import Parts, PassageIndex
from memory_core.selection.passages import pack, unpack
from memory_core.text import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.selection.item_notes import Counts
    from memory_core.selection.passage_index import Blocks
    from memory_core.storage.project import Project
    from memory_core.storage.store import Store

    Stamp = list[Any]

FOLDER = "index"

# Raise it if the passages, words or notes of the same files become others.
VERSION = 12

# What is read at once: all of the index of a usual memory.
READ_FIRST = 128 * 1024

# The bytes of the digest, of the length of the head, and of the end of a block.
DIGEST, LENGTH, END = 16, 8, 4


class AgentIndex:
    """The passages of an agent's memory files, and facts about the files.

    `paths` are those of the files, as people read them, and `day` is that of their last change.
    `id_length` is the length of the longest short id, and `has_recorded` says whether the agent
    has recorded an item.
    """

    def __init__(self, passages: PassageIndex, facts: tuple[Any, ...] = ([], "", 0, False)) -> None:
        self.passages = passages
        self.paths, self.day, self.id_length, self.has_recorded = facts


class StoredIndex:
    """The content of index/AGENT: all is empty if it is absent or damaged.

    `stamp` identifies the history of the notes, and `documents` the files of the passages;
    `counts` has those of `count_runs`, and `notes` is one marshalled block.

    The file begins with a digest of what a hook reads first, then the length of a marshalled head,
    which has all but the notes and the blocks of passages and words.  Behind the head are the
    ends of the blocks, and the blocks.
    """

    def __init__(
        self,
        stamp: Stamp,
        counts: Counts,
        documents: Stamp,
        facts: tuple[Any, ...],
        parts: Parts,
        notes: Blocks,
    ) -> None:
        self.stamp = stamp
        self.counts = counts
        self.documents = documents
        self.facts = facts
        self.parts = parts
        self.notes = notes

    @property
    def origins(self) -> list[Stamp]:
        """The stamps of the origins by which texts were checked, the project's first."""
        return self.documents[2] if self.documents else []


class _IndexFile:
    """An open index; most of a large one is never read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._begin = memoryview(os.pread(descriptor, READ_FIRST, 0))
        if self._begin[:DIGEST] != digests.hash_bytes(self._begin[DIGEST:], DIGEST):
            raise ValueError("the digest is that of other bytes")

    def __del__(self) -> None:
        try:
            os.close(self._descriptor)
        except OSError:
            pass  # there is nothing to lose in a file that was only read

    def read(self, start: int, end: int) -> Any:
        """Return the bytes from `start` up to `end`."""
        if end <= len(self._begin):
            return self._begin[start:end]
        return os.pread(self._descriptor, end - start, start)


class _FileBlocks:
    """Blocks of an index file; `ends` has where each of all blocks ends behind `base`."""

    __slots__ = ("_base", "_count", "_ends", "_file", "_first")

    def __init__(
        self, file: _IndexFile, base: int, ends: memoryview[int], first: int, count: int
    ) -> None:
        self._file = file
        self._base = base
        self._ends = ends
        self._first = first
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: int) -> Any:
        at += self._first
        start = self._ends[at - 1] if at else 0
        return self._file.read(self._base + start, self._base + self._ends[at])


def open_index(project: Project, agent: str) -> AgentIndex | None:
    """Return the index of an agent's memory files; None if it is not of the present files.

    Without files it is empty.
    """
    store = project.store
    documents = stamp_documents(project, agent)
    if not documents:
        return AgentIndex(PassageIndex())
    stored, stamp = read_stored(store, agent), make_stamp(store, agent)
    if stored.documents == documents and stored.stamp == stamp:
        return AgentIndex(PassageIndex(parts=stored.parts, counts=stored.counts), stored.facts)
    return None


def make_stamp(store: Store, agent: str) -> Stamp:
    """Return a stamp of a history and of whose its records are, [] without a history."""
    status = store.files.status(store.history_path(agent))
    if not status:
        return []
    own = store.paths.state.status(store.made_path(agent))
    return [VERSION, __version__, *_identify(status), *_identify(own)]


def stamp_documents(project: Project, agent: str) -> Stamp:
    """Return a stamp of the present memory files of an agent, [] without a file.

    The settings are those on which it depends which items the agent may receive.
    """
    levels = [project.store, *([project.level(user=True)] if project.user_paths else [])]
    files = [(store, store.path(agent)) for store in levels]
    identities = [_identify(store.files.status(path)) for store, path in files]
    if not any(identities):
        return []
    names = ("min_confidence", "confidence", "user_level", "trust", "hold_outside")
    settings = [project.config[name] for name in names]
    origins = [stamp_origins(one, agent) for one in levels]
    if new_lines.may_be_foreign(project.paths.state):
        origins.append([1])
    history: Stamp = []
    if identities[1:] and identities[1]:
        history = make_stamp(levels[1], agent)
        if not project.gives_user_level():
            history.append("withheld")
    paths = [path for _store, path in files]
    return [VERSION, __version__, origins, *settings, *paths, *identities, history]


def stamp_origins(store: Store, agent: str) -> Stamp:
    """Return a stamp of what this machine knows of the origins of an agent's texts."""
    return _identify(store.paths.state.status(store.decided_path(agent)))


def _identify(status: os.stat_result | None) -> list[int]:
    """Return numbers that differ for another file or after a change; [] without a file."""
    if status is None:
        return []
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def read_stored(store: Store, agent: str) -> StoredIndex:
    """Return an agent's stored index."""
    try:
        file = _IndexFile(store.paths.state.open(locate(store, agent), os.O_RDONLY))
        begin = DIGEST + LENGTH
        body = begin + int.from_bytes(file.read(DIGEST, begin), "little")
        fields = marshal.loads(file.read(begin, body))  # noqa: S302 - only this user can write it
        stamp, counts, documents, facts, numbers, wished, own, tokens, lengths = fields
        if stamp[:2] in ([], [VERSION, __version__]):
            base, first = body + sum(lengths) * END, 0
            ends = unpack(file.read(body, base))
            lists: list[Any] = []
            for length in lengths:
                lists.append(_FileBlocks(file, base, ends, first, length))
                first += length
            *blocks, notes = lists
            parts = Parts(numbers, wished, blocks, own, tokens)
            return StoredIndex(stamp, counts, documents, facts, parts, notes)
    except (EOFError, ValueError, TypeError, KeyError, IndexError, OverflowError, OSError):
        pass
    return StoredIndex([], {}, [], (), Parts(), ())


def write_stored(store: Store, agent: str, stored: StoredIndex) -> None:
    """Write an agent's index; if that is not possible, the next reader makes it again."""
    parts, lists = stored.parts, [*stored.parts.blocks, stored.notes]
    blocks = [blocks[at] for blocks in lists for at in range(len(blocks))]
    fields: list[Any] = [stored.stamp, stored.counts, stored.documents, stored.facts]
    fields += [parts.counts, parts.wished, parts.own, parts.tokens]
    head = marshal.dumps([*fields, [*map(len, lists)]])
    ends, end = [], 0
    for block in blocks:
        end += len(block)
        ends.append(pack(end))
    length = len(head).to_bytes(LENGTH, "little")
    data = b"".join([length, head, *ends, *blocks])
    data = digests.hash_bytes(data[: READ_FIRST - DIGEST], DIGEST) + data
    try:
        store.paths.state.replace(locate(store, agent), data, durable=False)
    except OSError:
        pass


def locate(store: Store, agent: str) -> str:
    return os.path.join(FOLDER, store.stem(agent))


def remove(store: Store, agent: str) -> None:
    """Remove an index: it is damaged and is to be made again, or the memory is gone."""
    store.paths.state.remove(locate(store, agent))
