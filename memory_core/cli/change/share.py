"""`agent-memory share`: copy an item of one agent to others."""

from __future__ import annotations

from typing import Annotated, Any

from memory_core.claude_code.agent_names import PM
from memory_core.cli.common import scopes
from memory_core.cli.common.arguments import ITEM_HELP, agent_option, argument, flag
from memory_core.cli.common.notes import print_result
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import select_fields
from memory_core.curation import lookup, sharing
from memory_core.curation.item_actions import RatedItem, SavedItem
from memory_core.storage.store import Store

Item = Annotated[list[str], argument("ITEM", ITEM_HELP)]
To = Annotated[list[str] | None, agent_option("Agent to copy to (repeatable).", "--to")]
All = Annotated[bool, flag("--all", "Copy to every agent with a memory except PM.")]
ToUser = Annotated[bool, flag("--user", "Copy to the agent's user-level memory.")]
From = Annotated[str | None, agent_option("Agent to copy from.", "--from", default="any")]


def share(
    item: Item, to: To = None, all_: All = False, user: ToUser = False, from_: From = None
) -> None:
    """Copy items to other agents or to your user level.

    Several words are ids, or else the text of one item.

    \b
    Example:
      agent-memory share "event bus" --user
    """
    if sum(map(bool, (to, all_, user))) != 1:
        raise CommandRefused("one of --to AGENT, --all and --user is required")
    target = scopes.find_level(user)
    if user and target.project.user_paths is None:
        raise CommandRefused(
            "this folder is your home directory: its memories are your user level already"
        )
    scope = scopes.Scope(target.project, target.project.store)
    owners = scopes.find_agents(scope, [from_]) if from_ else scope.level.agents()
    names = item if all(map(lookup.is_id, item)) else [" ".join(item)]
    sources = [sharing.find_source(*scope, owners, name) for name in names]
    targets = [
        [(source.agent, target.level)] if user else _list_targets(scope, source, to or [])
        for source in sources
    ]
    copied = sharing.copy_items(scope.project, list(zip(sources, targets, strict=True)))
    copies = list(zip(sources, copied, strict=True))
    lines = [_format_copy(source, one, user) for source, results in copies for one in results]
    print_result(target, [_copies_to_json(*copy, user) for copy in copies], lines)


def _copies_to_json(source: RatedItem, results: list[SavedItem], user: bool) -> dict[str, Any]:
    names = ("agent", "text", "section")
    return {
        "from": source.agent,
        **select_fields(source, "id", "text", "section", "confidence"),
        "shared": [
            {**select_fields(result, *names, known="was_present"), "user": user}
            for result in results
        ],
    }


def _list_targets(
    scope: scopes.Scope, source: RatedItem, names: list[str]
) -> list[tuple[str, Store]]:
    agents = scopes.find_agents(scope, names) or [
        agent for agent in scope.level.agents() if agent not in (source.agent, PM)
    ]
    if not agents:
        raise CommandRefused(f"no agent other than {source.agent} has a memory here", 1)
    return [(agent, scope.level) for agent in dict.fromkeys(agents)]


def _format_copy(source: RatedItem, result: SavedItem, user: bool) -> str:
    target = f"{result.agent} (user level)" if user else result.agent
    if result.was_present:
        return f"{target} already knows: {result.text}"
    section = f" [{result.section}]" if result.section else ""
    return f"{source.agent} -> {target}{section}: {result.text}"
