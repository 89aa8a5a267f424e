"""The root of a project: the nearest folder with a memory, else that of git.

The memories of a linked working tree of git are those of the main one.
"""

from __future__ import annotations

import os
import stat

from memory_core.files.safe_files import SafeFiles

# Of a `.git` file, which holds a path.
MAX_GIT_FILE_BYTES = 8192


def find_root(start: str, home_folder: str, name: str) -> str:
    """Return the nearest folder upwards with a memory, else the git root, else `start`.

    `name` is that of the folder with memories and settings.  Raises OSError if a folder on the way
    cannot be read.
    """
    folder = start
    while True:
        # The home directory is the user's level.  It is not a project even if it is a git
        # repository, as some people keep their settings files.
        if folder != home_folder:
            is_start, memory = folder == start, os.path.join(folder, name)
            # A link is refused later.
            has_memory = stat.S_ISDIR(_mode(memory)) or os.path.islink(memory)
            if has_memory and (is_start or _is_own(memory)):
                return folder
            main = find_main_tree(folder) if is_start or _is_own_repository(folder) else ""
            if main:
                return folder if main == folder else find_root(main, home_folder, name)
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent


def _is_own(memory: str) -> bool:
    """Check that a memory further up is the user's, and that not everybody may write to it."""
    status = os.lstat(memory)
    is_safe = status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH
    return stat.S_ISDIR(status.st_mode) and is_safe


def _is_own_repository(folder: str) -> bool:
    """Check that a repository further up is the user's, as git does."""
    try:
        return os.lstat(os.path.join(folder, ".git")).st_uid == os.geteuid()
    except FileNotFoundError:
        return False


def find_main_tree(folder: str) -> str:
    """Return the main working tree of the one at `folder`, "" if it is not a working tree.

    Raises OSError if a folder cannot be read.
    """
    mode = _mode(os.path.join(folder, ".git"))
    if not mode or stat.S_ISDIR(mode):
        return folder if mode else ""
    target = _read_line(folder, ".git").partition("gitdir:")[2].strip()  # or a submodule
    own = os.path.join(folder, target)
    git_folder, worktree, _name = own.rpartition(f"{os.sep}worktrees{os.sep}")
    main = os.path.dirname(git_folder)
    is_linked = worktree and stat.S_ISDIR(_mode(main)) and _points_back(own, folder)
    return os.path.normpath(main) if is_linked else folder


def _mode(path: str) -> int:
    """Return the mode of what is at a path, 0 if nothing is there; raises OSError."""
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return 0


def _points_back(git_folder: str, worktree: str) -> bool:
    """Check that a repository names the working tree that names it: anybody can write `.git`."""
    back = _read_line(git_folder, "gitdir").strip()
    path = os.path.join(git_folder, back)
    return bool(back) and os.path.realpath(path) == os.path.realpath(os.path.join(worktree, ".git"))


def _read_line(folder: str, name: str) -> str:
    return SafeFiles(folder).read_text(name, MAX_GIT_FILE_BYTES).partition("\n")[0]
