"""The worker: takes the events out of the inbox and does all that no reply has to wait for.

A hook starts it as a separate process.  Only the process that holds the lock works.  If a worker is
killed or hangs, the next one replaces it: unfinished reports are still in the inbox.
"""

from __future__ import annotations

import os
import time

from memory_core.storage import inbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.storage.project import Project

# A worker that takes longer for one batch hangs, and is ended.
MAX_SECONDS = 60

# How long the start of an agent waits for the reports of its earlier runs, in seconds.
DELIVERY_SECONDS = 0.3

# How long a reader waits for another process that empties the inbox, in seconds.
READER_SECONDS = 5.0


def start(project: Project) -> None:
    """Start a worker if there is none; without another process, work here."""
    try:
        lock = inbox.take_lock(project.paths)
    except OSError:
        return  # without a state there is no inbox
    if lock < 0:
        return  # it looks into the inbox again before it ends
    try:
        is_here = os.fork() != 0
    except (AttributeError, OSError):  # Windows, or too many processes
        _work(project, lock)
        return
    if is_here:
        os.close(lock)
        return
    try:
        _detach()
        _work(project, lock, MAX_SECONDS)
        log_refused(project)
    finally:
        os._exit(0)


def _detach() -> None:
    """Leave the hook: nobody waits for this process, and no signal for the hook reaches it."""
    import gc
    import signal

    os.setsid()
    os.chdir("/")  # so that the disk of the project can be unmounted
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # Claude Code reads until the pipes are closed
        os.dup2(nowhere, descriptor)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    gc.enable()


def _work(project: Project, lock: int, seconds: int = 0) -> None:
    from memory_core.delegation import inbox_batches

    inbox_batches.work(project, lock, seconds)


def log_refused(project: Project) -> None:
    """Log the paths that counted as absent, because they are links, pipes or too large."""
    trees = [project.paths.files, project.paths.state]
    trees += [project.user_paths.files] if project.user_paths else []
    for files, error in [(tree, error) for tree in trees for error in tree.refused.values()]:
        from memory_core.monitor import log_reading

        path = project.paths.relative(files.locate(error.path))
        log_reading.write_new(project.paths, "agent.memory.refused", file=path, reason=error.reason)


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


def drain(project: Project, seconds: float = READER_SECONDS, with_tried: bool = False) -> None:
    """Save what hooks have put into the inbox, so that a reader sees it.

    If a worker is at it, wait for it, but not longer than `seconds`.  `with_tried`: also try again
    what could not be merged before.
    """
    from memory_core.storage import hook_files

    end = time.monotonic() + seconds
    while (hook_files.has_work if with_tried else inbox.has_new)(project.paths):
        try:
            lock = inbox.take_lock(project.paths)
        except OSError:
            return
        if lock >= 0:
            _work(project, lock)
            return
        if time.monotonic() > end:
            return
        time.sleep(inbox.INTERVAL)
