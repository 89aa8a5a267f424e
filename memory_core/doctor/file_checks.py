"""Checks of the content of files: config.yml, memory files, inbox, event log, git."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from memory_core.claude_code import agent_definitions, agent_names
from memory_core.curation import agent_status
from memory_core.delegation import inbox_reports
from memory_core.doctor import config_sources
from memory_core.doctor.examination import BROKEN, NOTE, WARNING, Examination, Finding, Repair
from memory_core.git import driver_notice, merge_driver
from memory_core.git.resolve import resolve_files
from memory_core.monitor.numbers import Numbers
from memory_core.setup import hook_runner
from memory_core.storage import event_log, hook_files, inbox, run_records, user_level
from memory_core.storage.project import Project
from memory_core.storage.store import NOT_TEXT, Store
from memory_core.text.phrases import format_count

# What may have happened to a memory on its way to an agent.
DELIVERY_TEXTS = {"lost": "did not arrive", "doubled": "arrived twice"}


def check_config(exam: Examination) -> Iterator[Finding]:
    """Check that config.yml is valid."""
    project = exam.project
    for problem in config_sources.list_problems(project):
        where, _colon, what = problem.partition(": ")
        severity = WARNING if project.config.is_readable else BROKEN
        yield Finding(severity, what, where, "correct it, then run agent-memory config check")
    for paths in filter(None, (project.paths, project.user_paths)):
        other = os.path.join(paths.folder, "config.yaml")
        if paths.files.is_file(other):
            advice = f"rename it to {paths.config}"
            yield Finding(WARNING, "has no effect: only config.yml is read", other, advice)


def check_memories(exam: Examination) -> Iterator[Finding]:
    """Check that memory files can be read: valid, one per agent, no conflicts."""
    for store in exam.stores:
        is_user = store.paths is not exam.project.paths
        for memory in exam.list_memories(store) if is_user else exam.memories:
            yield from _check_memory(exam, store, memory, is_user)
    for one in resolve_files(exam.project):
        if not (one.agent or one.refused):  # of a task
            repair, advice = partial(_resolve, exam.project), "agent-memory tidy"
            yield Finding(WARNING, agent_status.UNRESOLVED, one.change.path, advice, repair)
    yield from _check_definitions(exam)
    if user_level.is_missing(exam.project):
        what = "the agents of this project do not receive your user-level memory"
        folder = exam.project.level(user=True).folder
        yield Finding(NOTE, what, folder, "if you want them to: agent-memory allow")


def _check_memory(
    exam: Examination, store: Store, memory: agent_status.MemoryStatus, user: bool
) -> Iterator[Finding]:
    """Check the file of one agent."""
    project, option = exam.project, " --user" if user else ""
    if memory.error == NOT_TEXT:
        advice = f"rename the file, or save it as UTF-8; agent-memory log{option} {memory.agent}"
        yield Finding(BROKEN, NOT_TEXT, memory.path, f"{advice} lists its items")
    elif memory.error:
        advice = "check this path and its permissions"
        yield Finding(BROKEN, memory.error, memory.path, advice)
    firsts: dict[str, tuple[int, str]] = {}  # the first line of each problem is enough
    for warning in memory.warnings:
        is_conflict = agent_status.is_conflict(warning)
        firsts.setdefault(agent_status.UNRESOLVED if is_conflict else warning[1], warning)
    for kind, (line, what) in firsts.items():
        advice, repair = "edit the line, and save the file as UTF-8", None
        if kind == agent_status.UNRESOLVED:
            advice = f"agent-memory tidy{option}"
            repair = partial(_resolve, project, [memory.agent], user)
        yield Finding(WARNING, what, f"{memory.path}:{line}", advice, repair)
    for line, note in memory.notes:
        advice = f"agent-memory edit{option} {memory.agent}"
        yield Finding(NOTE, note, f"{memory.path}:{line}", advice)
    others = [os.path.basename(path) for path in store.list_files(memory.agent)][1:]
    if others:
        what = f"{memory.agent} has more memory files, which are not used: {', '.join(others)}"
        yield Finding(
            WARNING, what, memory.path, "move their items into this file, and delete them"
        )


def _check_definitions(exam: Examination) -> Iterator[Finding]:
    """Note the memories that no agent gets, if agents are defined at all."""
    catalog = agent_definitions.AgentCatalog(exam.root, exam.environ)
    if not catalog.definitions or catalog.unread:
        return
    unused = [
        memory
        for memory in exam.memories
        if memory.exists and memory.agent != agent_names.PM and not catalog.has(memory.agent)
    ]
    if unused:
        names = ", ".join(memory.agent for memory in unused)
        what = f"nobody gets these memories, because no agents of these names are defined: {names}"
        advice = "define them, or agent-memory rename OLD NEW, or agent-memory delete AGENT"
        yield Finding(NOTE, what, os.path.dirname(unused[0].path), advice)


def check_inbox(exam: Examination) -> Iterator[Finding]:
    """Check for reports that are not merged yet, or cannot be read."""
    for memory in exam.memories:
        if memory.unmerged:
            count = format_count(memory.unmerged, "report")
            what = f"not merged into the memory of {memory.agent} yet: {count}"
            repair = partial(_empty_inbox, exam.project)
            yield Finding(WARNING, what, memory.path, "agent-memory tidy", repair)
    paths = exam.project.paths
    for path in hook_files.list_unreadable(paths):
        advice = f"correct it and move it to {paths.state.locate(inbox.FOLDER)}, or delete it"
        yield Finding(WARNING, "a report cannot be read", paths.state.locate(path), advice)


def check_deliveries(exam: Examination) -> Iterator[Finding]:
    """Check that the last memory arrived, and for errors of hooks after it."""
    newest, log = None, exam.project.paths.state.locate(event_log.FILE_NAME)
    with suppress(OSError):  # see `check_state`
        newest = Numbers(exam.project).runs.last_delivery
    if newest and newest.verdict in DELIVERY_TEXTS:
        text = DELIVERY_TEXTS[newest.verdict]
        what = f"the last memory {text}: that of {newest.agent} at {newest.timestamp}"
        advice = "see whether a hook of your settings or of a plugin changes prompts, too"
        yield Finding(WARNING, what, log, advice)
    if exam.are_prompts_lost:
        path = exam.project.paths.state.locate(run_records.ROUTE_FILE)
        what = "memory is given by SubagentStart, because another hook overwrote a prompt"
        advice = f"once that hook is removed: {shlex.join(['rm', path])}"
        yield Finding(WARNING, what, path, advice)
    if errors := hook_runner.list_errors(exam.project, newest.timestamp if newest else ""):
        what = f"{format_count(len(errors), 'error')} of hooks, the last one: {errors[-1]}"
        advice = "see the lines with agent.memory.error; the next delivery clears this"
        yield Finding(WARNING, what, log, advice)


def check_merge_driver(exam: Examination) -> Iterator[Finding]:
    """Check that git uses the merge driver, if .gitattributes names it."""
    folder = exam.project.store.folder
    if driver_notice.is_driver_missing(folder):
        where = exam.project.paths.relative(os.path.join(folder, ".gitattributes"))
        reason = "the merge driver is not installed in this clone"
        what = f"git merges memory files as plain text: {reason}"
        repair = partial(_install_driver, exam.project)
        yield Finding(WARNING, what, where, driver_notice.INSTALL_COMMAND, repair)


# Repairs; findings that need a decision of a person have none.


def _empty_inbox(project: Project) -> Iterator[Repair]:
    """Merge the reports that wait."""
    before = len(hook_files.list_names(project.paths))
    inbox_reports.drain(project, with_tried=True)
    left = len(hook_files.list_names(project.paths))
    where, merged = project.paths.relative(project.store.folder), before - left
    if merged:
        yield Repair(f"{format_count(merged, 'report')} merged", where, "agent-memory undo")
    elif left:
        yield Repair("reports merged", where, error="the event log says why they are not merged")


def _resolve(project: Project, agents: Sequence[str] = (), user: bool = False) -> Iterator[Repair]:
    """Keep both sides of the conflicts in the files of these agents, or in all files."""
    for resolution in resolve_files(project, agents, user, write=True):
        change, error = resolution.change, resolution.refused
        diff = "" if error else change.diff()
        yield Repair("conflict resolved, both sides kept", change.path, diff=diff, error=error)


def _install_driver(project: Project) -> Iterator[Repair]:
    """Install git's merge driver in this clone."""
    merge_driver.install(project)
    where, undo = project.paths.relative(project.store.folder), "agent-memory git uninstall"
    yield Repair("merge driver installed in this clone", where, undo)
