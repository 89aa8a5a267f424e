"""Where the files of a project are.

.claude-mpm/            in the project's root; a second one in the home directory
  config.yml            settings
  memories/             one file per agent, committed
  state/                receipts, locks, spooled work; may be deleted at any time
  logs/events.jsonl     what happened
"""

from __future__ import annotations

import os
import stat

from memory_core.storage import file_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER_NAME = ".claude-mpm"

# Names a folder that replaces the project while `doctor --live` runs its trial.
TRIAL_VARIABLE = "AGENT_MEMORY_TRIAL"

GITIGNORE = "# Written by agent-memory: what only this machine needs.\nstate/\nlogs/\n"


class LevelPaths:
    """The folders of one level: a project, or the user's home."""

    __slots__ = ("config", "folder", "logs", "memories", "root", "state")

    def __init__(self, root: str) -> None:
        self.root = root
        self.folder = os.path.join(root, FOLDER_NAME)
        self.config = os.path.join(self.folder, "config.yml")
        self.memories = os.path.join(self.folder, "memories")
        self.state = os.path.join(self.folder, "state")
        self.logs = os.path.join(self.folder, "logs")

    def make_folder(self, *parts: str) -> str:
        """Return a folder below .claude-mpm/, created with a .gitignore if missing."""
        path = os.path.join(self.folder, *parts)
        if not os.path.isdir(path):
            os.makedirs(self.folder, exist_ok=True)
            # First: a hook that is killed here leaves nothing behind that git would commit.
            file_io.write_once(os.path.join(self.folder, ".gitignore"), GITIGNORE)
            os.makedirs(path, exist_ok=True)
        return path

    def relative(self, path: str) -> str:
        """Return `path` for people: relative to the root if it is below it."""
        return path[len(self.root) + 1 :] if path.startswith(self.root + os.sep) else path


def find_user_level(environ: Mapping[str, str]) -> LevelPaths | None:
    """Return the user's level, None if HOME is not an absolute path."""
    path = environ.get("HOME", "")
    return LevelPaths(path.rstrip("/")) if os.path.isabs(path) else None


def find_project(cwd: str, environ: Mapping[str, str]) -> LevelPaths:
    """Return the project that an event belongs to.

    CLAUDE_PROJECT_DIR stays the main checkout while an agent works in a worktree (seen in all
    versions); the event's cwd does not.  Raises OSError if a folder on the way up cannot be
    read: skipping it could lead to the memory of another project.  A report that arrives
    meanwhile is not lost, because the next sweep reads its transcript.
    """
    candidates = (environ.get("CLAUDE_PROJECT_DIR"), cwd)
    start = next((path for path in candidates if path and _is_folder(path)), "")
    return LevelPaths(
        _find_root(os.path.abspath(start or os.getcwd()), environ.get("HOME", "").rstrip("/"))
    )


def _find_root(start: str, home_folder: str) -> str:
    """Return the nearest folder upwards with a memory, else the git root, else `start`."""
    folder = start
    while True:
        # The home directory is the user's level.  It is not a project even if it is a git
        # repository, as some people keep their settings files.
        if folder != home_folder:
            if _has_memory(folder):
                return folder
            main = _find_main_tree(folder)
            if main:
                return folder if main == folder else _find_root(main, home_folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent


def _has_memory(folder: str) -> bool:
    """Check for .claude-mpm, also for a link to a disk that is not mounted now."""
    path = os.path.join(folder, FOLDER_NAME)
    return _is_folder(path) or os.path.islink(path)


def _find_main_tree(folder: str) -> str:
    """Return the main working tree of the one at `folder`, "" if it is not a working tree."""
    path = os.path.join(folder, ".git")
    mode = _mode(path)
    if not mode or stat.S_ISDIR(mode):
        return folder if mode else ""
    with open(path, encoding="utf-8", errors="replace") as file:  # a worktree, or a submodule
        target = file.readline().partition("gitdir:")[2].strip()
    git_folder, worktree, _name = target.rpartition(f"{os.sep}worktrees{os.sep}")
    main = os.path.dirname(os.path.join(folder, git_folder))
    return main if worktree and _is_folder(main) else folder


def _is_folder(path: str) -> bool:
    return stat.S_ISDIR(_mode(path))


def _mode(path: str) -> int:
    """Return the file mode of `path`, 0 if it does not exist; raises OSError.

    os.path.isdir would also return False for a failing disk or a folder without permission.
    """
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return 0  # ValueError: a path from an event may hold a null character
