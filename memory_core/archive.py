"""What had to leave a memory: its archive listed, and an item of it put back.

Each change is made under the agent's lock, from what is read under it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memory_core import aside, edits, markdown, memory, merge, similarity, store, writing

AUTHOR = "agent-memory"  # in the header, as of a new file


class Archived(NamedTuple):
    """What left a memory: its number in the archive, the day, the section, the text.

    Lines nested in an item are behind its text, each on a line of its own.
    """

    number: int
    day: str
    section: str
    text: str


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
    """Put an item of the archive back into its section, within the limits.

    It is named by its text, a part of it, or its number.  What leaves for it goes to the
    archive.  Raises NotRestored.
    """
    found_in(archived(held, agent), item)  # before anything is made, were it only a lock
    with held.locked(agent):
        found = found_in(archived(held, agent), item)
        work = writing.Memory(project, agent, held)
        put = _put_back(work, found)
        if put is not None:
            work.put_back(put.merged, put.text, put.section)
        work.write()
        _take_out(held, agent, found)
        file = held.place.relative(held.path(agent))
    if put is None:
        return Restored(file, found.section, found.text, [], known=True)
    return Restored(file, put.section, found.text, put.merged.evicted, known=False)


def found_in(entries: list[Archived], item: str) -> Archived:
    """Return the entry that a person means; raises NotRestored where it is not one."""
    fold = similarity.fold(item)
    part = item.casefold()
    ways: list[Callable[[Archived], bool]] = [
        lambda each: item in (each.text, each.text.split("\n")[0]),
        lambda each: similarity.fold(each.text.split("\n")[0]) == fold,
        lambda each: item == str(each.number),
        lambda each: bool(part) and part in each.text.casefold(),
    ]
    for way in ways:
        found = [each for each in entries if way(each)]
        if len({(each.section, each.text) for each in found}) == 1:
            return found[-1]  # the last of several times that it left
        if found:
            numbers = ", ".join(str(each.number) for each in found)
            raise NotRestored(f"several items are {item!r}: name one by its number, {numbers}")
    raise NotRestored(f"no item {item!r} in the archive")


class _Put(NamedTuple):
    merged: merge.Merged
    text: str
    section: str


def _put_back(work: writing.Memory, found: Archived) -> _Put | None:
    """Return what becomes of the memory; None where the item is there already."""
    document, limits = markdown.parse(work.text), work.limits
    if "\n" not in found.text and _is_there(document, found.text):
        return None
    if aside.is_from_file(found.section):
        raise NotRestored("it is no item, but other text of a file; copy it by hand")
    try:
        document, section = _home(document, found.section, limits)
        after, key = _inserted(document, section, found.text, limits.line)
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


def _home(
    document: markdown.Document, title: str, limits: merge.Limits
) -> tuple[markdown.Document, markdown.Section | None]:
    """Return the section of that title: made anew if there may be one more, else another."""
    if not title:
        return document, None
    section = markdown.find_section(document, title)
    if section is None and len(document.sections) < limits.sections:
        suffix = f"(Max: {limits.items} items)"
        document = edits.add_section(document, title, suffix, merge.ORDER)
        section = markdown.find_section(document, title)
    if section is None:
        section = markdown.find_section(document, merge.RECENT) or document.sections[-1]
    return document, section


def _inserted(
    document: markdown.Document, section: markdown.Section | None, item: str, longest: int
) -> tuple[markdown.Document, str]:
    """Insert an item with what is nested in it; return its text in the document as well."""
    for block, key in _blocks(item):
        if max(map(len, block)) > longest:
            raise ValueError(f"a line of more than {longest} characters is not allowed")
        try:
            one_line = section is not None and len(block) == 1 and key
            after = (
                edits.insert_item(document, section, key)
                if section is not None and one_line
                else edits.insert_block(document, section, block)
            )
        except ValueError:
            continue
        if _gained(document, after) == (key, len(block)):
            return after, key
    raise ValueError("there it would be read in another way; copy it by hand")


def _blocks(item: str) -> Iterator[tuple[list[str], str]]:
    """Give the lines that can hold an archived item, each with the text that is read there."""
    lines = item.split("\n")
    first, *nested = lines
    inner = min((len(line) - len(line.lstrip()) for line in nested if line), default=2)
    shifted = [" " * (2 - inner) + line[max(inner - 2, 0) :] for line in nested]
    written = markdown.BULLET + markdown.escape(first)
    # An item without a text of its own (code, say) is archived with its bullet.
    for block, key in ((lines, ""), ([written, *nested], first), ([written, *shifted], first)):
        if _gained(markdown.parse(""), markdown.parse("\n".join(block))) == (key, len(block)):
            yield block, key


def _gained(before: markdown.Document, after: markdown.Document) -> tuple[str, int] | None:
    """Return text and length of the one item that is new, or None if more has changed."""
    old = [(item.text, item.end - item.line) for item in before.items]
    new = [(item.text, item.end - item.line) for item in after.items]
    if [each.title for each in before.headings] != [each.title for each in after.headings]:
        return None
    if len(new) != len(old) + 1:
        return None
    at = next((at for at, each in enumerate(old) if each != new[at]), len(old))
    return new[at] if old[at:] == new[at + 1 :] else None


def _take_out(held: store.Store, agent: str, found: Archived) -> None:
    """Take an entry from the archive; what left meanwhile stands behind it."""
    path = held.aside("archive", agent)
    read = held.read_file(path)
    if read is None:
        return
    rest = aside.without(read.text, aside.entries(read.text)[found.number - 1])
    if rest:
        held.write_file(path, rest, read)
    else:
        os.unlink(path)
