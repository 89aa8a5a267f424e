"""A step of `tidy`: resolve the conflicts that a git merge left in memories."""

from __future__ import annotations

from memory_core.cli.common.notes import DRY_RUN_HINT, change_to_json, get_change, note_archived
from memory_core.cli.output import make_progress, print_line, print_note
from memory_core.cli.upkeep.steps import Step, StepResult
from memory_core.document.diff import format_diff
from memory_core.git.resolve import Resolution, resolve_files


def resolve_conflicts(step: Step) -> StepResult:
    """Resolve merge conflicts, keeping both sides; it fails if a file cannot be changed."""
    project, write = step.scope.project, not step.dry_run
    resolutions = resolve_files(project, (), step.user, write, make_progress("Resolving"))
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
