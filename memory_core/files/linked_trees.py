"""Linked working trees of git: their memories are those of the main one."""

from __future__ import annotations

import os
import stat

from memory_core.files.safe_files import SafeFiles

# Of a `.git` file, which holds a path.
MAX_GIT_FILE_BYTES = 8192


def find_main_tree(folder: str) -> str:
    """Return the main working tree of the one at `folder`, whose `.git` is a file.

    Raises OSError if a folder cannot be read.
    """
    target = _read_line(folder, ".git").partition("gitdir:")[2].strip()  # or a submodule
    own = os.path.join(folder, target)
    git_folder, worktree, _name = own.rpartition(f"{os.sep}worktrees{os.sep}")
    main = os.path.dirname(git_folder)
    is_linked = worktree and _is_folder(main) and _points_back(own, folder)
    return os.path.normpath(main) if is_linked else folder


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False


def _points_back(git_folder: str, worktree: str) -> bool:
    """Check that a repository names the working tree that names it: anybody can write `.git`."""
    back = _read_line(git_folder, "gitdir").strip()
    path = os.path.join(git_folder, back)
    return bool(back) and os.path.realpath(path) == os.path.realpath(os.path.join(worktree, ".git"))


def _read_line(folder: str, name: str) -> str:
    return SafeFiles(folder).read_text(name, MAX_GIT_FILE_BYTES).partition("\n")[0]
