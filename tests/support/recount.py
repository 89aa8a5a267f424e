"""Count the numbers of a project again, from its files, with the simplest code that does it."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

LOGS = ("events.2.jsonl", "events.1.jsonl", "events.jsonl")
DELIVERIES = ("delivered", "doubled", "lost")
ITEM_CHANGES = {"learned": "learned", "approved": "learned"}
ITEM_CHANGES |= {"reinforced": "confirmed", "confirmed": "confirmed"}
ITEM_CHANGES |= dict.fromkeys(("removed", "evicted", "archived"), "removed")

Key = tuple[str, str, str]  # agent, day, number


def read_objects(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file that are JSON objects; the last one may be incomplete."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    values = []
    for line in lines:
        try:
            value = json.loads(line.decode("utf-8", "replace"))
        except ValueError:
            continue
        if isinstance(value, dict):
            values.append(value)
    return values


def recount_log(state: Path, since: str = "") -> tuple[Counter[Key], list[int]]:
    """Return the numbers of the event log above 0, and the times of the hooks in order."""
    counts: Counter[Key] = Counter()
    times = []
    for event in [event for name in LOGS for event in read_objects(state / name)]:
        name, when, agent = (event.get(key) for key in ("event", "timestamp", "agent_id"))
        if not isinstance(name, str) or not isinstance(when, str) or when < since:
            continue
        owner, day = agent if isinstance(agent, str) else "", when[:10]
        last = name.removeprefix("agent.memory.")
        if name in ("hook.error", "agent.memory.error"):
            counts[owner, day, "errors"] += 1
        elif name == "hook.slow":
            counts[owner, day, "slow"] += 1
        elif name != last and last in DELIVERIES:
            counts[owner, day, last] += 1
        elif name == "agent.memory.loaded":
            is_session = agent == "PM"
            counts[owner, day, "sessions" if is_session else "loaded"] += 1
            tokens = count_tokens(event)
            if tokens:
                counts[owner, day, "session_tokens" if is_session else "tokens"] += tokens
            if is_count(event.get("duration_ms")):
                times.append(event["duration_ms"])
    return counts, sorted(times)


def count_tokens(event: dict[str, Any]) -> int:
    if is_count(event.get("tokens_estimated")):
        return int(event["tokens_estimated"])
    return int(event["memory_size"] / 3.8) if is_count(event.get("memory_size")) else 0


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**9


def read_records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a history, also packed ones."""
    records: list[dict[str, Any]] = []
    for line in read_objects(path):
        if "packed" in line:
            text = zlib.decompress(base64.b64decode(line["packed"])).decode()
            records += [json.loads(one) for one in text.splitlines()]
        else:
            records.append(line)
    return [record for record in records if record.get("time") and record.get("kind")]


def recount_history(path: Path, agent: str, since: str = "") -> Counter[Key]:
    """Return the numbers of a history above 0."""
    records = read_records(path)
    undone = [record for record in records if record["kind"] == "undone"]
    undoing = {(record.get("change"), record["id"]) for record in undone}

    def is_undone(change: object) -> bool:
        return any(old == change and not is_undone(new) for new, old in undoing)

    def is_left_out(change: object) -> bool:
        return is_undone(change) or change in {new for new, _old in undoing}

    counts: Counter[Key] = Counter()
    seen = set()
    for record in records:
        number = ITEM_CHANGES.get(record["kind"])
        key = (record["time"], record["id"], number)
        change = record.get("change") or record["time"]
        if number and key not in seen and record["time"] >= since and not is_left_out(change):
            seen.add(key)
            counts[agent, record["time"][:10], number] += 1
    runs = [record for record in records if record["kind"] == "task" and record.get("outcome")]
    for key in {record["id"] for record in runs}:
        parts = [record for record in runs if record["id"] == key]
        when = max(record["time"] for record in parts)
        given, used = (
            {item for record in parts for item in record.get(name, "").split()}
            for name in ("given", "used")
        )
        ends = [(each["outcome"] != "stopped", each["time"], each["outcome"]) for each in parts]
        if when >= since:
            numbers = {"runs": 1, "failed": max(ends)[2] == "failed", "given": len(given)}
            for number, count in {**numbers, "used": len(given & used)}.items():
                if count:
                    counts[agent, when[:10], number] += count
    return counts
