"""The backlog folder of a project, with the task memories; works without Backlog.md installed.

backlog/                   or .backlog/, or the folder named in backlog.config.yml in the root
  config.yml               the configuration of Backlog.md
  tasks/ completed/ archive/tasks/     the tasks of Backlog.md
  memory/ID.md             the memory of a task, archived ones in memory/archive/
  .state.yml               the active task and the started tasks; not committed
  CLAUDE.md                imports the memory of the active task into Claude Code
"""

from __future__ import annotations

import os
import time

from memory_core.storage import file_io
from memory_core.tasks import backlog_format
from memory_core.tasks.backlog_format import BacklogTask
from memory_core.text import front_matter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory.project import Project
    from memory_core.text.front_matter import Fields

FOLDER_NAMES = ("backlog", ".backlog")
ROOT_CONFIG = "backlog.config.yml"
CONFIG_NAMES = ("config.yml", "config.yaml")

STATE_NAME = ".state.yml"
GITIGNORE_HEADER = "# Written by agent-memory: what only this machine needs.\n"

# The folders in which Backlog.md keeps task files.
OPEN, COMPLETED, ARCHIVED = "tasks", "completed", "archive/tasks"

PROGRAM = "backlog"

TIME_FORMAT = "%Y-%m-%d %H:%M:%S"


class Folder:
    """The backlog folder of a project; it need not exist."""

    __slots__ = ("_config", "memory", "path", "root")

    def __init__(self, root: str) -> None:
        self.root = root
        self.path = os.path.join(root, _find_folder_name(root))
        self.memory = os.path.join(self.path, "memory")
        self._config: backlog_format.BacklogConfig | None = None

    @property
    def exists(self) -> bool:
        """Say whether the project has task files or task memories."""
        return os.path.isdir(os.path.join(self.path, OPEN)) or os.path.isdir(self.memory)

    @property
    def config(self) -> backlog_format.BacklogConfig:
        if self._config is None:
            paths = [os.path.join(self.root, ROOT_CONFIG)]
            paths += [os.path.join(self.path, name) for name in CONFIG_NAMES]
            texts = (read_text(path) for path in paths)
            self._config = backlog_format.parse_config(next(filter(None, texts), ""))
        return self._config

    def relative(self, path: str) -> str:
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def key(self, task: str) -> str:
        return backlog_format.normalize_id(task, self.config.prefix)

    # Task files.

    def files(self, place: str = OPEN) -> list[os.DirEntry[str]]:
        """Return the task files in one of Backlog.md's folders."""
        return [entry for entry in self.entries(place) if self.is_task_file(entry.name)]

    def entries(self, place: str = OPEN) -> list[os.DirEntry[str]]:
        """Return all entries of one of Backlog.md's folders."""
        try:
            with os.scandir(os.path.join(self.path, place)) as entries:
                return list(entries)
        except OSError:
            return []

    def is_task_file(self, name: str) -> bool:
        stem = backlog_format.parse_file_name(name)
        return stem.rpartition("-")[2].replace(".", "").isdigit()

    def find(self, task: str, place: str = OPEN) -> str:
        """Return the path of a task's file in one of Backlog.md's folders, "" for none."""
        entries = self.entries(place)
        usual = f"{task.strip().lower()} - "  # most names begin so; a key per file is slow
        likely = [entry for entry in entries if entry.name[: len(usual)].lower() == usual]
        key = self.key(task)
        for entry in (*likely, *entries):
            if (
                self.is_task_file(entry.name)
                and self.key(backlog_format.parse_file_name(entry.name)) == key
            ):
                return entry.path
        return ""

    def read_task(self, path: str) -> BacklogTask | None:
        """Read a task file; None if it is empty, unreadable or deleted."""
        text = read_text(path)
        return BacklogTask(text) if text else None

    # Memories.

    @property
    def archive(self) -> str:
        return os.path.join(self.memory, "archive")

    def memory_path(self, task: str, archived: bool = False) -> str:
        """Return the path for the memory of an id; the file need not exist."""
        return os.path.join(self.archive if archived else self.memory, f"{task}.md")

    def memories(self, archived: bool = False) -> dict[str, str]:
        """Return the paths of memories by id."""
        folder = self.archive if archived else self.memory
        names = os.listdir(folder) if os.path.isdir(folder) else ()
        stems = ((name[:-3], name) for name in names if name.endswith(".md"))
        return {
            stem: os.path.join(folder, name)
            for stem, name in sorted(stems)
            if backlog_format.is_safe_id(stem)
        }

    def find_memory(self, task: str, archived: bool = False) -> str:
        """Return the id of a task's memory by any spelling of the id, "" for none."""
        key = self.key(task)
        for usual in (task.strip().lower(), key):
            path = self.memory_path(usual, archived)
            if backlog_format.is_safe_id(usual) and os.path.isfile(path):
                return usual
        return next((name for name in self.memories(archived) if self.key(name) == key), "")

    # The state of this machine.

    def state(self) -> Fields:
        """Return the fields of .state.yml; {} if it is missing or empty."""
        return front_matter.parse_mapping(
            read_text(os.path.join(self.path, STATE_NAME)).splitlines()
        )

    @property
    def in_progress(self) -> list[str]:
        """Return the ids of the tasks in progress, each once, in the order of their start.

        A person or another tool may write only `active_task`; that task counts too.
        """
        state = self.state()
        return _ids([*_list(state.get("in_progress")), state.get("active_task")])

    def find_active(self, started: list[str]) -> str:
        """Return the last started task that has a memory file, "" for none.

        A file may be missing after a switch to another branch or an interrupted archiving.
        """
        tasks = (task for task in reversed(started) if os.path.isfile(self.memory_path(task)))
        return next(tasks, "")

    @property
    def unsent_decisions(self) -> list[str]:
        """Return the ids of the tasks whose decisions are not sent to Backlog.md yet."""
        return _ids(_list(self.state().get("unsent")))

    def write_state(self, state: Fields) -> None:
        """Write .state.yml, unless only the time in it would change."""
        before = {**self.state(), "last_updated": ""}
        if before != {**state, "last_updated": ""}:
            self.make_memory_folder()
            text = front_matter.format_yaml({**state, "last_updated": now()})
            file_io.replace(os.path.join(self.path, STATE_NAME), text.encode())

    def make_memory_folder(self) -> str:
        """Return the memory folder; create it if needed, and exclude .state.yml from git."""
        if not os.path.isdir(self.memory):
            os.makedirs(self.memory, exist_ok=True)
        # Only before the first state: a new .gitignore could block the checkout of a branch.
        if not os.path.exists(os.path.join(self.path, STATE_NAME)):
            self.set_ignored(f"/{STATE_NAME}", True)
        return self.memory

    def set_ignored(self, line: str, is_ignored: bool) -> None:
        """Add a line to the .gitignore of the folder, or remove it."""
        path = os.path.join(self.path, ".gitignore")
        lines = read_text(path).splitlines(keepends=True)
        others = [other for other in lines if other.rstrip("\r\n") != line]
        if (others != lines) == is_ignored or os.path.islink(path):
            return
        text = "".join(others)
        if is_ignored:
            gap = "" if not text or text.endswith("\n") else "\n"
            text = f"{text or GITIGNORE_HEADER}{gap}{line}\n"
        file_io.replace(path, text.encode("utf-8", "surrogateescape"))


def is_enabled(project: Project, folder: Folder) -> bool:
    """Say whether the project has tasks and task memories are enabled."""
    return bool(project.config["tasks"]["enabled"]) and folder.exists


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _ids(values: list[object]) -> list[str]:
    """Return the valid ids of a list, each once: a person may write any text."""
    texts = (value for value in values if isinstance(value, str))
    return list(dict.fromkeys(text for text in texts if backlog_format.is_safe_id(text)))


def now(ago: float = 0) -> str:
    """Return the time `ago` seconds before now in the format of memories: UTC, to the second."""
    return time.strftime(TIME_FORMAT, time.gmtime(max(0.0, time.time() - ago)))


def add_second(moment: str) -> str:
    """Return a time plus one second, both in the format of memories."""
    import calendar

    seconds = calendar.timegm(time.strptime(moment, TIME_FORMAT)) + 1
    return time.strftime(TIME_FORMAT, time.gmtime(seconds))


def _find_folder_name(root: str) -> str:
    """Return the folder that Backlog.md uses: from the root's config, else a usual name."""
    config = front_matter.parse_mapping(read_text(os.path.join(root, ROOT_CONFIG)).splitlines())
    named = config.get("backlog_directory")
    if isinstance(named, str) and named and _is_inside(named):
        return os.path.normpath(named)
    for folder in FOLDER_NAMES:
        if any(os.path.isfile(os.path.join(root, folder, name)) for name in CONFIG_NAMES):
            return folder
    return next(
        (name for name in FOLDER_NAMES if os.path.isdir(os.path.join(root, name))), FOLDER_NAMES[0]
    )


def _is_inside(path: str) -> bool:
    return not os.path.isabs(path) and os.path.normpath(path).split(os.sep)[0] not in ("..", ".")


def read_file(path: str) -> str:
    """Return a file as text, "" if it does not exist; raises OSError if it cannot be read.

    Bytes that are not UTF-8 become lone surrogates.
    """
    try:
        return file_io.read_bytes(path).decode("utf-8", "surrogateescape")
    except NotADirectoryError:
        return ""


def read_text(path: str) -> str:
    """Return a file as `read_file` does, "" also if it cannot be read."""
    try:
        return read_file(path)
    except OSError:
        return ""


def is_link_outside(path: str, folder: str) -> bool:
    """Say whether a file is a link that leaves a folder: a repository may contain such links."""
    inside = os.path.realpath(folder) + os.sep
    return os.path.islink(path) and not os.path.realpath(path).startswith(inside)


# The command line of Backlog.md.


class CommandFailed(Exception):
    """Backlog.md's command is missing or failed; the message says which."""


def run_command(folder: Folder, arguments: list[str], wait: float) -> None:
    """Run Backlog.md's command in the project; raises CommandFailed."""
    import subprocess

    program, command = _program(), f"`{PROGRAM} {' '.join(arguments[:3])}`"
    if not program:
        raise CommandFailed(f"the command `{PROGRAM}` is not there")
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
        raise CommandFailed(f"{command}: {error}") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise CommandFailed(f"{command}: {lines[0] if lines else 'failed'}")


def has_command() -> bool:
    """Say whether Backlog.md's command is installed."""
    return bool(_program())


def _program() -> str:
    """Return the path of the command, "" if it is missing.

    It does not import `shutil`, which would take a third of a hook's start time.  It skips
    relative folders in PATH, so that a project cannot supply the command.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    paths = (os.path.join(folder, PROGRAM) for folder in folders if os.path.isabs(folder))
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), "")
