"""What several pages use."""

from __future__ import annotations

from memory_core.claude_code.agent_names import PM
from memory_core.curation import lookup
from memory_core.dashboard.page import NotFound, Visit


def find_agent(visit: Visit, name: str) -> str:
    """Return an agent with exactly this id; raises NotFound."""
    if name != PM and name not in lookup.list_known_agents(visit.project, visit.environ):
        raise NotFound(f"There is no agent {name!r} here.")
    return name
