"""Put archived items back into the memory."""

from __future__ import annotations

from collections.abc import Sequence

from memory_core.curation import lookup, searching
from memory_core.curation.item_actions import SavedItem
from memory_core.curation.searching import ItemHit
from memory_core.document import dated_entries
from memory_core.history import item_history
from memory_core.memory import changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.storage.project import Project
from memory_core.storage.store import Store


class NotRestored(ValueError):
    """An item that cannot be restored; the message is the reason."""

    status = 1


def restore(project: Project, store: Store, named: Sequence[tuple[str, str]]) -> list[SavedItem]:
    """Put items, given as (agent, item), back into their sections, all of them as one change.

    One that was present is only removed from the archive.
    An item is an id, a text, a part of either, or a number in the archive.  Items that are not in
    the archive are searched in the history.  Raises NotRestored, ItemNotFound and AmbiguousItem;
    nothing is changed then.
    """

    def change(memory: AgentMemory) -> list[SavedItem]:
        """Restore items: first from the archive, then removed, then present ones."""
        archived = searching.list_archived(memory.store, memory.agent)
        past = sorted(memory.history, key=lambda one: one.changed, reverse=True)
        past.sort(key=lambda one: one.is_present)
        others = searching.list_past(memory.agent, past)
        names = [name for agent, name in named if agent == memory.agent]
        items = dict.fromkeys(find_item(name, archived, others) for name in names)
        return [_restore(memory, item) for item in items]

    agents = dict.fromkeys(agent for agent, _item in named)
    results = transaction.change_memories(project, store, agents, change)
    return [item for items in results for item in items]


def find_item(name: str, archived: Sequence[ItemHit], others: Sequence[ItemHit] = ()) -> ItemHit:
    """Return the archived item with this number, else the latest item with this name.

    Raises ItemNotFound and AmbiguousItem.
    """
    numbers = {str(item.number): item for item in archived}
    return numbers.get(name.strip()) or lookup.find_item(name, [*archived[::-1], *others])


def _restore(memory: AgentMemory, archived: ItemHit) -> SavedItem:
    """Insert the item into the memory, unless it is present; raises NotRestored."""
    document = memory.document
    if archived.number:
        memory.from_archive.append((archived.section, archived.whole))
    key = archived.id
    if present := [item for item in document.items if item_history.id_of(item.text) == key]:
        lines = list(map(str.strip, present[0].nested.splitlines()))
        if not all(line.strip() in lines for line in archived.nested.splitlines()):
            raise NotRestored("the memory has it without some nested lines; copy them by hand")
        return SavedItem(memory.agent, key, archived.whole, True, archived.section)
    if dated_entries.is_from_file(archived.section):
        raise NotRestored("it is free text of a file, not an item; copy it by hand")
    try:
        _, title, _ = changes.insert_item(memory, archived.section, archived.whole, "restored")
    except ValueError as error:
        raise NotRestored(f"it cannot be restored: {error}; copy it by hand") from None
    return SavedItem(memory.agent, key, archived.whole, False, title)
