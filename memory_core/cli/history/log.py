"""`agent-memory log`, `diff`, `undo` and `redo`: the changes in the histories."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_core.cli.common import arguments, scopes
from memory_core.cli.common.entries import Entry, print_entries, print_sentence
from memory_core.cli.common.notes import DRY_RUN_HINT, format_command, get_change
from memory_core.cli.output import print_diff, print_json, print_line, print_note, select_fields
from memory_core.curation import change_log
from memory_core.curation.change_log import describe_kind, short_id
from memory_core.curation.undo import UndoResult, redo_changes, redo_last, undo_changes, undo_last
from memory_core.history import item_history

# The keys of a record in --json; a key that the record lacks is null.
JSON_KEYS = (
    *("time", "kind", "agent", "id", "text", "section", "nested", "was", "run"),
    *("session", "source", "origin", "confidence", "change", "type"),
)

RUN_ID_LENGTH = 8  # digits of a run's id that people need to see


AgentsOrItems = Annotated[
    list[str] | None,
    arguments.agent_argument("Agent names, or ids of items.", show_default="all agents"),
]


def log(
    agent: AgentsOrItems = None,
    since: arguments.Since = None,
    number: arguments.Limit = None,
    user: arguments.User = False,
    json: arguments.AsJson = False,
) -> None:
    """Show the history of changes, newest first.

    Columns: time (UTC), change, agent, kind, item, confidence after it, run, text.

    \b
    Example:
      agent-memory log engineer --since 7d
    """
    start = arguments.parse_since(since)
    scope = scopes.find_level(user)
    agents, ids = scopes.find_agents_or_ids(scope, agent)
    records = change_log.list_records(*scope, agents)
    if ids:
        records = change_log.select_items(records, ids)
    elif not json:
        records = change_log.join_undone(records)
    recent = [record for record in records if record["time"] > start][::-1][:number]
    if json:
        print_json([record_to_json(record) for record in recent])
        return
    print_entries([_to_entry(record) for record in recent])
    if not recent:
        print_note("Nothing is recorded since then." if records else "Nothing is recorded yet.")


def record_to_json(record: dict[str, Any]) -> dict[str, Any]:
    """Return the --json fields of a record: null for an empty text, but 0 for the number 0."""
    return {key: None if record.get(key) in ("", [], {}) else record.get(key) for key in JSON_KEYS}


def format_minute(time: str) -> str:
    """Return a record's time to the minute, in UTC."""
    return time[:16].replace("T", " ")


def _to_entry(record: dict[str, Any]) -> Entry:
    confidence = record.get("confidence")
    is_undoable = change_log.is_undoable(record)
    change = change_log.short_id(item_history.change_of(record)) if is_undoable else ""
    where = (format_minute(record["time"]), change, record["agent"])
    cells = (
        change_log.describe_kind(record),
        "" if record["kind"] in change_log.NO_ITEM_KINDS else record["id"],
        "" if confidence is None else f"{confidence:.1f}",
        (record.get("run") or "")[:RUN_ID_LENGTH],
    )
    return Entry(("  ".join(filter(None, where)),), where, cells, _describe(record))


def _describe(record: dict[str, Any]) -> str:
    """Return the text of an item, or what happened, on one line."""
    if record["kind"] == "undone":
        return f"change {change_log.short_id(record['id'])}"
    begins = record["kind"] in item_history.WAITING_KINDS
    reason = record.get("waiting", {}).get("reason") if begins else ""
    return " ".join(f"{record['text']} {f'({reason})' if reason else ''}".split())


def diff(
    agent: arguments.Agent,
    since: arguments.Since = None,
    user: arguments.User = False,
    json: arguments.AsJson = False,
) -> None:
    """Show how the items of an agent have changed.

    Without --since: compare with the state before the last change.

    \b
    Example:
      agent-memory diff engineer --since 7d
    """
    start = arguments.parse_since(since)
    scope = scopes.find_agent(agent, user)
    comparison = change_log.compare(*scope, start or None)
    if json:
        fields = select_fields(comparison, "since", "added", "removed")
        print_json({"agent": scope.agent, "diff": comparison.diff, **fields})
    elif comparison.diff:
        print_diff(comparison.diff)
    else:
        print_note(f"No item of {scope.agent} has changed{' since then' if since else ''}.")


MAX_COUNT_DIGITS = 3  # a number; longer ones are ids of changes


Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="CHANGE", help="Ids of changes, or a number of changes."),
]
Count = Annotated[
    int,
    typer.Option(
        "--number", "-n", parser=arguments.make_number_parser(1), help="Number of changes."
    ),
]
OnlyAgents = Annotated[
    list[str] | None, arguments.agent_option("--agent", help="Only in the memory of this agent.")
]


def undo(
    change: Names = None,
    number: Count = 1,
    agent: OnlyAgents = None,
    dry_run: arguments.DryRun = False,
    user: arguments.User = False,
    json: arguments.AsJson = False,
) -> None:
    """Undo the last change of all agents, or the changes with these ids.

    A change is one agent report or one command; log lists the ids. The file becomes
    what it was before; later changes are kept. Exit 1 if one of them prevents it.

    \b
    Example:
      agent-memory undo || echo "nothing to undo"
    """
    scope, (names, number) = scopes.find_level(user), _split_count(change, number)
    scopes.require_person(scope.project, "undo changes")
    agents = scopes.find_agents(scope, agent, accept_new=True)
    write = not dry_run
    if names:
        result = undo_changes(*scope, names, agents=agents, write=write)
    else:
        result = undo_last(*scope, number, agents=agents, write=write)
    _print_result(scope, result, write, json)
    if write and not json and not all(is_redo for _change, is_redo in result.effects):
        print_note(f"Redo with: {format_command('redo', user)}")


def redo(
    change: Names = None,
    number: Count = 1,
    dry_run: arguments.DryRun = False,
    user: arguments.User = False,
    json: arguments.AsJson = False,
) -> None:
    """Redo what the last undo took back, or the changes with these ids.

    Exit 1 if fewer changes were undone.

    \b
    Example:
      agent-memory redo || echo "nothing to redo"
    """
    scope, (names, number) = scopes.find_level(user), _split_count(change, number)
    scopes.require_person(scope.project, "undo changes")
    write = not dry_run
    result = redo_changes(*scope, names, write) if names else redo_last(*scope, number, write)
    _print_result(scope, result, write, json)


def _split_count(names: list[str] | None, number: int) -> tuple[list[str], int]:
    """Return the ids of changes, and how many of the last ones if there are no ids."""
    if names and len(names) == 1 and names[0].isdecimal() and len(names[0]) <= MAX_COUNT_DIGITS:
        return [], arguments.make_number_parser(1)(names[0])
    return names or [], number


def _print_result(scope: scopes.LevelScope, result: UndoResult, written: bool, json: bool) -> None:
    diff = "".join(change.diff() for change in result.files)
    if json:
        by = get_change(scope.project)
        common = {"written": written, "by": by, "diff": diff, "merged": result.merged}
        print_json(
            [
                {
                    "change": short_id(change.id),
                    "time": change.time,
                    "agents": change.agents,
                    "records": [record_to_json(record) for record in change.records],
                    **common,
                }
                for change in result.changes
            ]
        )
        return
    for change, is_redo in result.effects:
        verb = "Redone" if is_redo else "Undone"
        verb = verb if written else f"Would be {verb.lower()}"
        print_line(f"{verb}: change {short_id(change.id)} of {format_minute(change.time)}")
        for record in change.records:
            if written and record.get("text"):
                said = f"{record['agent']}: {describe_kind(record)}: {record['text']}"
                print_sentence(said, "  ")
    if not written:
        print_diff(diff)
        print_note(DRY_RUN_HINT)
    elif not diff:
        print_note("Note: no line of a memory changed.")
    for agent in result.merged:
        print_note(f"{agent}: merged with later changes of the file, which are kept.")
