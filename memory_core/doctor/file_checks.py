"""Checks of the files of agent-memory: config.yml, memory files, spool, event log, git."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from memory_core.claude_code import agent_names
from memory_core.curation import agent_status
from memory_core.doctor import config_sources, repairs
from memory_core.doctor.examination import BROKEN, OK, WARNING, Examination, Finding
from memory_core.document import conflicts
from memory_core.git import merge_driver
from memory_core.memory import maintained_files
from memory_core.setup import hook_runner
from memory_core.storage import file_io, history_file, spool
from memory_core.storage.store import Store
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
        yield Finding(WARNING, what, where, "correct the line; see agent-memory config show")
    if not problems and os.path.exists(exam.project.paths.config):
        yield Finding(OK, "config.yml is valid", exam.project.paths.config)


def check_folder(exam: Examination) -> Iterable[Finding]:
    """Check that the folders and files of agent-memory can be read and written."""
    project, folder = exam.project, Path(exam.project.store.folder)
    paths = [folder]
    for name, files in hook_runner.list_folders(project):
        paths += [Path(name), *(Path(name, file) for file in files)]
    # os.path, because Path.exists fails below a closed folder.
    present = [path for path in paths if os.path.exists(path) and not path.is_symlink()]
    if not os.path.exists(folder):
        present.append(next(parent for parent in folder.parents if os.path.exists(parent)))
    elif not folder.is_dir():
        return [Finding(BROKEN, "is not a folder", str(folder), "move it away")]
    wrong = [
        finding for path in dict.fromkeys(present) if (finding := _check_rights(exam, path, folder))
    ]
    count = format_count(sum(memory.exists for memory in exam.memories), "memory")
    what = f"can be read and written, {count}"
    return wrong or [Finding(OK, what, project.paths.relative(str(folder)))]


def _check_rights(exam: Examination, path: Path, folder: Path) -> Finding | None:
    """Check a file, a folder, or the path in which the memory folder is to be created."""
    where, is_parent = exam.project.paths.relative(str(path)), path in folder.parents
    if is_parent and not path.is_dir():
        what = f"is not a folder: {folder} cannot be created"
        return Finding(BROKEN, what, where, "move it away")
    advice = shlex.join(["chmod", f"u+rw{'x' if path.is_dir() else ''}", where])
    repair = None if is_parent else partial(repairs.add_rights, path, where)
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        return Finding(BROKEN, "cannot be read", where, advice, repair)
    if not os.access(path, os.W_OK):
        # Histories and logs are appended to; all other files are replaced, which needs rights
        # to their folder only.
        level = BROKEN if path.is_dir() or path.suffix == ".jsonl" else WARNING
        return Finding(level, "cannot be written", where, advice, repair)
    return None


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
        path = store.path(memory.agent)
        is_protected = os.path.isfile(path) and not os.access(path, os.R_OK)
        if memory.error and not is_protected:  # check_folder reports missing rights
            yield Finding(BROKEN, memory.error, memory.path, "check this path")
        for line, warning in memory.warnings:
            where = f"{memory.path}:{line}"
            if warning.startswith(agent_status.CONFLICT_WARNING):
                yield _report_conflict(exam, warning, where, memory.agent, user)
            else:
                yield Finding(WARNING, warning, where, "correct the line by hand")
        others = [os.path.basename(path) for path in store.files(memory.agent)][1:]
        if others:
            what = f"{memory.agent} has more memory files, which are not used: {', '.join(others)}"
            repair = partial(repairs.migrate, exam.project, memory.agent, user)
            advice = _format_command("migrate", memory.agent, user)
            yield Finding(WARNING, what, memory.path, advice, repair)
    for name in maintained_files.SUBFOLDERS:
        for file in sorted(Path(store.folder, name).glob("*")):
            yield from _check_extra_file(exam, file, user)


def _format_command(name: str, agent: str, user: bool) -> str:
    return f"agent-memory {name} {'--user ' if user else ''}{agent}"


def _report_conflict(exam: Examination, what: str, where: str, agent: str, user: bool) -> Finding:
    repair = partial(repairs.resolve, exam.project, agent, user)
    return Finding(WARNING, what, where, _format_command("resolve", agent, user), repair)


def _check_extra_file(exam: Examination, path: Path, user: bool) -> Iterator[Finding]:
    """Check a file of archive/, quarantine/ or history/."""
    where = exam.project.paths.relative(str(path))
    if path.suffix == ".jsonl":
        numbers = history_file.find_bad_lines(str(path))
        if numbers:
            what = f"{format_count(len(numbers), 'line')} of the history cannot be read"
            yield Finding(WARNING, what, f"{where}:{numbers[0]}", "correct or delete the line")
        return
    agent, text = agent_names.agent_of_file(path.name), file_io.read_text(str(path))
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
        paths = exam.project.paths
        path = paths.relative(os.path.join(paths.state, "route.json"))
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
