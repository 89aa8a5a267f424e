"""`agent-memory status`: memories at a glance."""

from __future__ import annotations

import os

import typer

from memory_core.cli.common import AsJson, User, check_user, project_of
from memory_core.cli.output import (
    Column,
    ago,
    as_json,
    is_terminal,
    out,
    paint,
    size,
    table,
    text_of,
    utc,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory_core.overview import Memory, Overview

# As a terminal shows it; what matters least gives way first where it is narrow.
DRAWN = [
    Column("AGENT", 0, right=False),
    Column("ITEMS", 1),
    Column("SECT", 8),
    Column("SIZE", 7),
    Column("USED", 2, right=False),
    Column("CHANGED", 5),
    Column("LEARNED", 3),
    Column("REVIEW", 4),
    Column("SPOOLED", 9),
    Column("TREND", 6, right=False),
]

# Elsewhere, without pictures.
PLAIN = [each._replace(right=bool(each.rank)) for each in DRAWN[:-1]]


def status(ctx: typer.Context, user: User = False, json: AsJson = False) -> None:
    """Print one line an agent, and what needs you.

    USED is the share of the limit on a memory's size.
    LEARNED counts the items of the last 7 days, TREND those of 8 weeks.
    REVIEW counts what waits for a person, SPOOLED what is not merged yet.
    In a pipe USED is a percentage, and there is no TREND.

    \b
    Example:
      agent-memory status --json
    """
    from memory_core import overview

    check_user(user)
    project = project_of(ctx)
    found = overview.overview(project, os.environ, user)
    if json:
        as_json({"project": project.place.root, "user": user, **_fields(found)})
        return
    _print_memories(found.memories, user)
    out()
    for line in _state(found):
        out(line)
    for warning in found.warnings:
        out(paint("warning", "warning"), text_of(f": {warning.what} ({warning.mend})"))


def _print_memories(entries: list[Memory], user: bool) -> None:
    if not entries:
        whose = "of your own " if user else ""
        out(f"No agent has a memory {whose}yet; its first learning makes it.")
        return
    row = _drawn if is_terminal() else _plain
    rows = [*map(row, entries), row(_total(entries))]
    columns = DRAWN if is_terminal() else PLAIN
    kept = [at for at, each in enumerate(columns) if _is_told(each, [line[at] for line in rows])]
    rows = [[line[at] for at in kept] for line in rows]
    head, *lines = table([columns[at] for at in kept], rows)
    out(paint(head, "bold"))
    out("\n".join(lines))


def _is_told(column: Column, cells: Sequence[str]) -> bool:
    """Say whether a column is worth its room: seldom does something wait to be merged."""
    return column.title not in ("SPOOLED", "TREND") or any(cell not in ("", "-") for cell in cells)


def _drawn(entry: Memory) -> list[str]:
    from memory_core.cli import drawing

    used = drawing.bar(entry.size / entry.limit) if entry.limit else ""
    return [*_cells(entry, used), drawing.sparkline(entry.trend)]


def _plain(entry: Memory) -> list[str]:
    return _cells(entry, f"{100 * entry.size // entry.limit}%" if entry.limit else "-")


def _cells(entry: Memory, used: str) -> list[str]:
    learned = entry.trend[-1]
    return [
        text_of(entry.agent),
        str(entry.items),
        str(entry.sections),
        size(entry.size),
        used,
        ago(entry.changed),
        f"+{learned}" if learned else "-",
        str(entry.review or "-"),
        str(entry.spooled or "-"),
    ]


def _total(entries: list[Memory]) -> Memory:
    """Return all memories in the numbers of one; each has a limit of its own."""
    from memory_core.overview import counted

    return entries[0]._replace(
        agent=counted(len(entries), "agent"),
        size=sum(entry.size for entry in entries),
        limit=0,
        sections=sum(entry.sections for entry in entries),
        items=sum(entry.items for entry in entries),
        changed=max(entry.changed for entry in entries),
        review=sum(entry.review for entry in entries),
        spooled=sum(entry.spooled for entry in entries),
        trend=[sum(week) for week in zip(*(entry.trend for entry in entries), strict=True)],
    )


def _state(found: Overview) -> Iterator[str]:
    levels = dict.fromkeys(file.level for file in found.hooks)
    files = ", ".join("a plugin" if level == "plugin" else f"{level} settings" for level in levels)
    yield f"Hooks: {f'installed in {files}' if files else 'not installed'}"
    last = found.last_delivery
    if last:
        told = f"{last.agent}, {last.verdict} by {last.route}, {last.timestamp}"
        yield text_of(f"Last delivery: {told}")
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
        "learned_week": entry.trend[-1],
        "trend": entry.trend,
        "review": entry.review,
        "spooled": entry.spooled,
        "error": entry.error or None,
    }
