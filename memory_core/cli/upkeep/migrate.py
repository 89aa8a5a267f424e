"""A step of `tidy`: take over what older versions named or kept in another way."""

from __future__ import annotations

import os

from memory_core.cli.common.notes import change_to_json, get_change, may_change, print_change
from memory_core.cli.output import make_progress, print_line, print_note, select_fields
from memory_core.cli.upkeep.steps import Step, StepResult
from memory_core.memory import old_state
from memory_core.memory.migrate import Migration, migrate_files
from memory_core.memory.old_state import OldState
from memory_core.storage import review_file
from memory_core.text.phrases import format_count


def take_over_old_files(step: Step) -> StepResult:
    """Take over memory files and data of older versions.

    Two files of one agent become one; items beyond its limits go to the archive.
    Older versions kept a log and waiting learnings inside the project: its events go to the event
    log of this machine, the learnings wait for the review, and the old files are removed.
    Learnings that wait for a project that was deleted or renamed are taken over, too, if it may
    have been this one: it had the same name or the same folder.
    It fails if a file cannot be read or changed.
    """
    (project, level), yes = step.scope, step.yes

    def run(write: bool) -> list[Migration]:
        return migrate_files(project, (), step.user, write, make_progress("Migrating"))

    migrations, old = run(write=yes), old_state.find(level)
    if not step.json:
        for migration in migrations:
            _print_migration(migration, yes, step.user)
        _print_old_state(old)
    is_able = not old.is_empty or any(not migration.refused for migration in migrations)
    written = is_able and may_change("Make these changes?", yes, step.dry_run, step.json)
    if written:
        migrations = migrations if yes else run(write=True)
        old_state.take_over(level, old)
        if not step.json and any(map(_is_changed, migrations)):
            print_note("The old files are removed; git has them if they were committed.")
    fields = {
        "written": written,
        "change": get_change(project),
        "migrations": list(map(_to_json, migrations)),
        "old_state": _old_to_json(old),
    }
    has_work = bool(migrations) or not old.is_empty
    return StepResult(fields, has_work, any(migration.refused for migration in migrations))


def _print_old_state(old: OldState) -> None:
    if old.events:
        print_line(f"{format_count(len(old.events), 'event')} for the event log of this machine")
    for agent, entries in old.learnings.items():
        print_line(f"{agent}: {format_count(len(entries), 'learning')} to review")
        for entry in entries:
            print_line(f"  {review_file.format_line(entry)}")
    for project in old.projects:
        print_line(f"included: learnings of {project}, which does not exist any more")
    if old.files:
        folders = dict.fromkeys("/".join(path.split("/")[:2]) for _files, path in old.files)
        print_line(f"to remove: {format_count(len(old.files), 'file')} in {', '.join(folders)}")
    elif old.folders:
        print_line(f"to remove: {format_count(len(old.folders), 'empty folder')}")
    if old.ignore is not None:
        print_line(f"to remove: the lines of agent-memory in {old_state.IGNORE_FILE}")
    for path, reason in old.kept.items():
        print_note(f"{path} is kept: {reason}")


def _old_to_json(old: OldState) -> dict[str, object]:
    return {
        **select_fields(old, "learnings", "projects", "kept"),
        "events": len(old.events),
        "files": [files.locate(path) for files, path in old.files],
    }


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
