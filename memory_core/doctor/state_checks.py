"""Checks of the state: what this machine remembers of a project, outside of it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from functools import partial

from memory_core.doctor import places, repairs
from memory_core.doctor.examination import WARNING, Examination, Finding, report_closed
from memory_core.files import tree
from memory_core.files.safe_files import SafeFiles
from memory_core.monitor import gone_projects

LOSS = "agents still get their memory and learnings are saved, but nothing else is remembered"


def check_state(exam: Examination) -> Iterator[Finding]:
    """Check that the state can be written, and that nothing waits in an old one."""
    project = exam.project
    yield from _check_rights(project.paths.state)
    for level in places.list_levels(project):
        yield from _check_gone_projects(level)
    # Last, so that all other checks have read their state.
    for error in project.paths.state.refused.values():
        where = project.paths.state.locate(error.path)
        yield Finding(WARNING, error.reason, where, "delete it: only agent-memory writes there")


def _check_rights(state: SafeFiles) -> Iterator[Finding]:
    folder = state.root
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    rights = os.R_OK | os.W_OK
    closed = [folder] if not os.access(folder, rights | os.X_OK) else []
    closed += [
        os.path.join(top, name)
        for top, names in tree.walk(state)
        for name in names
        if not os.access(os.path.join(top, name), rights)
    ]
    if not os.path.isdir(folder):
        advice = "move it away, or set XDG_STATE_HOME to a folder that can be written"
        yield Finding(WARNING, f"is not a folder: {LOSS}", folder, advice)
    elif closed:
        yield report_closed(WARNING, f"cannot be written: {LOSS}", closed[0])
    elif folder == state.root and os.stat(folder).st_mode & 0o077:
        repair = partial(repairs.drop_rights, state, [("", folder)], 0o077)
        advice = shlex.join(["chmod", "go-rwx", folder])
        yield Finding(WARNING, "is open to other users of this machine", folder, advice, repair)


def _check_gone_projects(level: places.Level) -> Iterator[Finding]:
    """Check for learnings of a project of this name that is gone."""
    advice = "agent-memory tidy --user" if level.is_user else "agent-memory tidy"
    for gone in gone_projects.find(level.store).projects:
        what = "learnings wait that belong to this folder, which no longer exists"
        yield Finding(WARNING, what, gone, f"if it was this project: {advice}")
