"""`agent-memory prune` and `optimize`: fewer items.

Claude Code can shorten old items.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from memory_core.claude_code import headless
from memory_core.cli import output
from memory_core.cli.common import inputs, notes
from memory_core.cli.common.arguments import Agents, DryRun, User, Yes, option, parse_duration
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.errors import CommandRefused, exit_if
from memory_core.curation import cleaning, optimizing
from memory_core.curation.cleaning import PruneResult
from memory_core.curation.optimizing import Proposal
from memory_core.storage.project import Project
from memory_core.text.phrases import format_count

UnusedSince = Annotated[int, option("90d", "Least time since the last use.", parser=parse_duration)]
Below = Annotated[float, option("0..1", "Only with less confidence.", min=0, max=1)]
Helper = Annotated[
    Literal["claude"] | None,
    option("claude", "Ask Claude Code for shorter wordings, too.", "--with"),
]


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
        notes.note_nothing(scope.level, agents, "Nothing to prune: no item is old and uncertain.")
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


def optimize(
    agent: Agents = None, dry_run: DryRun = False, yes: Yes = False, helper: Helper = None
) -> None:
    """Merge duplicate items.

    Items that differ in a number, path, name, "not" or detail are no duplicates.

    \b
    Example:
      agent-memory optimize engineer --dry-run
    """
    ask = not (yes or dry_run) and inputs.can_ask()
    scope = find_level()
    agents = find_agents(scope, agent)
    proposals, refused = _collect_proposals(scope.project, agents, bool(helper))
    for proposal in [] if ask else proposals:
        _print_proposal(proposal)
    for refusal in refused:
        output.print_note(f"{refusal.agent}: refused {refusal.new!r}: {refusal.refused}")
    if not (proposals or refused):
        notes.note_nothing(scope.level, agents, "No duplicates found.")
    # Nothing is changed before the last answer, so that Ctrl-C changes nothing.
    accepted = [proposal for proposal in proposals if yes or (ask and _is_accepted(proposal))]
    if ask and proposals and not accepted:
        raise CommandRefused(inputs.NOTHING_CHANGED, 1)
    outcomes = optimizing.apply(scope.project, accepted)
    rows = [_to_json(proposal) for proposal in [*(outcomes or proposals), *refused]]
    notes.print_changed(scope.project, {"written": yes, "proposals": rows})
    failed = [outcome for outcome in outcomes if outcome.refused]
    for one in failed:
        output.print_note(f"{one.agent}: {one.olds[0].text!r} is kept: {one.refused}")
    if done := len(outcomes) - len(failed):
        output.print_note(f"{format_count(done, 'proposal')} applied.")
    notes.note_undo(scope)
    if proposals and not (yes or ask):
        output.print_note(notes.DRY_RUN_HINT if dry_run else notes.YES_HINT)
    exit_if(failed)


def _collect_proposals(
    project: Project, agents: list[str], ask_claude: bool
) -> tuple[list[Proposal], list[Proposal]]:
    """Return the proposals to show, and those that are refused."""
    proposals: list[Proposal] = []
    for agent in agents or project.store.agents():
        merges = optimizing.propose_merges(project, agent)
        proposals += merges
        if ask_claude:
            if output.is_terminal():
                seconds = headless.ANSWER_TIMEOUT
                output.print_note(f"{agent}: asking claude, which may take {seconds} s")
            merged = [item for proposal in merges for item in proposal.olds]
            rewordings, left = optimizing.propose_rewordings(project, agent, merged)
            proposals += rewordings
            if left:
                output.print_note(f"{agent}: {left} more old items did not fit; run it again")
    refused = [proposal for proposal in proposals if proposal.refused]
    return [proposal for proposal in proposals if not proposal.refused], refused


def _is_accepted(proposal: Proposal) -> bool:
    _print_proposal(proposal)
    return inputs.ask_yes_no("Accept?")


def _print_proposal(proposal: Proposal) -> None:
    count = len(proposal.olds)
    items = "this item" if count == 1 else f"these {count} items"
    output.print_line(f"{proposal.agent}: {items} {proposal.reason}")
    output.print_diff("\n".join(optimizing.format_diff(proposal)))


def _to_json(proposal: Proposal) -> dict[str, Any]:
    return {
        **output.select_fields(proposal, "agent", "reason", "refused", text="new"),
        "items": [output.select_fields(old, "section", "text") for old in proposal.olds],
        "diff": "" if proposal.refused else "\n".join(optimizing.format_diff(proposal)),
    }
