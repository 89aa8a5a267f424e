"""`agent-memory blame`: where each item of a memory is from."""

from __future__ import annotations

from typing import Any

import typer

from memory_core.cli.common import Agent, AsJson, User, check_user, project_of
from memory_core.cli.known import known_agent
from memory_core.cli.log import RUN, columns
from memory_core.cli.output import as_json, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.timeline import Blamed


def blame(
    ctx: typer.Context,
    agent: Agent,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Print when each item came, from which run, and how sure it is.

    A line has the item's id, the day since when it is there, in this or an
    older wording, its source, how sure it is, the run, and the text.

    \b
    Example:
      agent-memory blame engineer
    """
    from memory_core import timeline

    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    name = known_agent(project, agent, level)
    found = timeline.blame(project, level, name)
    if json:
        as_json([_fields(name, each) for each in found])
        return
    for line in columns([_row(each) for each in found]):
        out(text_of(line))
    if not found:
        note(f"{name} knows nothing yet")


def _fields(agent: str, each: Blamed) -> dict[str, Any]:
    known = each.known
    return {
        "agent": agent,
        "id": each.id,
        "text": text_of(each.text),
        "section": text_of(each.section) or None,
        "time": (known.born or None) if known else None,
        "used": (known.used or None) if known else None,
        "run": (text_of(known.run) or None) if known else None,
        "session": (text_of(known.session) or None) if known else None,
        "source": (text_of(known.source) or None) if known else None,
        "confidence": known.confidence if known else None,
    }


def _row(each: Blamed) -> list[str]:
    known = each.known
    told = (
        [known.born[:10], known.source, f"{known.confidence:.1f}", known.run[:RUN]]
        if known
        else ["", "", "", ""]
    )
    return [each.id, *told, f"[{each.section}] {each.text}"]
