"""`agent-memory status`: a project's memories at a glance."""

from __future__ import annotations

import os
from collections.abc import Iterator

import typer

from memory_core.cli.common import AsJson, project_of
from memory_core.cli.output import Column, as_json, day_or_hour, out, paint, size, table, utc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.overview import Memory, Overview

COLUMNS = [
    Column("AGENT", 0, right=False),
    Column("ITEMS", 1),
    Column("SECTIONS", 5),
    Column("SIZE", 2),
    Column("USED", 3),
    Column("CHANGED", 6),
    Column("REVIEW", 4),
    Column("SPOOLED", 7),
]


def status(ctx: typer.Context, json: AsJson = False) -> None:
    """Print one line an agent, and what needs you.

    \b
    Example:
      agent-memory status --json
    """
    from memory_core import overview

    project = project_of(ctx)
    found = overview.overview(project, os.environ)
    if json:
        as_json({"project": project.place.root, **_fields(found)})
        return
    _print_memories(found.memories)
    out()
    for line in _state(found):
        out(line)
    for warning in found.warnings:
        out(paint("warning", "warning"), f": {warning.what} ({warning.mend})")


def _print_memories(entries: list[Memory]) -> None:
    if not entries:
        out("No agent has a memory yet; its first learning makes it.")
        return
    head, *lines = table(COLUMNS, [*map(_row, entries), _total(entries)])
    out(paint(head, "bold"))
    for line in lines:
        out(line)


def _row(entry: Memory) -> list[str]:
    return [
        entry.agent,
        str(entry.items),
        str(entry.sections),
        size(entry.size),
        f"{100 * entry.size // entry.limit}%",
        day_or_hour(entry.changed),
        str(entry.review or ""),
        str(entry.spooled or ""),
    ]


def _total(entries: list[Memory]) -> list[str]:
    from memory_core.overview import counted

    rows = [(each.items, each.sections, each.size, each.review, each.spooled) for each in entries]
    items, sections, total, review, spooled = (sum(column) for column in zip(*rows, strict=True))
    count = counted(len(entries), "agent")
    waiting = [str(review or ""), str(spooled or "")]
    return [count, str(items), str(sections), size(total), "", "", *waiting]


def _state(found: Overview) -> Iterator[str]:
    files = ", ".join(f"{file.level} settings" for file in found.hooks)
    yield f"Hooks: {f'installed in {files}' if files else 'not installed'}"
    last = found.last_delivery
    if last:
        yield f"Last delivery: {last.agent}, {last.verdict} by {last.route}, {last.timestamp}"
    else:
        yield "Last delivery: none yet"


def _fields(found: Overview) -> dict[str, object]:
    last = found.last_delivery
    return {
        "agents": [_agent_fields(entry) for entry in found.memories],
        "hooks": [
            {
                "level": file.level,
                "file": file.path,
                "events": list(dict.fromkeys(entry.event for entry in file.ours)),
            }
            for file in found.hooks
        ],
        "last_delivery": last._asdict() if last else None,
        "warnings": [warning._asdict() for warning in found.warnings],
    }


def _agent_fields(entry: Memory) -> dict[str, object]:
    return {
        "agent": entry.agent,
        "file": entry.path,
        "items": entry.items,
        "sections": entry.sections,
        "bytes": entry.size,
        "limit": entry.limit,
        "changed": utc(entry.changed),
        "review": entry.review,
        "spooled": entry.spooled,
        "error": entry.error or None,
    }
