"""Checks of the places of our files, in the project and in the state: what is there, its rights."""

from __future__ import annotations

import os
from collections.abc import Iterator
from stat import S_ISDIR

from memory_core.doctor.examination import BROKEN, WARNING, Examination, Finding, report_closed
from memory_core.files import file_actions
from memory_core.files.safe_files import Refused, SafeFiles, UsedInPart
from memory_core.storage import paths
from memory_core.storage.database import state_db
from memory_core.storage.store import Store

# The files in our folders that agent-memory uses.
ENDINGS = (".md", ".jsonl", ".lock", ".yml")

# A memory and its history need less.
MIN_FREE_BYTES = 1_000_000

LOSS = "agents still get their memory and learn, but commands may fail, and no more is remembered"


def check_paths(exam: Examination) -> Iterator[Finding]:
    """Check that our files and folders can be read and written, and are no links or pipes."""
    if not os.access(exam.root, os.R_OK | os.X_OK):
        yield report_closed(BROKEN, "the project cannot be read", exam.root)
        return
    _memories = exam.memories  # read them: refused files are known now
    wrong = [finding for store in exam.stores for finding in _check_level(exam, store)]
    disk = os.statvfs(exam.root)
    if not wrong and disk.f_bavail * disk.f_frsize < MIN_FREE_BYTES:
        advice = "delete files that you do not need; until then nothing can be saved"
        wrong.append(Finding(BROKEN, "the disk is full", exam.root, advice))
    yield from wrong


def _check_level(exam: Examination, store: Store) -> Iterator[Finding]:
    files, memories = store.files, store.files.relative(store.folder)
    folders = [paths.FOLDER_NAME, f"{paths.FOLDER_NAME}/locks"]
    folders += [memories, f"{memories}/history", f"{memories}/archive"]
    for folder in folders:
        names = [name for name in files.list_names(folder) if name.endswith(ENDINGS)]
        for place in (folder, *(f"{folder}/{name}" for name in names)):
            yield from _check_rights(exam, files, place)
    for error in files.refused.values():
        where = exam.project.paths.relative(files.locate(error.path))
        yield _report_refused(error, where)


def _report_refused(error: Refused, where: str) -> Finding:
    if isinstance(error, UsedInPart):
        return Finding(WARNING, error.reason, where, "move away what does not belong there")
    severity = BROKEN if error.path.startswith(paths.FOLDER_NAME) else WARNING
    advice = "replace it by a regular file or folder, or shorten it: it counts as absent"
    return Finding(severity, error.reason, where, advice)


def _check_rights(exam: Examination, files: SafeFiles, path: str) -> Iterator[Finding]:
    try:
        status = files.status(path)
    except OSError:
        return  # the folder around it has a finding
    if not status:
        return
    is_folder = S_ISDIR(status.st_mode)
    where = exam.project.paths.relative(files.locate(path))
    is_own = status.st_uid == os.geteuid()
    if not file_actions.is_allowed(files, path, os.R_OK | (os.X_OK if is_folder else 0)):
        yield report_closed(BROKEN, "cannot be read", where, is_own)
    elif not file_actions.is_allowed(files, path, os.W_OK):
        # Histories and locks are opened to write; all other files are replaced, which needs
        # rights to their folder only.
        severity = WARNING if path.endswith((".md", ".yml")) else BROKEN
        yield report_closed(severity, "cannot be written", where, is_own)


def check_state(exam: Examination) -> Iterator[Finding]:
    """Check that the state, what this machine remembers of the project, can be written."""
    state = exam.project.paths.state
    folder = state.root
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        advice = "move it away, or set XDG_STATE_HOME to a folder that can be written"
        yield Finding(WARNING, f"is not a folder: {LOSS}", folder, advice)
    elif not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        yield report_closed(WARNING, f"cannot be written: {LOSS}", folder)
    elif os.path.isfile(path := state.locate(state_db.FILE_NAME)) and not os.access(path, os.W_OK):
        what = "cannot be written: reports wait, and commands cannot change a memory"
        yield report_closed(BROKEN, what, path)
    try:
        state_db.read(state, lambda _db: None)
    except OSError as problem:
        is_newer = isinstance(problem, state_db.NewerState)
        advice = "agent-memory upgrade" if is_newer else "run agent-memory doctor again later"
        what = problem.strerror or str(problem)
        yield Finding(BROKEN if is_newer else WARNING, what, str(problem.filename), advice)
    for name in state_db.list_set_aside(state):
        advice = state_db.AFTER_DAMAGE.format("this file")
        yield Finding(WARNING, state_db.SET_ASIDE, state.locate(name), advice)
    # Last, so that all other checks have read their state.
    for error in state.refused.values():
        where = state.locate(error.path)
        yield Finding(WARNING, error.reason, where, "delete it: only this program writes there")
