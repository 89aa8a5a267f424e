"""Checks of the content of files: config.yml, memory files, inbox, event log, git."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from functools import partial

from memory_core.claude_code import agent_definitions, agent_names
from memory_core.curation import agent_status
from memory_core.doctor import config_sources, repairs
from memory_core.doctor.examination import BROKEN, NOTE, OK, WARNING, Examination, Finding
from memory_core.document import conflicts
from memory_core.git import driver_notice, merge_driver
from memory_core.monitor.log_numbers import count_log
from memory_core.origin import text_origins
from memory_core.setup import hook_runner
from memory_core.storage import hook_files, inbox, run_records
from memory_core.storage.history_file import HistoryFile
from memory_core.storage.store import MAX_DATED_BYTES, NOT_TEXT, Store, is_text
from memory_core.text import markdown_lines, sanitize
from memory_core.text.phrases import format_count

# What may have happened to a memory on its way to an agent.
DELIVERY_TEXTS = {"lost": "did not arrive", "doubled": "arrived twice"}

# Items from elsewhere that are listed, and how many characters of each.
MAX_LISTED, MAX_SHOWN = 20, 100


def check_config(exam: Examination) -> Iterator[Finding]:
    """Check that config.yml is valid."""
    project = exam.project
    problems = config_sources.list_problems(project.config, project.paths, project.user_paths)
    for problem in problems:
        where, _colon, what = problem.partition(": ")
        if project.paths.relative(where) not in exam.refused:
            level = WARNING if project.config.is_readable else BROKEN
            advice = "correct it, then run agent-memory config check"
            yield Finding(level, what, where, advice)
    for paths in filter(None, (project.paths, project.user_paths)):
        other = os.path.join(paths.folder, "config.yaml")
        if paths.files.is_file(other):
            advice = f"rename it to {paths.config}"
            yield Finding(WARNING, "has no effect: only config.yml is read", other, advice)
    if not problems and project.paths.files.is_file(project.paths.config):
        yield Finding(OK, "config.yml is valid", project.paths.config)


def check_memories(exam: Examination) -> Iterator[Finding]:
    """Check that memory files and histories can be read: valid, one per agent, no conflicts."""
    project = exam.project
    yield from _check_level(exam, project.store, exam.memories)
    if project.user_paths and project.config["user_level"] != "off":
        store = project.level(user=True)
        yield from _check_level(exam, store, agent_status.list_memories(project, store), user=True)
    yield from _check_origins(exam)


def _check_level(
    exam: Examination, store: Store, memories: list[agent_status.MemoryStatus], user: bool = False
) -> Iterator[Finding]:
    """Check the memory files of a level."""
    project = exam.project
    for memory in memories:
        path, files = store.path(memory.agent), store.files
        is_protected = files.is_file(path) and not files.is_allowed(path, os.R_OK)
        # check_folder reports missing rights, and check_paths what is refused.
        reasons = {error.reason for error in exam.refused.values()}
        if memory.error == NOT_TEXT:
            log, restore = (
                _format_command(name, memory.agent, user) for name in ("log", "restore")
            )
            advice = f"rename the file; {log} lists its items, and {restore} ITEM brings one back"
            yield _report_not_text(store, path, memory.path, advice)
        elif memory.error and not is_protected and not memory.error.endswith(tuple(reasons)):
            is_history = memory.error.startswith(agent_status.HISTORY_ERROR)
            where = store.history(memory.agent).path if is_history else memory.path
            advice = "check this path and its permissions"
            yield Finding(BROKEN, memory.error, project.paths.relative(where), advice)
        yield from _check_lines(exam, memory, user)
        for line, note in memory.notes:
            advice = _format_command("edit", memory.agent, user)
            yield Finding(NOTE, note, f"{memory.path}:{line}", advice)
        others = [os.path.basename(path) for path in store.list_files(memory.agent)][1:]
        if others:
            what = f"{memory.agent} has more memory files, which are not used: {', '.join(others)}"
            repair = partial(repairs.migrate, exam.project, memory.agent, user)
            yield Finding(WARNING, what, memory.path, _advise_tidy(user), repair)
    if not user:
        yield from _check_definitions(exam)
    for agent in filter(None, store.agents_with_history()):
        yield from _check_history(exam, store.history(agent))
    archive = os.path.dirname(store.archive_path(agent_names.PM))
    for name in store.files.list_names(archive):
        yield from _check_archive(exam, store, os.path.join(archive, name), user)


def _check_definitions(exam: Examination) -> Iterator[Finding]:
    """Note the memories that no agent gets, if agents are defined at all."""
    catalog = agent_definitions.AgentCatalog(exam.root, exam.environ)
    if not agent_definitions.read_agents(exam.root, exam.environ) or catalog.unread:
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


def _check_lines(
    exam: Examination, memory: agent_status.MemoryStatus, user: bool
) -> Iterator[Finding]:
    """Report the first line of each problem in a memory file."""
    first: dict[str, tuple[int, str]] = {}
    for warning in memory.warnings:
        kind = agent_status.CONFLICT_WARNING if agent_status.is_conflict(warning) else warning[1]
        first.setdefault(kind, warning)
    for kind, (line, what) in first.items():
        where = f"{memory.path}:{line}"
        if kind == agent_status.CONFLICT_WARNING:
            yield _report_conflict(exam, what, where, memory.agent, user)
        else:
            yield Finding(WARNING, what, where, "edit the line, and save the file as UTF-8")


def _report_not_text(store: Store, path: str, where: str, advice: str) -> Finding:
    repair = partial(repairs.convert_to_utf8, store.files, path, where)
    is_utf16 = repairs.read_utf16(store.files, path) is not None
    return Finding(BROKEN, NOT_TEXT, where, advice, repair if is_utf16 else None)


def _format_command(name: str, agent: str, user: bool) -> str:
    return f"agent-memory {name} {'--user ' if user else ''}{agent}"


def _advise_tidy(user: bool) -> str:
    return "agent-memory tidy --user" if user else "agent-memory tidy"


def _report_conflict(exam: Examination, what: str, where: str, agent: str, user: bool) -> Finding:
    repair = partial(repairs.resolve, exam.project, agent, user)
    return Finding(WARNING, what, where, _advise_tidy(user), repair)


def _check_history(exam: Examination, history: HistoryFile) -> Iterator[Finding]:
    numbers = history.find_bad_lines()
    if numbers:
        where = exam.project.paths.relative(history.path)
        what = f"{format_count(len(numbers), 'line')} of the history cannot be read"
        yield Finding(WARNING, what, f"{where}:{numbers[0]}", "correct or delete the line")


def _check_archive(exam: Examination, store: Store, path: str, user: bool) -> Iterator[Finding]:
    where = exam.project.paths.relative(path)
    agent = agent_names.agent_of_file(os.path.basename(path))
    data = store.files.read(path, MAX_DATED_BYTES) if where not in exam.refused else b""
    if not is_text(data):
        advice = "save it as UTF-8, or move it away: until then learnings may wait"
        yield _report_not_text(store, path, where, advice)
        return
    text = data.decode("utf-8", "replace")
    if agent and markdown_lines.CONFLICT_START in text and conflicts.merge_sides(text).text != text:
        what = f"{agent_status.CONFLICT_WARNING} is not resolved"
        yield _report_conflict(exam, what, where, agent, user)


def _check_origins(exam: Examination) -> Iterator[Finding]:
    """Note the items that nobody has reviewed, and a user-level memory that agents do not get."""
    project = exam.project
    if new := text_origins.list_reported(project, project.store):
        what = text_origins.describe_reported(project, len(new))
        yield Finding(NOTE, what, project.store.folder, "agent-memory review --new")
        for item in new[:MAX_LISTED]:
            text = sanitize.shorten(sanitize.join_visible(item.text), MAX_SHOWN)
            yield Finding(
                NOTE, f"one of them, of {item.agent}: {text}", project.store.path(item.agent)
            )
    users = project.level(user=True)
    is_off = project.user_paths is None or project.config["user_level"] == "off"
    if not is_off and not project.gives_user_level() and users.agents():
        what = "the agents of this project do not receive your user-level memory"
        yield Finding(NOTE, what, users.folder, "if you want them to: agent-memory allow")


def check_inbox(exam: Examination) -> Iterator[Finding]:
    """Check for reports that are not merged yet, or cannot be read."""
    for memory in exam.memories:
        if memory.unmerged:
            count = format_count(memory.unmerged, "report")
            what = f"not merged into the memory of {memory.agent} yet: {count}"
            repair = partial(repairs.empty_inbox, exam.project)
            yield Finding(WARNING, what, memory.path, "agent-memory tidy", repair)
    paths = exam.project.paths
    for path in hook_files.list_unreadable(paths):
        advice = f"correct it and move it to {paths.state.locate(inbox.FOLDER)}, or delete it"
        yield Finding(WARNING, "a report cannot be read", paths.state.locate(path), advice)


def check_deliveries(exam: Examination) -> Iterator[Finding]:
    """Check whether the memories of the last week arrived."""
    log = count_log(exam.project, exam.since)
    total, newest = log.total(), log.find_last()
    for verdict, text in DELIVERY_TEXTS.items():
        count, last = getattr(total, verdict), log.find_last(verdict)
        if last:
            what = f"{count} of {total.checked} memories in a week {text}"
            what += f", the last one to {last.agent} at {last.timestamp}"
            level = WARNING if last == newest else NOTE
            yield Finding(level, what, exam.log_path, "see the findings of other-hooks")
    if total.delivered and total.delivered == total.checked:
        what = f"all {total.checked} memories in a week arrived"
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
    """Check for errors that hooks logged; a delivery after the last one shows that it is over."""
    errors = hook_runner.list_errors(exam.project, exam.since)
    if errors:
        last = count_log(exam.project).find_last()
        since = last.timestamp if last else ""
        level = WARNING if hook_runner.list_errors(exam.project, since) else NOTE
        count = format_count(len(errors), "error")
        what = f"{count} in a week, the last one: {errors[-1]}"
        advice = "see the lines with agent.memory.error; the next delivery clears this"
        yield Finding(level, what, exam.log_path, advice)


def check_merge_driver(exam: Examination) -> Iterator[Finding]:
    """Check that git uses the merge driver, if .gitattributes names it."""
    folder = exam.project.store.folder
    if driver_notice.is_driver_missing(folder):
        where = exam.project.paths.relative(os.path.join(folder, ".gitattributes"))
        reason = "the merge driver is not installed in this clone"
    elif exam.faults:
        return  # the program is missing for the hooks as well
    elif where := merge_driver.find_missing_program(folder):
        reason = "the merge driver's program is missing"
    else:
        return
    what = f"git merges memory files as plain text: {reason}"
    repair = partial(repairs.install_driver, exam.project)
    yield Finding(WARNING, what, where, driver_notice.INSTALL_COMMAND, repair)
