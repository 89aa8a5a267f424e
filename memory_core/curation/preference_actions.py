"""Set, remove and read the preferences of an agent at one level; each call is one change."""

from __future__ import annotations

from typing import Any

from memory_core.document import markdown, merge_learnings, preferences
from memory_core.history import item_history, rights
from memory_core.memory import changes, transaction
from memory_core.memory.agent_memory import AgentMemory, find_limits
from memory_core.memory.reading import read_memory
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.storage.project import Project
from memory_core.storage.store import Store

# The type of a preference that waits for review.
PREFERENCE = "preference"


class PreferenceWaits(preferences.InvalidPreference):
    """A preference that is not set before a person accepts it; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not set, it waits for review: {reason}")
        self.reason = reason


def set_preference(
    project: Project,
    agent: str,
    key: str,
    value: str,
    store: Store | None = None,
    source: str = "person",
) -> bool:
    """Set a preference; return False if it has this value already.

    One that is not from a person waits for review if it may be poisoned, and without its secrets
    if it has some; one of an MCP client always waits.  Raises InvalidPreference, PreferenceWaits.
    """
    # An invalid preference raises here, before any file is created.
    merge_learnings.put_preference("", key, value, find_limits(project, agent))
    text, reason = f"{key}: {value}", ""
    if source != item_history.PERSON_SOURCE:
        text, reason = text_origins.hold(text)
        reason = reason or (changes.MCP_REASON if source == item_history.MCP_SOURCE else "")
    elif refused := scanner.refuse(text):
        raise preferences.InvalidPreference(refused)

    def change(memory: AgentMemory) -> tuple[bool, str]:
        if not reason or _has(memory, key, value):
            return put(memory, key, value, source=source), ""
        tier = rights.find_source_tier(source, ())
        entry = {"type": PREFERENCE, "content": text, "reason": reason, "source": source}
        memory.review.append({**entry, "tier": tier})
        return False, reason

    is_changed, waits = transaction.change_memory(project, agent, change, store)
    if waits:
        raise PreferenceWaits(waits)
    return is_changed


def put(memory: AgentMemory, key: str, value: str, **source: Any) -> bool:
    """Set a preference of a memory and record it; return False if it has this value already."""
    *doubled, old = _texts_of(memory, key) or [""]
    if _has(memory, key, value):
        return False
    changes.remove_items(memory, doubled, "removed", source=source["source"])
    text = merge_learnings.put_preference(memory.text, key, value, memory.limits)
    after = markdown.parse_document(text)
    new = preferences.find(after, key)
    memory.set_document(after)
    if new and new.text != old:
        was = item_history.id_of(old) if old else ""
        memory.record("preference", new.text, section=preferences.TITLE, was=was, **source)
    return True


def _has(memory: AgentMemory, key: str, value: str) -> bool:
    return merge_learnings.put_preference(memory.text, key, value, memory.limits) == memory.text


def remove_preference(
    project: Project, agent: str, key: str, store: Store | None = None, source: str = "person"
) -> bool:
    """Remove a preference; return False if the agent does not have this key."""
    if preferences.find(read_memory(project, agent, store).document, key) is None:
        return False

    def change(memory: AgentMemory) -> bool:
        return bool(changes.remove_items(memory, _texts_of(memory, key), "removed", source=source))

    return transaction.change_memory(project, agent, change, store)


def read_preferences(project: Project, agent: str, store: Store | None = None) -> dict[str, str]:
    """Return the values by key, with the keys spelled as in the memory file."""
    return preferences.read_values(read_memory(project, agent, store).document)


def _texts_of(memory: AgentMemory, key: str) -> list[str]:
    return [item.text for item in preferences.find_all(memory.document, key)]
