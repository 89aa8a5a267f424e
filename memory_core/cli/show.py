"""`agent-memory show`: a memory as it stands, or as an agent is given it."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli.common import AsJson, agent_named, project_of
from memory_core.cli.output import as_json, note, out, raw, text_of, utc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Given, Project
    from memory_core.store import Text


def show(
    ctx: typer.Context,
    agent: Annotated[str, typer.Argument(help="An agent in any spelling, or PM.")],
    as_given: Annotated[
        bool,
        typer.Option("--as-given", help="Print what the agent would be given now, if anything."),
    ] = False,
    json: AsJson = False,
) -> None:
    """Print what an agent remembers.

    \b
    Example:
      agent-memory show engineer --as-given
    """
    project = project_of(ctx)
    name = agent_named(project, agent)
    if as_given:
        _show_given(project, name, json)
    else:
        _show_file(project, name, json)


def _show_given(project: Project, agent: str, json: bool) -> None:
    given = _given(project, agent)
    if json:
        as_json({"agent": agent, "text": given.text, "source": given.source, "bytes": given.size})
    elif given.text:
        out(given.text)
    else:
        note(f"{agent} would be given nothing; agent-memory config show tells why")


def _given(project: Project, agent: str) -> Given:
    """Recall as the hooks do: with the prompt, or at the session's start."""
    from memory_core import delegation, events, memory

    if not project.serves(agent) or agent in events.HARNESS_AGENTS:
        return memory.Given("", None, 0)
    budget = delegation.CONTEXT_LIMIT if agent == memory.PM else memory.PROMPT_BUDGET
    return memory.recall(project, agent, budget)


def _show_file(project: Project, agent: str, json: bool) -> None:
    from memory_core import store

    own = project.store.read(agent)
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
    from memory_core import markdown

    if text is None:
        return {
            "agent": agent,
            "file": None,
            "bytes": 0,
            "changed": None,
            "sections": [],
            "warnings": [],
            "text": "",
        }
    document = markdown.parse(text.text)
    sections = [
        {"title": section.title, "items": [text_of(item.text) for item in section.items]}
        for section in document.sections
    ]
    return {
        "agent": agent,
        "file": project.place.relative(text.path),
        "bytes": len(text.text.encode("utf-8", "surrogateescape")),
        "changed": utc(text.changed),
        "sections": sections,
        "warnings": [
            {"line": line, "what": text_of(sentence)} for line, sentence in document.warnings
        ],
        "text": text_of(text.text),
    }
