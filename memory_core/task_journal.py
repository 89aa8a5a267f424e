"""What was noted lately, so that an editor which was open meanwhile takes nothing with it.

    .claude-mpm/state/task-notes.jsonl    one note a line, for a day

A file that lacks a note and says that it is older than the note was saved by somebody who had
not seen it.  One that is not older was: then a person took the note out.
"""

from __future__ import annotations

import os

from memory_core import backlog, fastjson, places, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.task_life import Work

    Note = dict[str, Any]

NAME = "task-notes.jsonl"
FIELDS = ("task", "section", "entry", "time", "head")

# Seconds: an editor may be open over night, and a file that is put back on purpose stays.
LIFE = 86_400

# Bytes above which what is older is left out.
LARGEST = 100_000


def keep(work: Work, task: str, section: str, entry: str, moment: str) -> None:
    """Record a note that is about to be written; `moment` is what its file is to say then."""
    path = _path(work)
    told = {"task": task, "section": section, "entry": entry, "time": moment, "head": _head(work)}
    work.project.place.made("state")
    if os.path.exists(path) and os.path.getsize(path) > LARGEST:
        lines = [fastjson.dumps(each) for each in _lately(work)]
        store.replace(path, "".join(f"{line}\n" for line in lines).encode())
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        places.append(path, descriptor, f"{fastjson.dumps(told)}\n".encode())
    finally:
        os.close(descriptor)


def next_moment(text: str) -> str:
    """Return the time for a memory's next version: later than that of the one before."""
    from memory_core import task_document

    before, now = task_document.field(text, "updated"), backlog.now()
    try:
        return now if before < now else backlog.second_after(before)
    except ValueError:
        return now  # a person's own spelling of a time


def bring_back(work: Work) -> None:
    """Put notes back into memories that were saved by somebody who had not seen them."""
    for task in dict.fromkeys(str(note["task"]) for note in _lately(work)):
        if work.has(task):
            read = work.read(work.path(task))
            after = with_lost(work, task, read.text)
            if after != read.text:
                work.write(read, after)
                work.log("brought_back", task)


def with_lost(work: Work, task: str, text: str) -> str:
    """Return a memory with the notes that its last writer had not seen."""
    from memory_core import front_matter, task_document

    updated, head = task_document.field(text, "updated"), _head(work)
    moments = [updated]
    for note in _lately(work):
        is_later = note["task"] == task and note["time"] > updated and note["head"] == head
        if is_later and not _says(text, note["entry"]):
            text = task_document.added(text, note["section"], note["entry"])
            moments.append(note["time"])
    latest = max(moments)
    return text if latest == updated else front_matter.with_fields(text, {"updated": latest})


def _says(text: str, entry: str) -> bool:
    from memory_core import task_document

    wanted = " ".join(entry.split())
    held = (each for title, _held in task_document.sections(text) for each in _entries(text, title))
    return wanted in " ".join(text.split()) or any(
        " ".join(each.split()) == wanted for each in held
    )


def _entries(text: str, title: str) -> list[str]:
    from memory_core import task_document

    return task_document.entries(text, title) if title else []


def _lately(work: Work) -> list[Note]:
    """Return the notes of the last day, oldest first; what is torn is passed over."""
    since = backlog.now(LIFE)
    found: list[Note] = []
    for line in backlog.text_of(_path(work)).splitlines():
        try:
            note = fastjson.loads(line)
            if all(isinstance(note[name], str) for name in FIELDS) and note["time"] > since:
                found.append(note)
        except (ValueError, LookupError, TypeError):
            continue
    return found


def _path(work: Work) -> str:
    return os.path.join(work.project.place.state, NAME)


def _head(work: Work) -> str:
    """Return what git has checked out: another branch has its own version of a memory."""
    return backlog.text_of(os.path.join(work.folder.root, ".git", "HEAD")).strip()
