"""What several pages use."""

from __future__ import annotations

from collections.abc import Callable

from memory_core.claude_code import agent_names
from memory_core.curation import change_log, lookup
from memory_core.dashboard.page import Done, NotFound, Visit
from memory_core.files.problems import describe_expected
from memory_core.secrets import scanner
from memory_core.text import sanitize

MAX_NOTICE = 400  # characters of a message, which quotes a text of any length


def find_agent(visit: Visit, name: str) -> str:
    """Return an agent with exactly this id; raises NotFound.

    An agent that is only in the event log exists, too: it was called, and has learned nothing yet.
    """
    if lookup.is_known(visit.project, name):
        return name
    if name == agent_names.id_of(name) and name in visit.numbers.agents():
        return name
    raise NotFound(f"There is no agent {name!r} here.")


def attempt(visit: Visit, agent: str, location: str, action: Callable[[], str]) -> Done:
    """Return the message of an action on a memory, or why it was not done."""
    try:
        message = sanitize.shorten(scanner.redact(action()), MAX_NOTICE)
    except (ValueError, OSError) as error:
        if not (problem := describe_expected(error)):
            raise
        return Done(location, problem, is_problem=True, typed=visit.form["text"])
    changes = [change_log.short_id(change) for change in visit.project.changes]
    return Done(location, message, undo=(agent, changes[0], location) if changes else None)
