"""Wait for the worker, which saves what a hook has collected when the hook has ended."""

import fcntl
import time

from memory_core.storage import inbox
from memory_core.storage.paths import LevelPaths

# A worker that has just released the lock may find another report, and take the lock again.
TRIES = 50


def await_worker(paths: LevelPaths) -> None:
    """Return when no worker is at work; a hook holds the lock from before its end on."""
    for _ in range(TRIES):
        try:
            with open(paths.state.locate(inbox.LOCK_FILE), "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:
            return  # no hook has started one
        if not inbox.has_new(paths):
            return
        time.sleep(0.01)
