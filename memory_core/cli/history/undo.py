"""`agent-memory undo` and `redo`: take back changes, and bring them back."""

from __future__ import annotations

import re
from typing import Annotated, Any

from memory_core.cli.common import acting, arguments, scopes
from memory_core.cli.common.entries import print_sentence
from memory_core.cli.common.notes import DRY_RUN_HINT, format_command, get_change
from memory_core.cli.history.log import format_minute, record_to_json
from memory_core.cli.output import print_diff, print_json, print_line, print_note, select_fields
from memory_core.curation.change_log import Change, short_id
from memory_core.curation.undo import UndoResult, redo_changes, undo_changes

COUNT = re.compile("[1-9][0-9]{0,2}")  # longer numbers are ids of changes


Names = Annotated[
    list[str] | None, arguments.argument("CHANGE", "Ids of changes, or a number of changes.")
]
Count = Annotated[int, arguments.option("NUMBER", "Number of changes.", "--number", "-n", min=1)]
OnlyAgents = Annotated[
    list[str] | None, arguments.agent_option("Only in the memory of this agent.", "--agent")
]


def undo(
    change: Names = None,
    number: Count = 1,
    agent: OnlyAgents = None,
    dry_run: arguments.DryRun = False,
    user: arguments.User = False,
) -> None:
    """Undo the last change of all agents, or the changes with these ids.

    A change is one agent report or one command; log lists the ids. The file becomes
    what it was before; later changes are kept. Exit 1 if one of them prevents it.

    \b
    Example:
      agent-memory undo || echo "nothing to undo"
    """
    scope = _find_scope(user)
    agents, write = scopes.find_agents(scope, agent, accept_new=True), not dry_run
    result = undo_changes(*scope, *_split_count(change, number), agents=agents, write=write)
    _print_result(scope, result, write)
    if write and not all(is_redo for _change, is_redo in result.effects):
        print_note(f"Redo with: {format_command('redo', user)}")


def redo(
    change: Names = None,
    number: Count = 1,
    dry_run: arguments.DryRun = False,
    user: arguments.User = False,
) -> None:
    """Redo what the last undo took back, or the changes with these ids.

    Exit 1 if fewer changes were undone.

    \b
    Example:
      agent-memory redo || echo "nothing to redo"
    """
    scope = _find_scope(user)
    result = redo_changes(*scope, *_split_count(change, number), write=not dry_run)
    _print_result(scope, result, not dry_run)


def _find_scope(user: bool) -> scopes.Scope:
    scope = scopes.find_level(user)
    acting.require_person(scope.project, "undo changes")
    return scope


def _split_count(names: list[str] | None, number: int) -> tuple[list[str], int]:
    """Return the ids of changes, and how many of the last ones if there are no ids."""
    if names and len(names) == 1 and COUNT.fullmatch(names[0]):
        return [], int(names[0])
    return names or [], number


def _print_result(scope: scopes.Scope, result: UndoResult, written: bool) -> None:
    diff = "".join(change.diff() for change in result.files)
    by = get_change(scope.project)
    common = {"written": written, "by": by, "diff": diff, "merged": result.merged}
    print_json([{**_change_to_json(change), **common} for change in result.changes])
    for change, is_redo in result.effects:
        verb = "Redone" if is_redo else "Undone"
        verb = verb if written else f"Would be {verb.lower()}"
        print_line(f"{verb}: change {short_id(change.id)} of {format_minute(change.time)}")
        for record in change.records:
            if written and record.get("text"):
                said = f"{record['agent']}: {record['word']}: {record['text']}"
                print_sentence(said, "  ")
    if not written:
        print_diff(diff)
        print_note(DRY_RUN_HINT)
    elif not diff:
        print_note("Note: no line of a memory changed.")
    for agent in result.merged:
        print_note(f"{agent}: merged with later changes of the file, which are kept.")


def _change_to_json(change: Change) -> dict[str, Any]:
    return {
        "change": short_id(change.id),
        **select_fields(change, "time", "agents"),
        "records": list(map(record_to_json, change.records)),
    }
