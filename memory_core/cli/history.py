"""`agent-memory log`, `diff`, `undo` and `redo`: the changes of memories, and to take them back."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Annotated, Any

from memory_core.cli.common import arguments, scopes
from memory_core.cli.common.entries import Entry, print_list, print_sentence
from memory_core.cli.common.notes import DRY_RUN_HINT, format_command, get_change
from memory_core.cli.output import is_json, print_diff, print_json, print_line, print_note
from memory_core.curation import change_log
from memory_core.curation.undo import UndoResult, redo_changes, undo_changes
from memory_core.document.diff import compare_texts
from memory_core.history import item_history

# The keys of a record in --json; a key that the record lacks is null.
JSON_KEYS = (
    *("time", "kind", "agent", "id", "text", "section", "nested", "was", "run"),
    *("session", "source", "origin", "confidence", "change", "type"),
)

RUN_ID_LENGTH = 8  # digits of a run's id that people need to see


AgentsOrItems = Annotated[
    list[str] | None,
    arguments.agent_argument("Agent names, or ids of items.", default="all agents"),
]


def log(
    agent: AgentsOrItems = None,
    since: arguments.Since = None,
    number: arguments.Limit = None,
    user: arguments.User = False,
) -> None:
    """Show the history of changes, newest first.

    Columns: time (UTC), change, agent, kind, item, confidence after it, run, text.

    \b
    Example:
      agent-memory log engineer --since 7d
    """
    scope = scopes.find_level(user)
    agents, ids = scopes.find_agents_or_ids(scope, agent)
    records = change_log.list_records(*scope, agents)
    undos = {item_history.change_of(record) for record in records if record["kind"] == "undone"}
    if ids:
        records = change_log.select_items(records, ids)
    elif not is_json():  # the record of an undo names the change, those of its items do not
        records = [
            record
            for record in records
            if record["kind"] == "undone" or item_history.change_of(record) not in undos
        ]
    recent = [record for record in records if record["time"] > (since or "")][::-1][:number]
    entries = [_to_entry(record, undos) for record in recent]
    empty = "Nothing is recorded since then." if records else "Nothing is recorded yet."
    print_list(list(map(_record_to_json, recent)), entries, empty)


def diff(
    agent: arguments.Agent, since: arguments.Since = None, user: arguments.User = False
) -> None:
    """Show how the items of an agent have changed.

    Without --since: compare with the state before the last change.

    \b
    Example:
      agent-memory diff engineer --since 7d
    """
    scope, agent = scopes.find_agent(agent, user)
    comparison = change_log.compare(*scope, agent, since)
    print_json({"agent": agent, **comparison._asdict(), "since": comparison.since or None})
    if comparison.diff:
        print_diff(comparison.diff)
    else:
        print_note(f"No item of {agent} has changed{' since then' if since else ''}.")


def _record_to_json(record: dict[str, Any]) -> dict[str, Any]:
    """Return the --json fields of a record: null for an empty text, but 0 for the number 0."""
    return {key: None if record.get(key) in ("", [], {}) else record.get(key) for key in JSON_KEYS}


def _format_minute(time: str) -> str:
    """Return a record's time to the minute, in UTC."""
    return time[:16].replace("T", " ")


def _to_entry(record: dict[str, Any], undos: Collection[str]) -> Entry:
    confidence = record.get("confidence")
    is_undoable = change_log.is_undoable(record)
    change = change_log.short_id(item_history.change_of(record)) if is_undoable else ""
    where = (_format_minute(record["time"]), change, record["agent"])
    cells = (
        record["word"],
        "" if record["kind"] in change_log.NO_ITEM_KINDS else record["id"],
        "" if confidence is None else f"{confidence:.1f}",
        (record.get("run") or "")[:RUN_ID_LENGTH],
    )
    return Entry(("  ".join(filter(None, where)),), where, cells, _describe(record, undos))


def _describe(record: dict[str, Any], undos: Collection[str]) -> str:
    """Return the text of an item, or what happened, on one line; a redo undoes one of `undos`."""
    if record["kind"] == "undone":
        noun = "undo" if record["id"] in undos else "change"
        return f"{noun} {change_log.short_id(record['id'])}"
    reason = record["reason"]
    return " ".join(f"{record['text']} {f'({reason})' if reason else ''}".split())


COUNT = re.compile("[1-9][0-9]{0,2}")  # longer numbers are ids of changes


Names = Annotated[
    list[str] | None, arguments.argument("CHANGE", "Ids of changes, or a number of changes.")
]


def undo(
    change: Names = None,
    agent: arguments.OnlyAgents = None,
    dry_run: arguments.DryRun = False,
    user: arguments.User = False,
) -> None:
    """Undo the last change of all agents, or the changes with these ids.

    A change is one agent report or one command; log lists the ids. The file becomes
    what it was before; later changes are kept. Exit 1 if one of them prevents it.

    \b
    Example:
      agent-memory undo || echo "nothing to undo"
    """
    scope = _find_scope(user)
    agents, write = scopes.find_agents(scope, agent, accept_new=True), not dry_run
    names, count = change or [], 1
    if len(names) == 1 and COUNT.fullmatch(names[0]):
        names, count = [], int(names[0])
    result = undo_changes(*scope, names, count, agents=agents, write=write)
    _print_result(scope, result, write)
    if write and not all(is_redo for _change, is_redo in result.effects):
        print_note(f"Redo with: {format_command('redo', user)}")


def redo(dry_run: arguments.DryRun = False, user: arguments.User = False) -> None:
    """Redo what the last undo took back.

    To redo an older change: undo the id of its undo. Exit 1 if nothing was undone.

    \b
    Example:
      agent-memory redo || echo "nothing to redo"
    """
    scope = _find_scope(user)
    _print_result(scope, redo_changes(*scope, not dry_run), not dry_run)


def _find_scope(user: bool) -> scopes.Scope:
    scope = scopes.find_level(user)
    scopes.require_person(scope.project, "undo changes")
    return scope


def _print_result(scope: scopes.Scope, result: UndoResult, written: bool) -> None:
    diff = "".join(compare_texts(*file).diff() for file in result.files)
    by = get_change(scope.project)
    common = {"written": written, "by": by, "diff": diff, "merged": result.merged}
    rows = [
        {"change": change.name, "time": change.time, "agents": change.agents, **common}
        | {"records": list(map(_record_to_json, change.records))}
        for change in result.changes
    ]
    print_json(rows)
    for change, is_redo in result.effects:
        verb = "Redone" if is_redo else "Undone"
        verb = verb if written else f"Would be {verb.lower()}"
        print_line(f"{verb}: change {change.name} of {_format_minute(change.time)}")
        for record in change.records:
            if record.get("text") and (written or not diff):
                said = f"{record['agent']}: {record['word']}: {record['text']}"
                print_sentence(said, "  ")
    if diff and not written:
        print_diff(diff)
    if not written:
        print_note(DRY_RUN_HINT)
    for agent in result.merged:
        print_note(f"{agent}: merged with later changes of the file, which are kept.")
