"""Write the outcomes of runs to the history of their agent, and the rest to the state.

errors/AGENT.jsonl has their errors, and subjects/AGENT.jsonl what each run was about that taught
something.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence

from memory_core.files.safe_files import SafeFiles
from memory_core.history import performance
from memory_core.history.item_history import Record
from memory_core.memory import error_files
from memory_core.storage import event_log
from memory_core.storage.store import Store
from memory_core.text import fastjson
from memory_core.text.times import format_utc

# What the outcome of a run has of the fields of its history record.
FIELDS = ("run", "session", "given", "used", "experiment", *performance.MEASURES)


# Of what runs were about, the newest are read: some 10,000 runs.
MAX_SUBJECT_BYTES = 4_000_000


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


def add_subject(files: SafeFiles, stem: str, run: str, about: str) -> None:
    """Keep what a run was about; not in a history, since a prompt may name anything."""
    try:
        line = f"{json.dumps({'run': run, 'about': about})}\n"
        files.append(locate_subjects(stem), line.encode("utf-8", "replace"))
    except OSError:
        pass  # selection does without


def read_subjects(files: SafeFiles, stem: str) -> dict[str, str]:
    """Return what the runs of an agent were about, by their ids."""
    try:
        data, _is_whole = files.read_end(locate_subjects(stem), MAX_SUBJECT_BYTES)
    except OSError:
        return {}
    rows = map(fastjson.load_object, data.decode("utf-8", "replace").split("\n"))
    return {str(row.get("run")): str(row["about"]) for row in rows if row.get("about")}


def locate_subjects(stem: str) -> str:
    """Return the path of what the runs of an agent were about, in the state."""
    return os.path.join("subjects", f"{stem}.jsonl")
