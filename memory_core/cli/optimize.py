"""`agent-memory optimize`: near-duplicates joined, old items reworded, once a person agrees."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import (
    NOTHING_DONE,
    Agents,
    AsJson,
    DryRun,
    YesOrAsk,
    asks,
    hint,
    note_nothing,
    project_of,
)
from memory_core.cli.known import known_agent
from memory_core.cli.output import (
    as_json,
    counted_off,
    is_agreed,
    is_terminal,
    note,
    out,
    paint,
    text_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.optimizing import Outcome, Proposal, Refusal

CLAUDE = "claude"

STYLES = {"-": "broken", "+": "ok", "@": "bold"}


def optimize(
    ctx: typer.Context,
    agent: Agents = None,
    dry_run: DryRun = False,
    yes: YesOrAsk = False,
    helper: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar=CLAUDE,
            help="Let your own Claude Code propose shorter wordings, too.",
        ),
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option(help="What --with is given: not confirmed for so long.", show_default="30d"),
    ] = None,
    json: AsJson = False,
) -> None:
    """Join items that say the same into the one that says all.

    Items that differ in a number, a path, a name or a "not" stay apart.
    What leaves goes to the archive.
    A wording of Claude Code's is shown only if it adds no fact and loses none.
    Exit 1 when Claude Code gives no answer, or the memory was changed meanwhile.

    \b
    Example:
      agent-memory optimize engineer --dry-run
    """
    is_asked = asks(yes, dry_run, json) and is_terminal()
    if helper not in (None, CLAUDE):
        raise Refused(f"--with {helper}: there is --with {CLAUDE} only")
    if older_than is not None and helper is None:
        raise Refused(f"--older-than wants --with {CLAUDE}")
    project = project_of(ctx)
    names = [known_agent(project, name) for name in agent or []]
    found, refused = _found(project, names, helper, older_than)
    if not (is_asked or json):
        for each in found:
            _print(each)
    for refusal in refused:
        note(text_of(f"{refusal.agent}: refused {refusal.new!r}: {refusal.reason}"))
    if not (found or refused):
        note_nothing(project.store, names, "Nothing to join: no two items say the same.")
    _carry_out(project, found, refused, is_asked, yes, json)


def _found(
    project: Project, names: list[str], helper: str | None, older_than: str | None
) -> tuple[list[Proposal], list[Refusal]]:
    """Return all proposals before any is carried out: an agent's may be the one that fails."""
    from memory_core import client, optimizing, times

    age = times.duration(older_than) if older_than is not None else optimizing.OLD
    found: list[Proposal] = []
    refused: list[Refusal] = []
    for name in counted_off(names or project.store.agents(), "Comparing"):
        own = optimizing.proposals(project, name)
        found += own
        if helper:
            if is_terminal():
                note(f"{name}: asking {CLAUDE}, which may take {client.PATIENCE} s")
            taken = [item for each in own for item in each.olds]
            told = optimizing.reworded(project, name, os.environ, age, taken)
            found += told.proposals
            refused += told.refused
            if told.left:
                note(f"{name}: {told.left} more old items did not fit; ask again after this")
    return found, refused


def _carry_out(
    project: Project,
    found: list[Proposal],
    refused: list[Refusal],
    is_asked: bool,
    yes: bool,
    json: bool,
) -> None:
    from memory_core import optimizing

    # Nothing is done before the last answer: Ctrl-C leaves all as it is.
    accepted = [each for each in found if yes or (is_asked and _is_accepted(each))]
    if is_asked and found and not accepted:
        raise Refused(NOTHING_DONE, 1)
    done = optimizing.apply(project, accepted)
    if json:
        as_json(_fields(found, refused, done, yes))
    _tell_end(found, done, is_over=yes or is_asked)
    if any(each.skipped for each in done):
        raise typer.Exit(1)


def _is_accepted(each: Proposal) -> bool:
    _print(each)
    return is_agreed("Do this?")


def _print(each: Proposal) -> None:
    from memory_core import optimizing

    out(text_of(_title(each)))
    for line in optimizing.diff(each):
        style = STYLES.get(line[0])
        out(paint(text_of(line), style) if style else text_of(line))


def _title(each: Proposal) -> str:
    count = len(each.olds)
    return f"{each.agent}: {'this item' if count == 1 else f'these {count} items'} {each.reason}"


def _tell_end(found: list[Proposal], done: list[Outcome], is_over: bool) -> None:
    from memory_core.overview import counted

    for each in done:
        if each.skipped:
            what = f"{each.proposal.agent}: {each.proposal.olds[0].text!r}"
            note(text_of(f"{what} stays: {each.skipped}"))
    count = sum(not each.skipped for each in done)
    if count:
        note(f"{counted(count, 'proposal')} carried out; {hint('undo')} takes it back.")
        if any(_is_double(each.proposal) for each in done if not each.skipped):
            note(
                "What stood there twice in the same words is in the archive: undo leaves it there."
            )
    elif found:
        note("Nothing is changed." if is_over else "Nothing is changed yet; --yes does it.")


def _is_double(proposal: Proposal) -> bool:
    """Say whether an item leaves in whose words another one stays: it has no record of its own."""
    from memory_core import similarity

    fold = similarity.fold(proposal.new)
    return any(similarity.fold(old.text) == fold for old in proposal.olds[1:])


def _fields(
    found: list[Proposal], refused: list[Refusal], done: list[Outcome], written: bool
) -> dict[str, object]:
    from memory_core import optimizing

    skipped = {id(each.proposal): each.skipped for each in done}
    return {
        "written": written,
        "proposals": [
            {
                "agent": each.agent,
                "section": text_of(each.section),
                "items": [
                    {"section": text_of(old.section), "text": text_of(old.text)}
                    for old in each.olds
                ],
                "text": text_of(each.new),
                "reason": each.reason,
                "diff": text_of("\n".join(optimizing.diff(each))),
                "skipped": text_of(skipped.get(id(each), "")) or None,
            }
            for each in found
        ],
        "refused": [
            {
                "agent": each.agent,
                "items": [text_of(old) for old in each.olds],
                "text": text_of(each.new),
                "reason": text_of(each.reason),
            }
            for each in refused
        ],
    }
