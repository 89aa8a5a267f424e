"""Rename a full log, so that the next line begins a new file."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

from memory_core.files.safe_files import SafeFiles


def rotate(files: SafeFiles, names: Sequence[str], most: int) -> None:
    """Rename each file to the name before it, of the oldest first, if the last has `most` bytes.

    Two processes may find the log full at once, and the second one would replace the full file
    by the new one.  Therefore only the process that holds the lock of the file moves it.  Raises
    OSError.
    """
    *_, newest = names
    # A process that finds the lock held leaves the file to the other one.
    with open(files.open(newest, os.O_RDONLY), "rb") as file, suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status, now = os.fstat(file.fileno()), files.status(newest)
        if status.st_size > most and now and os.path.samestat(status, now):
            for older, name in pairwise(names):
                if files.is_file(name):
                    files.rename(name, older)
