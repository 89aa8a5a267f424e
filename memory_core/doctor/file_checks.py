"""Checks of the content of files: config.yml, memory files, spool, event log, git."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from functools import partial

from memory_core.claude_code import agent_names
from memory_core.curation import agent_status
from memory_core.doctor import config_sources, repairs
from memory_core.doctor.examination import BROKEN, OK, WARNING, Examination, Finding
from memory_core.document import conflicts
from memory_core.git import merge_driver
from memory_core.setup import hook_runner
from memory_core.storage import run_records, spool
from memory_core.storage.history_file import HistoryFile
from memory_core.storage.store import MAX_DATED_BYTES, Store
from memory_core.text import markdown_lines
from memory_core.text.phrases import format_count

# What may have happened to a memory on its way to an agent.
DELIVERY_TEXTS = {"lost": "did not arrive", "doubled": "arrived twice"}


def check_config(exam: Examination) -> Iterator[Finding]:
    """Check that config.yml is valid."""
    project = exam.project
    problems = config_sources.list_problems(project.config, project.paths, project.user_paths)
    for problem in problems:
        where, _colon, what = problem.partition(": ")
        if project.paths.relative(where) not in exam.refused:
            yield Finding(WARNING, what, where, "correct the line; see agent-memory config show")
    if not problems and project.paths.files.is_file(project.paths.config):
        yield Finding(OK, "config.yml is valid", project.paths.config)


def check_memories(exam: Examination) -> Iterator[Finding]:
    """Check that memory files and histories can be read: valid, one per agent, no conflicts."""
    project = exam.project
    yield from _check_level(exam, project.store, exam.memories)
    if project.user_paths and project.config["user_level"] != "off":
        store = project.level(user=True)
        yield from _check_level(exam, store, agent_status.list_memories(project, store), user=True)


def _check_level(
    exam: Examination, store: Store, memories: list[agent_status.MemoryStatus], user: bool = False
) -> Iterator[Finding]:
    """Check the memory files of a level."""
    for memory in memories:
        path, files = store.path(memory.agent), store.files
        is_protected = files.is_file(path) and not files.is_allowed(path, os.R_OK)
        # check_folder reports missing rights, and check_paths what is refused.
        reasons = {error.reason for error in exam.refused.values()}
        if memory.error and not is_protected and not memory.error.endswith(tuple(reasons)):
            yield Finding(BROKEN, memory.error, memory.path, "check this path")
        for line, warning in memory.warnings:
            where = f"{memory.path}:{line}"
            if warning.startswith(agent_status.CONFLICT_WARNING):
                yield _report_conflict(exam, warning, where, memory.agent, user)
            else:
                yield Finding(WARNING, warning, where, "correct the line by hand")
        others = [os.path.basename(path) for path in store.list_files(memory.agent)][1:]
        if others:
            what = f"{memory.agent} has more memory files, which are not used: {', '.join(others)}"
            repair = partial(repairs.migrate, exam.project, memory.agent, user)
            advice = _format_command("migrate", memory.agent, user)
            yield Finding(WARNING, what, memory.path, advice, repair)
    for agent in filter(None, store.agents_with_history()):
        yield from _check_history(exam, store.history(agent))
    archive = os.path.dirname(store.archive_path(agent_names.PM))
    for name in store.files.list_names(archive):
        yield from _check_archive(exam, store, os.path.join(archive, name), user)


def _format_command(name: str, agent: str, user: bool) -> str:
    return f"agent-memory {name} {'--user ' if user else ''}{agent}"


def _report_conflict(exam: Examination, what: str, where: str, agent: str, user: bool) -> Finding:
    repair = partial(repairs.resolve, exam.project, agent, user)
    return Finding(WARNING, what, where, _format_command("resolve", agent, user), repair)


def _check_history(exam: Examination, history: HistoryFile) -> Iterator[Finding]:
    numbers = history.find_bad_lines()
    if numbers:
        where = exam.project.paths.relative(history.path)
        what = f"{format_count(len(numbers), 'line')} of the history cannot be read"
        yield Finding(WARNING, what, f"{where}:{numbers[0]}", "correct or delete the line")


def _check_archive(exam: Examination, store: Store, path: str, user: bool) -> Iterator[Finding]:
    where = exam.project.paths.relative(path)
    agent = agent_names.agent_of_file(os.path.basename(path))
    text = store.files.read_text(path, MAX_DATED_BYTES)
    if agent and markdown_lines.CONFLICT_START in text and conflicts.merge_sides(text).text != text:
        what = f"{agent_status.CONFLICT_WARNING} is not resolved"
        yield _report_conflict(exam, what, where, agent, user)


def check_spool(exam: Examination) -> Iterator[Finding]:
    """Check for learnings that are not merged yet, or cannot be merged."""
    for memory in exam.memories:
        if memory.spooled:
            what = f"{memory.spooled} learnings of {memory.agent} are not in its memory yet"
            repair = partial(repairs.merge_spool, exam.project, memory.agent)
            yield Finding(WARNING, what, memory.path, "agent-memory sweep", repair)
    for path, fault in spool.find_damaged(exam.project.paths):
        what = f"a waiting learning {fault}"
        advice = "correct the file and run agent-memory sweep, or delete it"
        yield Finding(WARNING, what, exam.project.paths.relative(path), advice)


def check_deliveries(exam: Examination) -> Iterator[Finding]:
    """Check whether the memories of the last week arrived."""
    deliveries = [
        delivery
        for delivery in agent_status.list_deliveries(exam.project)
        if delivery.timestamp >= exam.since
    ]
    for verdict, text in DELIVERY_TEXTS.items():
        matches = [delivery for delivery in deliveries if delivery.verdict == verdict]
        if matches:
            last = matches[-1]
            what = f"{len(matches)} of {len(deliveries)} memories in a week {text}"
            what += f", the last one to {last.agent} at {last.timestamp}"
            yield Finding(WARNING, what, exam.log_path, "see the findings of other-hooks")
    if deliveries and all(delivery.verdict == "delivered" for delivery in deliveries):
        what = f"all {len(deliveries)} memories in a week arrived"
        yield Finding(OK, what, exam.log_path)
    if exam.are_prompts_lost:
        path = exam.project.paths.state.locate(run_records.ROUTE_FILE)
        what = "memory is given by SubagentStart, because another hook overwrote a prompt"
        if exam.foreign_hooks:
            advice = f"once the other hook is removed: {shlex.join(['rm', path])}"
            yield Finding(WARNING, what, path, advice)
        else:
            advice = f"no other hook is left: {shlex.join(['rm', path])}"
            yield Finding(WARNING, what, path, advice, partial(repairs.use_prompts, exam.project))


def check_errors(exam: Examination) -> Iterator[Finding]:
    """Check for errors that hooks logged."""
    errors = hook_runner.list_errors(exam.project, exam.since)
    if errors:
        count = format_count(len(errors), "error")
        what = f"{count} in a week, the last one: {errors[-1]}"
        yield Finding(WARNING, what, exam.log_path, "see the lines with agent.memory.error")


def check_merge_driver(exam: Examination) -> Iterator[Finding]:
    """Check that git uses the merge driver, if .gitattributes names it."""
    folder = exam.project.store.folder
    if merge_driver.is_driver_missing(folder):
        where = exam.project.paths.relative(os.path.join(folder, ".gitattributes"))
        reason = "the merge driver is not installed in this clone"
    elif where := merge_driver.find_missing_program(folder):
        reason = "the merge driver's program is missing"
    else:
        return
    what = f"git merges memory files as plain text: {reason}"
    repair = partial(repairs.install_driver, exam.project)
    yield Finding(WARNING, what, where, merge_driver.INSTALL_COMMAND, repair)
