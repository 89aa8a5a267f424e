"""The folder of a Backlog.md project on disk, and ours in it; all of it works without Backlog.md.

backlog/                   or .backlog/, or what backlog.config.yml in the root names
  config.yml               Backlog.md's
  tasks/ completed/ archive/tasks/     its tasks
  memory/ID.md             the memory of a task, archived ones in memory/archive/
  .state.yml               the active task, and which were started; not committed
  CLAUDE.md                what of it all a session of Claude Code is given
"""

from __future__ import annotations

import os
import time

from memory_core import backlog_format, front_matter, store
from memory_core.backlog_format import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.front_matter import Fields

FOLDERS = ("backlog", ".backlog")
ROOT_CONFIG = "backlog.config.yml"
CONFIGS = ("config.yml", "config.yaml")

STATE = ".state.yml"
IGNORED = "# Written by agent-memory: what only this machine needs.\n"

# Where Backlog.md keeps a task that has a file.
OPEN, COMPLETED, GONE = "tasks", "completed", "archive/tasks"

PROGRAM = "backlog"

FORMAT = "%Y-%m-%d %H:%M:%S"


class Folder:
    """A project's backlog folder, whether or not it is there yet."""

    __slots__ = ("_config", "memory", "path", "root")

    def __init__(self, root: str) -> None:
        self.root = root
        self.path = os.path.join(root, _named(root))
        self.memory = os.path.join(self.path, "memory")
        self._config: backlog_format.Config | None = None

    @property
    def exists(self) -> bool:
        """Say whether anything of ours or of Backlog.md's is there."""
        return os.path.isdir(os.path.join(self.path, OPEN)) or os.path.isdir(self.memory)

    @property
    def config(self) -> backlog_format.Config:
        if self._config is None:
            paths = [os.path.join(self.root, ROOT_CONFIG)]
            paths += [os.path.join(self.path, name) for name in CONFIGS]
            texts = (text_of(path) for path in paths)
            self._config = backlog_format.config(next(filter(None, texts), ""))
        return self._config

    def relative(self, path: str) -> str:
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def key(self, task: str) -> str:
        return backlog_format.key(task, self.config.prefix)

    # Task files.

    def files(self, place: str = OPEN) -> list[os.DirEntry[str]]:
        """Return the files of tasks in one of Backlog.md's folders."""
        return [each for each in self.entries(place) if self.is_task(each.name)]

    def entries(self, place: str = OPEN) -> list[os.DirEntry[str]]:
        """Return all that is in one of Backlog.md's folders."""
        try:
            with os.scandir(os.path.join(self.path, place)) as entries:
                return list(entries)
        except OSError:
            return []

    def is_task(self, name: str) -> bool:
        stem = backlog_format.stem(name)
        return stem.rpartition("-")[2].replace(".", "").isdigit()

    def find(self, task: str, place: str = OPEN) -> str:
        """Return the path of a task's file in one of Backlog.md's folders, "" for none."""
        entries = self.entries(place)
        usual = f"{task.strip().lower()} - "  # as most are named; the keys of all take long
        likely = [each for each in entries if each.name[: len(usual)].lower() == usual]
        key = self.key(task)
        for each in (*likely, *entries):
            if self.is_task(each.name) and self.key(backlog_format.stem(each.name)) == key:
                return each.path
        return ""

    def task(self, path: str) -> Task | None:
        """Return what a task's file says, None where it is gone."""
        text = text_of(path)
        return Task(text) if text else None

    # Memories.

    @property
    def archive(self) -> str:
        return os.path.join(self.memory, "archive")

    def memory_path(self, task: str, archived: bool = False) -> str:
        """Return where the memory of that id is, or would be."""
        return os.path.join(self.archive if archived else self.memory, f"{task}.md")

    def memories(self, archived: bool = False) -> dict[str, str]:
        """Return the paths of memories by id."""
        folder = self.archive if archived else self.memory
        try:
            names = os.listdir(folder)
        except OSError:
            return {}
        stems = ((name[:-3], name) for name in names if name.endswith(".md"))
        return {
            stem: os.path.join(folder, name)
            for stem, name in sorted(stems)
            if backlog_format.is_plain(stem)
        }

    def memory_of(self, task: str, archived: bool = False) -> tuple[str, str]:
        """Return (id, path) of a task's memory by any spelling of the id, ("", "") for none."""
        key = self.key(task)
        for usual in (task.strip().lower(), key):
            path = self.memory_path(usual, archived)
            if backlog_format.is_plain(usual) and os.path.isfile(path):
                return usual, path
        found = self.memories(archived)
        return next(((each, found[each]) for each in found if self.key(each) == key), ("", ""))

    # The state of this machine.

    def state(self) -> Fields:
        """Return what .state.yml says; {} where it is not there or says nothing."""
        return front_matter.mapping(text_of(os.path.join(self.path, STATE)).splitlines())

    @property
    def started(self) -> list[str]:
        """Return the ids of the tasks in progress, each once, in the order of their start.

        Who writes `active_task` alone, by hand or by another tool, is understood, too.
        """
        state = self.state()
        return _ids([*_list(state.get("in_progress")), state.get("active_task")])

    def active_of(self, started: list[str]) -> str:
        """Return the last started of tasks in progress whose memory is there, "" for none.

        On another branch there may be none, and who archives one may be killed in between.
        """
        known = (each for each in reversed(started) if os.path.isfile(self.memory_path(each)))
        return next(known, "")

    @property
    def owed(self) -> list[str]:
        """Return the ids of the tasks whose decisions Backlog.md has still to be told."""
        return _ids(_list(self.state().get("owed")))

    def set_state(self, state: Fields) -> None:
        """Write .state.yml, unless it says that already."""
        told = {**self.state(), "last_updated": ""}
        if told != {**state, "last_updated": ""}:
            self.made()
            text = front_matter.dumped({**state, "last_updated": now()})
            store.replace(os.path.join(self.path, STATE), text.encode())

    def made(self) -> str:
        """Return the folder of memories, made if need be, with .state.yml kept out of git."""
        if not os.path.isdir(self.memory):
            os.makedirs(self.memory, exist_ok=True)
        # Once: on a branch without it, one that is made anew would stand in the way of a checkout.
        if not os.path.exists(os.path.join(self.path, STATE)):
            self.ignore(f"/{STATE}")
        return self.memory

    def ignore(self, line: str) -> None:
        """Have git leave a file of the folder out; lines that stand there stay."""
        path = os.path.join(self.path, ".gitignore")
        text = text_of(path)
        if line in text.splitlines() or os.path.islink(path):
            return
        before = text if not text or text.endswith("\n") else f"{text}\n"
        store.replace(path, f"{before or IGNORED}{line}\n".encode("utf-8", "surrogateescape"))

    def heed(self, line: str) -> None:
        """Have git see a file again that was left out by our line."""
        path = os.path.join(self.path, ".gitignore")
        lines = text_of(path).splitlines(keepends=True)
        kept = [each for each in lines if each.rstrip("\r\n") != line]
        if kept != lines and not os.path.islink(path):
            store.replace(path, "".join(kept).encode("utf-8", "surrogateescape"))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _ids(values: list[object]) -> list[str]:
    """Return the ids of a list, each once: by hand it may say anything, and they name files."""
    found = (each for each in values if isinstance(each, str))
    return list(dict.fromkeys(each for each in found if backlog_format.is_plain(each)))


def now(ago: float = 0) -> str:
    """Return the time, or that of so many seconds ago, as memories have it: UTC, in seconds."""
    return time.strftime(FORMAT, time.gmtime(max(0.0, time.time() - ago)))


def second_after(moment: str) -> str:
    """Return the second behind one of these times."""
    import calendar

    seconds = calendar.timegm(time.strptime(moment, FORMAT)) + 1
    return time.strftime(FORMAT, time.gmtime(seconds))


def _named(root: str) -> str:
    """Return the folder that Backlog.md would take: what the root's config names, else its own."""
    told = front_matter.mapping(text_of(os.path.join(root, ROOT_CONFIG)).splitlines())
    named = told.get("backlog_directory")
    if isinstance(named, str) and named and _is_inside(named):
        return os.path.normpath(named)
    for folder in FOLDERS:
        if any(os.path.isfile(os.path.join(root, folder, name)) for name in CONFIGS):
            return folder
    return next((each for each in FOLDERS if os.path.isdir(os.path.join(root, each))), FOLDERS[0])


def _is_inside(path: str) -> bool:
    return not os.path.isabs(path) and os.path.normpath(path).split(os.sep)[0] not in ("..", ".")


def text_of(path: str) -> str:
    """Return a file as text, "" where it cannot be read; other bytes come as lone surrogates."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def leaves(path: str, folder: str) -> bool:
    """Say whether a file is a link to somewhere outside a folder: a repository may hold any."""
    inside = os.path.realpath(folder) + os.sep
    return os.path.islink(path) and not os.path.realpath(path).startswith(inside)


# Backlog.md's own command.


class Failed(Exception):
    """Backlog.md's command is not there, or did not do it; the message says which."""


def run(folder: Folder, arguments: list[str], wait: float) -> None:
    """Have Backlog.md's command do something to the project's tasks; raises Failed."""
    import subprocess

    program = _program()
    if not program:
        raise Failed(f"the command `{PROGRAM}` is not there")
    environ = {name: value for name, value in os.environ.items() if name != "BACKLOG_CWD"}
    try:
        done = subprocess.run(
            [program, *arguments],
            cwd=folder.root,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=wait,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"`{PROGRAM} {' '.join(arguments[:3])}`: {error}") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise Failed(f"`{PROGRAM} {' '.join(arguments[:3])}`: {lines[0] if lines else 'failed'}")


def is_there() -> bool:
    """Say whether Backlog.md's command is there."""
    return bool(_program())


def _program() -> str:
    """Return where the command is, "" for nowhere; `shutil` would cost a hook a third of a start.

    A place in PATH that is not absolute is passed over: the project's own folder is no place
    for commands.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    paths = (os.path.join(folder, PROGRAM) for folder in folders if os.path.isabs(folder))
    return next((each for each in paths if os.path.isfile(each) and os.access(each, os.X_OK)), "")
