"""`agent-memory tidy`: all regular upkeep in one command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import typer

from memory_core.claude_code import settings_files
from memory_core.cli.common import inputs, notes
from memory_core.cli.common.arguments import AsJson, DryRun, User, Yes, flag
from memory_core.cli.common.scopes import LevelScope, find_level
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_json, print_line, print_note, select_fields
from memory_core.curation import cleaning
from memory_core.curation.cleaning import UnusedData, UnusedFile
from memory_core.delegation import draining, missed_reports
from memory_core.git.resolve import Resolution, resolve_files
from memory_core.memory import expiry
from memory_core.monitor import gone_projects
from memory_core.storage import hook_files
from memory_core.storage.store import Store
from memory_core.text.phrases import format_count, format_size


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
    written = bool(left) and notes.may_change(question, step.yes, step.dry_run, step.json)
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
    folder = settings_files.find_transcript_folder(project.paths.root, project.environ)
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
            print_note(notes.DRY_RUN_HINT)
    rows = [{**notes.change_to_json(one), "error": one.refused or None} for one in resolutions]
    fields = {"written": write, "change": notes.get_change(project), "files": rows}
    return StepResult(fields, bool(resolutions), bool(refused))


def _print_resolution(resolution: Resolution, written: bool, user: bool) -> None:
    path = resolution.change.path
    if resolution.refused:
        where = "" if path in resolution.refused else f"{path}: "
        print_note(f"not resolved: {where}{resolution.refused}")
    elif written:
        print_line(f"Resolved: {path}")
    else:
        print_line(resolution.change.diff(), end="")
    notes.note_archived(resolution.agent, len(resolution.archived), written, user)


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
    fields = {"written": written, "change": notes.get_change(project), "agents": rows}
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


MAX_SHOWN = 5  # files of one kind


def remove_leftovers(step: Step) -> StepResult:
    """Remove leftover files, and archive the memories of deleted agents.

    If the defined agents cannot be found out, all memories are kept.
    It fails if something could not be removed.
    """
    project, level = step.scope
    unused = cleaning.find_unused(project, level)
    has_unused = bool(unused.files or unused.orphans)
    if not step.json and (has_unused or step.dry_run):
        _print_unused(unused, level)
    question = "Remove this?"
    written = has_unused and notes.may_change(question, step.yes, step.dry_run, step.json)
    if written:
        unused = cleaning.remove_unused(project, level, unused)
        if not step.json:
            _print_result(unused, level)
    fields = {"written": written, "change": notes.get_change(project)}
    return StepResult({**fields, **_to_json(unused, level)}, has_unused, bool(unused.failed))


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


def _print_result(result: UnusedData, level: Store) -> None:
    for what, reason in result.failed.items():
        print_note(f"{level.paths.relative(what)} is kept: {reason}")
    if result.files or not result.orphans:
        print_note(f"Removed: {_describe_files(result.files) if result.files else 'nothing'}.")
    if result.orphans:
        print_note(f"Archived {format_count(len(result.orphans), 'memory')}.")


def _to_json(unused: UnusedData, level: Store) -> dict[str, Any]:
    return {
        "files": [level.paths.relative(file.path) for file in unused.files],
        "memories": [
            select_fields(orphan, "agent", "items", "last", file="path")
            for orphan in unused.orphans
        ],
        "failed": {level.paths.relative(what): why for what, why in unused.failed.items()},
    }


STEPS: dict[str, Callable[[Step], StepResult]] = {
    "gone": take_over_learnings,
    "sweep": collect_learnings,
    "resolve": resolve_conflicts,
    "clean": remove_leftovers,
    "expire": archive_unused,
    "about": remove_subjects,
}

# Learnings wait, and runs end and use items, in projects.
PROJECT_STEPS = ("sweep", "expire")


def tidy(
    about: Annotated[bool, flag("--about", "Also remove words of prompts from histories.")] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Do all upkeep: merge what waits, resolve conflicts, remove leftovers.

    It also reads transcripts of interrupted runs, and asks before it removes anything.
    Exit 1 if a step failed, or you answered no.

    \b
    Example:
      agent-memory tidy --dry-run
    """
    names = [name for name in STEPS if not (user and name in PROJECT_STEPS)]
    names = [name for name in names if about or name != "about"]
    _run(names, dry_run, yes, user, json)


def clean(
    dry_run: DryRun = False, yes: Yes = False, user: User = False, json: AsJson = False
) -> None:
    """Do only the step clean of agent-memory tidy."""
    _run(["clean"], dry_run, yes, user, json)


def _run(names: list[str], dry_run: bool, yes: bool, user: bool, json: bool) -> None:
    inputs.check_options(yes, dry_run)
    fields, has_work, failed = {}, False, False
    for name in names:
        scope = find_level(user)
        try:
            result = STEPS[name](Step(scope, dry_run, yes, user, json))
        except CommandRefused as error:  # the answer no concerns this step only
            if error.status != 1:
                raise
            print_note(str(error))
            result = StepResult({}, True, True)
        fields[name] = result.fields
        has_work |= result.has_work
        failed |= result.failed
        if result.fields.get("change") and not json:
            notes.note_undo(scope.project, user)
    if json:
        print_json(fields if len(names) > 1 else fields[names[0]])
    elif not has_work:
        print_note("Nothing to tidy up.")
    if failed:
        raise typer.Exit(1)
