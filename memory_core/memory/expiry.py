"""Move the items that no run reports or uses any more to the archive: `memory.expire_after`.

Only items of agents expire, and none that a person pinned; preferences are a person's.  A run that
only received an item did not use it.
"""

from __future__ import annotations

import time
from functools import partial

from memory_core.memory import agent_memory, changes, run_history, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.loading import read_memory
from memory_core.storage import event_log
from memory_core.storage.config_yml import default_settings
from memory_core.storage.project import Project
from memory_core.text.times import format_utc

Expired = list[tuple[str, list[str]]]  # agents, and the texts of their items


# The source of the records.
SOURCE = "expire"

# The note with the day on which a session last looked for unused items, and the setting then.
NOTE = "expired"
DAY_SECONDS = 86400


def expire_items(project: Project, write: bool = True) -> Expired:
    """Archive the unused items of the project's agents as one change; return them.

    Without `write` nothing is changed.  A memory that cannot be read or written is logged.
    """
    days = default_settings.count_days(project.config["expire_after"])
    if not days:
        return []
    until = format_utc(time.time() - days * DAY_SECONDS)
    change_id = agent_memory.make_change_id(SOURCE)
    expired: Expired = []
    for agent in project.store.agents():
        try:
            used = run_history.list_used(project.store, agent, until)
            archive = partial(_archive_unused, used=used, until=until)
            texts = archive(read_memory(project, agent))
            if texts and write:
                texts = transaction.change_memory(project, agent, archive, change_id=change_id)
            expired += [(agent, texts)] if texts else []
        except OSError as error:
            event_log.write(project.paths, "agent.memory.error", agent_id=agent, error=str(error))
    return expired


def _archive_unused(memory: AgentMemory, used: set[str], until: str) -> list[str]:
    """Archive the items of agents that no run has reported since `until`, and that are not used."""
    states = (memory.history.find(item.text) for item in memory.document.items)
    texts = [
        state.text
        for state in states
        if state and not state.is_persons and not state.is_pinned
        if state.used < until and state.id not in used
    ]
    return changes.remove_items(memory, texts, "archived", source=SOURCE)
