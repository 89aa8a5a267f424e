"""`agent-memory prune`: archive items with low confidence that nobody used recently."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import times
from memory_core.cli.common.arguments import Agents, AsJson, DryRun, User, Yes
from memory_core.cli.common.inputs import require_consent, should_ask
from memory_core.cli.common.notes import DRY_RUN_HINT, note_nothing, note_undo
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.common.tables import format_section
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import make_progress, print_json, print_line, print_note
from memory_core.curation import cleaning
from memory_core.curation.cleaning import PruneResult
from memory_core.text.phrases import format_count


def prune(
    agent: Agents = None,
    older_than: Annotated[
        str,
        typer.Option(
            metavar="90d", help="Minimum time since the last use: in s, m, h, d or w; 0d = any."
        ),
    ] = ...,  # type: ignore[assignment]
    below: Annotated[
        float, typer.Option(min=0, max=1, metavar="0..1", help="Only with less confidence.")
    ] = 0.3,
    dry_run: DryRun = False,
    yes: Yes = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Archive items with low confidence that were not used recently.

    An item counts as used when a run reports it again or you confirm it; otherwise
    its age counts.  Preferences are kept.
    On a terminal, the items are shown first and you are asked.

    \b
    Example:
      agent-memory prune --older-than 90d
    """
    if below != below:
        raise CommandRefused("invalid --below nan: use a number from 0 to 1")
    seconds = times.parse_duration(older_than)
    ask = should_ask(yes, dry_run, json)
    scope = find_level(user)
    agents = find_agents(scope, agent)

    def run(write: bool) -> list[PruneResult]:
        names = agents or scope.level.agents()
        return cleaning.prune_items(*scope, names, seconds, below, write, make_progress("Pruning"))

    results = run(write=not (dry_run or ask))
    if json:
        rows = [{"agent": result.agent, "items": _to_json(result)} for result in results]
        print_json({"written": not dry_run, "agents": rows})
        return
    if not results:
        note_nothing(scope.level, agents, "Nothing to prune: no item is that old and uncertain.")
        return
    for result in results:
        for item, used in zip(result.items, result.used, strict=True):
            note = f"{item.confidence:g}, last used {used[:10]}"
            print_line(f"{result.agent}: {format_section(item.section)}{item.text} ({note})")
    if ask:
        require_consent(f"Move {_count_items(results)} to the archive?")
        results = run(write=True)
    if dry_run:
        print_note(DRY_RUN_HINT)
    else:
        print_note(f"{_count_items(results)} archived.")
        note_undo(user)


def _count_items(results: list[PruneResult]) -> str:
    return format_count(sum(len(result.items) for result in results), "item")


def _to_json(result: PruneResult) -> list[dict[str, object]]:
    return [
        {**item._asdict(), "used": used}
        for item, used in zip(result.items, result.used, strict=True)
    ]
