"""Wait until the memories have what hooks reported, for commands that read them."""

from __future__ import annotations

import time

from memory_core.delegation import inbox_batches, worker
from memory_core.storage import hook_files, inbox
from memory_core.storage.project import Project

# How long a reader waits for another process that empties the inbox, in seconds.
READER_SECONDS = 5.0

# How long the end of a session waits for the worker.
SESSION_END_SECONDS = 1.2


def drain(project: Project, with_tried: bool = False) -> None:
    """Save what hooks have put into the inbox, so that a reader sees it.

    If a worker is at it, wait for it, but not longer than READER_SECONDS.  `with_tried`: also try
    again what could not be merged before.
    """
    end = time.monotonic() + READER_SECONDS
    while hook_files.has_work(project.paths, with_tried):
        try:
            lock = inbox.take_lock(project.paths)
        except OSError:
            return
        if lock >= 0:
            inbox_batches.work(project, lock)
            return
        if time.monotonic() > end:
            return
        time.sleep(inbox.INTERVAL)


def handle_session_end(project: Project) -> None:
    """Wait a moment for the worker: where a container ends with the session, so does the worker.

    Claude Code ends the hook of a plugin after 1.5 s.  The next session saves the rest.
    """
    if inbox.has_new(project.paths):
        worker.start(project)
    hook_files.await_worker(project.paths, SESSION_END_SECONDS)
