"""Write the outcomes of runs to the history of their agent, and their errors to the state.

An outcome is written down in the spool first, with all that its history record is made
of: a hook that only has to note a successful run then loads neither the history nor what
computes the record.  The next writer of the agent, or the next session, completes it.
"""

from __future__ import annotations

import time

from memory_core.history import performance
from memory_core.memory import error_files
from memory_core.storage import event_log, spool
from memory_core.text.times import format_utc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.history.item_history import Record
    from memory_core.storage.store import Store

# What the outcome of a run has of the fields of its history record.
FIELDS = ("run", "session", "given", "used", "experiment", *performance.MEASURES)


def read_records(store: Store, agent: str) -> list[Record]:
    """Return the records of an agent's history and those that wait in the spool.

    Raises OSError.
    """
    waiting = [
        complete_record(record)
        for _path, entry in spool.read_entries(store.paths, store.stem(agent))
        for record in entry.get("records", [])
    ]
    return store.history(agent).read() + waiting


def complete_record(record: Record) -> Record:
    """Return a history record; of a run's outcome as `spool.add_records` writes it, make one."""
    if "key" not in record:
        return record
    texts = [str(record.get(name) or "") for name in ("description", "prompt")]
    kind = performance.classify_task(*texts)
    fields = {name: record.get(name) for name in FIELDS}
    outcome = str(record.get("outcome"))
    task = performance.make_task_record(str(record["key"]), outcome, type=kind, **fields)
    return {"time": record["time"], "agent": record.get("agent"), **task}


def save_records(store: Store, agent: str, records: list[Record], when: float = 0.0) -> bool:
    """Add records to an agent's history; return whether they are saved.

    They get the agent's name and the time, `when` in seconds or now.  While another process
    writes the history, or if the disk fails, they go to the spool for the next writer.
    """
    moment = format_utc(when or time.time())
    records = [{"time": moment, "agent": agent, **record} for record in records]
    try:
        # Without the lock a writer that fails could cut off records that were added meanwhile.
        with store.lock(agent, 0.0):
            append_records(store, agent, records)
    except OSError as error:
        try:
            path = spool.add_records(store.paths, store.stem(agent), agent, records)
            spool.flush(store.paths, path)
        except OSError:
            event_log.write(store.paths, "agent.memory.error", agent_id=agent, error=str(error))
            return False
    return True


def append_records(store: Store, agent: str, records: list[Record]) -> None:
    """Add records to an agent's history, whose lock the caller holds; raises OSError.

    Errors are kept with the state of this machine instead.
    """
    records = [complete_record(record) for record in records]
    errors = [record for record in records if record["kind"] == "error"]
    lasting = [record for record in records if record["kind"] != "error"]
    if lasting:
        store.make_folder()
        history = store.history(agent)
        history.pack(history.append(lasting))
    error_files.add(store.paths, store.stem(agent), errors)
