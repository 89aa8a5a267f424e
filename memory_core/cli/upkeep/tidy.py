"""`agent-memory tidy`: all regular upkeep in one command."""

from __future__ import annotations

from collections.abc import Callable

import typer

from memory_core.cli.common.arguments import AsJson, DryRun, User, Yes
from memory_core.cli.common.inputs import check_options
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import collect_json, print_json, print_note
from memory_core.cli.upkeep.clean import clean
from memory_core.cli.upkeep.migrate import migrate
from memory_core.cli.upkeep.resolve import resolve
from memory_core.cli.upkeep.sweep import sweep


def tidy(
    dry_run: DryRun = False, yes: Yes = False, user: User = False, json: AsJson = False
) -> None:
    """Do all upkeep: merge what waits, resolve conflicts, remove leftovers.

    Merges waiting learnings, collects those of interrupted runs, and resolves merge
    conflicts.  Then it takes over memory files and data of older versions, and
    removes leftover files and memories of deleted agents: it shows these changes
    and asks first.
    Exit 1 if a step failed, or you answered no.

    \b
    Example:
      agent-memory tidy --dry-run
    """
    check_options(yes, dry_run)
    steps: dict[str, Callable[[], None]] = {
        "sweep": lambda: sweep(dry_run=dry_run, json=json),
        "resolve": lambda: resolve(None, dry_run, user, json),
        "migrate": lambda: migrate(None, dry_run, yes, user, json),
        "clean": lambda: clean(dry_run, yes, user, json),
    }
    if user:
        del steps["sweep"]  # learnings wait and runs end in projects
    failed = False
    with collect_json() as values:
        for step in steps.values():
            failed |= not _succeeds(step)
    if json:
        print_json(dict(zip(steps, values, strict=True)))
    if failed:
        raise typer.Exit(1)


def _succeeds(step: Callable[[], None]) -> bool:
    try:
        step()
    except typer.Exit:
        return False
    except CommandRefused as error:
        print_note(str(error))  # the answer no concerns this step only
        return False
    return True
