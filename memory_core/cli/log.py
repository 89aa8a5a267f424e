"""`agent-memory log`: what became of memories, a line for each record of their histories."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_core.cli import Refused
from memory_core.cli.common import Agents, AsJson, Since, User, check_user, project_of, since_of
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.past import Record

# The keys of a record that stand in --json, whether it has them or not.
KEYS = (
    *("time", "kind", "agent", "id", "text", "section", "nested", "was", "after", "run"),
    *("session", "source", "origin", "confidence", "change", "type", "outcome"),
    *("duration_ms", "tokens", "tool_uses", "tool", "resolution"),
)

RUN = 8  # so many digits of a run's id tell it from others of a project


def log(
    ctx: typer.Context,
    agent: Agents = None,
    since: Since = None,
    number: Annotated[
        int | None, typer.Option("--number", "-n", help="At most so many.", show_default="all")
    ] = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Print what became of memories, the latest first.

    A line has the time (UTC), agent, what it was, the item's id, how sure the
    item was then, the run, and the text.
    What was done to a file by hand has the time of the write that found it.

    \b
    Example:
      agent-memory log engineer --since 7d
    """
    from memory_core import timeline

    if number is not None and number < 1:
        raise Refused(f"-n {number}: a number from 1 on is expected")
    moment = since_of(since)
    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    names = [known_agent(project, name, level) for name in agent or []]
    found = timeline.told(project, level, names or timeline.everyone(level))
    chosen = [each for each in found if each["time"] > moment][::-1][:number]
    if json:
        as_json([fields(each) for each in chosen])
        return
    for line in columns([_row(each) for each in chosen]):
        out(text_of(line))
    if not chosen:
        note("Nothing is recorded since then." if found else "Nothing is recorded yet.")


def fields(record: Record) -> dict[str, Any]:
    """Return a record for --json."""
    values = {key: record.get(key) or None for key in KEYS}
    numbers = {key: record[key] for key in KEYS if type(record.get(key)) in (int, float)}
    return {
        key: text_of(value) if isinstance(value, str) else value
        for key, value in (values | numbers).items()
    }


def columns(rows: list[list[str]]) -> list[str]:
    """Return rows as lines, without the columns that are empty."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = (
        [cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width]
        for row in rows
    )
    return ["  ".join(row).rstrip() for row in cells]


def _row(record: Record) -> list[str]:
    sure = record.get("confidence")
    return [
        minute(record["time"]),
        record["agent"],
        record["kind"],
        "" if record["kind"] == "undone" else record["id"],
        "" if sure is None else f"{sure:.1f}",
        (record.get("run") or "")[:RUN],
        _text(record),
    ]


def _text(record: Record) -> str:
    """Return an item's text, or what there is to say of another record, on one line."""
    if record["kind"] == "undone":
        return f"the change of {minute(record['id'])}"
    if record["kind"] == "task":
        return " ".join(filter(None, (record.get("type"), record.get("outcome"))))
    return " ".join(str(record["text"]).split())


def minute(time: str) -> str:
    """Return a record's time as people read it: to the minute, in UTC."""
    return time[:16].replace("T", " ")
