"""Memories whose items have records of the past."""

import json
import time
from collections.abc import Sequence

from memory_core.history.item_history import Record
from memory_core.storage.store import Store
from memory_core.text.times import format_utc
from support.files import write
from support.memory_files import make_section
from support.sandbox import Sandbox

DAY = 86400


def ago(days: float) -> str:
    """Return the time of so many days ago, as records have it."""
    return format_utc(time.time() - days * DAY)


def append_records(sandbox: Sandbox, *records: Record) -> None:
    """Add records to the history of the engineer, as a pull does."""
    path = sandbox.memories / "history" / "engineer.jsonl"
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(record)}\n" for record in records)


def remember(sandbox: Sandbox, agent: str, records: Sequence[Record], title: str = "Mine") -> None:
    """Write a memory with these records and their items."""
    texts = dict.fromkeys(str(record["text"]) for record in records if record.get("text"))
    write(sandbox.memories / f"{agent}.md", make_section(title, *texts))
    Store(sandbox.paths).history(agent).append(list(records))
