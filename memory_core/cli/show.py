"""`agent-memory show`: a memory as it stands, or as an agent is given it."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import Agent, AsJson, User, check_user, project_of
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, note, out, raw, text_of, utc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.store import Text


def show(
    ctx: typer.Context,
    agent: Agent,
    as_given: Annotated[
        bool,
        typer.Option("--as-given", help="Print what the agent would be given now, if anything."),
    ] = False,
    at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="The items as they were: 2d (ago), '2026-11-20 22:10'."),
    ] = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Print what an agent remembers.

    With --at, items are as they were at that time (UTC), other text as it is now.
    --user goes with it, for the user's own memory of the agent.

    \b
    Example:
      agent-memory show engineer --as-given
    """
    if as_given and at is not None:
        raise Refused("--as-given and --at exclude each other")
    check_user(user)
    project = project_of(ctx)
    if at is not None:
        _show_then(project, agent, at, user, json)
        return
    name = known_agent(project, agent, project.level(user))
    if as_given:
        show_given(project, name, json)
    else:
        _show_file(project, name, user, json)


def _show_then(project: Project, agent: str, at: str, user: bool, json: bool) -> None:
    import time

    from memory_core import timeline, times

    level = project.level(user)
    moment = times.moment(at, time.time())
    name = known_agent(project, agent, level)
    began = timeline.began(project, level, name)
    text = timeline.at(project, level, name, moment) if began and began <= moment else ""
    if json:
        as_json({"at": moment, **_shown(project, name, level.path(name) if text else None, text)})
    elif text:
        out(text.removesuffix("\n"))
    else:
        begins = f"begins at {began}" if began else "has not begun yet"
        note(f"Nothing is known of {moment}: the history of {name} {begins}.")


def show_given(project: Project, agent: str, json: bool) -> None:
    """Print what a hook would give the agent now."""
    from memory_core import knowledge

    given = knowledge.as_given(project, agent)
    if json:
        as_json({"agent": agent, "text": given.text, "source": given.source, "bytes": given.size})
    elif given.text:
        out(given.text)
    else:
        note(f"{agent} would be given nothing; agent-memory config show tells why")


def _show_file(project: Project, agent: str, user: bool, json: bool) -> None:
    from memory_core import store

    own = None if user else project.store.read(agent)
    users = store.Store(project.user).read(agent) if project.user else None
    text = own or users
    if own and users and not json:
        note(f"The user's own memory of {agent} is in {users.path}")
    if json:
        as_json(_fields(project, agent, text))
    elif text:
        raw(text.text.encode("utf-8", "surrogateescape"))
        for line, sentence in _warnings(text):
            note(f"{project.place.relative(text.path)}:{line}: {sentence}")
    else:
        note(_empty(project, agent))


def _warnings(text: Text) -> list[tuple[int, str]]:
    from memory_core import markdown

    return markdown.parse(text.text).warnings


def _empty(project: Project, agent: str) -> str:
    from memory_core import memory

    where = project.place.relative(project.store.path(agent))
    maker = "a person writes" if agent == memory.PM else "its first learning makes"
    return f"{agent} has no memory yet; {maker} {where}"


def _fields(project: Project, agent: str, text: Text | None) -> dict[str, object]:
    shown = _shown(project, agent, text.path if text else None, text.text if text else "")
    return shown | {"changed": utc(text.changed) if text else None}


def _shown(project: Project, agent: str, path: str | None, text: str) -> dict[str, object]:
    from memory_core import markdown

    document = markdown.parse(text)
    sections = [
        {"title": section.title, "items": [text_of(item.text) for item in section.items]}
        for section in document.sections
    ]
    return {
        "agent": agent,
        "file": project.place.relative(path) if path else None,
        "bytes": len(text.encode("utf-8", "surrogateescape")),
        "changed": None,
        "sections": sections,
        "warnings": [
            {"line": line, "what": text_of(sentence)} for line, sentence in document.warnings
        ],
        "text": text_of(text),
    }
