"""`agent-memory restore`: list the archive, or put an item back into the memory."""

from __future__ import annotations

from typing import Annotated

from memory_core.cli.common import acting, scopes
from memory_core.cli.common.arguments import AsJson, User, agent_argument
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.notes import note_undo, print_changed
from memory_core.cli.output import enable_pager, print_json, print_line, print_note, select_fields
from memory_core.curation import archive, lookup, searching
from memory_core.curation.archive import RestoreResult

ArchivedItems = Annotated[
    list[str], agent_argument("An agent and a text, or ids; without: list.", "[AGENT] [ITEM]")
]


def restore(items: ArchivedItems, user: User = False, json: AsJson = False) -> None:
    """List archived items, or restore them.

    \b
    Example:
      agent-memory restore engineer
    """
    scope = scopes.find_level(user)
    if len(items) == 1 and lookup.is_agent(scope.project, items[0], scope.level):
        _list_archive(scope, scopes.find_agents(scope, items)[0], json)
        return
    acting.require_person(scope.project, "restore items")
    places = (searching.IN_ARCHIVE, searching.IN_MEMORY)
    named = scopes.find_items(scope, items, places)
    results = archive.restore(*scope, named)
    if json:
        fields = ("file", "section", "text")
        rows = [
            {"agent": agent, **select_fields(one, *fields, known="was_present")}
            for agent, one in results
        ]
        print_changed(scope.project, *rows)
        return
    for _agent, result in results:
        _print_restored(result)
    note_undo(scope)


def _print_restored(result: RestoreResult) -> None:
    first = result.text.splitlines()[0]
    if result.was_present:
        print_line(f"Already in {result.file}: {first}")
    else:
        print_line(f"Restored to {result.file} [{result.section}]: {first}")


def _list_archive(scope: scopes.Scope, agent: str, json: bool) -> None:
    items = archive.list_absent(scope.level, agent)
    if json:
        print_json([{**item._asdict(), "day": item.day or None} for item in items])
        return
    enable_pager()
    width = len(str(len(items)))
    cells = [(f"{item.number:{width}}", item.day) for item in items]
    rows = zip(cells, items, strict=True)
    print_entries([Entry((agent,), (), cell, item.text, item.section) for cell, item in rows])
    if not items:
        print_note(f"The archive of {agent} is empty.")
