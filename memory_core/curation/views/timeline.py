"""The history of an agent's memory as a person sees it: change by change, newest first."""

from __future__ import annotations

from typing import Any

from memory_core.curation import change_log
from memory_core.curation.change_log import Change
from memory_core.history.item_history import Record
from memory_core.secrets import scanner
from memory_core.storage.project import Project
from memory_core.storage.store import Store


def read_timeline(project: Project, store: Store, agent: str, item: str = "") -> list[Change]:
    """Return the changes of a memory, newest first, or those of an item in all its wordings.

    Raises OSError, and lookup.ItemNotFound for an id that no record has.
    """
    records = change_log.list_records(project, store, [agent])
    chosen = change_log.select_items(records, [item]) if item else records
    shown = [record | _redact(record) for record in chosen]
    return change_log.group_changes(shown, records)[::-1]


def _redact(record: Record) -> Record:
    return {name: scanner.redact(record[name]) for name in ("text", "reason")}


# How bad an event is, by the last part of its name; the others are neither good nor bad.
STYLES = {
    **dict.fromkeys(("learned", "reinforced", "approved", "confirmed", "used"), "ok"),
    **dict.fromkeys(("held", "waiting", "evicted", "doubled", "slow", "refused"), "warning"),
    **dict.fromkeys(("lost", "error", "failed", "wrong", "rejected", "contradicted"), "broken"),
}

# Keys that have columns of their own, or are long or of no use here.
HIDDEN_KEYS = {"event", "timestamp", "agent_id", "task_id", "session", "call", "source", "files"}


def find_style(event: dict[str, Any]) -> str:
    """Return how bad an event is: `ok`, `warning`, `broken`, or "" for none of them."""
    return STYLES.get(str(event.get("event")).rpartition(".")[2], "")


def format_details(event: dict[str, Any]) -> str:
    """Return the other values of an event as KEY=VALUE; a change is named as for `undo`."""
    values = {
        key: value
        for key, value in event.items()
        if key not in HIDDEN_KEYS and value not in (None, "", [])
    }
    if "change" in values:
        values["change"] = change_log.short_id(str(values["change"]))
    return " ".join(f"{key}={_format(value)}" for key, value in values.items())


def _format(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
