"""The worker: takes the events out of the inbox and does all that no reply has to wait for.

A hook starts it as a separate process.  Only the process that holds the lock works.  If a worker is
killed or hangs, the next one replaces it: unfinished reports are still in the inbox.
"""

from __future__ import annotations

import posix
import time

from memory_core.storage import inbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.storage.project import Project

# How long the start of an agent waits for the reports of its earlier runs, in seconds.
DELIVERY_SECONDS = 0.3


def start(project: Project) -> None:
    """Start a worker if there is none; without another process, work here."""
    try:
        lock = inbox.take_lock(project.paths)
    except OSError:
        return  # without a state there is no inbox
    if lock < 0:
        return  # it looks into the inbox again before it ends
    try:
        is_here = posix.fork() != 0
    except OSError:  # too many processes
        from memory_core.delegation import inbox_reports

        inbox_reports.work(project, lock)
        return
    if is_here:
        posix.close(lock)
        return
    try:
        from memory_core.delegation import background

        background.work(project, lock)
    finally:
        posix._exit(0)


def await_reports(project: Project, agent: str) -> None:
    """Wait a moment for the worker if it has not saved what earlier runs of an agent reported."""
    from memory_core.claude_code import agent_names

    stem = agent_names.file_stem_of(agent)
    if not inbox.has_new(project.paths, stem):
        return
    start(project)
    end = time.monotonic() + DELIVERY_SECONDS
    while inbox.has_new(project.paths, stem) and time.monotonic() < end:
        time.sleep(inbox.INTERVAL)
