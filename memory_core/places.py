"""Where a project's memory lives on disk.

.claude-mpm/            in the project's root; the same under the home directory
  config.yml            settings
  memories/             one file per agent, committed
  state/                receipts, locks, spooled work; may be deleted at any time
  logs/events.jsonl     what happened
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = ".claude-mpm"

# Names a folder that takes the project's place while `doctor --live` tries things out.
TRIAL = "AGENT_MEMORY_TRIAL"

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
    if os.path.islink(path):
        return  # a person's, wherever it leads
    try:
        if os.stat(path).st_size:
            return
    except FileNotFoundError:
        pass
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def append(path: str, descriptor: int, data: bytes) -> int:
    """Add whole lines to a file that is open for reading and appending; return its size before.

    On a line of their own, or one that was torn would swallow the first.  In one write, so
    that lines of other processes stay whole.  Raises OSError where not all can be written.
    """
    size = os.fstat(descriptor).st_size
    # Two that see it at once leave an empty line, which readers of JSON lines pass over.
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        data = b"\n" + data
    if os.write(descriptor, data) < len(data):
        raise OSError(errno.ENOSPC, "only part of a line could be written", path)
    return size


def home(environ: Mapping[str, str]) -> Place | None:
    """Return the user's level, or None where there is no home directory."""
    path = environ.get("HOME", "")
    return Place(path.rstrip("/")) if os.path.isabs(path) else None


def project(cwd: str, environ: Mapping[str, str]) -> Place:
    """Return the project that an event belongs to.

    CLAUDE_PROJECT_DIR stays the main checkout when an agent works in a worktree
    (seen in all versions); the event's cwd does not.
    Raises OSError where a folder on the way cannot be looked at: who passes it over may
    end in another project's memory.  A report that comes meanwhile stays as it is, its
    run is not noted as ended, and so the next sweep reads its transcript.
    """
    named = (environ.get("CLAUDE_PROJECT_DIR"), cwd)
    start = next((path for path in named if path and _is_folder(path)), "")
    return Place(_root(os.path.abspath(start or os.getcwd()), environ.get("HOME", "").rstrip("/")))


def _root(start: str, home_folder: str) -> str:
    """Walk up to a folder with memory, else to the git root, else stay."""
    folder = start
    while True:
        # The home directory's own folder is the user's level, not a project's,
        # nor is a repository of somebody's settings files a project.
        if folder != home_folder:
            if _has_memory(folder):
                return folder
            main = _main_tree(folder)
            if main:
                return folder if main == folder else _root(main, home_folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent


def _has_memory(folder: str) -> bool:
    """Say whether our folder is here; a link to a disk that is not mounted now is one, too."""
    path = os.path.join(folder, FOLDER)
    return _is_folder(path) or os.path.islink(path)


def _main_tree(folder: str) -> str:
    """Return the main working tree of the one at `folder`, or "" where none is."""
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
    """Return the mode of what is at `path`, 0 for nothing; raises OSError where nobody knows.

    os.path.isdir calls a disk that fails, and a folder that is closed to us, not there.
    """
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return 0  # ValueError: an event may name what can be no path at all
