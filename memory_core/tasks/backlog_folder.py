"""The backlog folder of a project, with the task memories; works without Backlog.md installed.

backlog/                   or .backlog/, or the folder named in backlog.config.yml in the root
  config.yml               the configuration of Backlog.md
  tasks/ completed/ archive/tasks/     the tasks of Backlog.md
  memory/ID.md             the memory of a task, archived ones in memory/archive/
  memory/.sessions/ID.md   what a session imports instead of a memory; not committed
  .state.yml               the active task and the started tasks; not committed
  CLAUDE.md                imports the memory of the active task into Claude Code

No link is followed in any of these places, see `files.safe_files`.
"""

from __future__ import annotations

import os
import time
from functools import cached_property

from memory_core.files import file_actions
from memory_core.files.safe_files import SafeFiles
from memory_core.storage.project import Project
from memory_core.tasks import backlog_format
from memory_core.tasks.backlog_format import BacklogTask
from memory_core.text import front_matter
from memory_core.text.front_matter import Fields

FOLDER_NAMES = ("backlog", ".backlog")
ROOT_CONFIG = "backlog.config.yml"
CONFIG_NAMES = ("config.yml", "config.yaml")

STATE_NAME = ".state.yml"
GITIGNORE_HEADER = "# Written by agent-memory: what only this machine needs.\n"

# The folders in which Backlog.md keeps task files.
OPEN, COMPLETED = "tasks", "completed"

PROGRAM = "backlog"

# Seconds.  The command takes half a second.
COMMAND_WAIT = 30.0

TIME_FORMAT = "%Y-%m-%d %H:%M:%S"


class Folder:
    """The backlog folder of a project; it need not exist."""

    def __init__(self, files: SafeFiles) -> None:
        self.files = files
        self.root = files.root
        self.path = os.path.join(files.root, _find_folder_name(files))
        self.memory = os.path.join(self.path, "memory")
        self.archive_folder = os.path.join(self.memory, "archive")

    @property
    def exists(self) -> bool:
        """Say whether the project has task files or task memories, not behind a link."""
        has_tasks = self.files.is_folder(os.path.join(self.path, OPEN))
        return self.files.is_folder(self.memory) or (
            has_tasks and not self.files.has_entry(self.memory)
        )

    @cached_property
    def config(self) -> backlog_format.BacklogConfig:
        paths = [os.path.join(self.root, ROOT_CONFIG)]
        paths += [os.path.join(self.path, name) for name in CONFIG_NAMES]
        return backlog_format.parse_config(next(filter(None, map(self.files.read_text, paths)), ""))

    def read_file(self, path: str) -> str:
        """Return a file as text, "" if it is absent; raises OSError if it cannot be read.

        Bytes that are not UTF-8 become lone surrogates.
        """
        return self.files.read(path).decode("utf-8", "surrogateescape")

    def check_file(self, path: str) -> None:
        """Raise OSError for a path that is neither free nor a file that can be read."""
        try:
            os.close(self.files.open(path, os.O_RDONLY))
        except FileNotFoundError:
            return
        self.files.read(path)  # raises safe_files.TooLarge

    def key(self, task: str) -> str:
        return backlog_format.normalize_id(task, self.config.prefix)

    # Task files.

    def list_task_files(self) -> list[tuple[str, os.stat_result]]:
        """Return (name, status) of the files of open tasks, by their times."""
        entries = file_actions.scan(self.files, os.path.join(self.path, OPEN))
        entries.sort(key=lambda entry: (entry[1].st_mtime_ns, entry[0]))
        return [entry for entry in entries if backlog_format.parse_file_name(entry[0])]

    def find(self, task: str, place: str = OPEN) -> str:
        """Return the path of a task's file in one of Backlog.md's folders, "" for none."""
        key = self.key(task)
        for name in self.files.list_names(os.path.join(self.path, place)):
            if self.key(backlog_format.parse_file_name(name)) == key:
                path = os.path.join(self.path, place, name)
                return path if self.files.is_file(path) else ""
        return ""

    def read_task(self, path: str) -> BacklogTask | None:
        """Read a task file; None if it is empty, unreadable or deleted."""
        text = self.files.read_text(path)
        return BacklogTask(text) if text else None

    # Memories.

    def memory_path(self, task: str, archived: bool = False) -> str:
        """Return the path for the memory of an id; the file need not exist."""
        return os.path.join(self.archive_folder if archived else self.memory, f"{task}.md")

    def memories(self, archived: bool = False) -> list[str]:
        """Return the ids of the tasks with a memory."""
        names = self.files.list_names(self.archive_folder if archived else self.memory)
        stems = (name[:-3] for name in names if name.endswith(".md"))
        return list(filter(backlog_format.is_safe_id, stems))

    def find_memory(self, task: str) -> str:
        """Return the id of a task's memory, perhaps archived, by any spelling; "" for none."""
        usual, key = task.strip().lower(), self.key(task)
        for archived in (False, True):
            path = self.memory_path(usual, archived)
            if backlog_format.is_safe_id(usual) and self.files.is_file(path):
                return usual  # a key for each file is slow
            if name := next((one for one in self.memories(archived) if self.key(one) == key), ""):
                return name
        return ""

    # The state of this machine.

    def state(self) -> Fields:
        """Return the fields of .state.yml; {} if it is missing or empty."""
        return front_matter.parse_mapping(
            self.files.read_text(os.path.join(self.path, STATE_NAME)).splitlines()
        )

    @cached_property
    def in_progress(self) -> list[str]:
        """The ids of the tasks in progress, each once, in the order of their start.

        A person or another tool may write only `active_task`, which counts too, and any text.
        """
        state = self.state()
        started = state.get("in_progress")
        values = [*(started if isinstance(started, list) else []), state.get("active_task")]
        texts = (value for value in values if isinstance(value, str))
        return list(dict.fromkeys(filter(backlog_format.is_safe_id, texts)))

    @property
    def active(self) -> str:
        """The last started task that has a memory file, "" for none.

        A file may be missing after a switch to another branch or an interrupted archiving.
        """
        is_file, path = self.files.is_file, self.memory_path
        return next((task for task in reversed(self.in_progress) if is_file(path(task))), "")

    def write_state(self) -> None:
        """Write .state.yml for the tasks in progress, unless only its time would change."""
        state: Fields = {"active_task": self.active, "last_updated": ""}
        state["in_progress"] = self.in_progress
        if state != {**self.state(), "last_updated": ""}:
            self.make_memory_folder()
            text = front_matter.format_yaml({**state, "last_updated": now()})
            self.files.replace(os.path.join(self.path, STATE_NAME), text.encode())

    def make_memory_folder(self) -> None:
        """Create the memory folder if needed, and exclude .state.yml from git."""
        self.files.make_folder(self.memory)
        # Only before the first state: a new .gitignore could block the checkout of a branch.
        if not self.files.has_entry(os.path.join(self.path, STATE_NAME)):
            self.set_ignored(f"/{STATE_NAME}", True)

    def set_ignored(self, line: str, is_ignored: bool) -> None:
        """Add a line to the .gitignore of the folder, or remove it; not if it is a link."""
        path = os.path.join(self.path, ".gitignore")
        try:
            self.check_file(path)
        except OSError:
            return
        lines = self.read_file(path).splitlines(keepends=True)
        others = [other for other in lines if other.rstrip("\r\n") != line]
        if (others != lines) == is_ignored:
            return
        text = "".join(others)
        if is_ignored:
            gap = "" if not text or text.endswith("\n") else "\n"
            text = f"{text or GITIGNORE_HEADER}{gap}{line}\n"
        self.files.replace(path, text.encode("utf-8", "surrogateescape"))


def is_enabled(project: Project, folder: Folder) -> bool:
    """Say whether the project has tasks and task memories are enabled."""
    return bool(project.config["tasks"]["enabled"]) and folder.exists


def now(ago: float = 0) -> str:
    """Return the time `ago` seconds before now in the format of memories: UTC, to the second."""
    return time.strftime(TIME_FORMAT, time.gmtime(max(0.0, time.time() - ago)))


def make_stamp(status: os.stat_result) -> list[int]:
    """Return the mtime in ns and the size of a file."""
    return [status.st_mtime_ns, status.st_size]


def _find_folder_name(files: SafeFiles) -> str:
    """Return the folder that Backlog.md uses: from the root's config, else one that is used."""
    config = front_matter.parse_mapping(files.read_text(ROOT_CONFIG).splitlines())
    named = config.get("backlog_directory")
    if isinstance(named, str) and named and _is_allowed(named):
        return os.path.normpath(named)
    filled = (
        name
        for name in FOLDER_NAMES
        for part in (*CONFIG_NAMES, OPEN, "memory")
        if files.has_entry(f"{name}/{part}")
    )
    return next(filled, FOLDER_NAMES[0])


def _is_allowed(path: str) -> bool:
    """Check that a folder is inside the project and not hidden: those belong to other tools."""
    parts = os.path.normpath(path).split("/")
    is_hidden = any(part.startswith(".") and part not in FOLDER_NAMES for part in parts)
    is_name = path.isprintable() and "`" not in path
    return is_name and not is_hidden and not os.path.isabs(path)


# The command line of Backlog.md.


def run_command(folder: Folder, arguments: list[str]) -> str:
    """Run Backlog.md's command in the project; return the reason if it is missing or fails."""
    import subprocess

    program, command = find_program(), f"`{PROGRAM} {' '.join(arguments[:3])}`"
    if not program:
        return f"the command `{PROGRAM}` is not there"
    environ = {name: value for name, value in os.environ.items() if name != "BACKLOG_CWD"}
    try:
        done = subprocess.run(
            [program, *arguments],
            cwd=folder.root,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMMAND_WAIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command}: {error}"
    lines = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
    return f"{command}: {lines[0] if lines else 'failed'}" if done.returncode else ""


def find_program() -> str:
    """Return the path of Backlog.md's command, "" if it is missing.

    Relative folders in PATH are skipped, so that a project cannot supply the command.
    """
    import shutil

    folders = filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep))
    return shutil.which(PROGRAM, path=os.pathsep.join(folders)) or ""
