"""Where the files of a project are.

.claude-mpm/            in the project's root; a second one in the home directory
  config.yml            settings
  memories/             one file per agent, committed
  locks/                files that git ignores, so that two processes do not write one memory at
                        once, and the permission for the user-level memory

Everything else that belongs to a project is outside of it, see `state_folder`.
"""

from __future__ import annotations

import os
import stat

from memory_core.claude_code import agent_names
from memory_core.claude_code.agent_names import PM
from memory_core.files.safe_files import SafeFiles
from memory_core.storage import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_core.storage.state_folder import StateFiles

FOLDER_NAME = ".claude-mpm"


class LevelPaths:
    """The folders of one level: a project, or the user's home.

    `files` are those below the root, `state` those that this machine keeps about them.
    """

    __slots__ = ("config", "files", "folder", "memories", "root", "state")

    def __init__(self, root: str, environ: Mapping[str, str], is_user: bool = False) -> None:
        self.root = root
        self.folder = os.path.join(root, FOLDER_NAME)
        self.config = os.path.join(self.folder, "config.yml")
        self.memories = os.path.join(self.folder, "memories")
        self.files = SafeFiles(root, follows_links=is_user, private=is_user)
        # The home directory holds the folder of all states; a project must not choose it.
        around = self.folder if is_user else root
        self.state: StateFiles = state_folder.StateFiles(
            root, state_folder.find_home(around, environ)
        )

    def relative(self, path: str) -> str:
        """Return `path` for people: relative to the root if it is below it."""
        return self.files.relative(path)


class MemoryFolder:
    """The files of the agents of one level, in `folder`."""

    def __init__(self, paths: LevelPaths, directory: str = "") -> None:
        self.paths = paths
        self.files = paths.files
        self.folder = os.path.join(paths.root, directory) if directory else paths.memories

    def path(self, agent: str) -> str:
        """Return the agent's file: an existing one under any of its names, or the new one."""
        usual = os.path.join(self.folder, f"{self.stem(agent)}.md")
        if self.files.has_entry(usual):
            return usual
        name = agent_names.find_file(self.files.list_names(self.folder), list_file_names(agent))
        return os.path.join(self.folder, name) if name else usual

    def stem(self, agent: str) -> str:
        return PM if agent == PM else agent_names.file_stem_of(agent)

    def history_path(self, agent: str) -> str:
        """Return the path of an agent's history."""
        return os.path.join(self.folder, "history", f"{self.stem(agent)}.jsonl")

    def origins_path(self, agent: str) -> str:
        """Return the path in the state of a file that changes with the origins of an agent."""
        return os.path.join("origins", self.stem(agent))


def list_file_names(agent: str) -> tuple[str, ...]:
    """Return the names that the memory file of an agent may have, the usual one first."""
    if agent == PM:
        return agent_names.PM_FILE_NAMES
    return tuple(agent_names.list_file_names(agent))


def find_user_level(environ: Mapping[str, str]) -> LevelPaths | None:
    """Return the user's level, None if HOME is not an absolute path."""
    home = find_home(environ)
    return LevelPaths(home, environ, is_user=True) if os.path.isabs(home) else None


def find_home(environ: Mapping[str, str]) -> str:
    path = environ.get("HOME", "")
    return path.rstrip("/") or path[:1]  # a container may have the home directory "/"


def find_project(cwd: str, environ: Mapping[str, str]) -> LevelPaths:
    """Return the project that an event belongs to.

    CLAUDE_PROJECT_DIR stays the main checkout while an agent works in a worktree (seen in all
    versions); the event's cwd does not.  Raises OSError if a folder on the way up cannot be
    read: skipping it could lead to the memory of another project.  A report that arrives
    meanwhile is not lost, because the next sweep reads its transcript.
    """
    candidates = (environ.get("CLAUDE_PROJECT_DIR"), cwd)
    start = next((path for path in candidates if path and is_folder(path)), "")
    root = find_root(os.path.abspath(start or os.getcwd()), find_home(environ))
    return LevelPaths(root, environ)


def find_root(start: str, home_folder: str) -> str:
    """Return the nearest folder upwards with a memory, else the git root, else `start`."""
    folder = start
    while True:
        # The home directory is the user's level.  It is not a project even if it is a git
        # repository, as some people keep their settings files.
        if folder != home_folder:
            is_start = folder == start
            if _has_memory(folder) and (is_start or _is_own(folder)):
                return folder
            main = find_main_tree(folder) if is_start or _is_own_repository(folder) else ""
            if main:
                return folder if main == folder else find_root(main, home_folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent


def _has_memory(folder: str) -> bool:
    """Check for .claude-mpm, also for a link, which is refused later."""
    path = os.path.join(folder, FOLDER_NAME)
    return is_folder(path) or os.path.islink(path)


def _is_own(folder: str) -> bool:
    """Check that a memory further up is the user's, and that not everybody may write to it."""
    status = os.lstat(os.path.join(folder, FOLDER_NAME))
    return (
        stat.S_ISDIR(status.st_mode)
        and status.st_uid == os.geteuid()
        and not status.st_mode & stat.S_IWOTH
    )


def _is_own_repository(folder: str) -> bool:
    """Check that a repository further up is the user's, as git does."""
    try:
        return os.lstat(os.path.join(folder, ".git")).st_uid == os.geteuid()
    except FileNotFoundError:
        return False


def find_main_tree(folder: str) -> str:
    """Return the main working tree of the one at `folder`, "" if it is not a working tree."""
    mode = _mode(os.path.join(folder, ".git"))
    if not mode or stat.S_ISDIR(mode):
        return folder if mode else ""
    from memory_core.files import linked_trees

    return linked_trees.find_main_tree(folder)


def is_folder(path: str) -> bool:
    return stat.S_ISDIR(_mode(path))


def _mode(path: str) -> int:
    """Return the file mode of `path`, 0 if it does not exist; raises OSError.

    os.path.isdir would also return False for a failing disk or a folder without permission.
    """
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return 0  # ValueError: a path from an event may hold a null character
