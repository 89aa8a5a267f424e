"""What processes that a hook has forked do: the worker, for which nobody waits, and preparing."""

from __future__ import annotations

# The pipes are open until all this is imported, and Claude Code waits: no enums of `signal`.
import _signal as signal  # type: ignore[import-not-found]
import gc
import posix

from memory_core.memory import ready
from memory_core.memory.ready import ReadyMemory
from memory_core.selection.passages import PassageIndex
from memory_core.storage.project import Project

# A worker that takes longer for one report hangs, and is ended.
MAX_SECONDS = 60


def work(project: Project, lock: int) -> None:
    """Do the work of the worker in this process; only now load what merges."""
    try:
        leave_hook()
        from memory_core.delegation import inbox_reports
        from memory_core.monitor import log_reading

        inbox_reports.work(project, lock, MAX_SECONDS)
        log_reading.write_refused(project)
    except BaseException as error:  # noqa: BLE001 - nobody waits for this process
        _log(project, error)


def prepare(project: Project, agent: str) -> ReadyMemory:
    """Return what an agent may receive, prepared by another process: no hook opens the database.

    Without another process it is prepared here.  Raises OSError if that process fails.
    """
    end, start = posix.pipe()
    try:
        is_here = posix.fork() != 0
    except OSError:  # too many processes
        from memory_core.memory import preparing

        return preparing.prepare(project, agent)
    if not is_here:
        try:
            leave_hook()
            from memory_core.memory import preparing
            from memory_core.monitor import log_reading

            _write(start, preparing.pack(preparing.prepare(project, agent)))
            log_reading.write_refused(project)
        except BaseException as error:  # noqa: BLE001 - the hook sees that nothing comes
            _log(project, error)
        finally:
            posix._exit(0)
    posix.close(start)
    with open(end, "rb") as pipe:
        data = pipe.read()
    if not data:
        raise OSError(f"the memory of {agent} was not prepared")
    _stamp, passages, facts = ready.unpack(data)
    return ReadyMemory(passages=PassageIndex(passages), **facts)


def _log(project: Project, error: BaseException) -> None:
    from memory_core.storage import event_log

    reason = f"{type(error).__name__}: {error}"
    event_log.write(project.paths, "agent.memory.error", error=reason)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[posix.write(descriptor, data) :]


def leave_hook() -> None:
    """Leave the session of the hook: no signal for it arrives here, and its pipes are closed."""
    posix.setsid()
    posix.chdir("/")  # so that the disk of the project can be unmounted
    nowhere = posix.open("/dev/null", posix.O_RDWR)
    for descriptor in (0, 1, 2):  # Claude Code reads until the pipes are closed
        posix.dup2(nowhere, descriptor)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    gc.enable()
