"""Checks of the places of our files in a project: what stands there, whose it is, its rights."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator
from functools import partial

from memory_core.doctor import places, repairs
from memory_core.doctor.examination import BROKEN, OK, WARNING, Examination, Finding, report_closed
from memory_core.doctor.places import Level, Place
from memory_core.files.safe_files import Refused, TooLarge, UsedInPart
from memory_core.storage import paths
from memory_core.storage.project import Project
from memory_core.text.phrases import format_count

# A memory and its history need less.
MIN_FREE_BYTES = 1_000_000

# Kinds.


def check_paths(exam: Examination) -> Iterator[Finding]:
    """Check for links, pipes, folders and huge files in the places of our files."""
    project = exam.project
    for where, error in exam.refused.items():
        is_ours = error.path.startswith(paths.FOLDER_NAME)
        is_used = isinstance(error, UsedInPart) or _is_history(error)
        severity = WARNING if is_used or not is_ours else BROKEN
        yield Finding(severity, error.reason, where, _advise(error, project))
    for level in places.list_levels(project):
        yield from _check_owners(project, level)


def _is_history(error: Refused) -> bool:
    """Say whether it is a history that is too large, of which the newest part is read."""
    return isinstance(error, TooLarge) and error.path.endswith(".jsonl")


def _advise(error: Refused, project: Project) -> str:
    if isinstance(error, UsedInPart):
        return "move away what does not belong there"
    if _is_history(error):
        return "nothing, or delete old lines: only the newest part is used"
    if isinstance(error, TooLarge) and error.path == project.paths.relative(project.paths.config):
        return "shorten it: until then the last valid settings are used; without any, memory is off"
    if isinstance(error, TooLarge):
        return "shorten it: until then it counts as absent"
    return "move it away, or replace it by a regular file or folder: it counts as absent"


def _check_owners(project: Project, level: Level) -> Iterator[Finding]:
    """Check that no other user may change what agents get."""
    files = level.store.files
    opened, foreign = list[tuple[str, str]](), dict[int, list[str]]()
    for place in places.list_places(level, files):
        try:
            status = files.status(place.path)
        except OSError:
            continue
        if status is None:
            continue
        where = level.locate(place.path, project)
        if status.st_mode & stat.S_IWOTH:
            opened.append((place.path, where))
        if status.st_uid != os.geteuid():
            foreign.setdefault(status.st_uid, []).append(where)
    if opened:
        tops = _drop_nested([where for _path, where in opened])
        what = f"everybody on this machine may write to it{_count_more(tops)}"
        repair = partial(repairs.drop_rights, files, opened, stat.S_IWOTH)
        yield Finding(WARNING, what, tops[0], shlex.join(["chmod", "-R", "o-w", *tops]), repair)
    for uid, wheres in foreign.items():
        tops = _drop_nested(wheres)
        what = f"belongs to the user {_name_user(uid)}{_count_more(tops)}"
        advice = "nothing if you trust that user, who can change what your agents get"
        yield Finding(WARNING, what, tops[0], f"{advice}; else move it away")


def _drop_nested(wheres: list[str]) -> list[str]:
    """Return the paths without those below another one."""
    tops: list[str] = []
    for place in wheres:
        if not any(place.startswith(f"{top}/") for top in tops):
            tops.append(place)
    return tops


def _count_more(wheres: list[str]) -> str:
    return f", and {len(wheres) - 1} more" if len(wheres) > 1 else ""


def _name_user(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


# Rights.


def check_folder(exam: Examination) -> Iterator[Finding]:
    """Check that the folders and files of agent-memory can be read and written."""
    project = exam.project
    if not os.access(exam.root, os.R_OK | os.X_OK):
        yield report_closed(BROKEN, "the project cannot be read", exam.root)
        return
    level = places.list_levels(project)[0]
    expected = places.list_places(level, level.store.files)
    wrong = [finding for place in expected if (finding := _check_rights(exam, place))]
    folder = project.paths.relative(project.store.folder)
    if any(f"{folder}/".startswith(f"{where}/") for where in exam.refused):
        return  # check_paths reports it
    if not level.store.files.has_entry(folder):
        wrong += _check_parent(exam, folder)
    disk = os.statvfs(exam.root)
    if not wrong and disk.f_bavail * disk.f_frsize < MIN_FREE_BYTES:
        advice = "delete files that you do not need; until then nothing can be saved"
        wrong.append(Finding(BROKEN, "the disk is full", exam.root, advice))
    count = format_count(sum(memory.exists for memory in exam.memories), "memory")
    yield from wrong or [Finding(OK, f"can be read and written, {count}", folder)]


def _check_rights(exam: Examination, place: Place) -> Finding | None:
    files, where = exam.project.paths.files, place.path
    is_folder = files.is_folder(where)
    if not is_folder and not files.is_file(where):
        return None
    to_enter = os.X_OK if is_folder else 0
    status = files.status(where)
    if status and status.st_uid != os.geteuid():
        advice, repair = shlex.join(["sudo", "chown", "-R", str(os.geteuid()), where]), None
    else:
        advice = shlex.join(["chmod", f"u+rw{'x' if is_folder else ''}", where])
        repair = partial(repairs.add_rights, files, where, where)
    if not files.is_allowed(where, os.R_OK | to_enter):
        return Finding(BROKEN, "cannot be read", where, advice, repair)
    if not files.is_allowed(where, os.W_OK):
        # Histories and locks are opened to write; all other files are replaced, which needs
        # rights to their folder only.
        level = WARNING if where.endswith((".md", ".yml")) else BROKEN
        return Finding(level, "cannot be written", where, advice, repair)
    return None


def _check_parent(exam: Examination, folder: str) -> Iterator[Finding]:
    """Check that the memory folder can be created in the nearest folder above it."""
    files, parent = exam.project.paths.files, os.path.dirname(folder)
    while parent and not files.has_entry(parent):
        parent = os.path.dirname(parent)
    rights = os.R_OK | os.W_OK | os.X_OK
    if parent == paths.FOLDER_NAME:
        return  # _check_rights reports it
    if not files.is_allowed(parent, rights):
        where = parent or files.root
        what = f"cannot be written: {folder} cannot be created"
        yield report_closed(BROKEN, what, os.path.join(files.root, where).rstrip("/"))
