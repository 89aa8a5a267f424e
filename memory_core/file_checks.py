"""Whether what agents know can be read and written, and what waits there for a hand."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from memory_core import (
    agents,
    cleaning,
    history,
    locks,
    log,
    markdown,
    memory,
    overview,
    spool,
    team,
    union,
)
from memory_core.patient import BROKEN, OK, RECENT, WARNING, Finding, Patient, typed
from memory_core.store import Store

# Folders and files of ours whose rights count; those of memories are in another folder.
KINDS = ("archive", "quarantine", "history")


def folder(patient: Patient) -> Iterator[Finding]:
    """Whether the memory folder can be read and written."""
    path = patient.project.store.folder
    present = path
    while not os.path.lexists(present):
        present = os.path.dirname(present)
    if not os.path.isdir(present):
        yield Finding(BROKEN, "folder", "is no folder", present, "move it away")
    elif not os.access(present, os.R_OK | os.W_OK | os.X_OK):
        mend = typed("chmod", "u+rwx", present)
        cure = ("rights", present) if present == path else ("", "")
        yield Finding(BROKEN, "folder", "cannot be read and written", present, mend, *cure)
    elif present != path:
        yield Finding(OK, "folder", "is made with the first learning", path)
    else:
        yield Finding(OK, "folder", f"can be read and written, {_count(patient)}", path)


def _count(patient: Patient) -> str:
    return overview.counted(sum(entry.exists for entry in patient.memories), "memory")


def rights(patient: Patient) -> Iterator[Finding]:
    """Whether hooks may read and write what is theirs, file by file."""
    place = patient.project.place
    for path in _ours(patient):
        is_folder = os.path.isdir(path)
        if not os.access(path, os.R_OK | (os.X_OK if is_folder else 0)):
            what = "cannot be read: nothing of it is given or learned"
        elif not os.access(path, os.W_OK):
            what = "cannot be written"
        else:
            continue
        # A memory is replaced whole, for which the folder's rights count.
        is_memory = path.endswith(".md") and what == "cannot be written"
        mend = typed("chmod", f"u+rw{'x' if is_folder else ''}", place.relative(path))
        level = WARNING if is_memory else BROKEN
        yield Finding(level, "rights", what, place.relative(path), mend, "rights", path)


def _ours(patient: Patient) -> Iterator[str]:
    """Give our folders and files, links left out: what they lead to is somebody else's."""
    place, held = patient.project.place, patient.project.store.folder
    tops = [os.path.join(held, kind) for kind in KINDS]
    for top in [place.folder, place.state, place.logs]:
        if os.path.isdir(top):
            yield top
    for inner in [place.state, place.logs]:
        yield from _below(inner)
    for inner in [held, *tops]:
        names = (os.path.join(inner, name) for name in _names(inner))
        files = [path for path in names if path.endswith((".md", ".jsonl"))]
        yield from ([inner] if inner in tops and os.path.isdir(inner) else [])
        yield from (path for path in files if os.path.isfile(path) and not os.path.islink(path))


def _below(top: str) -> Iterator[str]:
    for inner, folders, names in os.walk(top):
        paths = (os.path.join(inner, name) for name in (*folders, *names))
        yield from (path for path in paths if not os.path.islink(path))


def _names(inner: str) -> list[str]:
    try:
        return sorted(os.listdir(inner))
    except OSError:
        return []


def memories(patient: Patient) -> Iterator[Finding]:
    """Whether each memory file can be read, and reads as its writer meant it."""
    project = patient.project
    yield from _memories(patient, project.store, patient.memories)
    if project.user and project.config["user_level"] != "off":
        users = project.level(user=True)
        yield from _memories(patient, users, overview.memories(project, users), " --user")


def _memories(
    patient: Patient, held: Store, entries: list[overview.Memory], level: str = ""
) -> Iterator[Finding]:
    for entry in entries:
        if entry.error and not _is_closed(held, entry.agent):
            mend = "see where the link leads" if "link" in entry.error else "see what is there"
            yield Finding(BROKEN, "memory", entry.error, entry.path, mend)
        for line, sentence in entry.warnings:
            conflict = sentence.startswith(overview.CONFLICT)
            cure = _resolving(entry.agent, level) if conflict else ("correct the line by hand",)
            yield Finding(WARNING, "memory", sentence, f"{entry.path}:{line}", *cure)
        files = [os.path.basename(path) for path in held.files(entry.agent)]
        if len(files) > 1:
            what = f"is read, but not {entry.agent}'s other {', '.join(files[1:])}"
            mend = typed("agent-memory", "migrate", *level.split(), entry.agent)
            cure = (mend, "migrate", f"{entry.agent}{level}")
            yield Finding(WARNING, "memory", what, entry.path, *cure)
    yield from _beside(patient, held, level)


def _is_closed(held: Store, agent: str) -> bool:
    """Say whether a memory cannot be read for its rights, which has a finding of its own."""
    path = held.path(agent)
    return os.path.isfile(path) and not os.access(path, os.R_OK)


def _resolving(agent: str, level: str) -> tuple[str, str, str]:
    """Return how a conflict is mended: by hand, by which cure, and of what."""
    mend = typed("agent-memory", "resolve", *level.split(), agent)
    return mend, "resolve", f"{agent}{level}"


def _beside(patient: Patient, held: Store, level: str) -> Iterator[Finding]:
    """Look at archive/, quarantine/ and history/ beside the memories."""
    place = patient.project.place
    for kind in KINDS:
        inner = os.path.join(held.folder, kind)
        if os.path.islink(inner) and not _stays(inner, held.folder):
            what = "is a link that leaves the folder of memories"
            mend = "put a folder there in its stead"
            yield Finding(BROKEN, "memory", what, place.relative(inner), mend)
        else:
            look = _odd_lines if kind == "history" else _conflicts
            yield from look(patient, inner, level)


def _stays(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def _conflicts(patient: Patient, inner: str, level: str) -> Iterator[Finding]:
    for name in _names(inner):
        path = os.path.join(inner, name)
        owner = memory.PM if name == f"{memory.PM}.md" else agents.owner(name)
        if owner and _is_in_conflict(path):
            what = f"{overview.CONFLICT} is not resolved"
            where = patient.project.place.relative(path)
            yield Finding(WARNING, "memory", what, where, *_resolving(owner, level))


def _odd_lines(patient: Patient, inner: str, _level: str) -> Iterator[Finding]:
    for name in _names(inner):
        path = os.path.join(inner, name)
        odd = history.odd_lines(path) if name.endswith(".jsonl") else []
        if odd:
            where = f"{patient.project.place.relative(path)}:{odd[0]}"
            what = f"{overview.counted(len(odd), 'line')} of the history passed over: no record"
            yield Finding(WARNING, "memory", what, where, "correct the line, or take it out")


def _is_in_conflict(path: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError:
        return False
    return markdown.CONFLICT_BEGIN in text and union.of_sides(text).text != text


def waiting(patient: Patient) -> Iterator[Finding]:
    """Whether learnings wait: for a lock or a disk, or for a person."""
    for entry in patient.memories:
        if entry.spooled:
            what = f"{entry.spooled} of {entry.agent}'s learnings are not in its memory yet"
            cure = ("agent-memory sweep", "spool", entry.agent)
            yield Finding(WARNING, "spool", what, entry.path, *cure)
        if entry.review:
            what = f"{entry.review} of {entry.agent}'s learnings wait for a person"
            path = patient.project.place.relative(
                overview.review_path(patient.project, entry.agent)
            )
            mend = "move what is right into the memory, delete the rest"
            yield Finding(WARNING, "review", what, path, mend)


def spoilt(patient: Patient) -> Iterator[Finding]:
    """Whether something waits that cannot be merged as it is; hooks pass it over and keep it."""
    place = patient.project.place
    for path, fault in spool.spoilt(place):
        what = f"what an agent learned {fault}"
        mend = (
            "correct its rights or its text and run agent-memory sweep,"
            " or carry over by hand what it says and delete it"
        )
        yield Finding(WARNING, "spool", what, place.relative(path), mend)


def locked(patient: Patient) -> Iterator[Finding]:
    """Whether a process holds the lock of a memory for long: then nothing is learned into it."""
    place = patient.project.place
    for path, by in locks.held(place):
        who = ", ".join(f"process {number} ({command})" for number, command in by)
        what = f"is held for more than {locks.LONG:g} s by {who or 'a process'}"
        end = f"kill {' '.join(str(number) for number, _command in by)}"
        mend = (
            f"if it hangs: {end}" if by else f"find out who: {typed('lsof', place.relative(path))}"
        )
        yield Finding(WARNING, "lock", what, place.relative(path), mend)


def left_over(patient: Patient) -> Iterator[Finding]:
    """Whether writers that were killed left files behind."""
    try:
        found = cleaning.left_over(patient.project.store)
    except OSError:
        return  # its rights have a finding of their own
    if found:
        what = f"{overview.counted(len(found), 'file')} {cleaning.LEFT}"
        where = patient.project.place.relative(found[0].path)
        yield Finding(WARNING, "leftovers", what, where, "agent-memory clean", "leftovers")


def failures(patient: Patient) -> Iterator[Finding]:
    """Which errors the hooks have logged lately."""
    place = patient.project.place
    since = log.utc(time.time() - RECENT)
    errors = [
        str(event.get("error"))
        for event in log.read(place)
        if event.get("event") == "agent.memory.error" and str(event.get("timestamp") or "") >= since
    ]
    if errors:
        where = place.relative(os.path.join(place.logs, log.NAME))
        what = f"{overview.counted(len(errors), 'error')} in a week, the last: {errors[-1]}"
        yield Finding(WARNING, "errors", what, where, "see the lines agent.memory.error")


def merging(patient: Patient) -> Iterator[Finding]:
    """Whether git in this clone knows how memories are merged, where it is told to."""
    inner = patient.project.store.folder
    where = patient.project.place.relative(os.path.join(inner, ".gitattributes"))
    if team.missing_driver(inner):
        what = "the merge driver is missing in this clone: git merges memories as text"
        yield Finding(WARNING, "git", what, where, team.COMMAND, "driver")
    elif gone := team.missing_program(inner):
        what = "the merge driver's program is gone: git merges memories as text"
        yield Finding(WARNING, "git", what, gone, team.COMMAND, "driver")
