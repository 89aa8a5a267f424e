"""Copy an item to other agents, or to the user-level memory of the same agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from memory_core.curation import item_actions, lookup
from memory_core.curation.item_actions import SavedItem
from memory_core.document import merge_learnings, preferences
from memory_core.history import rights
from memory_core.memory import agent_memory, changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.reading import read_memory
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.storage.project import Project
from memory_core.storage.store import Store


class SourceItem(NamedTuple):
    """An item to copy, and the agent that has it; the text includes the nested lines.

    `tier` is one of `history.rights`, `reading` what its run had read from outside.
    """

    agent: str
    id: str
    text: str
    section: str
    confidence: float
    tier: str
    reading: list[str]


def list_sources(project: Project, store: Store, agent: str) -> Iterator[SourceItem]:
    """Yield the items of an agent, except its preferences."""
    memory = read_memory(project, agent, store)
    tiers = text_origins.read_tiers(project, store, agent)
    for item in item_actions.list_items(memory):
        if not preferences.is_title(item.section):
            state, tier = memory.history.find(item.text), tiers.get(item.text, "")
            facts = (item.id, item.whole, item.section, item.confidence)
            yield SourceItem(agent, *facts, tier, state.reading if state else [])


def find_source(project: Project, store: Store, agents: Iterable[str], name: str) -> SourceItem:
    """Return the item of one of these agents that has this name.

    Raises ItemNotFound, and AmbiguousItem also if several agents have the item.
    """
    sources = [one for agent in agents for one in list_sources(project, store, agent)]
    source = lookup.find_item(name, sources)
    owners = sorted({other.agent for other in sources if other.id == source.id})
    if len(owners) > 1:
        raise lookup.AmbiguousItem(f"{', '.join(owners)} have {name!r}: choose one with --from")
    return source


def copy_items(
    project: Project, copies: Sequence[tuple[SourceItem, Sequence[tuple[str, Store]]]]
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
    project: Project, source: SourceItem, agent: str, store: Store, change_id: str
) -> SavedItem:
    whole = scanner.redact(source.text)
    first_line, _newline, nested = whole.partition("\n")

    def change(memory: AgentMemory) -> SavedItem:
        if twin := merge_learnings.find_duplicate(memory.document.items, first_line):
            return SavedItem(agent, source.id, twin.text, was_present=True)
        fields: dict[str, Any] = {"origin": source.agent, "confidence": source.confidence}
        fields |= {"reading": source.reading} if source.tier == rights.TAINTED else {}
        if source.tier in rights.DECIDED:
            memory.origins[first_line, nested] = rights.ACCEPTED
        title = changes.insert_item(memory, source.section, whole, "imported", **fields)
        return SavedItem(agent, source.id, first_line, False, title)

    return transaction.change_memory(project, agent, change, store, change_id)
