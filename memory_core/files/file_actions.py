"""What the worker and commands do with files of a tree, and hooks do not."""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress

from memory_core.files.safe_files import TEMPORARY, SafeFiles, sync_folder

# A temporary file that is older was left behind by a process that was killed.
STALE_SECONDS = 3600


def is_missing(files: SafeFiles, path: str) -> bool:
    """Return whether nothing is there; False if a link or an error hides what is there."""
    try:
        with files.open_parent(path, resolve=False) as (folder, name):
            os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def list_older(files: SafeFiles, folder: str, before: float, ending: str = "") -> list[str]:
    """Return what a folder has with this ending that last changed before a time in seconds."""
    older = []
    for name in files.list_names(folder):
        path = os.path.join(folder, name)
        with suppress(OSError):
            status = files.status(path) if name.endswith(ending) else None
            if status and status.st_mtime < before:
                older.append(path)
    return older


def scan(files: SafeFiles, path: str = "") -> list[tuple[str, os.stat_result]]:
    """Return (name, status) of the regular files in a folder, in any order."""
    follows = files.follows_links
    entries = files.read_folder(
        path, lambda entry: (entry.name, entry.stat(follow_symlinks=follows))
    )
    return [(name, status) for name, status in entries if stat.S_ISREG(status.st_mode)]


def is_allowed(files: SafeFiles, path: str, rights: int) -> bool:
    """Return whether this process has these rights (os.R_OK, ...) to a file or folder.

    False also if it is absent, or if a folder above it cannot be read.
    """
    if not (files.is_file(path) or files.is_folder(path)):
        return False
    with files.open_parent(path) as (folder, name):
        return os.access(name, rights, dir_fd=folder, follow_symlinks=False)


def write_once(files: SafeFiles, path: str, text: str) -> bool:
    """Write a short file if nothing, or an empty file of a killed process, is in its place.

    Return whether it was written; raises OSError.
    """
    status = files.status(path)
    if status.st_size > 0 if status else files.has_entry(path):
        return False
    with open(files.open(path, os.O_WRONLY | os.O_CREAT), "wb") as file:
        file.write(text.encode())  # one write: no part of it is there alone
    return True


def truncate(files: SafeFiles, path: str, size: int) -> None:
    """Cut a file back to a size; raises OSError."""
    with open(files.open(path, os.O_WRONLY), "wb") as file:
        file.truncate(size)


def remove_folder(files: SafeFiles, path: str) -> None:
    """Delete an empty folder if that is possible."""
    with suppress(OSError), files.open_parent(path, resolve=False) as (folder, name):
        os.rmdir(name, dir_fd=folder)


def sync(files: SafeFiles, path: str = "") -> None:
    """Write a file or a folder to the disk, so that it survives a power failure.

    Raises OSError.
    """
    if files.is_file(path):
        with open(files.open(path, os.O_RDONLY), "rb") as file:
            os.fsync(file)
    else:
        with files.open_folder(*files.resolve(path)) as (folder, _):
            sync_folder(folder)


def remove_stale(files: SafeFiles, folder: str) -> None:
    """Remove the temporary files that killed writers left in a folder."""
    for path in list_older(files, folder, time.time() - STALE_SECONDS, TEMPORARY):
        files.remove(path)
