"""`agent-memory rename` and `delete`: change the memory of a whole agent."""

from __future__ import annotations

from typing import Annotated, Any

from memory_core.cli.common import notes
from memory_core.cli.common.arguments import DryRun, User, Yes, agent_argument
from memory_core.cli.common.scopes import find_agent, find_agents, find_level, require_person
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_line
from memory_core.curation import cleaning
from memory_core.memory.loading import read_memory
from memory_core.memory.rename import rename_agent
from memory_core.storage.project import Project
from memory_core.storage.store import Store, resolve_agent
from memory_core.text.phrases import format_count

OldName = Annotated[str, agent_argument("The agent's name now.", "OLD")]
NewName = Annotated[str, agent_argument("The new name; no memory may have it.", "NEW")]


def rename(old: OldName, new: NewName, user: User = False) -> None:
    """Give an agent's memory to another agent name.

    The history, the archive and waiting learnings move, too.

    \b
    Example:
      agent-memory rename engineer backend-engineer
    """
    scope, old = find_agent(old, user)
    project, level = scope
    require_person(project, "rename agents")
    target = resolve_agent(level, new)
    files = [level.paths.relative(path) for path in rename_agent(*scope, old, target)]
    fields = {"agent": target, "was": old, "files": files}
    said = f"Renamed {old} to {target}: {', '.join(files) or 'waiting learnings'}"
    notes.print_result(scope, [fields], [said])
    notes.note_undefined(project, target)


def delete(
    names: Annotated[list[str], agent_argument("Agents.")],
    yes: Yes = False,
    dry_run: DryRun = False,
    user: User = False,
) -> None:
    """Move the whole memory of agents to the archive.

    agent-memory undo or restore brings the items back.

    \b
    Example:
      agent-memory delete engineer --dry-run
    """
    scope = project, _level = find_level(user)
    require_person(project, "delete memories")
    rows = [_describe(*scope, agent) for agent in dict.fromkeys(find_agents(scope, names))]
    for row in rows:
        print_line(f"{row['agent']}: {format_count(row['items'], 'item')} in {row['file']}")
    files = ", ".join(row["file"] for row in rows)
    question = f"Move these items to the archive and delete {files}?"
    written = notes.may_change(question, yes, dry_run)
    if written:
        cleaning.archive_memories(*scope, [row["agent"] for row in rows])
    said = [f"Deleted {files}; the items are archived."] if written else []
    notes.print_result(scope, [{**row, "written": written} for row in rows], said)


def _describe(project: Project, level: Store, agent: str) -> dict[str, Any]:
    """Return an agent's file and number of items; refuse an agent without a memory."""
    memory = read_memory(project, agent, level)
    if memory.snapshot is None:
        raise CommandRefused(f"{agent} has no memory to delete", 1)
    count = len([item for item in memory.document.items if item.text])
    return {"agent": agent, "items": count, "file": level.paths.relative(memory.snapshot.path)}
