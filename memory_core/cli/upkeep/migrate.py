"""A step of `tidy`: rename memory files, and take over learnings of projects that are gone."""

from __future__ import annotations

import os

from memory_core.cli.common.notes import change_to_json, get_change, may_change, print_change
from memory_core.cli.output import make_progress, print_line, print_note, select_fields
from memory_core.cli.upkeep.steps import Step, StepResult
from memory_core.memory.migrate import Migration, migrate_files
from memory_core.monitor import gone_projects
from memory_core.monitor.gone_projects import LeftLearnings
from memory_core.storage import review_file
from memory_core.text.phrases import format_count


def take_over_old_files(step: Step) -> StepResult:
    """Give memory files their current name, and take over learnings of a project that is gone.

    Two files of one agent become one; items beyond its limits go to the archive.
    Learnings that wait for a project that was deleted or renamed go to the review, if it may have
    been this one: it had the same name or the same folder.
    It fails if a file cannot be read or changed.
    """
    (project, level), yes = step.scope, step.yes

    def run(write: bool) -> list[Migration]:
        return migrate_files(project, (), step.user, write, make_progress("Migrating"))

    migrations, left = run(write=yes), gone_projects.find(level)
    if not step.json:
        for migration in migrations:
            _print_migration(migration, yes, step.user)
        _print_left(left)
    is_able = bool(left.files) or any(not migration.refused for migration in migrations)
    written = is_able and may_change("Make these changes?", yes, step.dry_run, step.json)
    if written:
        migrations = migrations if yes else run(write=True)
        gone_projects.take_over(level, left)
        if not step.json and any(map(_is_changed, migrations)):
            print_note("The old files are removed; git has them if they were committed.")
    fields = {
        "written": written,
        "change": get_change(project),
        "migrations": list(map(_to_json, migrations)),
        "gone_projects": select_fields(left, "learnings", "projects", "kept"),
    }
    has_work = bool(migrations) or bool(left.files)
    return StepResult(fields, has_work, any(migration.refused for migration in migrations))


def _print_left(left: LeftLearnings) -> None:
    for agent, entries in left.learnings.items():
        print_line(f"{agent}: {format_count(len(entries), 'learning')} to review")
        for entry in entries:
            print_line(f"  {review_file.format_line(entry)}")
    for project in left.projects:
        print_line(f"included: learnings of {project}, which does not exist any more")
    for path, reason in left.kept.items():
        print_note(f"{path} is kept: {reason}")


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
