"""`agent-memory diff`: how a memory differs from what it was."""

from __future__ import annotations

import typer

from memory_core.cli.common import Agent, AsJson, Since, User, check_user, project_of, since_of
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, note, out, paint, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.timeline import Compared

STYLES = {"-": "broken", "+": "ok", "@": "bold"}


def diff(
    ctx: typer.Context,
    agent: Agent,
    since: Since = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Print how an agent's items differ from what they were.

    Without --since: from what they were before their last change, by
    whomever.  Only items are compared; other text is as it is now.

    \b
    Example:
      agent-memory diff engineer --since 7d
    """
    from memory_core import timeline

    moment = since_of(since)
    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    name = known_agent(project, agent, level)
    found = timeline.compared(project, level, name, moment)
    if json:
        as_json(_fields(name, found))
    elif found.diff:
        _print(found.diff)
    else:
        note(f"Nothing of {name} has changed{' since then' if since else ''}.")


def _print(text: str) -> None:
    for line in text.removesuffix("\n").split("\n"):
        style = STYLES.get(line[:1])
        out(paint(text_of(line), style) if style else text_of(line))


def _fields(agent: str, found: Compared) -> dict[str, object]:
    return {
        "agent": agent,
        "since": found.since or None,
        "diff": text_of(found.diff),
        "added": [text_of(text) for text in found.added],
        "removed": [text_of(text) for text in found.removed],
    }
