"""What a program tells of an agent: what it learned, a task that ended, an error.

By the rules that a report passes; `source` says which program it was.
"""

from __future__ import annotations

import math
import os
import time
from typing import Any

from memory_core import memory, outcomes, people, performance


class Refused(ValueError):
    """What is not recorded; the message is the reason."""

    status = 2


def check_serves(project: memory.Project, agent: str) -> None:
    """Raise Refused where the agent takes no part: by the settings, or as a harness's servant."""
    check_enabled(project)
    if not project.serves(agent):
        raise Refused(f"{agent} has no memory here: see include and exclude in config.yml")


def check_enabled(project: memory.Project) -> None:
    """Raise Refused where memory is switched off, as it is by settings that nobody can read."""
    config = project.config
    if not config.readable and not config["enabled"]:
        raise Refused(f"memory is switched off here: {config.problems[0]}")
    if not config["enabled"]:
        where = "memory.enabled in config.yml, or the variable AGENT_MEMORY"
        raise Refused(f"memory is switched off here: see {where}")


def learning(
    project: memory.Project, agent: str, kind: str, content: str, **by: str
) -> people.Lesson:
    """Add a learning as a report would, or confirm the item that says the same.

    `by` may have run, session and source.  Raises Refused where the agent's reports do not
    teach, people.Refused for what no report could teach.
    """
    check_serves(project, agent)
    if not project.config.learns(agent):
        raise Refused(f"nothing is learned for {agent}: memory.auto_learning is off for it")
    return people.teach(project, agent, kind, [content], None, **by)


def task(
    project: memory.Project,
    agent: str,
    outcome: str = performance.DONE,
    *,
    duration_s: float | None = None,
    tokens: int | None = None,
    tool_uses: int | None = None,
    type: str = performance.OTHER,
    source: str,
    run: str = "",
    session: str = "",
) -> None:
    """Record a finished task for the agent's performance; what is not known is left out.

    `outcome` is one of performance.OUTCOMES, one `run` counts once.  Raises Refused for
    another outcome, or a negative number.
    """
    if outcome not in performance.OUTCOMES:
        raise Refused(f"outcome: {', '.join(performance.OUTCOMES)} is expected")
    if duration_s is not None and not (duration_s >= 0 and math.isfinite(duration_s)):
        raise Refused(f"duration_s: seconds from 0 on are expected, not {duration_s!r}")
    duration_ms = None if duration_s is None else round(duration_s * 1000)
    numbers = {"duration_ms": duration_ms, "tokens": tokens, "tool_uses": tool_uses}
    for name, number in numbers.items():
        if number is not None and performance.count(number) is None:
            raise Refused(f"{name}: a whole number from 0 on is expected, not {number!r}")
    key = run or f"{source} {os.getpid()} {time.time_ns()}"
    told = performance.task(key, outcome, type=type, run=run, session=session, **numbers)
    _keep(project, agent, told, source)


def error(
    project: memory.Project,
    agent: str,
    text: str,
    resolution: str = "",
    *,
    source: str,
    run: str = "",
    session: str = "",
) -> performance.Record:
    """Record an error, and what helped where that is known; return the record.

    Of a text the first line counts, up to 200 characters.  Raises Refused for an empty one.
    """
    told = performance.error(text, resolution=resolution, run=run, session=session)
    if told is None:
        raise Refused("error: a text is expected")
    _keep(project, agent, told, source)
    return told


def _keep(project: memory.Project, agent: str, told: dict[str, Any], source: str) -> None:
    for name in ("type", "run", "session"):
        if not isinstance(told.get(name, ""), str) or "\n" in told.get(name, ""):
            raise Refused(f"{name}: a text of one line is expected")
    with project.store.locked(agent):
        outcomes.append(project, agent, [outcomes.stamped(agent, told, source)])
