"""`agent-memory prune`: archive items with low confidence that nobody used recently."""

from __future__ import annotations

from typing import Annotated

from memory_core.cli import output
from memory_core.cli.common import notes
from memory_core.cli.common.arguments import Agents, DryRun, User, Yes, option, parse_duration
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.curation import cleaning
from memory_core.curation.cleaning import PruneResult
from memory_core.text.phrases import format_count

UnusedSince = Annotated[
    int, option("90d", "Minimum time since the last use; 0d: any.", parser=parse_duration)
]
Below = Annotated[float, option("0..1", "Only with less confidence.", min=0, max=1)]


def prune(
    older_than: UnusedSince,
    agent: Agents = None,
    below: Below = 0.3,
    dry_run: DryRun = False,
    yes: Yes = False,
    user: User = False,
) -> None:
    """Archive items with low confidence that were not used recently.

    An item is used when a run reports it again or you confirm it. Preferences are kept.

    \b
    Example:
      agent-memory prune --older-than 90d
    """
    scope = find_level(user)
    agents = find_agents(scope, agent)
    chosen = (*scope, agents or scope.level.agents(), older_than, below)
    results = cleaning.prune_items(*chosen)
    count = format_count(sum(len(result.items) for result in results), "item")
    _print_items(results)
    written = bool(results) and notes.may_change(f"Move {count} to the archive?", yes, dry_run)
    if written:
        results = cleaning.prune_items(*chosen, write=True)
    names = ("id", "text", "section", "confidence", "nested", "used")
    rows = [
        {"agent": one.agent, "items": [output.select_fields(item, *names) for item in one.items]}
        for one in results
    ]
    notes.print_changed(scope.project, {"written": written, "agents": rows})
    if not results:
        notes.note_nothing(
            scope.level, agents, "Nothing to prune: no item is that old and uncertain."
        )
    elif written:
        output.print_note(f"{count} archived.")
        notes.note_undo(scope)


def _print_items(results: list[PruneResult]) -> None:
    entries = []
    for result in results:
        agent = (result.agent,)
        for item in result.items:
            note = f" ({item.confidence:g}, last used {item.used[:10]})"
            entries.append(Entry(agent, agent, (item.id,), item.text, item.section, note))
    print_entries(entries)
