"""`agent-memory rename`, `delete` and `preference`: change the memory of a whole agent."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_core.cli.command_types import App
from memory_core.cli.common import notes, scopes
from memory_core.cli.common.arguments import (
    Agent,
    AsJson,
    OptionalAgent,
    User,
    Yes,
    agent_argument,
    flag,
)
from memory_core.cli.common.scopes import AgentScope, find_agent, find_agents, find_level
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import enable_pager, print_json, print_line, print_note
from memory_core.curation import cleaning, preference_actions
from memory_core.document import preferences
from memory_core.memory.reading import read_memory
from memory_core.memory.rename import rename_agent
from memory_core.storage.project import Project
from memory_core.storage.store import Store, resolve_agent
from memory_core.text.phrases import format_count

OldName = Annotated[str, agent_argument("The agent's name now.", "OLD")]
NewName = Annotated[str, agent_argument("The new name; no memory may have it.", "NEW")]


def rename(old: OldName, new: NewName, user: User = False, json: AsJson = False) -> None:
    """Give an agent's memory to another agent name.

    The history, the archive and waiting learnings move, too.

    \b
    Example:
      agent-memory rename engineer backend-engineer
    """
    scope = project, level, old = find_agent(old, user)
    scopes.require_person(project, "rename agents")
    target = resolve_agent(level, new)
    files = [level.paths.relative(path) for path in rename_agent(*scope, target)]
    if json:
        change = notes.get_change(project)
        print_json({"agent": target, "was": old, "files": files, "change": change})
        return
    print_line(f"Renamed {old} to {target}: {', '.join(files) or 'waiting learnings'}")
    notes.note_undo(project, user)
    notes.note_undefined(project, target)


def delete(
    names: Annotated[list[str], agent_argument("Agents.")],
    yes: Yes = False,
    dry_run: Annotated[bool, flag("--dry-run", "Only show what would be archived.")] = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Move the whole memory of agents to the archive.

    agent-memory undo or restore brings the items back.

    \b
    Example:
      agent-memory delete engineer --dry-run
    """
    notes.check_options(yes, dry_run)
    scope = project, _level = find_level(user)
    scopes.require_person(project, "delete memories")
    rows = [_describe(*scope, agent) for agent in dict.fromkeys(find_agents(scope, names))]
    if not json:
        for row in rows:
            print_line(f"{row['agent']}: {format_count(row['items'], 'item')} in {row['file']}")
    files = ", ".join(row["file"] for row in rows)
    written = notes.may_change(
        f"Move these items to the archive and delete {files}?", yes, dry_run, json
    )
    if written:
        cleaning.archive_memories(*scope, [row["agent"] for row in rows])
    if json:
        rows = [{**row, "written": written, "change": notes.get_change(project)} for row in rows]
        print_json(rows if len(rows) > 1 else rows[0])
    elif written:
        print_line(f"Deleted {files}; the items are archived.")
        notes.note_undo(project, user)


def _describe(project: Project, level: Store, agent: str) -> dict[str, Any]:
    """Return an agent's file and number of items; refuse an agent without a memory."""
    memory = read_memory(project, agent, level)
    if memory.snapshot is None:
        raise CommandRefused(f"{agent} has no memory to delete", 1)
    count = len([item for item in memory.document.items if item.text])
    return {"agent": agent, "items": count, "file": level.paths.relative(memory.snapshot.path)}


Key = Annotated[
    str,
    typer.Argument(
        metavar="KEY",
        help="coding-style, communication, work-style, or your own key.",
    ),
]

preference = App()


@preference.callback()
def manage() -> None:
    """Manage how an agent should work.

    \b
    Example:
      agent-memory preference list
    """


@preference.command("set")
def set_(
    agent: Agent,
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The wish, on one line.")],
    user: User = False,
    json: AsJson = False,
) -> None:
    """Set a preference; it replaces the previous value of the key.

    \b
    Example:
      agent-memory preference set engineer coding-style "small functions"
    """
    scope = find_agent(agent, user, accept_new=True)
    scopes.require_person(scope.project, "set preferences")
    changed = preference_actions.set_preference(scope.project, scope.agent, key, value, scope.level)
    fields = _read(scope, key)
    if json:
        print_json({**fields, "changed": changed, "change": notes.get_change(scope.project)})
        return
    print_line(_format(fields))
    if changed:
        notes.note_undo(scope.project, user)
    else:
        print_note("It was set already.")


@preference.command()
def unset(agent: Agent, key: Key, user: User = False, json: AsJson = False) -> None:
    """Remove a preference.

    Exit 1 if it is not set.

    \b
    Example:
      agent-memory preference unset engineer work-style || echo "was not set"
    """
    scope = find_agent(agent, user, accept_new=True)
    fields = _read(scope, key)
    scopes.require_person(scope.project, "set preferences")
    changed = preference_actions.remove_preference(scope.project, scope.agent, key, scope.level)
    if json:
        print_json({**fields, "changed": changed, "change": notes.get_change(scope.project)})
    elif changed:
        print_line(f"Removed: {_format(fields)}")
        notes.note_undo(scope.project, user)
    if not changed:
        print_note(f"{scope.agent} has no preference {key!r}")
        raise typer.Exit(1)


@preference.command("list")
def list_(agent: OptionalAgent = None, user: User = False, json: AsJson = False) -> None:
    """Print the preferences of one agent, or of all.

    \b
    Example:
      agent-memory preference list engineer
    """
    scope = find_level(user)
    agents = find_agents(scope, [agent]) if agent else scope.level.agents()
    rows = [
        {"agent": name, "key": key, "value": value}
        for name in agents
        for key, value in preference_actions.read_preferences(
            scope.project, name, scope.level
        ).items()
    ]
    if json:
        print_json(rows)
        return
    enable_pager()
    for fields in rows:
        print_line(_format(fields))
    if not rows:
        print_note(f"{agents[0]} has no preferences." if agent else "No agent has preferences.")


def _read(scope: AgentScope, key: str) -> dict[str, Any]:
    """Return the fields of a preference; the key as the memory writes it, if it is set."""
    values = preference_actions.read_preferences(scope.project, scope.agent, scope.level)
    wanted = preferences.normalize_key(key)
    key = next((name for name in values if preferences.normalize_key(name) == wanted), key)
    return {"agent": scope.agent, "key": key, "value": values.get(key)}


def _format(fields: dict[str, Any]) -> str:
    return f"{fields['agent']}: {fields['key']}: {fields['value']}"
