"""`agent-memory preference`: what an agent is wished to do."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_core.cli.app import Suggesting, new_app
from memory_core.cli.common import (
    Agent,
    AsJson,
    User,
    agent_named,
    check_user,
    complete_agents,
    project_of,
)
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, note, out, page, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.store import Store


def _complete_keys(ctx: Any, args: Any, incomplete: str) -> list[str]:
    from memory_core import preferences

    return list(preferences.USUAL)


Key = Annotated[
    str,
    typer.Argument(
        metavar="KEY",
        help="coding-style, communication, work-style, or a name of your own.",
        autocompletion=_complete_keys,
    ),
]

app = new_app(cls=Suggesting)


@app.callback()
def preference() -> None:
    """Say how an agent is to work: its style, its tone.

    \b
    Example:
      agent-memory preference list
    """


@app.command("set")
def set_(
    ctx: typer.Context,
    agent: Agent,
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What is wished, on one line.")],
    user: User = False,
    json: AsJson = False,
) -> None:
    """Let an agent be told a preference from now on.

    It takes the place of the value that the key had.

    \b
    Example:
      agent-memory preference set engineer coding-style "small functions"
    """
    from memory_core import people

    project, level, name = _named(ctx, agent, user)
    changed = people.prefer(project, name, key, value, level)
    values = people.preferred(project, name, level)
    told = _fields(name, key, values)
    if json:
        as_json({**told, "changed": changed})
        return
    out(_line(told))
    if not changed:
        note("It was so already.")


@app.command()
def get(
    ctx: typer.Context, agent: Agent, key: Key, user: User = False, json: AsJson = False
) -> None:
    """Print the value of a preference.

    Exit 1 when it is not set.

    \b
    Example:
      agent-memory preference get engineer work-style || echo "not set"
    """
    from memory_core import people

    project, level, name = _named(ctx, agent, user)
    told = _fields(name, key, people.preferred(project, name, level))
    if json:
        as_json(told)
    elif told["value"] is not None:
        out(told["value"])
    if told["value"] is None:
        _end_unset(name, key)


@app.command()
def unset(
    ctx: typer.Context, agent: Agent, key: Key, user: User = False, json: AsJson = False
) -> None:
    """Take a preference back.

    Exit 1 when it is not set.

    \b
    Example:
      agent-memory preference unset engineer work-style || echo "was not set"
    """
    from memory_core import people

    project, level, name = _named(ctx, agent, user)
    told = _fields(name, key, people.preferred(project, name, level))
    changed = people.unprefer(project, name, key, level)
    if json:
        as_json({**told, "changed": changed})
    elif changed:
        out(f"Taken back: {_line(told)}")
    if not changed:
        _end_unset(name, key)


@app.command("list")
def list_(
    ctx: typer.Context,
    agent: Annotated[
        str | None,
        typer.Argument(
            metavar="AGENT",
            help="An agent in any spelling, or PM.",
            show_default="all",
            autocompletion=complete_agents,
        ),
    ] = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Print the preferences of an agent, or of all.

    \b
    Example:
      agent-memory preference list engineer
    """
    from memory_core import people

    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    names = [known_agent(project, agent, level)] if agent else level.agents()
    held = {name: people.preferred(project, name, level) for name in names}
    found = [_fields(name, key, values) for name, values in held.items() for key in values]
    if json:
        as_json(found)
        return
    page()
    for each in found:
        out(_line(each))
    if not found:
        note(f"{names[0]} has no preferences." if agent else "No agent has preferences.")


def _named(ctx: typer.Context, agent: str, user: bool) -> tuple[Project, Store, str]:
    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    return project, level, agent_named(project, agent, level)


def _fields(agent: str, key: str, values: dict[str, str]) -> dict[str, str | None]:
    """Return a preference, its key as it is written in the memory, or else as it was given."""
    from memory_core import preferences

    wanted = preferences.same_key(key)
    key = next((each for each in values if preferences.same_key(each) == wanted), key)
    value = values.get(key)
    return {"agent": agent, "key": text_of(key), "value": None if value is None else text_of(value)}


def _line(told: dict[str, str | None]) -> str:
    return f"{told['agent']}: {told['key']}: {told['value']}"


def _end_unset(agent: str, key: str) -> None:
    note(f"{agent} has no preference {key!r}")
    raise typer.Exit(1)
