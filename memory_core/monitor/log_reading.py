"""Read the event log, and show its lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from memory_core.history import item_history
from memory_core.storage import event_log
from memory_core.storage.paths import LevelPaths
from memory_core.storage.project import Project
from memory_core.text import fastjson

# A full file is larger by the lines of the processes that write to it meanwhile.
MAX_READ_BYTES = 2 * event_log.MAX_BYTES


def read(paths: LevelPaths, names: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the logged events, of all names or of these, oldest first.

    Incomplete lines are skipped.
    """
    return [event for name in event_log.FILES for event in _read(paths, name, names)]


def _read(paths: LevelPaths, file: str, names: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the events of one file, of all names or of these."""
    for line in paths.state.read_text(file, MAX_READ_BYTES).split("\n"):
        event = fastjson.load_object(line)
        if event and (not names or event.get("event") in names):
            yield event


def write_problems(project: Project, hook: str, seconds: float) -> None:
    """Append what a hook could not read, so that other settings are in force, and a slow hook."""
    if not project.config.is_readable:
        event_log.write(project.paths, "agent.memory.error", error=project.config.problems[0])
    if seconds > event_log.SLOW_SECONDS:
        event_log.write(project.paths, "hook.slow", hook=hook, duration_ms=int(seconds * 1000))
    write_refused(project)


def write_refused(project: Project) -> None:
    """Append the paths that counted as absent, each once."""
    for tree in project.trees:
        for error in tree.refused.values():
            path = project.paths.relative(tree.locate(error.path))
            fields = {"file": path, "reason": error.reason}
            logged = _read(project.paths, event_log.FILE_NAME, ["agent.memory.refused"])
            if not any(fields.items() <= event.items() for event in logged):
                event_log.write(project.paths, "agent.memory.refused", **fields)


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
        values["change"] = item_history.shorten_change(str(values["change"]))
    return " ".join(f"{key}={_format(value)}" for key, value in values.items())


def _format(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
