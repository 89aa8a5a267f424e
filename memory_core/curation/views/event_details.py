"""What to show of an event of the log, besides its time, name, and agent or task."""

from __future__ import annotations

from typing import Any

from memory_core.curation import change_log

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
