"""`agent-memory clean`: remove leftover files and the memories of deleted agents."""

from __future__ import annotations

import os
from typing import Any

import typer

from memory_core.cli.common.arguments import AsJson, DryRun, User, Yes
from memory_core.cli.common.inputs import check_options
from memory_core.cli.common.notes import get_change, may_change, note_undo
from memory_core.cli.common.scopes import find_level
from memory_core.cli.common.tables import format_size
from memory_core.cli.output import make_progress, print_json, print_line, print_note, select_fields
from memory_core.curation import cleaning
from memory_core.curation.cleaning import CleanResult, UnusedData, UnusedFile
from memory_core.memory.project import Project
from memory_core.storage.store import Store
from memory_core.text.phrases import format_count

MAX_SHOWN = 5  # files of one kind


def clean(
    dry_run: DryRun = False, yes: Yes = False, user: User = False, json: AsJson = False
) -> None:
    """Remove leftover files and memories of deleted agents.

    Removes files of interrupted writes, notes of sessions that ended 30 days ago,
    and logs older than 90 days.
    Empties memories of agents that are not defined and were not used for 30 days:
    their items go to the archive; a file that is empty then is removed.
    If the defined agents cannot be found out, all memories are kept.
    Exit 1 if something could not be removed.

    \b
    Example:
      agent-memory clean
    """
    check_options(yes, dry_run)
    scope = find_level(user)
    unused = cleaning.find_unused(*scope, os.environ, make_progress("Searching"))
    if not json:
        _print_unused(unused, scope.level)
    result = None
    has_unused = bool(unused.files or unused.orphans)
    if has_unused and may_change("Remove this?", yes, dry_run, json):
        result = cleaning.remove_unused(*scope, unused, make_progress("Cleaning"))
    if json:
        written = {"written": bool(result), "change": get_change(scope.project)}
        print_json({**written, **_to_json(unused, result, scope.level)})
    elif not has_unused:
        print_note("Nothing to clean.")
    elif result:
        _print_result(scope.project, result, scope.level, user)
    if result and result.failed:
        raise typer.Exit(1)


def _print_unused(unused: UnusedData, level: Store) -> None:
    for reason in dict.fromkeys(file.reason for file in unused.files):
        files = [file for file in unused.files if file.reason == reason]
        print_line(f"{_describe_files(files)} {reason}:")
        for file in files[:MAX_SHOWN]:
            print_line(f"  {level.paths.relative(file.path)}")
        if len(files) > MAX_SHOWN:
            print_line(f"  and {len(files) - MAX_SHOWN} more")
    for orphan in unused.orphans:
        print_line(f"{orphan.agent} is not defined anywhere, last used on {orphan.last[:10]}:")
        kept = "" if orphan.is_bare else "; the file is kept, because it has other text"
        print_line(f"  {orphan.path}: {format_count(len(orphan.items), 'item')}{kept}")
    for skipped in unused.skipped:
        print_note(f"{skipped.what} is kept: {skipped.reason}")


def _describe_files(files: list[UnusedFile]) -> str:
    return f"{format_count(len(files), 'file')} ({format_size(sum(file.size for file in files))})"


def _print_result(project: Project, result: CleanResult, level: Store, user: bool) -> None:
    for failed in result.failed:
        print_note(f"{level.paths.relative(failed.what)} is kept: {failed.reason}")
    if result.files or not result.orphans:
        print_note(f"Removed: {_describe_files(result.files) if result.files else 'nothing'}.")
    if result.orphans:
        emptied = format_count(len(result.orphans), "memory")
        removed = format_count(len(result.gone), "file")
        print_note(f"Emptied {emptied}, removed {removed}.")
    note_undo(project, user)


def _to_json(unused: UnusedData, result: CleanResult | None, level: Store) -> dict[str, Any]:
    files = result.files if result else unused.files
    orphans = result.orphans if result else unused.orphans
    return {
        "bytes": sum(file.size for file in files),
        "files": [
            {
                "file": level.paths.relative(file.path),
                **select_fields(file, bytes="size", why="reason"),
            }
            for file in files
        ],
        "memories": [
            {
                **select_fields(orphan, "agent", "items", "last", file="path"),
                "gone": bool(result and orphan.agent in result.gone),
            }
            for orphan in orphans
        ],
        "skipped": _skipped_to_json(unused.skipped, level),
        "failed": _skipped_to_json(result.failed if result else [], level),
    }


def _skipped_to_json(skipped: list[cleaning.SkippedCleanup], level: Store) -> list[dict[str, str]]:
    return [{"what": level.paths.relative(skip.what), "why": skip.reason} for skip in skipped]
