"""The steps of `agent-memory tidy`, except the last one, `clean`.

Each prints what it did, or would do, and returns its --json fields.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from memory_core.claude_code import settings_files
from memory_core.cli.common.notes import (
    DRY_RUN_HINT,
    change_to_json,
    get_change,
    may_change,
    note_archived,
)
from memory_core.cli.common.scopes import LevelScope
from memory_core.cli.output import print_line, print_note
from memory_core.delegation import draining, missed_reports
from memory_core.document.diff import format_diff
from memory_core.git.resolve import Resolution, resolve_files
from memory_core.memory import expiry
from memory_core.monitor import gone_projects
from memory_core.storage import hook_files
from memory_core.text.phrases import format_count


class Step(NamedTuple):
    """The project and level that a step tidies, and the options of the command."""

    scope: LevelScope
    dry_run: bool
    yes: bool
    user: bool
    json: bool

    def say(self, line: str) -> None:
        """Print a line of the result, except with --json."""
        if not self.json:
            print_line(line)


class StepResult(NamedTuple):
    """What a step did: the --json fields, whether there was anything to do, whether it failed."""

    fields: dict[str, Any]
    has_work: bool
    failed: bool = False


def take_over_learnings(step: Step) -> StepResult:
    """Take what waits for a project whose folder is gone, if it may have been this one."""
    level = step.scope.level
    left = gone_projects.list_gone(level)
    for gone in left:
        files = format_count(len(gone.reports) + len(gone.reviews), "file")
        step.say(f"{files} with learnings of {gone.folder}, which does not exist any more")
    question = "Was it this project, and shall it have these learnings?"
    written = bool(left) and may_change(question, step.yes, step.dry_run, step.json)
    for gone in left if written else ():
        gone_projects.take_over(level, gone)
    fields = {"written": written, "projects": [gone.folder for gone in left]}
    return StepResult(fields, bool(left))


def collect_learnings(step: Step) -> StepResult:
    """Merge reports that wait, and read the transcripts of interrupted runs.

    It fails if something is still unmerged or unread.
    """
    project = step.scope.project
    waiting = len(hook_files.list_names(project.paths))
    if step.dry_run:
        if waiting:
            step.say(f"{format_count(waiting, 'report')} would be merged.")
        if not step.json:
            print_note("Transcripts of interrupted runs are not read in a dry run.")
        fields = dict.fromkeys(vars(missed_reports.SweepResult()))
        return StepResult({**fields, "merged": 0, "waiting": []}, True)
    draining.drain(project, with_tried=True)
    failed = sorted(hook_files.list_agents(project.paths))
    merged = waiting - len(hook_files.list_names(project.paths))
    folder = settings_files.find_transcript_folder(project.paths.root, os.environ)
    read = missed_reports.sweep(
        project, [folder], missed_reports.COMMAND_BYTES, missed_reports.COMMAND_SECONDS
    )
    if merged:
        step.say(f"Merged {format_count(merged, 'waiting report')}.")
    if read.transcripts:
        transcripts = format_count(read.transcripts, "transcript")
        step.say(f"Read {transcripts}: {format_count(read.learnings, 'learning')}.")
    if not read.complete:
        print_note("Not everything was read; run it again to continue.")
    for stem in failed:
        print_note(f"{stem}: reports are not merged; agent-memory doctor says why")
    is_unfinished = bool(failed) or not read.complete
    has_work = bool(merged or read.transcripts or is_unfinished)
    return StepResult({**vars(read), "merged": merged, "waiting": failed}, has_work, is_unfinished)


def resolve_conflicts(step: Step) -> StepResult:
    """Resolve merge conflicts, keeping both sides; it fails if a file cannot be changed."""
    project, write = step.scope.project, not step.dry_run
    resolutions = resolve_files(project, (), step.user, write)
    refused = [resolution.refused for resolution in resolutions if resolution.refused]
    if not step.json:
        for resolution in resolutions:
            _print_resolution(resolution, write, step.user)
        if step.dry_run and len(refused) < len(resolutions):
            print_note(DRY_RUN_HINT)
    rows = [{**change_to_json(one), "error": one.refused or None} for one in resolutions]
    fields = {"written": write, "change": get_change(project), "files": rows}
    return StepResult(fields, bool(resolutions), bool(refused))


def _print_resolution(resolution: Resolution, written: bool, user: bool) -> None:
    path = resolution.change.path
    if resolution.refused:
        where = "" if path in resolution.refused else f"{path}: "
        print_note(f"not resolved: {where}{resolution.refused}")
    elif written:
        print_line(f"Resolved: {path}")
    else:
        print_line(format_diff(resolution.change), end="")
    note_archived(resolution.agent, len(resolution.archived), written, user)


def archive_unused(step: Step) -> StepResult:
    """Archive what `memory.expire_after` does not keep; undo restores it."""
    project = step.scope.project
    expired = expiry.expire_items(project, write=not step.dry_run)
    verb = "would be archived" if step.dry_run else "archived"
    for agent, texts in expired:
        for text in texts:
            step.say(f"{agent}: unused, {verb}: {text}")
    rows = [{"agent": agent, "items": texts} for agent, texts in expired]
    written = bool(expired) and not step.dry_run
    fields = {"written": written, "change": get_change(project), "agents": rows}
    return StepResult(fields, bool(expired))


def remove_subjects(step: Step) -> StepResult:
    """Remove the words of prompts that older versions wrote into histories, for `--about`."""
    level, count = step.scope.level, 0
    for agent in level.agents_with_history():
        with level.lock(agent):
            count += level.history(agent).drop_abouts(write=not step.dry_run)
    verb = "would be removed" if step.dry_run else "removed"
    if count:
        step.say(f"What runs were about, {verb}: {format_count(count, 'line')} of histories")
    return StepResult({"lines": count, "written": bool(count) and not step.dry_run}, bool(count))
