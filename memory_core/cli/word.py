"""`agent-memory confirm`, `contradict`, `remove`: a person's word on one item."""

from __future__ import annotations

import typer

from memory_core.cli.common import Agent, AsJson, Item, User, check_user, hint, project_of
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_core.people import Told


def confirm(
    ctx: typer.Context, agent: Agent, item: Item, user: User = False, json: AsJson = False
) -> None:
    """Say that an item is right: it becomes surer.

    \b
    Example:
      agent-memory confirm engineer "event bus"
    """
    from memory_core import people

    _say(ctx, people.confirm, ("confirmed", "Confirmed"), (agent, item, user), json)


def contradict(
    ctx: typer.Context, agent: Agent, item: Item, user: User = False, json: AsJson = False
) -> None:
    """Say that an item is wrong: it becomes less sure, and stays.

    \b
    Example:
      agent-memory contradict engineer "event bus"
    """
    from memory_core import people

    _say(ctx, people.contradict, ("contradicted", "Contradicted"), (agent, item, user), json)


def remove(
    ctx: typer.Context, agent: Agent, item: Item, user: User = False, json: AsJson = False
) -> None:
    """Move an item to the archive.

    agent-memory restore lists what is there, and puts it back.

    \b
    Example:
      agent-memory remove engineer "event bus"
    """
    from memory_core import people

    _say(ctx, people.remove, ("removed", "To the archive"), (agent, item, user), json)


def _say(
    ctx: typer.Context,
    verb: Callable[..., Told],
    kind: tuple[str, str],
    what: tuple[str, str, bool],
    json: bool,
) -> None:
    agent, item, user = what
    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    name = known_agent(project, agent, level)
    told = verb(project, name, item, level)
    if json:
        as_json({"agent": name, "kind": kind[0], **_fields(told)})
        return
    out(text_of(f"{kind[1]}: {told.id} [{told.section}] {told.text} ({told.confidence:.1f})"))
    note(f"{hint('undo', user)} takes it back.")


def _fields(told: Told) -> dict[str, object]:
    return {
        "id": told.id,
        "text": text_of(told.text),
        "section": text_of(told.section) or None,
        "confidence": told.confidence,
    }
