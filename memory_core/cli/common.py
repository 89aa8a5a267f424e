"""What several commands take: the project, and an agent by any spelling."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from memory_core.cli import GIVEN, Refused
from memory_core.cli.output import can_ask, is_agreed, note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.store import Store

NOTHING_DONE = "nothing was done"


def complete_agents(ctx: Any, args: Any, incomplete: str) -> Any:
    from memory_core.cli import completing

    return list(completing.agents(ctx))


def complete_items(ctx: Any, args: Any, incomplete: str) -> Any:
    from memory_core.cli import completing

    return list(completing.items(ctx))


Agent = Annotated[
    str,
    typer.Argument(
        metavar="AGENT", help="An agent in any spelling, or PM.", autocompletion=complete_agents
    ),
]
Agents = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="AGENT",
        help="Agents in any spelling, or PM.",
        show_default="all",
        autocompletion=complete_agents,
    ),
]
Item = Annotated[
    str,
    typer.Argument(
        metavar="ITEM",
        help="Its id, the first four digits of it or more, its text, or a part.",
        autocompletion=complete_items,
    ),
]
User = Annotated[bool, typer.Option("--user", help="The user's memories, not the project's.")]
Since = Annotated[
    str | None,
    typer.Option(metavar="T", help="2d (ago), 2026-11-20, or '2026-11-20 22:10' (UTC)."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]
# Where nothing is done if nobody is there to be asked.
YesOrAsk = Annotated[bool, typer.Option("--yes", help="Do it all.  Default: ask, on a terminal.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; the fields are in docs/cli.md.")]


def project_of(ctx: typer.Context) -> Project:
    """Return the project that --project names, or the one that a hook would find here."""
    from memory_core import memory

    folder = (ctx.find_root().obj or {}).get("project")
    if not folder:
        return memory.project_of("", os.environ)
    environ = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
    return memory.project_of(folder, environ)


def hint(command: str, user: bool = False) -> str:
    """Return a command of ours as a person is to type it, for the same project and level."""
    import shlex

    folder = GIVEN.get("project")
    level = " --user" if user else ""
    project = f" --project {shlex.quote(folder)}" if folder else ""
    return f"agent-memory {command}{level}{project}"


def check_user(user: bool) -> None:
    """Raise Refused where the user's memories are asked for, and there is no home for them."""
    from memory_core import places

    if user and places.home(os.environ) is None:
        raise Refused("--user wants a home directory, and HOME names none")


def since_of(since: str | None) -> str:
    """Return the time that --since means as records have it, "" for none; raises times.NoTime."""
    import time

    from memory_core import times

    return times.moment(since, time.time(), is_first=True) if since is not None else ""


def agent_named(project: Project, name: str, level: Store | None = None) -> str:
    """Return the agent's id; raise for a name that is only nearly a known one."""
    from memory_core import roster

    return roster.agent_named(project, name, os.environ, level)


def defined(project: Project) -> list[str]:
    """Return the agents that Claude Code knows here."""
    from memory_core import roster

    return roster.defined(project, os.environ)


def asks(yes: bool, dry_run: bool, json: bool) -> bool:
    """Say whether a person is to be asked before much is changed: whoever is there to answer.

    Raises Refused where it is to be done and not to be done.
    """
    if dry_run and yes:
        raise Refused("--dry-run and --yes exclude each other")
    return not (dry_run or yes or json) and can_ask()


def check_agreed(question: str) -> None:
    """Ask; raise Refused for a no."""
    if not is_agreed(question):
        raise Refused(NOTHING_DONE, 1)


def note_archived(agent: str, count: int, written: bool, user: bool) -> None:
    """Say how much went, or would go, to an agent's archive, and what lists it."""
    from memory_core.overview import counted

    if count:
        went = "went" if written else "would go"
        command = hint(f"restore {agent}", user)
        note(f"{counted(count, 'entry')} {went} to the archive; {command} lists what is there")


def note_nothing(level: Store, names: list[str], sentence: str) -> None:
    """Say that nothing is to do, and of which agents there is no memory at all."""
    missing = [name for name in names if not level.files(name)]
    for name in missing:
        note(f"{name} has no memory yet")
    if not missing:
        note(sentence)
