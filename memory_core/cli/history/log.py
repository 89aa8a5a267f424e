"""`agent-memory log` and `diff`: the changes in the histories, and what they add up to."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

from memory_core.cli.common import arguments, scopes
from memory_core.cli.common.entries import Entry, print_list
from memory_core.cli.output import is_json, print_diff, print_json, print_note, select_fields
from memory_core.curation import change_log
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
    print_list(list(map(record_to_json, recent)), entries, empty)


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
    fields = select_fields(comparison, "since", "added", "removed")
    print_json({"agent": agent, "diff": comparison.diff, **fields})
    if comparison.diff:
        print_diff(comparison.diff)
    else:
        print_note(f"No item of {agent} has changed{' since then' if since else ''}.")


def record_to_json(record: dict[str, Any]) -> dict[str, Any]:
    """Return the --json fields of a record: null for an empty text, but 0 for the number 0."""
    return {key: None if record.get(key) in ("", [], {}) else record.get(key) for key in JSON_KEYS}


def format_minute(time: str) -> str:
    """Return a record's time to the minute, in UTC."""
    return time[:16].replace("T", " ")


def _to_entry(record: dict[str, Any], undos: Collection[str]) -> Entry:
    confidence = record.get("confidence")
    is_undoable = change_log.is_undoable(record)
    change = change_log.short_id(item_history.change_of(record)) if is_undoable else ""
    where = (format_minute(record["time"]), change, record["agent"])
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
