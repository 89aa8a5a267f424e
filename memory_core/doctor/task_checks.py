"""Checks of task memories, in projects that use Backlog.md."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memory_core.curation import agent_status
from memory_core.doctor.examination import OK, WARNING, Examination, Finding
from memory_core.document import markdown
from memory_core.files.safe_files import Refused
from memory_core.tasks import backlog_folder, claude_md_import, lifecycle, task_actions, task_status
from memory_core.text import markdown_lines
from memory_core.text.phrases import format_count

STATUS_COMMAND = "agent-memory task status"
REMOVE_COMMAND = "agent-memory task init --remove"


def check_task_memory(exam: Examination) -> Iterator[Finding]:
    """Check that task memories can be read, and that CLAUDE.md imports the active one."""
    folder = backlog_folder.Folder(exam.project.paths.files)
    is_set_up = claude_md_import.is_set_up(folder)
    if not (folder.exists or is_set_up):
        return
    findings: list[Finding] = []
    try:
        findings += _check_state(folder)
        if exam.project.config["tasks"]["enabled"]:
            findings += _check_memories(exam, folder)
        if is_set_up:
            findings += _check_imports(exam, folder)
    except OSError as error:
        findings += _report_unreadable(exam, folder.relative(str(error.filename)), error)
    backlog = f"{folder.relative(folder.path)}/"
    if not findings and not any(where.startswith(backlog) for where in exam.refused):
        findings = [_report_ok(exam)]
    yield from findings


def _report_unreadable(exam: Examination, where: str, error: OSError) -> Iterator[Finding]:
    if isinstance(error, Refused):
        if where not in exam.refused:  # check_paths reports those
            yield Finding(WARNING, error.reason, where, "replace it by a regular file")
    else:
        what, advice = f"cannot be read: {error.strerror}", "check this path and its permissions"
        yield Finding(WARNING, what, where, advice)


def _report_ok(exam: Examination) -> Finding:
    status = task_status.read_status(exam.project)
    count = format_count(sum(status.counts.values()), "task")
    what = f"the memories of {count} can be read"
    if status.active:
        what += f", {status.active.id} is active"
        what += ", CLAUDE.md imports it" if status.imported else ""
    return Finding(OK, what, status.folder)


def _check_state(folder: backlog_folder.Folder) -> Iterator[Finding]:
    """Check that the file with the active task is valid; raises OSError."""
    path = os.path.join(folder.path, backlog_folder.STATE_NAME)
    if not folder.files.is_file(path):
        return
    text = folder.read_file(path)
    has_list = isinstance(folder.state().get("in_progress"), list)
    if not has_list or markdown_lines.CONFLICT_START in text:
        what, advice = "is invalid, so the active task is not known", "agent-memory task start ID"
        yield Finding(WARNING, what, folder.relative(path), f"{advice} writes a new file")


def _check_memories(exam: Examination, folder: backlog_folder.Folder) -> Iterator[Finding]:
    """Check that task memories can be read and have no conflicts."""
    paths = [path for archived in (False, True) for path in folder.memories(archived).values()]
    for path in paths:
        where = folder.relative(path)
        try:
            text = lifecycle.read_memory(folder, path).text
        except OSError as error:
            yield from _report_unreadable(exam, where, error)
            continue
        if markdown_lines.CONFLICT_START not in text:
            continue  # parsing all memories would be slow
        for line, warning in markdown.parse_document(text).warnings:
            if warning.startswith(agent_status.CONFLICT_WARNING):
                yield Finding(WARNING, warning, f"{where}:{line}", "merge both sides by hand")
                break


def _check_imports(exam: Examination, folder: backlog_folder.Folder) -> Iterator[Finding]:
    """Check that sessions import the memory of the active task, and no other; raises OSError."""
    own = os.path.join(folder.path, claude_md_import.CLAUDE_FILE)
    if not exam.project.config["tasks"]["enabled"]:
        if claude_md_import.list_imports(folder):
            what = "imports a task memory, although task memory is switched off"
            yield Finding(WARNING, what, folder.relative(own), REMOVE_COMMAND)
        return
    active = task_actions.find_active(exam.project)
    for path, *_texts in claude_md_import.plan_set_up(exam.project):
        what, advice = "still imports the memory of a finished task", STATUS_COMMAND
        if path != own:
            what, advice = f"does not import {folder.relative(own)}", "agent-memory task init"
        elif active:
            what = f"does not import the memory of {active.id}"
        yield Finding(WARNING, what, folder.relative(path), advice)
