"""A step of `tidy`: rename memory files of older versions."""

from __future__ import annotations

import os

from memory_core.cli.common.notes import change_to_json, get_change, may_change, print_change
from memory_core.cli.output import make_progress, print_line, print_note, select_fields
from memory_core.cli.upkeep.steps import Step, StepResult
from memory_core.memory.migrate import Migration, migrate_files


def take_over_old_files(step: Step) -> StepResult:
    """Give memory files their current name.

    Two files of one agent become one; items beyond its limits go to the archive.
    It fails if a file cannot be read or changed.
    """
    (project, _level), yes = step.scope, step.yes

    def run(write: bool) -> list[Migration]:
        return migrate_files(project, (), step.user, write, make_progress("Migrating"))

    migrations = run(write=yes)
    if not step.json:
        for migration in migrations:
            _print_migration(migration, yes, step.user)
    is_able = any(not migration.refused for migration in migrations)
    written = is_able and may_change("Make these changes?", yes, step.dry_run, step.json)
    if written:
        migrations = migrations if yes else run(write=True)
        if not step.json and any(map(_is_changed, migrations)):
            print_note("The old files are removed; git has them if they were committed.")
    fields = {
        "written": written,
        "change": get_change(project),
        "migrations": list(map(_to_json, migrations)),
    }
    return StepResult(fields, bool(migrations), any(migration.refused for migration in migrations))


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
