"""`agent-memory rename` and `delete`: change which agents have a memory."""

from __future__ import annotations

from typing import Annotated

from memory_core.cli.common.arguments import Agent, AsJson, User, Yes, agent_argument, flag
from memory_core.cli.common.notes import (
    format_command,
    get_change,
    may_change,
    note_undefined,
    note_undo,
)
from memory_core.cli.common.scopes import find_agent
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.curation import cleaning
from memory_core.memory.project import resolve_agent
from memory_core.memory.reading import read_memory
from memory_core.memory.rename import rename_agent
from memory_core.text.phrases import format_count

OldName = Annotated[str, agent_argument("The agent's name now.", "OLD")]
NewName = Annotated[str, agent_argument("The new name; no memory may have it.", "NEW")]


def rename(old: OldName, new: NewName, user: User = False, json: AsJson = False) -> None:
    """Give an agent's memory to another agent name.

    Renames the memory, its history and archive; waiting learnings move, too.

    \b
    Example:
      agent-memory rename engineer backend-engineer
    """
    scope = project, level, old = find_agent(old, user)
    target = resolve_agent(project, new, level)
    files = [level.paths.relative(path) for path in rename_agent(*scope, target)]
    if json:
        print_json({"agent": target, "was": old, "files": files})
        return
    print_line(f"Renamed {old} to {target}: {', '.join(files) or 'waiting learnings'}")
    print_note(f"Undo with: {format_command(f'rename {target} {old}', user)}")
    note_undefined(project, target)


def delete(
    agent: Agent,
    yes: Yes = False,
    dry_run: Annotated[bool, flag("--dry-run", "Only show what would be archived.")] = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Move the whole memory of an agent to the archive.

    Its history stays, so undo and agent-memory restore bring the items back.

    \b
    Example:
      agent-memory delete engineer --dry-run
    """
    project, level, name = find_agent(agent, user)
    memory = read_memory(project, name, level)
    count = len([item for item in memory.document.items if item.text])
    if memory.snapshot is None:
        raise CommandRefused(f"{name} has no memory to delete", 1)
    path, items = level.paths.relative(memory.snapshot.path), format_count(count, "item")
    if not json:
        print_line(f"{name}: {items} in {path}")
    written = may_change(f"Move {items} to the archive and delete {path}?", yes, dry_run, json)
    if written:
        cleaning.archive_memory(project, level, name)
    if json:
        change = get_change(project)
        print_json({"agent": name, "written": written, "items": count, "change": change})
    elif written:
        print_line(f"Deleted {path}; {items} archived.")
        note_undo(project, user)
