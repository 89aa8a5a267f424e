"""`agent-memory migrate`: take over what older versions named or kept in another way."""

from __future__ import annotations

import os

import typer

from memory_core.cli.common.arguments import Agents, AsJson, DryRun, User, Yes
from memory_core.cli.common.inputs import check_options
from memory_core.cli.common.notes import (
    change_to_json,
    get_change,
    may_change,
    note_nothing,
    note_undo,
    print_change,
)
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.output import make_progress, print_json, print_line, print_note, select_fields
from memory_core.memory import old_state
from memory_core.memory.migrate import Migration, migrate_files
from memory_core.memory.old_state import OldState
from memory_core.storage import review_file
from memory_core.text.phrases import format_count


def migrate(
    agent: Agents = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Take over memory files and data of older versions.

    Two files of one agent become one; items beyond its limits go to the archive.
    Older versions kept a log and waiting learnings inside the project: its events
    go to the event log of this machine, the learnings wait for your review, and the
    old files are removed.
    Learnings that wait for a project that was deleted or renamed are taken over,
    too, if it may have been this one: it had the same name or the same folder.
    The changes are shown first and you are asked.
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
    old = old_state.OldState() if agents else old_state.find(scope.level)
    if not json:
        for migration in migrations:
            _print_migration(migration, yes, user)
        _print_old_state(old)
    is_able = not old.is_empty or any(not migration.refused for migration in migrations)
    written = is_able and may_change("Make these changes?", yes, dry_run, json)
    if written:
        migrations = migrations if yes else run(write=True)
        old_state.take_over(scope.level, old)
    if json:
        rows = list(map(_to_json, migrations))
        change = get_change(scope.project)
        print_json(
            {
                "written": written,
                "change": change,
                "migrations": rows,
                "old_state": _old_to_json(old),
            }
        )
    elif old.is_empty and not migrations:
        note_nothing(scope.level, agents, "Every memory has one file.")
    elif written and any(_is_changed(migration) for migration in migrations):
        print_note("The old files are removed; git has them if they were committed.")
        note_undo(scope.project, user)
    if any(migration.refused for migration in migrations):
        raise typer.Exit(1)


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
