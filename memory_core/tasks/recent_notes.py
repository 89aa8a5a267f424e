"""Restore recent notes that an editor overwrote with an older version of the file.

    task-notes.jsonl    in the state folder: one note per line, for one day

If a memory lacks a note and its `updated` time is older than the note, its writer had not seen
the note, and the note is added again.  Otherwise somebody removed the note on purpose.
"""

from __future__ import annotations

from typing import Any

from memory_core.tasks import backlog_folder, task_document
from memory_core.tasks.lifecycle import TaskTransaction
from memory_core.text import fastjson, front_matter

Note = dict[str, Any]


FILE_NAME = "task-notes.jsonl"
FIELDS = ("task", "section", "entry", "time", "head")

# Seconds: an editor may stay open overnight; an older file was restored on purpose.
MAX_AGE = 86_400

# Above this size in bytes, notes older than MAX_AGE are removed from the file.
MAX_BYTES = 100_000

# What is read of the file: many notes of one day.
MAX_READ_BYTES = 8_000_000


def add(transaction: TaskTransaction, task: str, section: str, entry: str, moment: str) -> None:
    """Record a note before it is written; `moment` is the new `updated` time of its memory."""
    files = transaction.project.paths.state
    note = {"task": task, "section": section, "entry": entry}
    note |= {"time": moment, "head": _head(transaction)}
    try:
        if files.append(FILE_NAME, f"{fastjson.dumps(note)}\n".encode()) > MAX_BYTES:
            lines = [fastjson.dumps(recent) for recent in _read_recent(transaction)]
            files.replace(FILE_NAME, "".join(f"{line}\n" for line in lines).encode())
    except OSError:
        pass  # only a note that an editor overwrites is lost then


def choose_update_time(text: str) -> str:
    """Return the `updated` time for the next version of a memory, later than the previous one."""
    before, now = task_document.read_field(text, "updated"), backlog_folder.now()
    try:
        return now if before < now else backlog_folder.add_second(before)
    except ValueError:
        return now  # a time in another format, written by hand


def restore_lost(transaction: TaskTransaction) -> None:
    """Add notes to memories whose last writer had not seen them."""
    for task in dict.fromkeys(str(note["task"]) for note in _read_recent(transaction)):
        if transaction.has(task):
            read = transaction.read(transaction.path(task))
            after = add_lost(transaction, task, read.text)
            if after != read.text:
                transaction.write(read, after)
                transaction.log("brought_back", task)


def add_lost(transaction: TaskTransaction, task: str, text: str) -> str:
    """Return a memory with the notes that its last writer had not seen."""
    updated, head = task_document.read_field(text, "updated"), _head(transaction)
    moments = [updated]
    for note in _read_recent(transaction):
        is_later = note["task"] == task and note["time"] > updated and note["head"] == head
        if is_later and not _says(text, note["entry"]):
            text = task_document.add_item(text, note["section"], note["entry"])
            moments.append(note["time"])
    latest = max(moments)
    return text if latest == updated else front_matter.set_fields(text, {"updated": latest})


def _says(text: str, entry: str) -> bool:
    wanted = " ".join(entry.split())
    items = (" ".join(item.split()) for item in task_document.list_items(text))
    return wanted in " ".join(text.split()) or wanted in items


def _read_recent(transaction: TaskTransaction) -> list[Note]:
    """Return the notes of the last day, oldest first; skip damaged lines."""
    since = backlog_folder.now(MAX_AGE)
    notes: list[Note] = []
    text = transaction.project.paths.state.read_text(FILE_NAME, MAX_READ_BYTES)
    for line in text.split("\n"):
        try:
            note = fastjson.loads(line)
            if all(isinstance(note[name], str) for name in FIELDS) and note["time"] > since:
                notes.append(note)
        except (ValueError, LookupError, TypeError):
            continue
    return notes


def _head(transaction: TaskTransaction) -> str:
    """Return git's HEAD: another branch has its own version of a memory."""
    folder = transaction.folder
    return folder.read_text(".git/HEAD").strip() if folder.files.is_folder(".git") else ""
