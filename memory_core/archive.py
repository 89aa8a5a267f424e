"""What had to leave a memory: its archive listed, and an item of it put back.

Each change is made under the agent's lock, from what is read under it.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from memory_core import (
    agents,
    aside,
    insertion,
    markdown,
    memory,
    merge,
    naming,
    past,
    similarity,
    store,
    writing,
)

AUTHOR = "agent-memory"  # in the header, as of a new file


class Archived(NamedTuple):
    """What left a memory: its number in the archive, the day, the section, the text.

    Lines nested in an item are behind its text, each on a line of its own.  The number is 0
    where only the history has it.
    """

    number: int
    day: str
    section: str
    text: str

    @property
    def id(self) -> str:
        return past.identity(self.text.partition("\n")[0])


class Restored(NamedTuple):
    """What was put back: into which file and section, and which (section, text) left for it.

    `known` says that the memory had it already: then it has only left the archive.
    """

    file: str
    section: str
    text: str
    left: list[tuple[str, str]]
    known: bool


class NotRestored(ValueError):
    """An item that cannot be put back; the message is the reason."""

    status = 1


def archived(held: store.Store, agent: str) -> list[Archived]:
    """Return what is in an agent's archive, in the order of the file."""
    read = held.read_file(held.aside("archive", agent))
    return [
        Archived(number, entry.day, *aside.unlabelled(entry.text))
        for number, entry in enumerate(aside.entries(read.text if read else ""), 1)
    ]


def restore(project: memory.Project, held: store.Store, agent: str, item: str) -> Restored:
    """Put an item that left back into its section, within the limits.

    It is named by its id, its text, a part of either, or its number in the archive; what is
    not there any more is looked for in the history.  What leaves for it goes to the archive.
    Raises NotRestored, naming.NotFound and naming.Ambiguous.
    """
    find(writing.Memory(project, agent, held), item)  # before anything is made, were it a lock
    with held.locked(agent):
        work = writing.Memory(project, agent, held)
        found = find(work, item)
        put = _put_back(work, found)
        if put is not None:
            work.put_back(put.merged, put.text, put.section, source="person")
        work.write()
        if found.number:
            _take_out(held, agent, found)
        file = held.place.relative(held.path(agent))
    if put is None:
        return Restored(file, found.section, found.text, [], known=True)
    return Restored(file, put.section, found.text, put.merged.evicted, known=False)


def _is_number(entry: Archived, name: str) -> bool:
    return bool(entry.number) and name == str(entry.number)


EXACT = (*naming.WORDS, naming.is_id)
WHOLE = (*EXACT, _is_number, naming.begins_id)
PART = (naming.has_part,)


def find(work: writing.Memory, item: str) -> Archived:
    """Return what a person means: of the archive, else what the history has, else what stands.

    Raises naming.NotFound and naming.Ambiguous.
    """
    kept = archived(work.store, work.agent)
    return found_in(item, kept, *(_of_history(work, is_here) for is_here in (False, True)))


def found_in(item: str, *lists: list[Archived]) -> Archived:
    """Return the entry that is meant, of the first list that has it; a part is no better name.

    Raises naming.NotFound and naming.Ambiguous.
    """
    for ways in (WHOLE, PART):
        for entries in lists:
            found = naming.meant(item.strip(), entries, ways)
            if found:
                return _one(found, item)
    raise naming.NotFound(f"no item {item!r} in the archive or the history")


def _of_history(work: writing.Memory, is_here: bool) -> list[Archived]:
    found = [each for each in work.past if each.text and each.here == is_here]
    return [
        Archived(0, each.changed[:10], each.section, f"{each.text}\n{each.nested}".rstrip("\n"))
        for each in sorted(found, key=lambda each: each.changed)
    ]


def _one(found: list[Archived], item: str) -> Archived:
    if len({(each.section, each.text) for each in found}) > 1:
        names = ", ".join(str(each.number or each.id) for each in found)
        by = "number" if found[0].number else "id"
        raise naming.Ambiguous(f"several items are {item!r}: name one by its {by}, {names}")
    return found[-1]  # the last of several times that it left


def owner(project: memory.Project, held: store.Store, item: str) -> str:
    """Return the one agent that has lost an item of this id or text.

    One word is no part of a text here: it is more likely an agent's name.
    Raises naming.NotFound and naming.Ambiguous.
    """
    ways = (*EXACT, naming.begins_id, *(PART if len(item.split()) > 1 else ()))
    found = []
    for agent in owners(held):
        gone = _of_history(writing.Memory(project, agent, held), is_here=False)
        if naming.meant(item.strip(), [*archived(held, agent), *gone], ways):
            found.append(agent)
    if not found:
        raise naming.NotFound(f"no item {item!r} in any archive or history")
    if len(found) > 1:
        raise naming.Ambiguous(f"{item!r} left {', '.join(found)}: say whose is put back")
    return found[0]


def owners(held: store.Store) -> list[str]:
    """Return the agents that have anything here: a memory, a history, an archive, a review."""
    found = {*held.agents(), *held.with_history()}
    for kind in ("archive", "quarantine"):
        try:
            names = os.listdir(os.path.join(held.folder, kind))
        except OSError:
            continue
        found |= {memory.PM if name == f"{memory.PM}.md" else agents.owner(name) for name in names}
    return sorted(found - {""})


class _Put(NamedTuple):
    merged: merge.Merged
    text: str
    section: str


def _put_back(work: writing.Memory, found: Archived) -> _Put | None:
    """Return what becomes of the memory; None where the item is there already."""
    document, limits = markdown.parse(work.text), work.limits
    first, nested, _rest = found.text.partition("\n")
    if not (nested and found.number) and _is_there(document, first):
        return None
    if aside.is_from_file(found.section):
        raise NotRestored("it is no item, but other text of a file; copy it by hand")
    try:
        document, section = insertion.home(document, found.section, limits)
        after, key = insertion.inserted(document, section, found.text, limits.line)
    except ValueError as error:
        raise NotRestored(f"it cannot be put back: {error}") from None
    stamped = merge.stamp(markdown.render(after), limits, work.now, AUTHOR)
    put = merge.trim(stamped, limits, work.now, AUTHOR, frozenset([key]), work.past)
    stays = _count(markdown.parse(put.text), key) == _count(after, key)
    if not stays or merge.byte_count(put.text) > limits.size:
        raise NotRestored(f"it cannot be put back: {limits.size} bytes have no room for it")
    return _Put(put, key, section.title if section else "")


def _is_there(document: markdown.Document, text: str) -> bool:
    fold = similarity.fold(text)
    return any(similarity.fold(item.text) == fold for item in document.items if item.text)


def _count(document: markdown.Document, text: str) -> int:
    return [item.text for item in document.items].count(text)


def _take_out(held: store.Store, agent: str, found: Archived) -> None:
    """Take an entry from the archive; what left meanwhile stands behind it."""
    path = held.aside("archive", agent)
    read = held.read_file(path)
    if read is None:
        return
    rest = aside.without(read.text, aside.entries(read.text)[found.number - 1])
    held.write_file(path, rest, read)  # also an empty one: git asks about one that is gone
