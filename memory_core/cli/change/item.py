"""`agent-memory confirm`, `contradict`, `remove`, `restore`, `pin` and `unpin`: judge items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from memory_core.cli.common import acting, scopes
from memory_core.cli.common.arguments import Items, User, agent_argument
from memory_core.cli.common.entries import Entry, format_section, print_list, print_sentence
from memory_core.cli.common.notes import print_result
from memory_core.cli.output import select_fields
from memory_core.curation import agent_context, archive, item_actions, lookup, searching
from memory_core.curation.item_actions import RatedItem, SavedItem
from memory_core.storage.project import Project

# What only a person may do, by the kind of the history record.
PERSONS_KINDS = {"confirmed": "confirm items", "pinned": "pin items", "unpinned": "pin items"}

# What an agent may do to items that are no person's.
VERBS = {"contradicted": "contradict", "removed": "remove"}

MOST_NAMED = 5  # items in a warning

ArchivedItems = Annotated[
    list[str], agent_argument("An agent and a text, or ids; without: list.", "[AGENT] [ITEM]")
]


def confirm(items: Items, user: User = False) -> None:
    """Record that items are right: their confidence rises.

    \b
    Example:
      agent-memory confirm engineer "event bus"
    """
    _change("confirmed", items, user)


def contradict(items: Items, user: User = False) -> None:
    """Record that items are wrong: their confidence falls.

    The items stay in the memory.

    \b
    Example:
      agent-memory contradict engineer "event bus"
    """
    _change("contradicted", items, user)


def remove(items: Items, user: User = False) -> None:
    """Move items to the archive.

    agent-memory restore puts an item back.

    \b
    Example:
      agent-memory remove engineer "event bus"
    """
    _change("removed", items, user)


def restore(items: ArchivedItems, user: User = False) -> None:
    """List archived items, or restore them.

    \b
    Example:
      agent-memory restore engineer
    """
    scope = scopes.find_level(user)
    if len(items) == 1 and lookup.is_agent(scope.project, items[0], scope.level):
        _list_archive(scope, scopes.find_agents(scope, items)[0])
        return
    acting.require_person(scope.project, "restore items")
    places = (searching.IN_ARCHIVE, searching.IN_MEMORY, searching.IN_HISTORY)
    named = searching.resolve_items(*scope, items, places)
    results = archive.restore(*scope, named)
    names = ("agent", "section", "text")
    rows = [
        {**select_fields(one, *names, known="was_present"), "file": _find_file(scope, one)}
        for one in results
    ]
    lines = [_format_restored(one, _find_file(scope, one)) for one in results]
    print_result(scope, rows, lines)


def pin(items: Items, user: User = False) -> None:
    """Give items to the agent with every task, whatever the task is.

    \b
    Example:
      agent-memory pin engineer "event bus"
    """
    _change("pinned", items, user)


def unpin(items: Items, user: User = False) -> None:
    """Give items to the agent only if they fit its task.

    \b
    Example:
      agent-memory unpin 17e4
    """
    _change("unpinned", items, user)


def _change(kind: str, items: list[str], user: bool) -> None:
    project, level = scope = scopes.find_level(user)
    if kind in PERSONS_KINDS:
        acting.require_person(project, PERSONS_KINDS[kind])
    names = searching.resolve_items(*scope, items, [searching.IN_MEMORY])
    if kind in VERBS:
        acting.require_person_for(scope, names, f"{VERBS[kind]} an item of a person")
    changed = item_actions.judge_items(project, names, kind, level)
    rows = [{"agent": one.agent, "kind": kind, **item_to_json(one)} for one in changed]
    done = item_actions.JUDGEMENTS[kind]
    print_result(scope, rows, [f"{done}: {format_item(item)}" for item in changed])
    if kind == "pinned":
        _warn_of_full_budget(project, {item.agent for item in changed})


def _warn_of_full_budget(project: Project, agents: Iterable[str]) -> None:
    """Say which pinned items of these agents do not fit into a prompt any more."""
    for agent in sorted(agents):
        choices = agent_context.preview_block(project, agent).choices
        left = [one.passage for one in choices if one.passage.is_wished and not one.is_chosen]
        if left:
            pins = sum(one.passage.is_wished for one in choices)
            names = ", ".join(passage.short_id or passage.section for passage in left[:MOST_NAMED])
            budget = project.config["selection"]["budget_tokens"]
            what = f"{len(left)} of {pins} pins of {agent} do not fit into {budget} tokens: {names}"
            print_sentence(what, level="warning")


def format_item(item: RatedItem) -> str:
    return f"{item.id} {format_section(item.section)}{item.text} ({item.confidence:.1f})"


def item_to_json(item: RatedItem) -> dict[str, Any]:
    return select_fields(item, "id", "text", "section", "confidence")


def _find_file(scope: scopes.Scope, item: SavedItem) -> str:
    return scope.level.paths.relative(scope.level.path(item.agent))


def _format_restored(result: SavedItem, file: str) -> str:
    first = result.text.splitlines()[0]
    if result.was_present:
        return f"Already in {file}: {first}"
    return f"Restored to {file} [{result.section}]: {first}"


def _list_archive(scope: scopes.Scope, agent: str) -> None:
    items = archive.list_absent(scope.level, agent)
    rows = [{**item._asdict(), "day": item.day or None} for item in items]
    width = len(str(len(items)))
    entries = [
        Entry((agent,), (), (f"{item.number:{width}}", item.day), item.text, item.section)
        for item in items
    ]
    way = f"; agent-memory log {agent} shows items that were deleted in the file"
    hint = way if agent in scope.level.agents_with_history() else ""
    print_list(rows, entries, f"The archive of {agent} is empty{hint}.")
