"""`agent-memory optimize` and `prune`: merge duplicates, and archive items that nobody uses.

Claude Code can shorten old items.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

import typer

from memory_core.claude_code import headless
from memory_core.cli import output
from memory_core.cli.common import arguments, notes
from memory_core.cli.common.arguments import Agents, AsJson, DryRun, User, Yes
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.errors import CommandRefused
from memory_core.curation import cleaning, optimizing
from memory_core.curation.cleaning import PruneResult
from memory_core.curation.optimizing import Proposal
from memory_core.storage.project import Project
from memory_core.text.phrases import format_count

Helper = Annotated[
    Literal["claude"] | None,
    typer.Option(
        "--with", metavar="claude", help="Also ask your Claude Code for shorter wordings."
    ),
]
OlderThan = Annotated[
    str | None,
    typer.Option(
        metavar="30d",
        help="With --with: items not confirmed for this time.",
        show_default="30d",
    ),
]


def optimize(
    agent: Agents = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    helper: Helper = None,
    older_than: OlderThan = None,
    json: AsJson = False,
) -> None:
    """Merge duplicate items.

    Items that differ in a number, path, name, "not" or detail are no duplicates.

    \b
    Example:
      agent-memory optimize engineer --dry-run
    """
    notes.check_options(yes, dry_run)
    ask = not (yes or dry_run or json) and notes.can_ask() and output.is_terminal()
    age = _parse_age(older_than, helper)
    scope = find_level()
    agents = find_agents(scope, agent)
    proposals, refused = _collect_proposals(scope.project, agents, age, bool(helper))
    for proposal in [] if ask or json else proposals:
        _print_proposal(proposal)
    for refusal in refused:
        output.print_note(f"{refusal.agent}: refused {refusal.new!r}: {refusal.refused}")
    if not (proposals or refused):
        notes.note_nothing(scope.level, agents, "No duplicates found.")
    # Nothing is changed before the last answer, so that Ctrl-C changes nothing.
    accepted = [proposal for proposal in proposals if yes or (ask and _is_accepted(proposal))]
    if ask and proposals and not accepted:
        raise CommandRefused(notes.NOTHING_CHANGED, 1)
    outcomes = optimizing.apply(scope.project, accepted)
    if json:
        change = notes.get_change(scope.project)
        rows = [_to_json(proposal, outcomes) for proposal in [*proposals, *refused]]
        output.print_json({"written": yes, "change": change, "proposals": rows})
    _print_outcomes(scope.project, outcomes)
    if proposals and not (yes or ask or json):
        output.print_note(notes.DRY_RUN_HINT if dry_run else notes.YES_HINT)
    if any(outcome.refused for outcome in outcomes):
        raise typer.Exit(1)


def _parse_age(older_than: str | None, helper: str | None) -> int:
    if older_than is None:
        return optimizing.MIN_AGE
    if helper is None:
        raise CommandRefused("--older-than requires --with claude")
    return arguments.parse_duration(older_than)


def _collect_proposals(
    project: Project, agents: list[str], age: int, ask_claude: bool
) -> tuple[list[Proposal], list[Proposal]]:
    """Return the proposals to show, and those that are refused."""
    proposals: list[Proposal] = []
    for agent in agents or project.store.agents():
        merges = optimizing.propose_merges(project, agent)
        proposals += merges
        if ask_claude:
            if output.is_terminal():
                output.print_note(
                    f"{agent}: asking claude, which may take {headless.ANSWER_TIMEOUT} s"
                )
            merged = [item for proposal in merges for item in proposal.olds]
            rewordings, left = optimizing.propose_rewordings(project, agent, age, merged)
            proposals += rewordings
            if left:
                output.print_note(f"{agent}: {left} more old items did not fit; run it again")
    refused = [proposal for proposal in proposals if proposal.refused]
    return [proposal for proposal in proposals if not proposal.refused], refused


def _is_accepted(proposal: Proposal) -> bool:
    _print_proposal(proposal)
    return notes.ask_yes_no("Accept?")


def _print_proposal(proposal: Proposal) -> None:
    count = len(proposal.olds)
    items = "this item" if count == 1 else f"these {count} items"
    output.print_line(f"{proposal.agent}: {items} {proposal.reason}")
    output.print_diff("\n".join(optimizing.format_diff(proposal)))


def _print_outcomes(project: Project, outcomes: list[Proposal]) -> None:
    done = [outcome for outcome in outcomes if not outcome.refused]
    for outcome in outcomes:
        if outcome.refused:
            output.print_note(
                f"{outcome.agent}: {outcome.olds[0].text!r} is kept: {outcome.refused}"
            )
    if done:
        output.print_note(f"{format_count(len(done), 'proposal')} applied.")
        notes.note_undo(project)
    elif outcomes:
        output.print_note("Nothing is changed.")


def _to_json(proposal: Proposal, outcomes: list[Proposal]) -> dict[str, Any]:
    skipped = {(outcome.agent, outcome.new): outcome.refused for outcome in outcomes}
    return {
        **output.select_fields(proposal, "agent", "reason", text="new"),
        "items": [output.select_fields(old, "section", "text") for old in proposal.olds],
        "diff": "" if proposal.refused else "\n".join(optimizing.format_diff(proposal)),
        "refused": proposal.refused or skipped.get((proposal.agent, proposal.new)) or None,
    }


def _parse_share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise typer.BadParameter(f"invalid confidence {text!r}: use a number from 0 to 1")
    return share


UnusedSince = Annotated[
    str,
    typer.Option(metavar="90d", help="Minimum time since the last use; 0d: any."),
]
Below = Annotated[
    float,
    typer.Option(metavar="0..1", parser=_parse_share, help="Only with less confidence."),
]


def prune(
    agent: Agents = None,
    older_than: UnusedSince = ...,  # type: ignore[assignment]
    below: Below = 0.3,
    dry_run: DryRun = False,
    yes: Yes = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Archive items with low confidence that were not used recently.

    An item is used when a run reports it again or you confirm it. Preferences are kept.

    \b
    Example:
      agent-memory prune --older-than 90d
    """
    notes.check_options(yes, dry_run)
    seconds = arguments.parse_duration(older_than)
    scope = find_level(user)
    agents = find_agents(scope, agent)
    prune_items = partial(
        cleaning.prune_items, *scope, agents or scope.level.agents(), seconds, below
    )
    results = prune_items()
    count = format_count(sum(len(result.items) for result in results), "item")
    if not json:
        _print_items(results)
    written = bool(results) and notes.may_change(
        f"Move {count} to the archive?", yes, dry_run, json
    )
    if written:
        results = prune_items(write=True)
    if json:
        rows, change = list(map(_pruned_to_json, results)), notes.get_change(scope.project)
        output.print_json({"written": written, "change": change, "agents": rows})
    elif not results:
        notes.note_nothing(
            scope.level, agents, "Nothing to prune: no item is that old and uncertain."
        )
    elif written:
        output.print_note(f"{count} archived.")
        notes.note_undo(scope.project, user)


def _print_items(results: list[PruneResult]) -> None:
    entries = []
    for result in results:
        agent = (result.agent,)
        for item, used in zip(result.items, result.used, strict=True):
            note = f" ({item.confidence:g}, last used {used[:10]})"
            entries.append(Entry(agent, agent, (item.id,), item.text, item.section, note))
    print_entries(entries)


def _pruned_to_json(result: PruneResult) -> dict[str, object]:
    items = zip(result.items, result.used, strict=True)
    return {
        "agent": result.agent,
        "items": [{**item._asdict(), "used": used} for item, used in items],
    }
