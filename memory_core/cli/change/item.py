"""`agent-memory confirm`, `contradict` and `remove`: judge one item."""

from __future__ import annotations

from typing import Any

from memory_core.cli.common.arguments import Agent, AsJson, Item, User
from memory_core.cli.common.notes import get_change, note_undo
from memory_core.cli.common.scopes import find_agent
from memory_core.cli.common.tables import format_section
from memory_core.cli.output import print_json, print_line
from memory_core.curation import item_actions
from memory_core.curation.item_actions import RatedItem

# By the kind of the history record.
RESULT_WORDS = {
    "confirmed": "Confirmed",
    "contradicted": "Contradicted",
    "removed": "Archived",
}


def confirm(agent: Agent, item: Item, user: User = False, json: AsJson = False) -> None:
    """Record that an item is right: its confidence rises.

    \b
    Example:
      agent-memory confirm engineer "event bus"
    """
    _change("confirmed", agent, item, user, json)


def contradict(agent: Agent, item: Item, user: User = False, json: AsJson = False) -> None:
    """Record that an item is wrong: its confidence falls.

    The item stays in the memory.

    \b
    Example:
      agent-memory contradict engineer "event bus"
    """
    _change("contradicted", agent, item, user, json)


def remove(agent: Agent, item: Item, user: User = False, json: AsJson = False) -> None:
    """Move an item to the archive.

    agent-memory restore lists the archive and puts an item back.

    \b
    Example:
      agent-memory remove engineer "event bus"
    """
    _change("removed", agent, item, user, json)


def _change(kind: str, agent: str, item: str, user: bool, json: bool) -> None:
    scope = find_agent(agent, user)
    changed = item_actions.judge(scope.project, scope.agent, item, kind, scope.level)
    if json:
        change = get_change(scope.project)
        print_json({"agent": scope.agent, "kind": kind, **item_to_json(changed), "change": change})
        return
    print_line(f"{RESULT_WORDS[kind]}: {format_item(changed)}")
    note_undo(scope.project, user)


def format_item(item: RatedItem) -> str:
    return f"{item.id} {format_section(item.section)}{item.text} ({item.confidence:.1f})"


def item_to_json(item: RatedItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "text": item.text,
        "section": item.section or None,
        "confidence": item.confidence,
    }
