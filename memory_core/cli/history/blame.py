"""`agent-memory blame`: where each item of a memory comes from."""

from __future__ import annotations

from typing import Any

from memory_core.cli.common.arguments import AsJson, User
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.scopes import find_agents_or_ids, find_level
from memory_core.cli.history.log import RUN_ID_LENGTH, AgentsOrItems
from memory_core.cli.output import print_json, print_note, select_fields
from memory_core.curation import change_log
from memory_core.curation.change_log import ItemOrigin


def blame(agent: AgentsOrItems = None, user: User = False, json: AsJson = False) -> None:
    """Show when, by whom and in which run each item was added.

    Columns: agent, item id, day, source, confidence, run, text.
    The day and the run are those of the first wording of the item.

    \b
    Example:
      agent-memory blame engineer
      agent-memory blame 17e4
    """
    scope = find_level(user)
    agents, ids = find_agents_or_ids(scope, agent)
    origins = change_log.list_origins(*scope, agents, ids)
    if json:
        print_json([_to_json(*pair) for pair in origins])
        return
    print_entries([_to_entry(*pair) for pair in origins])
    if not origins:
        print_note(f"{', '.join(agents) or 'no agent'} knows nothing yet")


def _to_json(agent: str, origin: ItemOrigin) -> dict[str, Any]:
    names = ("used", "run", "session", "source", "confidence")
    return {
        "agent": agent,
        **select_fields(origin, "id", "text", "section"),
        **select_fields(origin.state, *names, time="born"),
    }


def _to_entry(agent: str, origin: ItemOrigin) -> Entry:
    state = origin.state
    cells = ("", "", "", "")
    if state:
        confidence = f"{state.confidence:.1f}"
        cells = (state.born[:10], state.source, confidence, state.run[:RUN_ID_LENGTH])
    return Entry((agent,), (agent,), (origin.id, *cells), origin.text, origin.section)
