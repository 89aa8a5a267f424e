"""The memory of tasks: what a person, an agent or another tool does with it.

A task is named by any spelling of its id that Backlog.md accepts; "" is the active one.
`task_watch` keeps memories in line with the files of tasks; `task_life` has what a change is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from memory_core import (
    backlog,
    backlog_format,
    front_matter,
    log,
    searching,
    store,
    task_delivery,
    task_document,
    task_journal,
    task_life,
    task_templates,
    task_watch,
)
from memory_core.backlog_format import DONE, STARTED
from memory_core.memory import Project
from memory_core.task_life import Work

IN_PROGRESS, KEPT, ARCHIVED = "in progress", "kept", "archived"

NO_ACTIVE = "no task is in progress; name one, or start one: agent-memory task start ID"

# Where a section of Backlog.md's goes in a memory.
FROM_FILE = {
    "Description": task_document.CONTEXT,
    "Implementation Plan": task_document.NOTES,
    "Implementation Notes": task_document.NOTES,
}


class TaskError(ValueError):
    """What cannot be done with a task's memory; the message says why, and the way out."""

    status = 2


class NoTask(TaskError):
    """A task without a memory, or no task at all."""

    status = 1


class Refused(TaskError):
    """An id that is no plain name, a task that is done, a memory that is archived."""


class Told(NamedTuple):
    """A memory of a task: `path` as people write it, times in UTC, `state` is one of ours above."""

    id: str
    title: str
    path: str
    state: str
    active: bool
    created: str
    updated: str
    archived: str


class Noted(NamedTuple):
    """Where a note went."""

    told: Told
    section: str


class Done(NamedTuple):
    """What came of a change: the memory, in one word what became of it, what did not work."""

    told: Told
    what: str
    problems: list[str]


class Hit(NamedTuple):
    """A line with all the words that were looked for."""

    told: Told
    section: str
    text: str


# Looking.


def find(project: Project, task: str = "") -> Told:
    """Return the memory of a task; raises NoTask or Refused."""
    folder = backlog.Folder(project.place.root)
    order = folder.started
    name = task.strip() or folder.active_of(order)
    if not name:
        raise NoTask(NO_ACTIVE)
    for archived in (False, True):
        found, path = folder.memory_of(_plain(folder, name), archived)
        if found:
            return _told(folder, found, path, archived, order)
    raise NoTask(_unknown(folder, name))


def _plain(folder: backlog.Folder, task: str) -> str:
    """Return an id as it is typed, lower case; raises Refused for what can be no name."""
    name = task.strip().lower()
    if not backlog_format.is_plain(name):
        raise Refused(
            f"{task!r} is no id of a task: letters, digits, and . _ - between them are expected"
        )
    return name


def _unknown(folder: backlog.Folder, task: str) -> str:
    import difflib

    known = [*folder.memories(), *folder.memories(archived=True)]
    near = difflib.get_close_matches(task.lower(), known, n=3)
    hint = f"; or did you mean {' or '.join(near)}?" if near else ""
    return f"{task} has no memory: {_way_in(folder, task)}{hint}"


def _way_in(folder: backlog.Folder, task: str) -> str:
    name, file = _file(folder, task)
    is_done = file is not None and folder.config.stage(file.status) == DONE
    return f"agent-memory task {'reopen' if is_done else 'start'} {name}"


def _told(folder: backlog.Folder, name: str, path: str, archived: bool, order: list[str]) -> Told:
    text = task_life.read(folder, path).text
    says = {
        key: value for key, value in front_matter.fields(text).items() if isinstance(value, str)
    }
    state = ARCHIVED if archived else IN_PROGRESS if name in order else KEPT
    return Told(
        id=name,
        title=says.get("title", ""),
        path=folder.relative(path),
        state=state,
        active=state == IN_PROGRESS and name == folder.active_of(order),
        created=says.get("created", ""),
        updated=says.get("updated", ""),
        archived=says.get("archived", "") if archived else "",
    )


def text(project: Project, told: Told) -> str:
    """Return the file of a memory as it stands; raises OSError."""
    folder = backlog.Folder(project.place.root)
    return task_life.read(folder, os.path.join(folder.root, told.path)).text


def active(project: Project) -> Told | None:
    """Return the memory of the active task, None where no task is in progress."""
    try:
        return find(project)
    except TaskError:
        return None


def listed(project: Project) -> list[Told]:
    """Return all memories: the active one, those in progress, kept ones, archived ones."""
    folder = backlog.Folder(project.place.root)
    order = folder.started
    found = []
    for archived in (False, True):
        for name, path in folder.memories(archived).items():
            try:
                found.append(_told(folder, name, path, archived, order))
            except OSError as error:
                reason = error.strerror or str(error)
                log.write(project.place, "task.memory.unread", task_id=name, error=reason)
    states = (IN_PROGRESS, KEPT, ARCHIVED)
    return sorted(found, key=lambda each: (not each.active, states.index(each.state)))


def search(project: Project, words: str) -> list[Hit]:
    """Find the lines of memories that have all of some words; raises searching.NoWords."""
    wanted = searching.fold(words).split()
    if not wanted:
        raise searching.NoWords("a word to look for is expected")
    found = []
    for told in listed(project):
        try:
            whole = text(project, told)
        except OSError:
            continue  # it has gone since it was listed
        if _has(whole, wanted):  # or it need not be parsed
            found += [Hit(told, section, line) for section, line in _lines(whole, wanted)]
    return found


def _has(text: str, wanted: list[str]) -> bool:
    folded = searching.fold(text)
    return all(word in folded for word in wanted)


def _lines(whole: str, wanted: list[str]) -> list[tuple[str, str]]:
    """Return (section, line without its bullet) of the lines that have all the words."""
    return [
        (section, line.strip().removeprefix("- "))
        for section, held in task_document.sections(whole)
        for line in held.splitlines()
        if line.strip() and _has(line, wanted)
    ]


# Writing.


def note(project: Project, task: str, entry: str, section: str = task_document.NOTES) -> Noted:
    """Add a note to a task's memory; raises NoTask, Refused, task_document.Unfit or OSError."""
    with Work(project) as work:
        name = _open_memory(work, task)
        read = work.read(work.path(name))
        seen = task_journal.with_lost(work, name, read.text)
        moment = task_journal.next_moment(seen)
        after = task_document.added(seen, section, entry)
        after = front_matter.with_fields(after, {"updated": moment})
        task_journal.keep(work, name, section, entry, moment)
        _write(work, name, read, after)
        told = _told(work.folder, name, work.path(name), False, work.started)
    found = task_document.title_of(after, section)
    return Noted(told, found)


def decide(project: Project, task: str, entry: str) -> Noted:
    """Add a decision to a task's memory, as `note` does."""
    return note(project, task, entry, task_document.DECISIONS)


def _write(work: Work, name: str, read: store.Text, text: str) -> None:
    """Write a memory, and have sessions import it, in the order in which nothing else is."""
    if name == work.active:
        task_delivery.refresh(work, soon=text)
    work.write(read, text)
    task_delivery.refresh(work)


def _open_memory(work: Work, task: str) -> str:
    """Return the id of the memory to write to, made if the task has a file and waits."""
    wanted = task.strip() or work.active
    if not wanted:
        raise NoTask(NO_ACTIVE)
    wanted = _plain(work.folder, wanted)
    name, _path = work.folder.memory_of(wanted)
    if name:
        return name
    name, _path = work.folder.memory_of(wanted, archived=True)
    if name:
        raise Refused(f"the memory of {name} is archived; agent-memory task reopen {name}")
    name, file = _file(work.folder, wanted)
    if not file or work.folder.config.stage(file.status) == DONE:
        raise NoTask(_unknown(work.folder, wanted))
    _begin(work, name, file.title, "")
    return name


def _file(folder: backlog.Folder, task: str) -> tuple[str, backlog_format.Task | None]:
    """Return the id of a task as its file is named, and what that says."""
    path = folder.find(task)
    stem = backlog_format.stem(os.path.basename(path)) if path else task
    return stem, folder.task(path) if path else None


def _begin(work: Work, name: str, title: str, template: str) -> None:
    _stem, file = _file(work.folder, name)
    kind = task_templates.fitting(file.kind, file.labels) if file else task_templates.DEFAULT
    work.begin(name, title, template or kind)


# The life cycle.


def start(project: Project, task: str, title: str = "", template: str = "") -> Done:
    """Begin the memory of a task, or take it up again; it is the active one then.

    Where Backlog.md has a file of the task and its command is there, the task is moved along.
    Raises Refused for a task that is done, task_templates.NoTemplate.
    """
    with Work(project) as work:
        task_watch.catch_up(work)
        name, file = _to_start(work, task)
        if template:
            task_templates.text(task_life.levels(project), template)
        if file:
            task_watch.give_way(work, name, file)
        what = "is in progress already"
        if work.has(name, archived=True) and not work.has(name):
            work.restore(name)
            what = "restored"
        elif not work.has(name):
            _begin(work, name, title or (file.title if file else ""), template)
            what = "begun"
        elif name not in work.started:
            what = "taken up again"
        work.put_last(name)
        task_delivery.refresh(work)
    problems = _move(project, name, STARTED)
    return Done(find(project, name), what, problems)


def _to_start(work: Work, task: str) -> tuple[str, backlog_format.Task | None]:
    """Return the id and the file of a task that may be started."""
    wanted = _plain(work.folder, task) if task.strip() else work.active
    if not wanted:
        raise Refused("which task?  agent-memory task start ID")
    name, file = _file(work.folder, wanted)
    ended = work.folder.find(wanted, backlog.COMPLETED) if file is None else ""
    if ended:
        stem = backlog_format.stem(os.path.basename(ended))
        raise Refused(f"{stem} is completed; agent-memory task reopen {stem} has its memory back")
    if file and work.folder.config.stage(file.status) == DONE:
        raise Refused(f"{name} is {file.status}; agent-memory task reopen {name}")
    if file is None:
        known = (work.folder.memory_of(wanted, archived)[0] for archived in (False, True))
        name = next(filter(None, known), wanted)
    return name, file


def done(project: Project, task: str = "") -> Done:
    """Archive the memory of a task that is done; its decisions become notes of the task."""
    with Work(project) as work:
        task_watch.catch_up(work)
        name = _existing(work, task)
        what = "archived"
        if work.has(name):
            work.retire(name)
        else:
            what = "is archived already"
            work.set_aside(name)
        task_watch.owe(work, name)
        task_delivery.refresh(work)
    problems = _move(project, name, DONE) + task_watch.pay(project, task_watch.COMMAND_WAIT)
    return Done(find(project, name), what, problems)


def archive(project: Project, task: str = "") -> Done:
    """Archive the memory of a task, whatever the task is at."""
    with Work(project) as work:
        task_watch.catch_up(work)
        name = _existing(work, task)
        what = "archived" if work.has(name) else "is archived already"
        if work.has(name):
            work.retire(name)
        task_delivery.refresh(work)
    return Done(find(project, name), what, [])


def reopen(project: Project, task: str) -> Done:
    """Take the memory of a task out of the archive; the task is in progress again.

    A task of Backlog.md's that never had a memory gets one.
    """
    with Work(project) as work:
        task_watch.catch_up(work)
        name, file = _file(work.folder, _plain(work.folder, task))
        what = "taken up again"
        if file and not any(work.has(name, archived) for archived in (False, True)):
            _begin(work, name, file.title, "")
            what = "begun"
        name = _existing(work, task)
        if not work.has(name):
            work.restore(name)
            what = "restored"
        work.put_last(name)
        task_delivery.refresh(work)
    problems = _move(project, name, STARTED)
    return Done(find(project, name), what, problems)


def delete(project: Project, told: Told) -> None:
    """Remove the memory of a task for good.  Nobody is asked here."""
    with Work(project) as work:
        task_watch.catch_up(work)
        work.delete(told.id, told.state == ARCHIVED)
        task_delivery.refresh(work)


def _existing(work: Work, task: str) -> str:
    """Return the id of a memory that is there, open or archived; raises NoTask."""
    wanted = task.strip() or work.active
    if not wanted:
        raise NoTask("no task is in progress; name one: agent-memory task list")
    for archived in (False, True):
        name, _path = work.folder.memory_of(_plain(work.folder, wanted), archived)
        if name:
            return name
    raise NoTask(_unknown(work.folder, wanted))


def _move(project: Project, name: str, stage: str) -> list[str]:
    """Have Backlog.md move the task along, where it has one; return what stopped it."""
    folder = backlog.Folder(project.place.root)
    path = folder.find(name)
    file = folder.task(path) if path else None
    problems = []
    if file and folder.config.stage(file.status) != stage:
        status = folder.config.of(stage)
        try:
            if not status:
                raise backlog.Failed(f"no status of this project means {stage}")
            backlog.run(folder, ["task", "edit", name, "-s", status], task_watch.COMMAND_WAIT)
        except backlog.Failed as error:
            problems.append(f"{name} stays {file.status or 'as it is'} in Backlog.md: {error}")
    task_watch.check(project)
    return problems


# Tidying up.


class Stale(NamedTuple):
    """A memory that cleaning would archive or delete."""

    told: Told
    deleted: bool


def stale(project: Project, archive_before: str, delete_before: str) -> list[Stale]:
    """Return the memories that were not touched since a time, archived ones since another.

    Times as memories have them, "" for none.  What the files say counts, not their mtime,
    which git sets anew.  A task in progress keeps its memory.
    """
    found = []
    for told in listed(project):
        if told.state == KEPT and told.updated and told.updated < archive_before:
            found.append(Stale(told, False))
        elif told.state == ARCHIVED and told.archived and told.archived < delete_before:
            found.append(Stale(told, True))
    return found


# So many are archived or deleted under one hold of the lock: others wait for it 2 seconds.
BATCH = 20


def clean(
    project: Project,
    stales: list[Stale],
    along: Callable[[Collection[list[Stale]]], Iterable[list[Stale]]] = iter,
) -> None:
    """Archive or delete these memories; one that was taken up meanwhile stays."""
    batches = [stales[at : at + BATCH] for at in range(0, len(stales), BATCH)]
    for batch in along(batches):
        with Work(project) as work:
            task_watch.catch_up(work)
            for told, is_deleted in batch:
                if told.id in work.started or not work.has(told.id, told.state == ARCHIVED):
                    continue
                if is_deleted:
                    work.delete(told.id, archived=True)
                else:
                    work.retire(told.id)
            task_delivery.refresh(work)


# Taking in.


def take_in(project: Project, task: str, content: str = "") -> tuple[Told, int]:
    """Add what a Markdown text, or the task's own file, says; return the number of new parts.

    Sections go to those of the same title, the rest to the notes; what is there already stays
    one.  The memory is made where there is none.
    """
    with Work(project) as work:
        wanted = _plain(work.folder, task) if task.strip() else work.active
        if not wanted:
            raise NoTask(NO_ACTIVE)
        name, file = _file(work.folder, wanted)
        if not content and file is None:
            raise NoTask(f"{wanted} has no file of Backlog.md's; name a file to take in")
        parts = task_document.parts(content) if content else _of_file(work.folder, name)
        name = _ready(work, wanted)
        read = work.read(work.path(name))
        named = [(section or task_document.NOTES, part) for section, part in parts]
        after = task_document.with_parts(read.text, named)
        count = sum(not task_document.says(read.text, part) for _section, part in parts)
        if after != read.text:
            after = front_matter.with_fields(after, {"updated": backlog.now()})
        _write(work, name, read, after)
        return _told(work.folder, name, work.path(name), False, work.started), count


def _ready(work: Work, wanted: str) -> str:
    """Return the id of an open memory, made where there is none; raises Refused."""
    known = any(work.folder.memory_of(wanted, archived)[0] for archived in (False, True))
    if not known:
        name, file = _file(work.folder, wanted)
        _begin(work, name, file.title if file else "", "")
        return name
    return _open_memory(work, wanted)


def _of_file(folder: backlog.Folder, name: str) -> list[tuple[str, str]]:
    """Return what a task's own file says, as parts for its memory."""
    with open(folder.find(name), encoding="utf-8", errors="replace") as file:
        text = file.read()
    return [
        (section, part)
        for title, section in FROM_FILE.items()
        for _title, part in task_document.parts(backlog_format.section(text, title))
    ]
