"""Whether the memory of tasks is in order: what the doctor looks at in a project that has some."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memory_core import (
    backlog,
    markdown,
    overview,
    task_delivery,
    task_life,
    task_overview,
    tasks,
)
from memory_core.patient import OK, WARNING, Finding, Patient, typed

CHECK = "tasks"
LOOK = "agent-memory task status"
REMOVE = "agent-memory task init --remove"


def memory_of_tasks(patient: Patient) -> Iterator[Finding]:
    """Whether the memory of tasks can be read, and arrives; nothing where there are none."""
    project = patient.project
    folder = backlog.Folder(project.place.root)
    is_set_up = task_delivery.is_set_up(folder)
    if not (folder.exists or is_set_up):
        return
    found = [*_state(folder), *_memories(folder, project.config["tasks"]["enabled"])]
    if is_set_up:
        found += _readable_imports(patient, folder)
    yield from found
    if not found:
        yield _in_order(patient)


def _in_order(patient: Patient) -> Finding:
    now = task_overview.standing(patient.project)
    count = sum(now.counts.values())
    told = f"the memories of {overview.counted(count, 'task')} can be read"
    active = f", {now.active.id} is active" if now.active else ""
    how = ", and CLAUDE.md imports it" if now.active and now.imported else ""
    return Finding(OK, CHECK, f"{told}{active}{how}", now.folder)


def _state(folder: backlog.Folder) -> Iterator[Finding]:
    """Whether it can be known which task is active."""
    path = os.path.join(folder.path, backlog.STATE)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        return
    except OSError as error:
        what = f"cannot be read: {error.strerror}; no task counts as active"
        yield Finding(WARNING, CHECK, what, folder.relative(path), typed("chmod", "u+rw", path))
        return
    if not isinstance(folder.state().get("in_progress"), list) or markdown.CONFLICT_BEGIN in text:
        what = "cannot be understood: it is not sure which task is active"
        mend = "agent-memory task start ID, which writes it anew"
        yield Finding(WARNING, CHECK, what, folder.relative(path), mend)


def _memories(folder: backlog.Folder, is_on: bool) -> Iterator[Finding]:
    """Whether each memory can be read, and is free of git's conflicts."""
    for archived in (False, True) if is_on else ():
        for path in folder.memories(archived).values():
            try:
                text = task_life.read(folder, path).text
            except OSError as error:
                what = error.strerror or str(error)
                mend = "see where the link leads" if os.path.islink(path) else "see what is there"
                yield Finding(WARNING, CHECK, what, folder.relative(path), mend)
                continue
            yield from _conflicts(folder.relative(path), text)


def _conflicts(path: str, text: str) -> Iterator[Finding]:
    if markdown.CONFLICT_BEGIN not in text:
        return  # most memories: to parse a thousand takes long
    for line, sentence in markdown.parse(text).warnings:
        if sentence.startswith(overview.CONFLICT):
            mend = "keep what is right of both sides, by hand"
            yield Finding(WARNING, CHECK, sentence, f"{path}:{line}", mend)
            return


def _readable_imports(patient: Patient, folder: backlog.Folder) -> list[Finding]:
    try:
        return [*_imports(patient, folder)]
    except OSError as error:
        where = folder.relative(str(error.filename))
        return [
            Finding(WARNING, CHECK, f"cannot be read: {error.strerror}", where, "see its rights")
        ]


def _imports(patient: Patient, folder: backlog.Folder) -> Iterator[Finding]:
    """Whether sessions import the memory of the active task, and no other."""
    own = os.path.join(folder.path, task_delivery.CLAUDE)
    if not patient.project.config["tasks"]["enabled"]:
        if task_delivery.imported(folder):
            what = "task memory is switched off, and sessions still import one"
            yield Finding(WARNING, CHECK, what, folder.relative(own), REMOVE)
        return
    active = tasks.active(patient.project)
    for path, *_texts in task_delivery.to_set_up(patient.project):
        where = folder.relative(path)
        if path != own:
            what = f"does not import {folder.relative(own)}"
            yield Finding(WARNING, CHECK, what, where, "agent-memory task init")
        elif active:
            what = f"does not import the memory of {active.id}"
            yield Finding(WARNING, CHECK, what, where, LOOK)
        else:
            what = "still imports the memory of a task that is over"
            yield Finding(WARNING, CHECK, what, where, LOOK)
