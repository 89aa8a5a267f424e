"""Where a project's memory lives on disk.

.claude-mpm/            in the project's root; the same under the home directory
  config.yml            settings
  memories/             one file per agent, committed
  state/                receipts, locks, spooled work; may be deleted at any time
  logs/events.jsonl     what happened
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = ".claude-mpm"

IGNORED = "# Written by agent-memory: what only this machine needs.\nstate/\nlogs/\n"


class Place:
    """The folders of one level: a project, or the user's home."""

    __slots__ = ("config", "folder", "logs", "memories", "root", "state")

    def __init__(self, root: str) -> None:
        self.root = root
        self.folder = os.path.join(root, FOLDER)
        self.config = os.path.join(self.folder, "config.yml")
        self.memories = os.path.join(self.folder, "memories")
        self.state = os.path.join(self.folder, "state")
        self.logs = os.path.join(self.folder, "logs")

    def made(self, *parts: str) -> str:
        """Return a folder below ours, made if need be, with our .gitignore beside it."""
        path = os.path.join(self.folder, *parts)
        if not os.path.isdir(path):
            os.makedirs(self.folder, exist_ok=True)
            # First: a hook that is killed here leaves nothing that would be committed.
            write_once(os.path.join(self.folder, ".gitignore"), IGNORED)
            os.makedirs(path, exist_ok=True)
        return path

    def relative(self, path: str) -> str:
        """Return `path` as it is written for people: from the root where it lies below."""
        return path[len(self.root) + 1 :] if path.startswith(self.root + os.sep) else path


def write_once(path: str, text: str) -> None:
    """Write a short file that is not there yet, or that a killed writer left empty."""
    try:
        if os.stat(path).st_size:
            return
    except FileNotFoundError:
        pass
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def home(environ: Mapping[str, str]) -> Place | None:
    """Return the user's level, or None where there is no home directory."""
    path = environ.get("HOME", "")
    return Place(path.rstrip("/")) if os.path.isabs(path) else None


def project(cwd: str, environ: Mapping[str, str]) -> Place:
    """Return the project that an event belongs to.

    CLAUDE_PROJECT_DIR stays the main checkout when an agent works in a worktree
    (seen in all versions); the event's cwd does not.
    """
    start = next(
        (path for path in (environ.get("CLAUDE_PROJECT_DIR"), cwd) if path and os.path.isdir(path)),
        "",
    )
    return Place(_root(os.path.abspath(start or os.getcwd()), environ.get("HOME", "").rstrip("/")))


def _root(start: str, home_folder: str) -> str:
    """Walk up to a folder with memory, else to the git root, else stay."""
    git_root = ""
    folder = start
    while True:
        # The home directory's own folder is the user's level, not a project's.
        if os.path.isdir(os.path.join(folder, FOLDER)) and folder != home_folder:
            return folder
        # Nor is a repository of somebody's settings files a project.
        is_git = folder != home_folder and os.path.exists(os.path.join(folder, ".git"))
        if is_git and not git_root:
            git_root = _main_tree(folder)
            if git_root != folder:
                return _root(git_root, home_folder)
        parent = os.path.dirname(folder)
        if parent == folder or git_root:
            return git_root or start
        folder = parent


def _main_tree(folder: str) -> str:
    """Return the main working tree of the one at `folder`; a worktree's .git is a file."""
    try:
        with open(os.path.join(folder, ".git"), encoding="utf-8", errors="replace") as file:
            target = file.readline().partition("gitdir:")[2].strip()
    except OSError:  # a directory: this is the main tree
        return folder
    git_folder, worktree, _name = target.rpartition(f"{os.sep}worktrees{os.sep}")
    main = os.path.dirname(os.path.join(folder, git_folder))
    return main if worktree and os.path.isdir(main) else folder
