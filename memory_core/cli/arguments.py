"""Arguments and options that several commands share, and the values that they lead to."""

from __future__ import annotations

import os
import shlex
import time
from typing import Annotated, NamedTuple

import typer

from memory_core.claude_code import agent_definitions
from memory_core.claude_code.agent_names import PM
from memory_core.cli import suggestions, times
from memory_core.cli.app import find_project, shared
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import ask_yes_no, can_ask, print_line, print_note
from memory_core.curation import lookup
from memory_core.document.diff import TextChange, format_diff
from memory_core.memory.project import Project
from memory_core.storage import paths
from memory_core.storage.store import Store
from memory_core.text.phrases import format_count

NOTHING_CHANGED = "nothing was changed"
DRY_RUN_HINT = "Nothing is changed yet; run it without --dry-run to change it."
YES_HINT = "Nothing is changed yet; pass --yes to change it."

Agent = Annotated[
    str,
    typer.Argument(
        metavar="AGENT",
        help="Agent name in any spelling, or PM.",
        autocompletion=suggestions.suggest_agents,
    ),
]
OptionalAgent = Annotated[
    str | None,
    typer.Argument(
        metavar="AGENT",
        help="Agent name in any spelling, or PM.",
        show_default="all agents",
        autocompletion=suggestions.suggest_agents,
    ),
]
Agents = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="AGENT",
        help="Agent names in any spelling, or PM.",
        show_default="all agents",
        autocompletion=suggestions.suggest_agents,
    ),
]
Item = Annotated[
    str,
    typer.Argument(
        metavar="ITEM",
        help="The item: its id (at least 4 digits), its text or a part of the text.",
        autocompletion=suggestions.suggest_items,
    ),
]
User = Annotated[
    bool, typer.Option("--user", help="Use your user-level memories, not the project's.")
]
Since = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Start: 2d (ago), 2026-11-20 or '2026-11-20 22:10' (UTC)."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
# For commands that change nothing if nobody can answer.
YesOrAsk = Annotated[
    bool, typer.Option("--yes", help="Change it.  Default: ask, if this is a terminal.")
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON (fields: agent-memory help json).")
]


class LevelScope(NamedTuple):
    """A project and the memories of one of its levels."""

    project: Project
    level: Store


class AgentScope(NamedTuple):
    """A project, the memories of one of its levels, and an agent's id."""

    project: Project
    level: Store
    agent: str


def find_level(user: bool = False) -> LevelScope:
    """Return the project, with its own memories or the user's."""
    if user and paths.find_user_level(os.environ) is None:
        raise CommandRefused("--user needs a home directory, but HOME is not set")
    project = find_project()
    return LevelScope(project, project.level(user))


def find_known_agent(name: str, user: bool = False) -> AgentScope:
    """Return the agent with its project and level; refuse an agent that does not exist here."""
    project, level = find_level(user)
    agent = lookup.find_agent(project, name, os.environ, level)
    return AgentScope(project, level, agent)


def find_any_agent(name: str, user: bool = False) -> AgentScope:
    """Return the agent, which may be new; refuse a misspelt name."""
    project, level = find_level(user)
    agent = lookup.find_agent(project, name, os.environ, level, accept_new=True)
    return AgentScope(project, level, agent)


def find_agents(scope: LevelScope, names: list[str] | None) -> list[str]:
    """Return the ids of the agents; refuse an agent that does not exist here."""
    project, level = scope
    return [lookup.find_agent(project, name, os.environ, level) for name in names or []]


def parse_agents(scope: LevelScope, names: list[str] | None) -> list[str]:
    """Return the ids of the agents, even without a memory; refuse a misspelt name."""
    project, level = scope
    return [
        lookup.find_agent(project, name, os.environ, level, accept_new=True) for name in names or []
    ]


def parse_since(since: str | None) -> str:
    """Return the time of --since as history records write it, "" for None."""
    return "" if since is None else times.parse_time(since, time.time(), is_first=True)


def format_command(command: str, user: bool = False) -> str:
    """Return a command of agent-memory to type, for the same project and level."""
    level = " --user" if user else ""
    project = f" --project {shlex.quote(shared.project)}" if shared.project else ""
    return f"agent-memory {command}{level}{project}"


def should_ask(yes: bool, dry_run: bool, json: bool) -> bool:
    """Say whether to ask before a large change: only if a person can answer."""
    if dry_run and yes:
        raise CommandRefused("--dry-run and --yes exclude each other")
    return not (dry_run or yes or json) and can_ask()


def require_consent(question: str) -> None:
    """Ask a question; refuse the command unless the answer is yes."""
    if not ask_yes_no(question):
        raise CommandRefused(NOTHING_CHANGED, 1)


def note_undo(user: bool = False) -> None:
    print_note(f"To undo: {format_command('undo', user)}")


def note_undefined(project: Project, agent: str) -> None:
    """Warn about an agent that Claude Code does not know: nobody receives its memory."""
    if agent != PM and not agent_definitions.AgentCatalog(project.place.root, os.environ).has(
        agent
    ):
        print_note(f"Note: no agent named {agent} is defined in this project yet.")


def note_archived(agent: str, count: int, written: bool, user: bool) -> None:
    """Say how many entries were archived, or would be, and how to list them."""
    if count:
        verb = "archived" if written else "would be archived"
        command = format_command(f"restore {agent}", user)
        print_note(f"{format_count(count, 'entry')} {verb}; list them with {command}")


def note_nothing(level: Store, agents: list[str], message: str) -> None:
    """Say that there is nothing to do; name the agents without a memory."""
    missing = [agent for agent in agents if not level.files(agent)]
    for agent in missing:
        print_note(f"{agent} has no memory yet")
    if not missing:
        print_note(message)


def print_change(change: TextChange, archived: list[str], written: bool) -> None:
    """Print the change of a memory file: the diff if it is not written, and archived items."""
    if not written:
        print_line(format_diff(change), end="")
    for text in archived:
        print_line(f"{'archived' if written else 'would be archived'}: {text}")


def change_to_json(change: TextChange, archived: list[str]) -> dict[str, object]:
    """Return the --json fields of a changed memory file."""
    return {"file": change.path, "diff": format_diff(change), "archived": archived}
