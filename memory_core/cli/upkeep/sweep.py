"""The first step of `tidy`: collect learnings of runs whose end no hook saw."""

from __future__ import annotations

import os
import sys

from memory_core.claude_code import settings_files
from memory_core.cli.output import print_line, print_note
from memory_core.cli.upkeep.steps import Step, StepResult
from memory_core.delegation import draining, missed_reports
from memory_core.storage import hook_files
from memory_core.storage.project import Project
from memory_core.text.phrases import format_count


def collect_learnings(step: Step) -> StepResult:
    """Merge reports that wait, and read the transcripts of interrupted runs.

    It fails if something is still unmerged or unread.
    """
    project = step.scope.project
    waiting = len(hook_files.list_names(project.paths))
    if step.dry_run:
        return _plan(waiting, step.json)
    if sys.stderr and sys.stderr.isatty():
        print_note("Reading transcripts")
    draining.drain(project, with_tried=True)
    failed = sorted(hook_files.list_agents(project.paths))
    merged = waiting - len(hook_files.list_names(project.paths))
    result = _read_transcripts(project)
    if merged and not step.json:
        print_line(f"Merged {format_count(merged, 'waiting report')}.")
    if result.transcripts and not step.json:
        transcripts = format_count(result.transcripts, "transcript")
        learnings = format_count(result.learnings, "learning")
        print_line(f"Read {transcripts}, {result.bytes} bytes: {learnings}.")
    if not result.complete:
        print_note("Not everything was read; run it again to continue.")
    for stem in failed:
        print_note(f"{stem}: reports are not merged; agent-memory doctor says why")
    fields = vars(result)
    is_unfinished = bool(failed) or not result.complete
    has_work = bool(merged or result.transcripts or is_unfinished)
    return StepResult({**fields, "merged": merged, "waiting": failed}, has_work, is_unfinished)


def _read_transcripts(project: Project) -> missed_reports.SweepResult:
    folder = settings_files.find_transcript_folder(project.paths.root, os.environ)
    return missed_reports.sweep(
        project, [folder], missed_reports.COMMAND_BYTES, missed_reports.COMMAND_SECONDS
    )


def _plan(waiting: int, json: bool) -> StepResult:
    if waiting and not json:
        print_line(f"{format_count(waiting, 'report')} would be merged.")
    if not json:
        print_note("Transcripts of interrupted runs are not read in a dry run.")
    fields = dict.fromkeys(vars(missed_reports.SweepResult()))
    return StepResult({**fields, "merged": 0, "waiting": []}, True)
