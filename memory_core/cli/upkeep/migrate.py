"""`agent-memory migrate`: rename memory files that have an old name."""

from __future__ import annotations

import os

import typer

from memory_core.cli.common.arguments import Agents, AsJson, DryRun, User, Yes
from memory_core.cli.common.inputs import check_options
from memory_core.cli.common.notes import change_to_json, may_change, note_nothing, print_change
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.output import make_progress, print_json, print_line, print_note, select_fields
from memory_core.memory.migrate import Migration, migrate_files


def migrate(
    agent: Agents = None,
    dry_run: DryRun = False,
    yes: Yes = False,
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
    check_options(yes, dry_run)
    scope = find_level(user)
    agents = find_agents(scope, agent, accept_new=True)

    def run(write: bool) -> list[Migration]:
        return migrate_files(scope.project, agents, user, write, make_progress("Migrating"))

    migrations = run(write=yes)
    if not json:
        for migration in migrations:
            _print_migration(migration, yes, user)
    is_able = any(not migration.refused for migration in migrations)
    written = is_able and may_change("Rename and merge these files?", yes, dry_run, json)
    if written and not yes:
        migrations = run(write=True)
    if json:
        print_json({"written": written, "migrations": list(map(_to_json, migrations))})
    elif not migrations:
        note_nothing(scope.level, agents, "Nothing to do: every memory has one file.")
    elif written and any(_is_changed(migration) for migration in migrations):
        print_note("The old files are removed; git has them if they were committed.")
    if any(migration.refused for migration in migrations):
        raise typer.Exit(1)


def _is_changed(migration: Migration) -> bool:
    return not migration.refused and migration.change.after != migration.change.before


def _to_json(migration: Migration) -> dict[str, object]:
    fields = select_fields(migration, "file", old="old_names", error="refused")
    return {**change_to_json(migration), **fields}


def _print_migration(migration: Migration, written: bool, user: bool) -> None:
    if migration.refused:
        print_note(f"{migration.agent} is not changed: {migration.refused}")
        return
    old = " and ".join(os.path.basename(path) for path in migration.old_names)
    print_line(f"{migration.agent}: {old} -> {os.path.basename(migration.file)}")
    print_change(migration, written, user)
