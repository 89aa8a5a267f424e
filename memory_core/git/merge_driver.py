"""git in a team: memories are merged by item and section, in each clone that was told how.

Which files are merged so is said in .gitattributes, which travels with the repository; what
the driver runs is in the clone's own configuration, which does not.  Without it git merges
them as any text, and may leave markers, which the next write mends.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.git.resolve import Resolution
    from memory_core.memory.project import Project

DRIVER_NAME = "agent-memory"
CONFIG_SECTION = f'[merge "{DRIVER_NAME}"]'
INSTALL_COMMAND = "agent-memory git install"

ATTRIBUTE_LINE = f"*.md merge={DRIVER_NAME}"
COMMENT_LINE = (
    f"# `{INSTALL_COMMAND}` tells a clone how; one that was not told merges them as text."
)
ADDED_LINES = (COMMENT_LINE, ATTRIBUTE_LINE)

DRIVER_TITLE = "agent-memory: by item and section, without conflicts"

ENTRY_KINDS = ("archive", "quarantine")


class NoRepository(Exception):
    """There is no repository, or no git; the message says which.  2: wrong use, 1: a failure."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class DriverChanges:
    """What `install` or `uninstall` has changed: files with attributes, the configuration."""

    __slots__ = ("attribute_files", "config", "is_ignored", "mended")

    def __init__(self) -> None:
        self.attribute_files: list[str] = []  # as they are told to people
        self.config = False
        self.is_ignored = False  # git is told to leave the memories out
        self.mended: list[Resolution] = []

    def __bool__(self) -> bool:
        return bool(self.attribute_files or self.config or self.mended)


# What git runs.


def merge_file(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge the files that git names into `ours`; `path` says what they are versions of.

    Return the exit status: 1 where one cannot be read or written.
    """
    from memory_core.git import three_way

    folder, name = os.path.split(path)
    is_aside = os.path.basename(folder) in ENTRY_KINDS
    try:
        texts = [_read(each) for each in (base, ours, theirs)]
        merged = three_way.merge(texts[0], texts[1], texts[2], is_aside)
        with open(ours, "wb") as file:
            file.write(merged.encode("utf-8", "surrogateescape"))
    except OSError as error:
        print(f"agent-memory: {name} is merged as text: {error}", file=sys.stderr)
        return 1
    return 0


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "surrogateescape")


def build_command() -> str:
    """Return what git is to run; where it fails, or is gone, git's own text merge."""
    import shlex

    script = os.path.join(
        os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli", "merge_file.py"
    )
    ours = shlex.join([sys.executable, "-I", "-S", script])
    text = "git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B"
    return f"{ours} %O %A %B %P || {text}"


# Telling a clone.


def install(project: Project) -> DriverChanges:
    """Set attributes and driver for the project's memories, and mend files with markers.

    Raises NoRepository, and OSError where a file cannot be written.
    """
    from memory_core.git.resolve import resolve_files

    held = project.store
    _check(held.folder)
    held.make_folder()
    done = DriverChanges()
    for folder in _folders(project):
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, ".gitattributes")
        if _add_lines(path):
            done.attribute_files.append(project.place.relative(path))
    for key, value in (("name", DRIVER_TITLE), ("driver", build_command())):
        done.config |= _configure(held.folder, key, value)
    done.is_ignored = not _git(held.folder, "check-ignore", "-q", "PM.md")[0]
    done.mended = resolve_files(project, write=True)
    return done


def uninstall(project: Project) -> DriverChanges:
    """Take away what `install` has set; raises as it does."""
    folder = _check(project.store.folder)
    done = DriverChanges()
    for each in _folders(project):
        path = os.path.join(each, ".gitattributes")
        if _drop_lines(path):
            done.attribute_files.append(project.place.relative(path))
    for key in ("name", "driver"):
        done.config |= _configure(folder, key, "")
    return done


def _folders(project: Project) -> list[str]:
    """Return where attributes are set; task memories only where there are tasks."""
    from memory_core.tasks import backlog_folder

    tasks = backlog_folder.Folder(project.place.root)
    return [project.store.folder, *([tasks.memory] if os.path.isdir(tasks.path) else [])]


def _check(folder: str) -> str:
    """Return the folder or, if that is not there yet, the one above it.

    Raises NoRepository unless it is in a work tree.
    """
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    try:
        status, told = _git(folder, "rev-parse", "--is-inside-work-tree")
    except FileNotFoundError:
        raise NoRepository("there is no `git` on PATH", 1) from None
    if status or told.strip() != "true":
        raise NoRepository(f"{folder} is in no git repository; `git init` makes one", 2)
    return folder


def _git(folder: str, *words: str) -> tuple[int, str]:
    """Run git there, whichever repository a calling git had in mind; return status and output."""
    import subprocess

    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(["git", "-C", folder, *words], capture_output=True, check=False, env=env)
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape")


def _configure(folder: str, key: str, value: str) -> bool:
    """Set a key of the driver, or take it out; say whether that changed something."""
    where = ("config", "--local", f"merge.{DRIVER_NAME}.{key}")
    _status, old = _git(folder, *where)
    if old.rstrip("\n") == value:
        return False
    status, _told = _git(folder, *where, value) if value else _git(folder, *_unset(where))
    if status:
        raise OSError(f"git cannot change its configuration of {folder}")
    return True


def _unset(where: tuple[str, str, str]) -> tuple[str, ...]:
    return where[0], where[1], "--unset-all", where[2]


def _add_lines(path: str) -> bool:
    """Add our lines to a .gitattributes that lacks them; say whether it did."""
    from memory_core.storage import file_io

    text = _text(path)
    if ATTRIBUTE_LINE in text.splitlines():
        return False
    gap = "" if not text or text.endswith("\n") else "\n"
    added = "".join(f"{line}\n" for line in ADDED_LINES)
    file_io.replace(
        os.path.realpath(path), f"{text}{gap}{added}".encode("utf-8", "surrogateescape")
    )
    return True


def _drop_lines(path: str) -> bool:
    """Take our lines out, and the file where nothing else is in it; say whether it did."""
    from memory_core.storage import file_io

    text = _text(path)
    left = "".join(line for line in text.splitlines(True) if line.rstrip() not in ADDED_LINES)
    if left == text:
        return False
    if left:
        file_io.replace(os.path.realpath(path), left.encode("utf-8", "surrogateescape"))
    else:
        os.unlink(path)
    return True


def _text(path: str) -> str:
    try:
        return _read(path)
    except (FileNotFoundError, NotADirectoryError):
        return ""


# Whether a clone was told.  Asked at the start of each session: without git, from its files.


def is_driver_missing(folder: str) -> bool:
    """Say whether a folder's memories are to be merged by us, and this clone knows not how."""
    try:
        if ATTRIBUTE_LINE not in _text(os.path.join(folder, ".gitattributes")).splitlines():
            return False
        files = [_config(folder), os.path.expanduser("~/.gitconfig")]
        return bool(files[0]) and not any(CONFIG_SECTION in _text(path) for path in files)
    except OSError:
        return False  # what cannot be read is told by git itself


def format_notice(folder: str) -> str:
    """Return what to tell a person at the start of a session, mostly nothing."""
    if not is_driver_missing(folder):
        return ""
    return f"agent-memory: this clone merges memories as text. Once: {INSTALL_COMMAND}"


def _config(folder: str) -> str:
    """Return the configuration of the repository that a folder is in, "" without one."""
    while True:
        git = os.path.join(folder, ".git")
        if os.path.isdir(git):
            return os.path.join(git, "config")
        if os.path.isfile(git):  # a worktree, or a submodule
            git = os.path.join(folder, _text(git).partition("gitdir:")[2].strip())
            common = _text(os.path.join(git, "commondir")).strip()
            return os.path.join(git, common, "config")
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above


def find_missing_program(folder: str) -> str:
    """Return the program of the driver if it is no longer there, else ""."""
    import shlex

    try:
        status, told = _git(folder, "config", f"merge.{DRIVER_NAME}.driver")
        words = shlex.split(told)[:4] if not status else []
    except (OSError, ValueError):
        return ""
    return next((word for word in words if os.path.isabs(word) and not os.path.exists(word)), "")
