"""List the archive of an agent, and put an item back into the memory."""

from __future__ import annotations

from typing import NamedTuple

from memory_core.curation import lookup
from memory_core.document import dated_entries, markdown, merge, reinsert, template
from memory_core.history import item_history
from memory_core.memory import changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.project import Project
from memory_core.memory.reading import read_memory
from memory_core.storage.store import Store
from memory_core.text import similarity

HEADER_AUTHOR = "agent-memory"  # the author in the header of the memory file


class ArchivedItem(NamedTuple):
    """An entry of the archive: its number from 1, day, section, and text with nested lines.

    The number is 0 if only the history has the item.
    """

    number: int
    day: str
    section: str
    text: str

    @property
    def id(self) -> str:
        return item_history.id_of(self.text.partition("\n")[0])


class RestoreResult(NamedTuple):
    """The restored item, and the (section, text) that were evicted to make room.

    If the item `was_present` in the memory, it was only removed from the archive.
    """

    file: str
    section: str
    text: str
    evicted: list[tuple[str, str]]
    was_present: bool


class NotRestored(ValueError):
    """An item that cannot be restored; the message is the reason."""

    status = 1


def list_items(store: Store, agent: str) -> list[ArchivedItem]:
    """Return the entries of an agent's archive, in the order of the file."""
    snapshot = store.read_file(store.dated_path("archive", agent))
    entries = dated_entries.parse_entries(snapshot.text) if snapshot else []
    return [
        ArchivedItem(number, entry.day, *dated_entries.parse_entry(entry.text))
        for number, entry in enumerate(entries, 1)
    ]


def restore(project: Project, store: Store, agent: str, item: str) -> RestoreResult:
    """Put an item back into its section; items beyond the limits go to the archive.

    `item` is an id, a text, a part of either, or a number in the archive.  Items that are
    not in the archive are searched in the history.  Raises NotRestored, ItemNotFound and
    AmbiguousItem.
    """
    find(read_memory(project, agent, store), item)  # raises before the lock file is created
    with store.lock(agent):
        memory = read_memory(project, agent, store)
        archived = find(memory, item)
        restored = _restore(memory, archived)
        if restored:
            changes.restore_item(memory, *restored, source="person")
        transaction.write(memory)
        if archived.number:
            _remove_entry(store, agent, archived.number)
        file = store.place.relative(store.path(agent))
    if restored is None:
        return RestoreResult(file, archived.section, archived.text, [], was_present=True)
    merged, _text, section = restored
    return RestoreResult(file, section, archived.text, merged.evicted, was_present=False)


def _matches_number(item: ArchivedItem, name: str) -> bool:
    return bool(item.number) and name == str(item.number)


EXACT_MATCHERS = (*lookup.TEXT_MATCHERS, lookup.matches_id)
WHOLE_MATCHERS = (*EXACT_MATCHERS, _matches_number, lookup.matches_id_prefix)


def find(memory: AgentMemory, item: str) -> ArchivedItem:
    """Return the item that a name means: in the archive, else removed, else present.

    Raises ItemNotFound and AmbiguousItem.
    """
    archived = list_items(memory.store, memory.agent)
    removed, present = (_list_from_history(memory, is_present) for is_present in (False, True))
    return find_in_lists(item, archived, removed, present)


def find_in_lists(item: str, *lists: list[ArchivedItem]) -> ArchivedItem:
    """Return the match in the first list that has one; a part of a text counts last.

    Raises ItemNotFound and AmbiguousItem.
    """
    for matchers in (WHOLE_MATCHERS, (lookup.matches_part,)):
        for items in lists:
            matches = lookup.match_items(item.strip(), items, matchers)
            if len({(match.section, match.text) for match in matches}) > 1:
                names = ", ".join(str(match.number or match.id) for match in matches)
                by = "number" if matches[0].number else "id"
                raise lookup.AmbiguousItem(f"several items match {item!r}: use the {by}: {names}")
            if matches:
                return matches[-1]  # the last time that this item left
    raise lookup.ItemNotFound(f"no item {item!r} in the archive or the history")


def _list_from_history(memory: AgentMemory, is_present: bool) -> list[ArchivedItem]:
    states = [state for state in memory.history if state.text and state.is_present == is_present]
    return [
        ArchivedItem(
            0, state.changed[:10], state.section, f"{state.text}\n{state.nested}".rstrip("\n")
        )
        for state in sorted(states, key=lambda state: state.changed)
    ]


def find_owner(project: Project, store: Store, item: str) -> str:
    """Return the only agent that has lost an item of this id or text.

    A part of a text counts only if it has several words: one word is more likely the name
    of an agent.  Raises ItemNotFound and AmbiguousItem.
    """
    matchers = [*EXACT_MATCHERS, lookup.matches_id_prefix]
    if len(item.split()) > 1:
        matchers.append(lookup.matches_part)
    owners = []
    for agent in lookup.list_agents(store):
        removed = _list_from_history(read_memory(project, agent, store), is_present=False)
        if lookup.match_items(item.strip(), [*list_items(store, agent), *removed], matchers):
            owners.append(agent)
    if not owners:
        raise lookup.ItemNotFound(f"no item {item!r} in any archive or history")
    if len(owners) > 1:
        raise lookup.AmbiguousItem(f"{item!r} left {', '.join(owners)}: name one of these agents")
    return owners[0]


def _restore(
    memory: AgentMemory, archived: ArchivedItem
) -> tuple[merge.MergeResult, str, str] | None:
    """Return the new memory, and the text and section of the item; None if it is present."""
    document, limits = markdown.parse_document(memory.text), memory.limits
    first_line, _newline, nested = archived.text.partition("\n")
    folded = similarity.normalize_text(first_line)
    is_present = folded in {similarity.normalize_text(item.text) for item in document.items}
    if is_present and not (nested and archived.number):
        return None
    if dated_entries.is_from_file(archived.section):
        raise NotRestored("it is free text of a file, not an item; copy it by hand")
    try:
        section = None
        if archived.section:
            document, section = merge.ensure_section(document, archived.section, limits)
        after, text = reinsert.insert_item(document, section, archived.text, limits.line)
    except ValueError as error:
        raise NotRestored(f"it cannot be restored: {error}") from None
    stamped = template.update_header(
        markdown.render_document(after), limits, memory.now, HEADER_AUTHOR
    )
    merged = merge.evict_excess(
        stamped, limits, memory.now, HEADER_AUTHOR, frozenset([text]), memory.history.age_of
    )
    is_evicted = _count(markdown.parse_document(merged.text), text) < _count(after, text)
    if is_evicted or template.count_bytes(merged.text) > limits.size:
        raise NotRestored(f"it cannot be restored: the limit of {limits.size} bytes has no room")
    return merged, text, section.title if section else ""


def _count(document: markdown.Document, text: str) -> int:
    return [item.text for item in document.items].count(text)


def _remove_entry(store: Store, agent: str, number: int) -> None:
    """Remove an entry; entries of this restore are behind it, so its number still holds.

    An empty file stays: git would ask about a file that is gone.
    """
    path = store.dated_path("archive", agent)
    snapshot = store.read_file(path)
    if snapshot:
        entry = dated_entries.parse_entries(snapshot.text)[number - 1]
        store.write_file(path, dated_entries.remove(snapshot.text, entry), snapshot)
