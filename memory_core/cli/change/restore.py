"""`agent-memory restore`: list the archive, or put an item back into the memory."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli.common.arguments import Agent, AsJson, User
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.notes import get_change, note_undo
from memory_core.cli.common.scopes import AgentScope, find_agent
from memory_core.cli.output import enable_pager, print_json, print_line, print_note, select_fields
from memory_core.curation import archive

ArchivedItem = Annotated[
    str | None,
    typer.Argument(
        metavar="ITEM",
        help="The item to restore: its id, its text, a part of it, or its number.",
        show_default="list them",
    ),
]


def restore(
    agent: Agent,
    item: ArchivedItem = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """List archived items, or restore one.

    The list leaves out items that are in the memory again.
    Items removed by hand are found in the history.  Limits do not count.

    \b
    Example:
      agent-memory restore engineer
    """
    scope = find_agent(agent, user)
    if item is None:
        _list_archive(scope, json)
        return
    result = archive.restore(*scope, item)
    first = result.text.splitlines()[0]
    if json:
        print_json(
            {
                "agent": scope.agent,
                **select_fields(result, "file", "section", "text", known="was_present"),
                "change": get_change(scope.project),
            }
        )
    elif result.was_present:
        print_line(f"Already in {result.file}: {first}")
    else:
        print_line(f"Restored to {result.file} [{result.section}]: {first}")
        note_undo(scope.project, user)


def _list_archive(scope: AgentScope, json: bool) -> None:
    items = archive.list_absent(scope.level, scope.agent)
    if json:
        print_json([{**item._asdict(), "day": item.day or None} for item in items])
        return
    enable_pager()
    width = len(str(len(items)))
    entries = []
    for item in items:
        cells = (f"{item.number:{width}}", item.day)
        entries.append(Entry((scope.agent,), (), cells, item.text, item.section))
    print_entries(entries)
    if not items:
        print_note(f"The archive of {scope.agent} is empty.")
