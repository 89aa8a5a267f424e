"""Messages that several commands print: hints, undo, archived items, changed files."""

from __future__ import annotations

import shlex
from typing import Any

from memory_core.claude_code import agent_definitions
from memory_core.claude_code.agent_names import PM
from memory_core.cli.app import shared
from memory_core.cli.common.inputs import NOTHING_CHANGED, ask_yes_no, can_ask
from memory_core.cli.common.scopes import Scope
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import name_command, print_json, print_line, print_note, select_fields
from memory_core.curation import change_log
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text.phrases import format_count

DRY_RUN_HINT = "Nothing is changed yet; run it without --dry-run to change it."
YES_HINT = "Nothing is changed yet; run it with --yes to change it."


def format_command(command: str, user: bool = False) -> str:
    """Return a command of agent-memory to type, for the same project and level."""
    level = " --user" if user else ""
    project = f" --project {shlex.quote(shared.project)}" if shared.project else ""
    return name_command(f"agent-memory {command}{level}{project}")


def may_change(question: str, yes: bool, dry_run: bool) -> bool:
    """Ask whether to make the changes that were shown; say how to make them if nobody is asked.

    Without a terminal only --yes changes something.  Refuses the command if the answer is no.
    """
    if yes:
        return True
    if dry_run or not can_ask():
        print_note(DRY_RUN_HINT if dry_run else YES_HINT)
        return False
    if not ask_yes_no(question):
        raise CommandRefused(NOTHING_CHANGED, 1)
    return True


def get_change(project: Project) -> str | None:
    """Return the short id of the change that this command has written, for --json."""
    return next(map(change_log.short_id, project.changes), None)


def print_changed(project: Project, *rows: dict[str, Any]) -> None:
    """Print the --json fields of what has changed: one object, or a list of several."""
    shown = [{**row, "change": get_change(project)} for row in rows]
    print_json(shown if len(shown) > 1 else shown[0])


def print_result(scope: Scope, rows: list[dict[str, Any]], lines: list[str]) -> None:
    """Print what has changed: the --json fields, or sentences and how to undo it."""
    print_changed(scope.project, *rows)
    for line in lines:
        print_line(line)
    note_undo(scope)


def note_undo(scope: Scope) -> None:
    """Say how to undo the changes that this command has written, if there are any."""
    if changes := scope.project.changes:
        command = " ".join(["undo", *map(change_log.short_id, changes)])
        print_note(f"Undo with: {format_command(command, scope.is_user)}")


def note_undefined(project: Project, agent: str) -> None:
    """Warn about an agent that Claude Code does not know: nobody receives its memory."""
    catalog = agent_definitions.AgentCatalog(project.paths.root, project.environ)
    if agent != PM and not catalog.has(agent):
        print_note(f"Note: no agent named {agent} is defined in this project yet.")


def note_archived(agent: str, count: int, written: bool, user: bool) -> None:
    """Say how many entries were archived, or would be, and how to list them."""
    if count:
        verb = "archived" if written else "would be archived"
        command = format_command(f"restore {agent}", user)
        print_note(f"{format_count(count, 'entry')} {verb}; list them with {command}")


def note_nothing(level: Store, agents: list[str], message: str) -> None:
    """Say that there is nothing to do; name the agents without a memory."""
    missing = [agent for agent in agents if not level.list_files(agent)]
    for agent in missing:
        print_note(f"{agent} has no memory yet")
    if not missing:
        print_note(message)


def print_change(result: Any, written: bool, user: bool) -> None:
    """Print the changed memory file of a result: the diff if not written, and archived items."""
    if not written:
        print_line(result.change.diff(), end="")
    for text in result.archived:
        print_line(f"{'archived' if written else 'would be archived'}: {text}")
    note_archived(result.agent, len(result.archived), written, user)


def change_to_json(result: Any) -> dict[str, Any]:
    """Return the --json fields of the changed memory file of a result."""
    diff = result.change.diff()
    return {**select_fields(result, "agent", "archived"), "file": result.change.path, "diff": diff}
