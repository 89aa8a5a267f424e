"""`agent-memory tidy`: all regular upkeep in one command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from memory_core.cli.common.arguments import AsJson, DryRun, User, Yes, flag
from memory_core.cli.common.inputs import check_options
from memory_core.cli.common.notes import note_undo
from memory_core.cli.common.scopes import find_level
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_json, print_note
from memory_core.cli.upkeep import steps
from memory_core.cli.upkeep.clean import remove_leftovers
from memory_core.cli.upkeep.steps import Step, StepResult

STEPS: dict[str, Callable[[Step], StepResult]] = {
    "gone": steps.take_over_learnings,
    "sweep": steps.collect_learnings,
    "resolve": steps.resolve_conflicts,
    "clean": remove_leftovers,
    "expire": steps.archive_unused,
    "about": steps.remove_subjects,
}

# Learnings wait, and runs end and use items, in projects.
PROJECT_STEPS = ("sweep", "expire")


def tidy(
    about: Annotated[bool, flag("--about", "Also remove words of prompts from histories.")] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Do all upkeep: merge what waits, resolve conflicts, remove leftovers.

    It also reads transcripts of interrupted runs, and asks before it removes anything.
    Exit 1 if a step failed, or you answered no.

    \b
    Example:
      agent-memory tidy --dry-run
    """
    names = [name for name in STEPS if not (user and name in PROJECT_STEPS)]
    names = [name for name in names if about or name != "about"]
    _run(names, dry_run, yes, user, json)


def clean(
    dry_run: DryRun = False, yes: Yes = False, user: User = False, json: AsJson = False
) -> None:
    """Do only the step clean of agent-memory tidy."""
    _run(["clean"], dry_run, yes, user, json)


def _run(names: list[str], dry_run: bool, yes: bool, user: bool, json: bool) -> None:
    check_options(yes, dry_run)
    fields, has_work, failed = {}, False, False
    for name in names:
        scope = find_level(user)
        try:
            result = STEPS[name](Step(scope, dry_run, yes, user, json))
        except CommandRefused as error:  # the answer no concerns this step only
            if error.status != 1:
                raise
            print_note(str(error))
            result = StepResult({}, True, True)
        fields[name] = result.fields
        has_work |= result.has_work
        failed |= result.failed
        if result.fields.get("change") and not json:
            note_undo(scope.project, user)
    if json:
        print_json(fields if len(names) > 1 else fields[names[0]])
    elif not has_work:
        print_note("Nothing to tidy up.")
    if failed:
        raise typer.Exit(1)
