"""Copy an item to other agents, or to the user-level memory of the same agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from memory_core.curation import item_actions, lookup
from memory_core.curation.item_actions import RatedItem, SavedItem
from memory_core.document import merge_learnings, preferences
from memory_core.history import rights
from memory_core.memory import agent_memory, changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.reading import read_memory
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.storage.project import Project
from memory_core.storage.store import Store


def list_sources(project: Project, store: Store, agents: Iterable[str]) -> list[RatedItem]:
    """Return the items of agents, except preferences; their texts have the nested lines."""
    return [
        item._replace(text=item.whole, nested="")
        for agent in agents
        for item in item_actions.list_items(read_memory(project, agent, store))
        if not preferences.is_title(item.section)
    ]


def find_source(project: Project, store: Store, agents: Iterable[str], name: str) -> RatedItem:
    """Return the item of one of these agents that has this name.

    Raises ItemNotFound, and AmbiguousItem also if several agents have the item.
    """
    items = list_sources(project, store, agents)
    source = lookup.find_item(name, items)
    owners = sorted({other.agent for other in items if other.id == source.id})
    if len(owners) > 1:
        raise lookup.AmbiguousItem(f"{', '.join(owners)} have {name!r}: choose one with --from")
    return source


def copy_items(
    project: Project, copies: Sequence[tuple[RatedItem, Sequence[tuple[str, Store]]]]
) -> list[list[SavedItem]]:
    """Copy each item to its (agent, level), all as one change.

    A copy has the origin, the confidence and the tier of its item.
    """
    change_id = agent_memory.make_change_id("share")
    for _source, targets in copies:
        for agent, store in targets:
            transaction.check_unlocked(store, [agent])
    return [
        [_copy(project, source, agent, store, change_id) for agent, store in targets]
        for source, targets in copies
    ]


def _copy(
    project: Project, source: RatedItem, agent: str, store: Store, change_id: str
) -> SavedItem:
    whole = scanner.redact(source.text)
    first_line = whole.partition("\n")[0]
    text = source.text.partition("\n")[0]
    tier = text_origins.read_tiers(project, project.store, source.agent).get(text, "")
    state = text_origins.read_history(project, project.store, source.agent).find(text)

    def change(memory: AgentMemory) -> SavedItem:
        if twin := merge_learnings.find_duplicate(memory.document.items, first_line):
            return SavedItem(agent, source.id, twin.text, was_present=True)
        fields: dict[str, Any] = {"origin": source.agent, "confidence": source.confidence}
        fields |= {"reading": state.reading} if state and tier == rights.TAINTED else {}
        copy = changes.insert_item(memory, source.section, whole, "imported", **fields)
        if tier in rights.DECIDED:
            memory.origins[copy[0], copy[2]] = rights.ACCEPTED
        return SavedItem(agent, source.id, first_line, False, copy[1])

    return transaction.change_memory(project, agent, change, store, change_id)
