"""`agent-memory migrate`: rename memory files that have an old name."""

from __future__ import annotations

import os

import typer

from memory_core.cli.common.arguments import Agents, AsJson, DryRun, User, YesOrAsk
from memory_core.cli.common.inputs import require_consent, should_ask
from memory_core.cli.common.notes import (
    YES_HINT,
    change_to_json,
    note_nothing,
    print_change,
)
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.output import (
    is_terminal,
    make_progress,
    print_json,
    print_line,
    print_note,
    select_fields,
)
from memory_core.curation.migrate import Migration, migrate_files


def migrate(
    agent: Agents = None,
    dry_run: DryRun = False,
    yes: YesOrAsk = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Rename old memory files and merge duplicates.

    Two files of one agent become one; items beyond its limits go to the archive.
    Exit 1 if a file cannot be read or changed.

    \b
    Example:
      agent-memory migrate
    """
    scope = find_level(user)
    agents = find_agents(scope, agent, accept_new=True)
    ask = should_ask(yes, dry_run, json) and is_terminal()

    def run(write: bool) -> list[Migration]:
        return migrate_files(scope.project, agents, user, write, make_progress("Migrating"))

    migrations = run(write=yes)
    if json:
        rows = [
            {
                **change_to_json(migration),
                **select_fields(migration, "file", old="old_names", error="refused"),
            }
            for migration in migrations
        ]
        print_json({"written": yes, "migrations": rows})
    elif migrations:
        for migration in migrations:
            _print_migration(migration, yes, user)
        if ask and not all(migration.refused for migration in migrations):
            require_consent("Rename and merge these files?")
            migrations, yes = run(write=True), True
        able = [migration for migration in migrations if not migration.refused]
        if able and not yes:
            print_note(YES_HINT)
        elif any(migration.change.after != migration.change.before for migration in able):
            print_note("The old files are removed; git has them if they were committed.")
    else:
        note_nothing(scope.level, agents, "Nothing to do: every memory has one file.")
    if any(migration.refused for migration in migrations):
        raise typer.Exit(1)


def _print_migration(migration: Migration, written: bool, user: bool) -> None:
    if migration.refused:
        print_note(f"{migration.agent} is not changed: {migration.refused}")
        return
    old = " and ".join(os.path.basename(path) for path in migration.old_names)
    print_line(f"{migration.agent}: {old} -> {os.path.basename(migration.file)}")
    print_change(migration, written, user)
