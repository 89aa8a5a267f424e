"""`agent-memory init`: the folder of memories, and memories for the agents there are."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memory_core.cli.common import AsJson, User, check_user, project_of
from memory_core.cli.known import known_or_new
from memory_core.cli.output import as_json, can_ask, is_agreed, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_core.store import Store


def init(
    ctx: typer.Context,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="NAME", help="An agent to give one; may stand again."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Give one to all agents in .claude/agents.")
    ] = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Make the folder of memories, and memories for your agents.

    Agents of .claude/agents that have no memory are offered an empty one, on a terminal.
    None of it is needed: an agent's first learning makes what is missing.

    \b
    Example:
      agent-memory init --agent engineer
    """
    from memory_core import beginning

    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    names = [known_or_new(project, name, level) for name in agent or []]
    able = beginning.without(level, os.environ, user)
    chosen = _chosen(names, able, yes, json)  # asked first: Ctrl-C leaves nothing behind
    made = beginning.begin(level)
    given = beginning.give(project, level, chosen)
    left = [name for name in able if name not in dict(given)]
    hooks = beginning.has_hooks(project.place.root, os.environ)
    if json:
        as_json(_fields(text_of(level.folder), made, given, left) | {"hooks": hooks})
    else:
        known = [name for name in names if name not in dict(given)]
        _print([*made, *(file for _agent, file in given)], known, level, user)
        _tell_next(left, hooks, user)


def _chosen(names: list[str], able: list[str], yes: bool, json: bool) -> list[str]:
    """Return the agents that are to have a memory; ask about those that were not named."""
    rest = [name for name in able if name not in names]
    if yes or not rest:
        return [*names, *rest]
    if names or json or not can_ask():
        return names
    they = "an empty memory" if len(rest) == 1 else "empty memories"
    return rest if is_agreed(f"Make {they} for {', '.join(rest)}?") else []


def _print(made: list[str], known: list[str], level: Store, user: bool) -> None:
    if not user and os.path.realpath(level.place.root) != os.path.realpath(os.getcwd()):
        note(text_of(f"The project is {level.place.root}"))
    home = "~/" if user else ""
    for path in made:
        out(text_of(f"Made {home}{path}"))
    for name in known:
        note(f"{name} has a memory already.")
    if not (made or known):
        folder = level.place.relative(level.folder)
        note(text_of(f"Nothing to do: {home}{folder} has all that belongs there."))


def _tell_next(left: list[str], hooks: bool, user: bool) -> None:
    if left:
        note(text_of(f"Without a memory so far: {', '.join(left)}. --yes gives them one."))
    if not hooks:
        note(f"Next: agent-memory install{' --user' if user else ''} lets Claude Code use it.")


def _fields(
    folder: str, made: list[str], given: Sequence[tuple[str, str]], left: list[str]
) -> dict[str, object]:
    return {
        "folder": folder,
        "made": [text_of(path) for path in made],
        "agents": [{"agent": agent, "file": text_of(file)} for agent, file in given],
        "without": left,
    }
