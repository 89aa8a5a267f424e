"""The last step of `tidy`: remove leftover files and the memories of deleted agents."""

from __future__ import annotations

import os
from typing import Any

from memory_core.cli.common.notes import get_change, may_change
from memory_core.cli.output import print_line, print_note, select_fields
from memory_core.cli.upkeep.steps import Step, StepResult
from memory_core.curation import cleaning
from memory_core.curation.cleaning import CleanResult, UnusedData, UnusedFile
from memory_core.storage.store import Store
from memory_core.text.phrases import format_count, format_size

MAX_SHOWN = 5  # files of one kind


def remove_leftovers(step: Step) -> StepResult:
    """Remove leftover files, and archive the memories of deleted agents.

    If the defined agents cannot be found out, all memories are kept.
    It fails if something could not be removed.
    """
    project, level = step.scope
    unused = cleaning.find_unused(project, level, os.environ)
    has_unused = bool(unused.files or unused.orphans)
    if not step.json and (has_unused or step.dry_run):
        _print_unused(unused, level)
    result = None
    if has_unused and may_change("Remove this?", step.yes, step.dry_run, step.json):
        result = cleaning.remove_unused(project, level, unused)
        if not step.json:
            _print_result(result, level)
    fields = {"written": bool(result), "change": get_change(project)}
    failed = bool(result and result.failed)
    return StepResult({**fields, **_to_json(unused, result, level)}, has_unused, failed)


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
        print_line(f"  {orphan.path}: {format_count(len(orphan.items), 'item')}")


def _describe_files(files: list[UnusedFile]) -> str:
    return f"{format_count(len(files), 'file')} ({format_size(sum(file.size for file in files))})"


def _print_result(result: CleanResult, level: Store) -> None:
    for what, reason in result.failed.items():
        print_note(f"{level.paths.relative(what)} is kept: {reason}")
    if result.files or not result.orphans:
        print_note(f"Removed: {_describe_files(result.files) if result.files else 'nothing'}.")
    if result.orphans:
        print_note(f"Archived {format_count(len(result.orphans), 'memory')}.")


def _to_json(unused: UnusedData, result: CleanResult | None, level: Store) -> dict[str, Any]:
    problems = result.failed if result else {}
    return {
        "files": [level.paths.relative(file.path) for file in (result or unused).files],
        "memories": [
            select_fields(orphan, "agent", "items", "last", file="path")
            for orphan in (result or unused).orphans
        ],
        "failed": {level.paths.relative(what): why for what, why in problems.items()},
    }
