"""`agent-memory tidy`: all regular upkeep in one command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

from memory_core.claude_code import settings_files
from memory_core.cli.common import notes
from memory_core.cli.common.arguments import DryRun, User, Yes, flag
from memory_core.cli.common.scopes import Scope, find_level
from memory_core.cli.errors import CommandRefused, exit_if
from memory_core.cli.output import print_json, print_line, print_note, print_problem, select_fields
from memory_core.curation import cleaning
from memory_core.curation.cleaning import UnusedData, UnusedFile
from memory_core.delegation import inbox_reports, missed_reports
from memory_core.git.resolve import resolve_files
from memory_core.monitor import gone_projects
from memory_core.storage import hook_files
from memory_core.storage.store import Store
from memory_core.text.phrases import format_count, format_size


class Step:
    """What a step tidies, the options of the command, and how it went.

    A step returns its --json fields; it has work if it says something.
    """

    def __init__(self, scope: Scope, dry_run: bool, yes: bool) -> None:
        self.scope = scope
        self.project, self.level = scope
        self.dry_run, self.yes = dry_run, yes
        self.has_work = self.failed = False

    def say(self, line: str, print_text: Callable[[str], None] = print_line) -> None:
        """Print a line of the result."""
        self.has_work = True
        print_text(line)

    def may_change(self, question: str) -> bool:
        return notes.may_change(question, self.yes, self.dry_run)


Fields = dict[str, Any]


def take_over_learnings(step: Step) -> Fields:
    """Take what waits for a project whose folder is gone, if it may have been this one."""
    left = gone_projects.list_gone(step.level)
    for gone in left:
        files = format_count(len(gone.reports) + len(gone.reviews), "file")
        step.say(f"{files} with learnings of {gone.folder}, which does not exist any more")
    question = "Was it this project, and shall it have these learnings?"
    written = bool(left) and step.may_change(question)
    for gone in left if written else ():
        gone_projects.take_over(step.level, gone)
    return {"written": written, "projects": [gone.folder for gone in left]}


def collect_learnings(step: Step) -> Fields:
    """Merge reports that wait, and read the transcripts of interrupted runs.

    It fails if something is still unmerged.
    """
    project = step.project
    waiting = len(hook_files.list_names(project.paths))
    if step.dry_run:
        if waiting:
            step.say(f"{format_count(waiting, 'report')} would be merged.")
        step.say("Transcripts of interrupted runs are not read in a dry run.", print_note)
        fields = dict.fromkeys(vars(missed_reports.SweepResult()))
        return {**fields, "merged": 0, "waiting": []}
    inbox_reports.drain(project, with_tried=True)
    failed = sorted(hook_files.list_agents(project.paths))
    merged = waiting - len(hook_files.list_names(project.paths))
    folder = settings_files.find_transcript_folder(project.paths.root, project.environ)
    read = missed_reports.sweep(project, [folder])
    if merged:
        step.say(f"Merged {format_count(merged, 'waiting report')}.")
    if read.transcripts:
        transcripts = format_count(read.transcripts, "transcript")
        step.say(f"Read {transcripts}: {format_count(read.learnings, 'learning')}.")
    for stem in failed:
        print_problem(f"{stem}: reports are not merged; agent-memory doctor says why")
    step.failed = bool(failed)
    return {**vars(read), "merged": merged, "waiting": failed}


def resolve_conflicts(step: Step) -> Fields:
    """Resolve merge conflicts, keeping both sides; it fails if a file cannot be changed."""
    user, write = step.scope.is_user, not step.dry_run
    resolutions = resolve_files(step.project, (), user, write)
    for one in resolutions:
        path = one.change.path
        if one.refused:
            where = "" if path in one.refused else f"{path}: "
            step.say(f"not resolved: {where}{one.refused}", print_note)
            step.failed = True
        elif write:
            step.say(f"Resolved: {path}")
        notes.print_change(one, write or bool(one.refused), user)
    if step.dry_run and not all(one.refused for one in resolutions):
        step.say(notes.DRY_RUN_HINT, print_note)
    rows = [{**notes.change_to_json(one), "error": one.refused or None} for one in resolutions]
    return {"written": write, "change": notes.get_change(step.project), "files": rows}


def remove_subjects(step: Step) -> Fields:
    """Remove the words of prompts that older versions wrote into histories, for `--about`."""
    level, count = step.level, 0
    for agent in level.agents_with_history():
        with level.lock(agent):
            count += level.history(agent).drop_abouts(write=not step.dry_run)
    verb = "would be removed" if step.dry_run else "removed"
    if count:
        step.say(f"What runs were about, {verb}: {format_count(count, 'line')} of histories")
    return {"lines": count, "written": bool(count) and not step.dry_run}


MAX_SHOWN = 5  # files of one kind


def remove_leftovers(step: Step) -> Fields:
    """Remove leftover files, and archive the memories of deleted agents.

    If the defined agents cannot be found out, all memories are kept.
    It fails if something could not be removed.
    """
    unused = cleaning.find_unused(*step.scope)
    for line in _describe_unused(unused, step.level):
        step.say(line)
    written = step.has_work and step.may_change("Remove this?")
    if written:
        unused = cleaning.remove_unused(*step.scope, unused)
        for line in _describe_removed(unused, step.level):
            step.say(line, print_note)
    step.failed = bool(unused.failed)
    relative = step.level.paths.relative
    return {
        "written": written,
        "change": notes.get_change(step.project),
        "files": [relative(file.path) for file in unused.files],
        "memories": [
            select_fields(orphan, "agent", "items", "last", file="path")
            for orphan in unused.orphans
        ],
        "failed": {relative(what): why for what, why in unused.failed.items()},
    }


def _describe_unused(unused: UnusedData, level: Store) -> Iterator[str]:
    for reason in dict.fromkeys(file.reason for file in unused.files):
        files = [file for file in unused.files if file.reason == reason]
        yield f"{_describe_files(files)} {reason}:"
        yield from (f"  {level.paths.relative(file.path)}" for file in files[:MAX_SHOWN])
        if len(files) > MAX_SHOWN:
            yield f"  and {len(files) - MAX_SHOWN} more"
    for orphan in unused.orphans:
        yield f"{orphan.agent} is not defined anywhere, last used on {orphan.last[:10]}:"
        yield f"  {orphan.path}: {format_count(len(orphan.items), 'item')}"


def _describe_files(files: list[UnusedFile]) -> str:
    return f"{format_count(len(files), 'file')} ({format_size(sum(file.size for file in files))})"


def _describe_removed(result: UnusedData, level: Store) -> Iterator[str]:
    for what, reason in result.failed.items():
        yield f"{level.paths.relative(what)} is kept: {reason}"
    if result.files or not result.orphans:
        yield f"Removed: {_describe_files(result.files) if result.files else 'nothing'}."
    if result.orphans:
        yield f"Archived {format_count(len(result.orphans), 'memory')}."


STEPS: dict[str, Callable[[Step], Fields]] = {
    "gone": take_over_learnings,
    "sweep": collect_learnings,
    "resolve": resolve_conflicts,
    "clean": remove_leftovers,
    "about": remove_subjects,
}


def tidy(
    about: Annotated[bool, flag("--about", "Also remove words of prompts from histories.")] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    user: User = False,
) -> None:
    """Do all upkeep: merge what waits, resolve conflicts, remove leftovers.

    It also reads transcripts of interrupted runs, and asks before it removes anything.
    Exit 1 if a step failed, or you answered no.

    \b
    Example:
      agent-memory tidy --dry-run
    """
    # Runs end in projects.
    names = [name for name in STEPS if not (user and name == "sweep")]
    names = [name for name in names if about or name != "about"]
    _run(names, dry_run, yes, user)


def clean(dry_run: DryRun = False, yes: Yes = False, user: User = False) -> None:
    """Do only the step clean of agent-memory tidy."""
    _run(["clean"], dry_run, yes, user)


def _run(names: list[str], dry_run: bool, yes: bool, user: bool) -> None:
    fields: dict[str, Fields] = {}
    steps = []
    for name in names:
        steps.append(step := Step(find_level(user), dry_run, yes))
        try:
            fields[name] = STEPS[name](step)
        except CommandRefused as error:  # the answer no concerns this step only
            if error.status != 1:
                raise
            print_problem(str(error))
            fields[name], step.failed = {}, True
        if fields[name].get("change"):
            notes.note_undo(step.scope)
    print_json(fields if len(names) > 1 else fields[names[0]])
    if not any(step.has_work or step.failed for step in steps):
        print_note("Nothing to tidy up.")
    exit_if(any(step.failed for step in steps))
