"""`agent-memory resolve`: resolve the conflicts that a git merge left in memories."""

from __future__ import annotations

import typer

from memory_core.cli.common.arguments import Agents, AsJson, DryRun, User
from memory_core.cli.common.notes import (
    DRY_RUN_HINT,
    change_to_json,
    get_change,
    note_archived,
    note_nothing,
    note_undo,
)
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.output import make_progress, print_json, print_line, print_note
from memory_core.document.diff import format_diff
from memory_core.memory.resolve import Resolution, resolve_files


def resolve(
    agent: Agents = None, dry_run: DryRun = False, user: User = False, json: AsJson = False
) -> None:
    """Resolve merge conflicts in memories, keeping both sides.

    Items beyond the limits go to the archive.
    Exit 1 if a file cannot be read or changed.

    \b
    Example:
      agent-memory resolve --dry-run
    """
    scope = find_level(user)
    agents = find_agents(scope, agent, accept_new=True)
    write = not dry_run
    resolutions = resolve_files(scope.project, agents, user, write, make_progress("Resolving"))
    if json:
        rows = [
            {**change_to_json(resolution), "error": resolution.refused or None}
            for resolution in resolutions
        ]
        print_json({"written": write, "change": get_change(scope.project), "files": rows})
    elif not resolutions:
        note_nothing(scope.level, agents, "No memory has merge conflicts.")
    else:
        for resolution in resolutions:
            _print_resolution(resolution, write, user)
        if dry_run and not all(resolution.refused for resolution in resolutions):
            print_note(DRY_RUN_HINT)
        note_undo(scope.project, user)
    if any(resolution.refused for resolution in resolutions):
        raise typer.Exit(1)


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
