"""List the archive of an agent, and put an item back into the memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memory_core.curation import lookup
from memory_core.curation.item_actions import SavedItem
from memory_core.document import dated_entries, markdown
from memory_core.history import item_history
from memory_core.memory import agent_memory, changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.storage.project import Project
from memory_core.storage.store import Store


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


class NotRestored(ValueError):
    """An item that cannot be restored; the message is the reason."""

    status = 1


def list_items(store: Store, agent: str) -> list[ArchivedItem]:
    """Return the entries of an agent's archive, in the order of the file."""
    snapshot = store.read_file(store.archive_path(agent))
    entries = dated_entries.parse_entries(snapshot.text) if snapshot else []
    return [
        ArchivedItem(number, entry.day, *dated_entries.parse_entry(entry.text))
        for number, entry in enumerate(entries, 1)
    ]


def list_absent(store: Store, agent: str) -> list[ArchivedItem]:
    """Return the entries of an agent's archive whose items are not in the memory again."""
    snapshot = store.read(agent)
    document = markdown.parse_document(snapshot.text if snapshot else "")
    present = agent_memory.index_items(document)
    return [item for item in list_items(store, agent) if item.id not in present]


def restore(project: Project, store: Store, named: Sequence[tuple[str, str]]) -> list[SavedItem]:
    """Put items, given as (agent, item), back into their sections, all of them as one change.

    One that was present is only removed from the archive.
    An item is an id, a text, a part of either, or a number in the archive.  Items that are not in
    the archive are searched in the history.  Raises NotRestored, ItemNotFound and AmbiguousItem;
    nothing is changed then.
    """

    def change(memory: AgentMemory) -> list[SavedItem]:
        """Restore items: first from the archive, then removed, then present ones."""
        archived, others = list_items(memory.store, memory.agent), _list_past(memory)
        names = [name for agent, name in named if agent == memory.agent]
        items = dict.fromkeys(find_item(name, archived, others) for name in names)
        return [_restore(memory, item) for item in items]

    agents = dict.fromkeys(agent for agent, _item in named)
    change_id = agent_memory.make_change_id("restore")
    results = transaction.change_memories(project, store, agents, change, change_id)
    return [item for items in results for item in items]


def find_item(
    name: str, archived: Sequence[ArchivedItem], others: Sequence[ArchivedItem] = ()
) -> ArchivedItem:
    """Return the archived item with this number, else the latest item with this name.

    Raises ItemNotFound and AmbiguousItem.
    """
    numbers = {str(item.number): item for item in archived}
    return numbers.get(name.strip()) or lookup.find_item(name, [*archived[::-1], *others])


def _list_past(memory: AgentMemory) -> list[ArchivedItem]:
    """Return the items of the history, first those that are not in the memory, latest first."""
    states = [state for state in memory.history if state.text]
    states.sort(key=lambda state: (not state.is_present, state.changed), reverse=True)
    return [
        ArchivedItem(0, one.changed[:10], one.section, markdown.join_nested(one.text, one.nested))
        for one in states
    ]


def _restore(memory: AgentMemory, archived: ArchivedItem) -> SavedItem:
    """Insert the item into the memory, unless it is present; raises NotRestored."""
    document = memory.document
    nested = archived.text.partition("\n")[2]
    if archived.number:
        memory.from_archive.append((archived.section, archived.text))
    key = archived.id
    if present := [item for item in document.items if item_history.id_of(item.text) == key]:
        lines = list(map(str.strip, present[0].nested.splitlines()))
        if not all(line.strip() in lines for line in nested.splitlines()):
            raise NotRestored("the memory has it without some nested lines; copy them by hand")
        return SavedItem(memory.agent, key, archived.text, True, archived.section)
    if dated_entries.is_from_file(archived.section):
        raise NotRestored("it is free text of a file, not an item; copy it by hand")
    try:
        _, title, _ = changes.insert_item(memory, archived.section, archived.text, "restored")
    except ValueError as error:
        raise NotRestored(f"it cannot be restored: {error}; copy it by hand") from None
    return SavedItem(memory.agent, key, archived.text, False, title)
