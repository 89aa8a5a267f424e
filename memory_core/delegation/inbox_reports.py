"""The work of the worker: reports leave the inbox when their content is saved."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from memory_core.claude_code import agent_spelling, events
from memory_core.delegation import missed_reports, reported_events
from memory_core.delegation.run_event import RunEvent
from memory_core.files import file_actions
from memory_core.memory import preparing, remember
from memory_core.origin import text_origins
from memory_core.storage import event_log, hook_files, inbox, run_records, user_level
from memory_core.storage.paths import BUSY_SECONDS
from memory_core.storage.project import Project

if TYPE_CHECKING:
    from memory_core.storage.inbox import Report

# How long a reader waits for another process that empties the inbox, in seconds.
READER_SECONDS = 5.0


class WorkerHangs(BaseException):
    """A report takes too long; not an Exception, so that nothing on the way catches it."""


def drain(project: Project, with_tried: bool = False) -> None:
    """Save what hooks have put into the inbox, for a command that reads the memories.

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
            work(project, lock)
            return
        if time.monotonic() > end:
            return
        time.sleep(inbox.INTERVAL)


def work(project: Project, lock: int, seconds: int = 0) -> None:
    """Empty the inbox, and close the lock.

    A worker may take this number of seconds for a report; 0: this is a reader, without a limit.
    """
    for folder in project.folders:  # longer than the hook that started this worker
        folder.paths.state.busy_seconds = BUSY_SECONDS
    tried: set[tuple[str, str]] = set()
    while lock >= 0:
        try:
            _take_old_entries(project)
            while names := _list_untried(project, tried):
                for name in names:
                    _limit_time(seconds)
                    tried.add(inbox.split(name))
                    _take(project, name)
            _limit_time(seconds)
            if seconds:  # a reader looks itself
                _try(project, lambda: text_origins.look(project))
            _try(project, lambda: preparing.refresh(project, {stem for stem, _key in tried}))
        finally:
            os.close(lock)
        # A hook may have found the lock taken just before.
        lock = inbox.take_lock(project.paths, waits=True) if _list_untried(project, tried) else -1


def _try(project: Project, step: Callable[[], object]) -> None:
    """Do a step that the next worker repeats if it fails."""
    try:
        step()
    except Exception as error:  # noqa: BLE001 - the reports are saved
        event_log.write(project.paths, "agent.memory.error", error=str(error))


def _list_untried(project: Project, tried: set[tuple[str, str]]) -> list[str]:
    """Return the names of the reports; those of no agent come last, because they take longer."""
    names = hook_files.list_names(project.paths)
    untried = [name for name in names if inbox.split(name) not in tried]
    return sorted(untried, key=lambda name: inbox.split(name)[0] == "")


def _limit_time(seconds: int) -> None:
    """End this process if its next step takes longer."""

    def stop(_number: int, _frame: object) -> NoReturn:
        raise WorkerHangs(f"a worker needed more than {seconds} s")

    if seconds:
        signal.signal(signal.SIGALRM, stop)
        signal.alarm(seconds)
        faulthandler.dump_traceback_later(seconds + 5, exit=True)  # if no exception ends it


def _take(project: Project, name: str) -> None:
    """Save what a report says, or put it back into the inbox."""
    paths, run, is_chore = project.paths, "", not inbox.split(name)[0]
    try:
        report = None if hook_files.is_done(paths, name) else hook_files.read(paths, name)
        if report and not is_chore:
            run = report["run"]
            merge(project, report)
        hook_files.finish(paths, name)
    except (WorkerHangs, Exception) as error:
        _put_back(project, name, error, run)
        if isinstance(error, WorkerHangs):
            raise
        return
    if report and is_chore:  # if it fails, the next event of this kind leads to it again
        _try(project, lambda: do_chores(project, report["event"]))


def _put_back(project: Project, name: str, error: BaseException, run: str) -> None:
    is_readable = isinstance(error, OSError)
    hook_files.put_back(project.paths, name, is_readable)
    agent = agent_spelling.agent_of_file(f"{inbox.split(name)[0]}.md")
    reason = str(error) if is_readable else f"{type(error).__name__}: {error}"
    event_log.write(project.paths, "agent.memory.waiting", agent_id=agent, reason=reason, run=run)


def merge_now(run: RunEvent, report: Report, reason: OSError) -> None:
    """Merge a report that cannot be put into the inbox, if need be without the database.

    Raises OSError; then a sweep reads the transcript.
    """
    project, state = run.project, run.project.paths.state
    event_log.write(project.paths, "agent.memory.error", agent_id=run.agent, error=str(reason))
    state.busy_seconds = 1.0
    try:
        merge(project, report)
        return
    except OSError:
        state.has_database = False
    try:
        merge(project, report)
    except OSError:
        run.runs.try_note(run.run_id, ended=0)
        raise


def merge(project: Project, report: Report) -> None:
    """Merge a report into the memory of its agent; raises OSError."""
    settings = report["settings"]
    own = inbox.select_settings(project.environ)
    if settings != own:
        others = {key: value for key, value in project.environ.items() if key not in own}
        project = Project(project.paths, {**others, **settings})
    run = RunEvent(project, report["event"], report["agent"], report["run"], report["time"])
    result = reported_events.read_event(run)
    if result.lesson or result.records:
        remember.merge_lesson(project, run.agent, result.lesson, result.records)
    for note in result.notes:
        note()


def do_chores(project: Project, event: dict[str, Any]) -> None:
    """Do what is due after a session began, or a tool ran that may have changed tasks."""
    if events.may_change_tasks(event):
        if project.has_tasks:
            from memory_core.tasks import sync

            sync.try_update(project)
        return
    missed_reports.sweep_at_start(project, event)
    text_origins.look(project)
    for line in text_origins.take_news(project):  # the next hook says it
        remember.add_notice(project, run_records.UNDECIDED, line)
    for line in user_level.ask(project):
        remember.add_notice(project, events.session(event), line)


def _take_old_entries(project: Project) -> None:
    """Merge the learnings that hooks of an older version left in spool/AGENT/*.json."""
    state = project.paths.state
    for stem in state.list_names(hook_files.OLD_FOLDER):
        folder = f"{hook_files.OLD_FOLDER}/{stem}"
        for name in state.list_names(folder):
            path = f"{folder}/{name}"
            if not name.endswith(".json"):
                state.remove(path)  # a temporary file
                continue
            try:
                value = json.loads(state.read(path, hook_files.MAX_BYTES))
                lesson, records = remember.read_old_lesson(value), value.get("records", [])
                remember.merge_lesson(project, value["agent"], lesson, records)
                state.delete(path)
            except OSError as error:
                event_log.write(project.paths, "agent.memory.waiting", reason=str(error))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                state.make_folder(hook_files.UNREADABLE)
                state.rename(path, f"{hook_files.UNREADABLE}/{stem}~{name}")
        file_actions.remove_folder(state, folder)
    file_actions.remove_folder(state, hook_files.OLD_FOLDER)
