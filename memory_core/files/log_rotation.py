"""Rename a full log, so that the next line begins a new file."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from memory_core.files.safe_files import SafeFiles


def rotate(files: SafeFiles, name: str, old: str, most: int) -> None:
    """Rename a file of more than `most` bytes, in place of the old one.

    Two processes may find the log full at once, and the second one would replace the full file
    by the new one.  Therefore only the process that holds the lock of the file moves it.  Raises
    OSError.
    """
    # A process that finds the lock held leaves the file to the other one.
    with open(files.open(name, os.O_RDONLY), "rb") as file, suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status, now = os.fstat(file.fileno()), files.status(name)
        if status.st_size > most and now and os.path.samestat(status, now):
            files.rename(name, old)
