"""What the files of tasks say now, and what that makes of their memories.

Whoever changed a task, and by whatever way: its file tells.  A hook or a command is only the
occasion to look.  What was seen last is kept in state/tasks.json, so that a look at a thousand
files costs no reading, and so that only a change counts: a memory that a person archived while
its task goes on stays archived.
"""

from __future__ import annotations

import os

from memory_core import backlog, backlog_format, fastjson, store, task_delivery, task_journal
from memory_core.backlog_format import DONE, STARTED
from memory_core.task_life import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from memory_core.backlog_format import Task
    from memory_core.memory import Project

    Seen = dict[str, Any]

NAME = "tasks.json"

# Raised when what is kept changes its meaning.
VERSION = 1

# A task whose file is gone from tasks/ has come to one of these.
ENDED, LEFT = "ended", "left"

# Backlog.md's command takes half a second; a hook has five.
HOOK_WAIT = 3.0
COMMAND_WAIT = 30.0

# Beside task_life.LOCK, which nobody holds for as long as a command takes.
PAY_LOCK = ".tasks.pay.lock"

HEADING = "Key decisions, from the memory of this task:"


def is_on(project: Project, folder: backlog.Folder) -> bool:
    """Say whether there is anything here that task memory is about."""
    return bool(project.config["tasks"]["enabled"]) and folder.exists


def check(project: Project) -> None:
    """Bring memories, the active task and what is imported in line with the files of tasks.

    Raises OSError where a file cannot be read or written, or the lock not be had.
    """
    folder = backlog.Folder(project.place.root)
    if not is_on(project, folder):
        _withdraw(project, folder)
        return
    if _is_seen(project, folder):
        return
    with Work(project) as work:
        look(work)


def _withdraw(project: Project, folder: backlog.Folder) -> None:
    """Have nothing imported any more where task memory was switched off."""
    if folder.exists and task_delivery.imported(folder):
        with Work(project) as work:
            task_delivery.refresh(work)


def catch_up(work: Work) -> None:
    """Do what `check` does, for one who holds the lock and is about to change something.

    What task files have said for long would otherwise be news behind that change, and undo it.
    """
    if is_on(work.project, work.folder) and not _is_seen(work.project, work.folder):
        look(work)


def look(work: Work) -> None:
    """Look at the files of tasks, whether or not one has changed."""
    known = _known(work.project, work.folder)
    before = known or {}
    files = _files(work, before)
    _give_names(work, files)
    task_journal.bring_back(work)
    for key, file in sorted(files.items(), key=lambda each: each[1].stamp):
        if before.get(key, [None])[0] != file.stage:
            _settle(work, file.stem, file.stage, file)
            if key in before and file.stage == DONE:
                owe(work, file.stem)  # also of a memory that was archived before
        elif before[key][2] != file.stamp:
            _entitle(work, file)
    for key, where in _gone(work, before, files, known is None):
        name = work.folder.memory_of(key)[0] or work.folder.memory_of(key, archived=True)[0]
        if name:
            _settle(work, name, where, None)
    task_delivery.refresh(work)
    _keep(work, files)


class _File:
    """A task's file as the check sees it."""

    __slots__ = ("path", "stage", "stamp", "stem")

    def __init__(self, path: str, stem: str, stamp: list[int], stage: str) -> None:
        self.path = path
        self.stem = stem
        self.stamp = stamp
        self.stage = stage


def _files(work: Work, before: Seen) -> dict[str, _File]:
    """Return the files of open tasks by the key of their id; only changed ones are read."""
    found: dict[str, _File] = {}
    for entry in work.folder.files():
        stem = backlog_format.stem(entry.name)
        stamp = _stamp(entry.path)
        known = before.get(work.folder.key(stem))
        if known and known[1:3] == [stem, stamp]:
            stage = known[0]
        else:
            task = work.folder.task(entry.path)
            told = task.status if task else ""
            if not stamp or not (told or task or known):
                continue
            # A file without a status is being written in this moment: what it said before counts.
            stage = known[0] if known and not told else work.folder.config.stage(told)
        found[work.folder.key(stem)] = _File(entry.path, stem, stamp, stage)
    return found


def _stamp(path: str) -> list[int]:
    try:
        status = os.stat(path)
    except OSError:
        return []
    return [status.st_mtime_ns, status.st_size]


def _give_names(work: Work, files: dict[str, _File]) -> None:
    """Give memories the ids that stand in the names of the files."""
    for archived in (False, True):
        for name in work.folder.memories(archived):
            file = files.get(work.folder.key(name))
            if file and file.stem != name and not work.has(file.stem, archived):
                work.rename(name, file.stem, archived)


def _gone(
    work: Work, before: Seen, files: dict[str, _File], is_first: bool
) -> list[tuple[str, str]]:
    """Return what became of tasks that have no open file any more.

    At the first look these are tasks with a memory, of which Backlog.md knows otherwise.
    """
    memories = work.folder.memories() if is_first else {}
    gone = sorted({*before, *map(work.folder.key, memories)} - set(files))
    completed = _keys(work.folder, backlog.COMPLETED) if gone else set()
    left = {*before, *(_keys(work.folder, backlog.GONE) if is_first and gone else ())}
    return [(key, ENDED if key in completed else LEFT) for key in gone if key in completed | left]


def _keys(folder: backlog.Folder, place: str) -> set[str]:
    return {folder.key(backlog_format.stem(each.name)) for each in folder.files(place)}


def _settle(work: Work, name: str, change: str, file: _File | None) -> None:
    """Do with a task's memory what became of the task."""
    if file and change == STARTED:
        _start(work, file)
    elif change in (DONE, ENDED) and work.has(name):
        work.retire(name)
        if change == DONE:
            owe(work, name)
    else:
        work.set_aside(name)


def _start(work: Work, file: _File) -> None:
    from memory_core.task_templates import fitting

    task = work.folder.task(file.path)
    if task is None:
        return
    name = file.stem
    give_way(work, name, task)
    if not work.has(name) and work.has(name, archived=True):
        work.restore(name)
    elif not work.has(name):
        work.begin(name, task.title, fitting(task.kind, task.labels))
    else:
        work.tell(name)  # a file that was written anew may have lost the line
    _entitle(work, file)
    if name not in work.started:
        work.put_last(name)


def _entitle(work: Work, file: _File) -> None:
    """Have a memory say the title that its task has now."""
    task = work.folder.task(file.path) if work.has(file.stem) else None
    if task and task.title and task.title != work.title(file.stem):
        work.entitle(file.stem, False, task.title)


def give_way(work: Work, name: str, task: Task) -> None:
    """Put the memory of an older task with this id out of the way.

    Backlog.md gives the id of an archived task to the next one that is created.
    """
    from memory_core import task_document

    if not work.folder.find(name, backlog.GONE):
        return
    for archived in (False, True):
        if work.has(name, archived):
            read = work.read(work.path(name, archived))
            made = task_document.field(read.text, "created")[: len(task.created)]
            if made and task.created and (made, 0) < (task.created, _is_other(read.text, task)):
                work.make_way(name, archived)


def _is_other(text: str, task: Task) -> bool:
    """Say whether a memory is of a task with another title: for two of one minute."""
    from memory_core import task_document

    return task_document.field(text, "title") != task.title


# What was seen last: a line that tells whether anything has changed, and one of all files.


def _kept(project: Project) -> tuple[str, str]:
    try:
        with open(os.path.join(project.place.state, NAME), encoding="utf-8") as file:
            return file.readline(), file.readline()
    except (OSError, ValueError):
        return "", ""


def _known(project: Project, folder: backlog.Folder) -> Seen | None:
    """Return [stage, id, stamp] of each file by its key, None where nothing is known.

    Where .state.yml was lost or damaged everything is looked at: which tasks are in progress
    stands there.
    """
    if not isinstance(folder.state().get("in_progress"), list):
        return None
    try:
        head, files = map(fastjson.loads, _kept(project))
        if head["version"] != VERSION or not _is_whole(files):
            return None
        # Where statuses mean something else now, all files are read: no stamp is like [].
        is_same = head["meaning"] == _meaning(folder)
        return files if is_same else {key: [*file[:2], []] for key, file in files.items()}
    except (ValueError, LookupError, TypeError, AttributeError):
        return None  # not there, or not ours: everything is looked at


def _meaning(folder: backlog.Folder) -> list[str]:
    """Return what decides which stage a status comes to."""
    return [folder.config.default, *folder.config.statuses]


def _is_whole(files: Seen) -> bool:
    return all(
        isinstance(stage, str) and isinstance(stem, str) and isinstance(stamp, list)
        for stage, stem, stamp in files.values()
    )


def _is_seen(project: Project, folder: backlog.Folder) -> bool:
    """Say whether nothing has changed since the last look."""
    try:
        head = fastjson.loads(_kept(project)[0])
        others, active = set(head["others"]), str(head["active"])
        told = [head[name] for name in ("version", "marks", "names")]
    except (ValueError, LookupError, TypeError):
        return False
    return bool(told == [VERSION, _marks(project, folder, active), _names(folder, others)])


def _names(folder: backlog.Folder, others: Collection[str]) -> str:
    """Return the names of task files with their stamps, as one text: quickly read and compared."""
    entries = (each for each in folder.entries() if each.name not in others)
    return "/".join(sorted(_name(each.name, _stamp(each.path)) for each in entries))


def _name(name: str, stamp: list[int]) -> str:
    return f"{name}/{stamp}"


def _after(work: Work, file: _File) -> list[Any]:
    """Return what is kept of a file: its stage, id and stamp.

    A stamp that has changed by our own line is the one that counts; where somebody else has
    changed the stage meanwhile, the old one has the next look see that.
    """
    stamp = _stamp(file.path)
    if stamp and stamp != file.stamp:
        task = work.folder.task(file.path)
        if task and work.folder.config.stage(task.status) == file.stage:
            file.stamp = stamp
    return [file.stage, file.stem, file.stamp]


def _keep(work: Work, files: dict[str, _File]) -> None:
    """Keep what was seen: a file that has come or changed meanwhile is not among it."""
    place = work.project.place
    work.save()
    told = {key: _after(work, file) for key, file in files.items()}
    names = sorted(_name(os.path.basename(file.path), file.stamp) for file in files.values())
    head = {
        "version": VERSION,
        "active": work.active,
        "marks": _marks(work.project, work.folder, work.active),
        "meaning": _meaning(work.folder),
        "names": "/".join(names),
        "others": [
            each.name for each in work.folder.entries() if not work.folder.is_task(each.name)
        ],
    }
    path = os.path.join(place.made("state"), f"{NAME}.{os.getpid()}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{fastjson.dumps(head)}\n{fastjson.dumps(told)}\n")
    os.replace(path, os.path.join(place.state, NAME))


def _marks(project: Project, folder: backlog.Folder, active: str) -> list[Any]:
    """Return the stamps of all that decides what a look comes to, but for tasks' own files."""
    names = [
        backlog.ROOT_CONFIG,
        *(os.path.join(folder.path, name) for name in (*backlog.CONFIGS, backlog.STATE)),
        *(folder.memory, folder.archive, *task_delivery.files(project, folder, active)),
    ]
    others = [_stamp(os.path.join(folder.root, name)) for name in names]
    return [folder.path, project.config["tasks"], others]


# Decisions, as notes of their task.


def owe(work: Work, name: str) -> None:
    """Have the decisions of a task be told to Backlog.md when there is time, if it has new ones."""
    if name not in work.owed and _due(work, name):
        work.owed.append(name)


def pay(project: Project, wait: float = HOOK_WAIT) -> list[str]:
    """Append decisions of tasks that are done to their tasks; return what stopped it.

    By Backlog.md's own command.  Each decision once, also when its task is reopened and done
    again.  What could not be done is tried again at the next occasion.
    """
    folder = backlog.Folder(project.place.root)
    if not is_on(project, folder) or not folder.owed or not backlog.is_there():
        return []
    lock = store.Lock(os.path.join(project.place.made("state", "locks"), PAY_LOCK), wait)
    try:
        with lock:  # what two hooks tell at once would be told twice
            return _pay(project, folder, wait)
    except store.Busy as error:
        return [str(error)]


def _pay(project: Project, folder: backlog.Folder, wait: float) -> list[str]:
    problems = []
    with Work(project) as work:
        due = [(name, _due(work, name)) for name in work.owed]
        work.owed = [name for name, decisions in due if decisions]
    for name, decisions in due:
        try:
            if decisions:
                text = "\n".join([HEADING, *(_item(each) for each in decisions)])
                backlog.run(folder, ["task", "edit", name, f"--append-notes={text}"], wait)
                _paid(project, name, decisions)
        except backlog.Failed as error:
            problems.append(str(error))
    return problems


def _item(decision: str) -> str:
    """Write a decision as an item that ends no section of Backlog.md's, nor the argument."""
    harmless = decision.replace("<!--", "‹!--").replace("\0", "")
    return "- " + harmless.replace("\n", "\n  ")


def _due(work: Work, name: str) -> list[str]:
    """Return the decisions of an archived memory that its task does not know."""
    from memory_core import task_document

    path = work.folder.find(name)
    if not path or not work.has(name, archived=True):
        return []
    text = work.read(work.path(name, archived=True)).text
    told = set(noted(text))
    with open(path, encoding="utf-8", errors="replace") as file:
        # Also where the one who appended them was killed before he could note it.
        told |= set(map(identity, task_document.items(file.read())))
    decisions = task_document.entries(text, task_document.DECISIONS)
    return [each for each in decisions if identity(each) not in told]


def noted(text: str) -> list[str]:
    """Return the marks of the decisions that were appended to the task."""
    from memory_core import front_matter

    found = front_matter.fields(text).get("noted")
    return found if isinstance(found, list) else []


def identity(decision: str) -> str:
    from memory_core import past

    return past.identity(" ".join(decision.split()))


def _paid(project: Project, name: str, decisions: list[str]) -> None:
    from memory_core import front_matter

    with Work(project) as work:
        work.owed = [each for each in work.owed if each != name]
        for archived in (True, False):
            if work.has(name, archived):
                read = work.read(work.path(name, archived))
                marks = [*noted(read.text), *map(identity, decisions)]
                work.write(read, front_matter.with_fields(read.text, {"noted": marks}))
                break
