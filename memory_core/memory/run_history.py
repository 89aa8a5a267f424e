"""Write the outcomes of runs to the history of their agent, and their errors to the state."""

from __future__ import annotations

import time
from collections.abc import Sequence

from memory_core.history import performance
from memory_core.history.item_history import Record
from memory_core.memory import error_files
from memory_core.storage import event_log
from memory_core.storage.store import Store
from memory_core.text.times import format_utc

# What the outcome of a run has of the fields of its history record.
FIELDS = ("run", "session", "given", "used", "experiment", *performance.MEASURES)


def complete_record(record: Record) -> Record:
    """Return a history record; an outcome with `key`, `description` and `prompt` becomes one."""
    if "key" not in record:
        return record
    texts = [str(record.get(name) or "") for name in ("description", "prompt")]
    kind = performance.classify_task(*texts)
    fields = {name: record.get(name) for name in FIELDS}
    outcome = str(record.get("outcome"))
    task = performance.make_task_record(str(record["key"]), outcome, type=kind, **fields)
    return {"time": record["time"], "agent": record.get("agent"), **task}


def save_records(store: Store, agent: str, records: Sequence[Record], when: float = 0.0) -> bool:
    """Add records to an agent's history; return whether they are saved.

    They get the agent's name and the time, `when` in seconds or now.  An error is logged.
    """
    try:
        with store.lock(agent):
            append_records(store, agent, date_records(agent, records, when))
    except OSError as error:
        event_log.write(store.paths, "agent.memory.error", agent_id=agent, error=str(error))
        return False
    return True


def date_records(agent: str, records: Sequence[Record], when: float = 0.0) -> list[Record]:
    """Return records with the agent's name and the time, `when` in seconds or now."""
    moment = format_utc(when or time.time())
    return [{"time": moment, "agent": agent, **record} for record in records]


def append_records(store: Store, agent: str, records: Sequence[Record]) -> list[Record]:
    """Add records to an agent's history, whose lock the caller holds; raises OSError.

    Errors are kept with the state of this machine instead.  Returns the records that are new: a
    writer that was killed may have added some of them.
    """
    if not records:
        return []
    records = [complete_record(record) for record in records]
    errors = [record for record in records if record["kind"] == "error"]
    history = store.history(agent)
    lasting = history.list_new([record for record in records if record["kind"] != "error"])
    if lasting:
        store.make_folder()
        history.pack(history.append(lasting))
    error_files.add(store.paths, store.stem(agent), errors)
    return lasting
