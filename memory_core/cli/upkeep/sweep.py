"""`agent-memory sweep`: collect learnings of runs whose end no hook saw."""

from __future__ import annotations

import os
import sys

import typer

from memory_core.claude_code import settings_files
from memory_core.cli.app import find_project
from memory_core.cli.common.arguments import AsJson, DryRun
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.delegation import missed_reports
from memory_core.memory import remember
from memory_core.text.phrases import format_count


def sweep(dry_run: DryRun = False, json: AsJson = False) -> None:
    """Collect learnings from runs that were interrupted.

    Reads their transcripts and merges spooled learnings.
    Stops after 1 GB or 10 minutes; run it again to continue.
    Exit 1 if something is still unmerged or unread.

    \b
    Example:
      agent-memory sweep
    """
    project = find_project()
    waiting = remember.count_spooled(project)
    if dry_run:
        _print_plan(waiting, json)
        return
    if sys.stderr and sys.stderr.isatty():
        print_note("Reading transcripts")
    failed = remember.merge_all_spooled(project)
    merged = waiting - remember.count_spooled(project)
    folder = settings_files.find_transcript_folder(project.paths.root, os.environ)
    result = missed_reports.sweep(
        project, [folder], missed_reports.COMMAND_BYTES, missed_reports.COMMAND_SECONDS
    )
    if json:
        fields = {name: getattr(result, name) for name in result.__slots__}
        print_json({**fields, "merged": merged, "waiting": failed})
    else:
        if merged:
            print_line(f"Merged {format_count(merged, 'waiting learning')}.")
        transcripts = format_count(result.transcripts, "transcript")
        learnings = format_count(result.learnings, "learning")
        print_line(f"Read {transcripts}, {result.bytes} bytes: {learnings}.")
    if not result.complete:
        print_note("Not everything was read; run it again to continue.")
    for stem in failed:
        print_note(f"{stem}: learnings are not merged; agent-memory doctor says why")
    if failed or not result.complete:
        raise typer.Exit(1)


def _print_plan(waiting: int, json: bool) -> None:
    if json:
        fields = dict.fromkeys(missed_reports.SweepResult.__slots__)
        print_json({**fields, "merged": 0, "waiting": []})
        return
    print_line(f"{format_count(waiting, 'learning')} would be merged.")
    print_note("Transcripts of interrupted runs are not read in a dry run.")
