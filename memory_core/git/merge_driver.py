"""Install git's merge driver for memory files, and run it.

`.gitattributes`, which people commit, names the driver; the configuration of each clone, which is
not shared, has its command.  Without the command, git merges memory files as plain text.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from dataclasses import dataclass, field

from memory_core.claude_code import settings_json
from memory_core.files import git_command
from memory_core.files.safe_files import SafeFiles
from memory_core.git import driver_notice, three_way
from memory_core.git.driver_notice import ATTRIBUTE_LINE
from memory_core.git.resolve import Resolution, resolve_files
from memory_core.storage.project import Project
from memory_core.storage.store import MAX_DATED_BYTES
from memory_core.tasks import backlog_folder
from memory_core.text import markdown_lines

ADDED_LINES = (driver_notice.COMMENT_LINE, ATTRIBUTE_LINE)

# The plugin's data folder, and the link in it to the plugin's version in use.
PLUGIN_VARIABLE, PLUGIN_LINK = "AGENT_MEMORY_PLUGIN_DATA", "plugin"


class NoRepository(Exception):
    """A folder is not in a working tree of git; the message says which, and what to do."""

    status = 2


@dataclass
class DriverChanges:
    """The changes of `install` or `uninstall`."""

    attribute_files: list[str] = field(default_factory=list)  # relative to the project
    config: bool = False
    is_ignored: bool = False  # .gitignore excludes the memories
    resolutions: list[Resolution] = field(default_factory=list)  # files with conflict markers

    def __bool__(self) -> bool:
        return bool(self.attribute_files or self.config or self.resolutions)


# The driver.


def merge_file(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge three files into the second one, `ours`; `path` is their path in the repository.

    Returns the exit status: 1 if a file cannot be read or written.
    """
    folder, name = os.path.split(path)
    try:
        old, own, others = map(_read, (base, ours, theirs))
        # The front matter of a task memory; the archive of an agent has none.
        has_front_matter = markdown_lines.count_front_matter(own.splitlines()) > 0
        is_dated = os.path.basename(folder) == "archive" and not has_front_matter
        merged = three_way.merge(old, own, others, is_dated)
        files, own_name = _open_folder(ours)
        files.replace(own_name, merged.encode("utf-8", "surrogateescape"), durable=False)
    except OSError as error:
        print(f"agent-memory: {name} is merged as text: {error}", file=sys.stderr)
        return 1
    return 0


def _read(path: str) -> str:
    """Return a file that git has written; raises OSError."""
    files, name = _open_folder(path)
    os.close(files.open(name, os.O_RDONLY))  # `read` takes a link for no file, and that for b""
    return files.read(name, MAX_DATED_BYTES).decode("utf-8", "surrogateescape")


def _open_folder(path: str) -> tuple[SafeFiles, str]:
    """Return the files of the folder that a path is in, and its name there."""
    folder, name = os.path.split(os.path.abspath(path))
    return SafeFiles(folder), name


def build_command() -> str:
    """Return the command of the driver; if it fails, git merges the file as text."""
    python, folder = _find_program()
    script = os.path.join(folder, "memory_core", "cli", "merge_file.py")
    command = shlex.join([python, "-I", "-S", script])
    fallback = "git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B"
    return f"{command} %O %A %B %P || {fallback}"


def _find_program() -> tuple[str, str]:
    """Return the path of Python and of the folder with memory_core, which upgrades do not change.

    An installation has a link to the environment in use, the Claude Code plugin one to its folder.
    """
    if os.path.islink(os.path.join(sys.prefix, "hooks")):  # an environment of install.sh
        link = os.path.join(os.path.expanduser("~"), settings_json.PROGRAM_LINK)
        return os.path.join(link, "bin", "python"), os.path.join(link, "packages")
    folder = os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 2))
    plugin = os.path.join(os.environ.get(PLUGIN_VARIABLE, ""), PLUGIN_LINK)
    return sys.executable, plugin if os.path.realpath(plugin) == folder else folder


# Installation.


def update(root: str) -> bool:
    """Give the driver of a clone its command of today, if it has one; say whether it changed."""
    try:
        return bool(driver_notice.find_driver(root, "--local")) and _configure(root)
    except OSError:
        return False  # without git there is no merge either


def install(project: Project) -> DriverChanges:
    """Install the driver for the project's memories, and resolve files with conflict markers.

    Raises NoRepository, and OSError if a file cannot be written.
    """
    folder = find_work_tree(project)
    project.store.make_folder()
    changes = DriverChanges()
    files = project.paths.files
    for memories in _list_folders(project):
        files.make_folder(memories)
        text = driver_notice.read_attributes(files, memories)
        if ATTRIBUTE_LINE not in text.splitlines():
            gap = "" if not text or text.endswith("\n") else "\n"
            added = "".join(f"{line}\n" for line in ADDED_LINES)
            _write_attributes(project, memories, text + gap + added, changes)
    changes.config = _configure(folder)
    with suppress(OSError):
        project.paths.state.make_root()  # so that an upgrade finds this clone
    changes.is_ignored = not git_command.run(folder, "check-ignore", "-q", "PM.md")[0]
    changes.resolutions = resolve_files(project, write=True)
    return changes


def uninstall(project: Project, with_tracked: bool = True) -> DriverChanges:
    """Remove the changes of `install`, also from files that git tracks; raises the same errors."""
    folder = find_work_tree(project)
    changes = DriverChanges()
    for memories in _list_folders(project):
        text = driver_notice.read_attributes(project.paths.files, memories)
        rest = [line for line in text.splitlines(True) if line.rstrip() not in ADDED_LINES]
        path = os.path.join(memories, ".gitattributes")
        if "".join(rest) != text and (with_tracked or not is_tracked(path)):
            _write_attributes(project, memories, "".join(rest), changes)
    changes.config = bool(driver_notice.find_driver(folder, "--local"))
    if changes.config:
        _run_config(folder, "--remove-section", driver_notice.DRIVER_KEY.rpartition(".")[0])
    return changes


def is_tracked(path: str) -> bool:
    """Say whether git tracks a file."""
    folder, name = os.path.split(path)
    try:
        return git_command.run(folder, "ls-files", "--error-unmatch", "--", name)[0] == 0
    except OSError:
        return False


def _list_folders(project: Project) -> list[str]:
    """Return the folders of memories; task memories only if there is a backlog."""
    tasks = backlog_folder.Folder(project.paths.files)
    has_folder = tasks.files.is_folder(tasks.path)
    return [project.store.folder, *([tasks.memory] if has_folder else [])]


def _write_attributes(project: Project, folder: str, text: str, changes: DriverChanges) -> None:
    """Write a .gitattributes file; remove the file if the text is empty.

    Raises OSError, also if it is a link.
    """
    path, files = os.path.join(folder, ".gitattributes"), project.paths.files
    if text:
        files.replace(path, text.encode("utf-8", "surrogateescape"))
    else:
        files.delete(path)
    changes.attribute_files.append(project.paths.relative(path))


def find_work_tree(project: Project) -> str:
    """Return the folder of the memories, or the nearest existing one above it.

    Raises NoRepository if it is not in a work tree, and OSError without git.
    """
    folder = project.store.folder
    while folder != project.paths.root and not project.paths.files.is_folder(folder):
        folder = os.path.dirname(folder)
    status, output = git_command.run(folder, "rev-parse", "--is-inside-work-tree")
    if status or output.strip() != "true":
        raise NoRepository(f"{folder} is in no git repository; `git init` makes one")
    return folder


def _configure(folder: str) -> bool:
    """Give the driver of a clone its command; return whether it was another one."""
    command = build_command()
    if driver_notice.find_driver(folder, "--local") == command:
        return False
    _run_config(folder, driver_notice.DRIVER_KEY, command)
    return True


def _run_config(folder: str, *words: str) -> None:
    """Change the configuration of a clone; raises OSError."""
    if git_command.run(folder, "config", "--local", *words)[0]:
        raise OSError(f"git cannot change its configuration of {folder}")
