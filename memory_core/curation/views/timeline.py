"""The history of an agent's memory as a person sees it: change by change, newest first."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from memory_core.curation import change_log
from memory_core.history import item_history
from memory_core.history.item_history import Record
from memory_core.secrets import scanner
from memory_core.storage.project import Project
from memory_core.storage.store import Store


class TimelineRecord(NamedTuple):
    """What a change did to one item: the kind of the record, the item, and why it waits."""

    kind: str
    id: str
    text: str
    reason: str


class TimelineEntry(NamedTuple):
    """One change: its short id, its time by the clock (ISO 8601), and its records.

    `id` is "" for a hand edit, which undo does not cover.
    `undone_by` and `undoes` are short ids of changes.  `can_undo` is False if it is undone.
    """

    id: str
    time: str
    source: str
    run: str
    records: list[TimelineRecord]
    undone_by: str
    undoes: list[str]
    can_undo: bool

    @property
    def is_move(self) -> bool:
        """Whether items came, left or were reworded; other changes concern their confidence."""
        moves = {*change_log.MOVE_KINDS, "added"}
        return any(record.kind in moves for record in self.records)

    @property
    def counts(self) -> list[tuple[str, int]]:
        """The kinds of the records with their numbers, in the order of the records."""
        return list(Counter(record.kind for record in self.records).items())


def read_timeline(
    project: Project, store: Store, agent: str, item: str = ""
) -> list[TimelineEntry]:
    """Return the changes of a memory, newest first, or those of an item in all its wordings.

    Raises OSError, and lookup.ItemNotFound for an id that no record has.
    """
    groups: dict[str, list[Record]] = {}
    records = change_log.list_records(project, store, [agent])
    for record in change_log.select_items(records, [item]) if item else records:
        groups.setdefault(item_history.change_of(record), []).append(record)
    undone = item_history.find_undone(item_history.sort_records(records))
    return [_make_entry(*group, undone) for group in reversed(groups.items())]


def _make_entry(key: str, records: list[Record], undone: dict[str, str]) -> TimelineEntry:
    by = undone.get(key, "")
    is_undoable = any(map(change_log.is_undoable, records))
    return TimelineEntry(
        id=change_log.short_id(key) if is_undoable else "",
        time=max(str(record["time"]) for record in records),
        source=_find_first(records, "source"),
        run=_find_first(records, "run"),
        records=[_make_record(record) for record in records if record["kind"] != "undone"],
        undone_by=change_log.short_id(by),
        undoes=[change_log.short_id(one["id"]) for one in records if one["kind"] == "undone"],
        can_undo=is_undoable and not by,
    )


def _find_first(records: list[Record], name: str) -> str:
    return next((str(record[name]) for record in records if record.get(name)), "")


def _make_record(record: Record) -> TimelineRecord:
    kind = record["kind"]
    begins = kind in item_history.WAITING_KINDS
    waiting = record.get("waiting") if begins else None
    return TimelineRecord(
        kind=change_log.describe_kind(record),
        id="" if kind in change_log.NO_ITEM_KINDS else str(record["id"]),
        text=scanner.redact(str(record.get("text") or "")),
        reason=scanner.redact(str((waiting or {}).get("reason") or "")),
    )


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
