"""The life of a task's memory: begun, kept, archived, restored; and which one is active.

    memory/ID.md           its task is in progress, or waits: kept, and not active
    memory/archive/ID.md   its task is done, or somebody archived it
    .state.yml             active_task, last_updated; in_progress: the ids in the order they were
                           started, the last one that has its memory is active; owed: whose
                           decisions Backlog.md has still to be told

Verbs and the check of task files change all this through `Work`, under one lock.
"""

from __future__ import annotations

import itertools
import os

from memory_core import backlog, backlog_format, log, store

# task_document and task_templates are imported where they are used: most looks need neither.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.places import Place

# As agents' locks in state/locks; no agent's file begins with a dot.
LOCK = ".tasks.lock"


class Work:
    """A project's task memories, held under their lock: `with Work(project) as work`.

    What was changed of the state is written at the end.  Raises store.Busy where somebody
    else holds the lock for 2 seconds.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.folder = backlog.Folder(project.place.root)
        self.started: list[str] = []
        self.owed: list[str] = []

    def __enter__(self) -> Work:
        locks = self.project.place.made("state", "locks")
        self._lock = store.Lock(os.path.join(locks, LOCK), store.LOCK_WAIT)
        self._lock.__enter__()
        self.started = self.folder.started
        self.owed = self.folder.owed
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and (self.started or self.owed or self.folder.state()):
                self.save()
        finally:
            self._lock.__exit__()

    def save(self) -> None:
        """Write .state.yml, if it says something else."""
        state: dict[str, str | list[str]] = {"active_task": self.active, "last_updated": ""}
        state["in_progress"] = self.started
        if self.owed:
            state["owed"] = self.owed
        self.folder.set_state(state)

    @property
    def active(self) -> str:
        return self.folder.active_of(self.started)

    # Which one is active.

    def put_last(self, task: str) -> None:
        """Make a task the one that was started last."""
        self.set_aside(task)
        self.started.append(task)

    def set_aside(self, task: str) -> None:
        """Have a task no longer be in progress; its memory stays."""
        self.started = [each for each in self.started if each != task]

    # What becomes of a memory.

    def begin(self, task: str, title: str, template: str) -> None:
        """Make the memory of a task that has none; `template` is a name."""
        from memory_core import task_document, task_templates

        text = task_templates.text(levels(self.project), template)
        self.folder.made()
        told = task_document.new(task, title, backlog.now(), text)
        store.replace(self.path(task), told.encode("utf-8", "surrogateescape"))
        self.log("begun", task)
        self.tell(task)

    def retire(self, task: str) -> None:
        """Archive the memory of a task; its decisions are owed to the task."""
        now = backlog.now()
        self._set(self.path(task), archived=now, updated=now)
        self._move(self.path(task), self.path(task, archived=True))
        self.set_aside(task)
        self.log("archived", task)
        self.tell(task)

    def restore(self, task: str) -> None:
        """Take the memory of a task out of the archive, with everything."""
        self._move(self.path(task, archived=True), self.path(task))
        self._set(self.path(task), archived="", updated=backlog.now())
        self.log("restored", task)
        self.tell(task)

    def delete(self, task: str, archived: bool) -> None:
        """Remove the memory of a task for good."""
        os.unlink(self.path(task, archived))
        if not archived:
            self.set_aside(task)
        self.owed = [each for each in self.owed if each != task]
        self.log("deleted", task)
        self.tell(task)

    def rename(self, task: str, new: str, archived: bool) -> None:
        """Give a memory the id that its task has now."""
        self._move(self.path(task, archived), self.path(new, archived))
        self.started = [new if each == task else each for each in self.started]
        self.owed = [new if each == task else each for each in self.owed]
        self.entitle(new, archived, self.title(new, archived))

    def title(self, task: str, archived: bool = False) -> str:
        """Return the title that a memory says."""
        from memory_core import task_document

        return task_document.field(self.read(self.path(task, archived)).text, "title")

    def entitle(self, task: str, archived: bool, title: str) -> None:
        """Have a memory say the id and the title of its task."""
        from memory_core import task_document

        read = self.read(self.path(task, archived))
        self.write(read, task_document.renamed(read.text, task, title))

    def make_way(self, task: str, archived: bool) -> None:
        """Move a memory to a name of its own: another task has its id now."""
        from memory_core import task_document

        made = task_document.field(self.read(self.path(task, archived)).text, "created")
        digits = "".join(filter(str.isdigit, made)) or "older"
        target = os.path.join(self.folder.archive, f"{task}-{digits}.md")
        self._move(self.path(task, archived), target)
        self.set_aside(task)
        self.owed = [each for each in self.owed if each != task]

    def _move(self, path: str, target: str) -> None:
        """Move a file; one that is there already gets another name, and is not lost."""
        folder, name = os.path.split(target)
        os.makedirs(folder, exist_ok=True)
        if os.path.lexists(target):
            digits = "".join(filter(str.isdigit, backlog.now()))
            os.rename(target, _free(os.path.join(folder, f"{name[:-3]}-{digits}")))
        os.rename(path, target)
        store.sync(folder)

    # Files.

    def path(self, task: str, archived: bool = False) -> str:
        return self.folder.memory_path(task, archived)

    def has(self, task: str, archived: bool = False) -> bool:
        return os.path.isfile(self.path(task, archived))

    def read(self, path: str) -> store.Text:
        """Read a memory.  Raises OSError, also for a link that leaves the folder of memories."""
        return read(self.folder, path)

    def write(self, read: store.Text, text: str) -> None:
        """Put a text in place of the one that was read; raises store.Changed."""
        if text == read.text:
            return

        def check() -> None:
            if not read.is_current():
                name = self.folder.relative(read.path)
                raise store.Changed(f"{name} was saved by somebody else just now")

        path = os.path.realpath(read.path)
        store.replace(path, text.encode("utf-8", "surrogateescape"), check)

    def _set(self, path: str, **values: str) -> None:
        from memory_core import front_matter

        read = self.read(path)
        self.write(read, front_matter.with_fields(read.text, {**values}))

    def tell(self, task: str) -> None:
        """Have the task's file say where its memory is: for agents without hook and MCP."""
        path = self.folder.find(task)
        if not path or backlog.leaves(path, self.folder.root):
            return
        places = (self.path(task), self.path(task, archived=True))
        memory = next((each for each in places if os.path.isfile(each)), "")
        name = self.folder.relative(memory) if memory else ""
        try:
            read = _read(path)
            self.write(read, backlog_format.with_line(read.text, name))
        except OSError as error:  # a help for others is no reason to fail
            self.log("untold", task, error=f"{type(error).__name__}: {error}")

    def log(self, what: str, task: str, **fields: str) -> None:
        log.write(self.project.place, f"task.memory.{what}", task_id=task, **fields)


def levels(project: Project) -> list[Place]:
    """Return the levels that templates are looked for in, the first one counts."""
    return [project.place, *([project.user] if project.user else [])]


def _free(path: str) -> str:
    """Return a name for a Markdown file that no other one has: two may come in one second."""
    numbered = (f"{path}-{count}.md" for count in itertools.count(2))
    names = itertools.chain([f"{path}.md"], numbered)
    return next(each for each in names if not os.path.lexists(each))


def read(folder: backlog.Folder, path: str) -> store.Text:
    """Read a memory of a task.  Raises OSError, also for a link that leaves its folder."""
    if backlog.leaves(path, folder.memory):
        raise store.Outside(f"{folder.relative(path)} is a link that leaves its folder")
    return _read(path)


def _read(path: str) -> store.Text:
    with open(path, "rb") as file:
        status, data = os.fstat(file.fileno()), file.read()
    return store.Text(data.decode("utf-8", "surrogateescape"), path, status)
