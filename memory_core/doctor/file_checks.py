"""Checks of the files of agent-memory: config.yml, memory files, spool, event log, git."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memory_core.claude_code import agent_names
from memory_core.curation import agent_status
from memory_core.doctor import config_sources
from memory_core.doctor.examination import (
    BROKEN,
    OK,
    WARNING,
    Examination,
    Finding,
    quote_command,
)
from memory_core.document import conflicts, markdown
from memory_core.git import merge_driver
from memory_core.setup import hook_runner
from memory_core.storage import history_file, spool
from memory_core.storage.store import Store
from memory_core.text.phrases import format_count

SUBFOLDERS = ("archive", "quarantine", "history")

# What may have happened to a memory on its way to an agent.
DELIVERY_TEXTS = {"lost": "did not arrive", "doubled": "arrived twice"}


def check_config(exam: Examination) -> Iterator[Finding]:
    """Check that config.yml is valid."""
    project = exam.project
    problems = config_sources.list_problems(project.config, project.place, project.user_place)
    for problem in problems:
        where, _colon, what = problem.partition(": ")
        yield Finding(WARNING, what, where, "correct the line; see agent-memory config show")
    if not problems and os.path.exists(exam.project.place.config):
        yield Finding(OK, "config.yml is valid", exam.project.place.config)


def check_folder(exam: Examination) -> Iterator[Finding]:
    """Check that the folders and files of agent-memory can be read and written."""
    project, place = exam.project, exam.project.place
    path = project.store.folder
    if not os.path.lexists(path):
        yield from _check_parent(path)
        return
    if not os.path.isdir(path):
        yield Finding(BROKEN, "is not a folder", path, "move it away")
        return
    findings = []
    for folder, names in [(path, []), *hook_runner.list_folders(project)]:
        paths = [folder, *(os.path.join(folder, name) for name in names)]
        findings += [_check_rights(exam, path) for path in paths if not os.path.islink(path)]
    wrong = dict.fromkeys(finding for finding in findings if finding)
    yield from wrong
    if not wrong:
        count = format_count(sum(memory.exists for memory in exam.memories), "memory")
        yield Finding(OK, f"can be read and written, {count}", place.relative(path))


def _check_parent(path: str) -> Iterator[Finding]:
    """Check that the memory folder can be created."""
    parent = path
    while not os.path.lexists(parent):
        parent = os.path.dirname(parent)
    if not os.path.isdir(parent):
        yield Finding(BROKEN, f"is not a folder: {path} cannot be created", parent, "move it away")
    elif not os.access(parent, os.W_OK | os.X_OK):
        mend = quote_command("chmod", "u+rwx", parent)
        yield Finding(BROKEN, f"cannot be written: {path} cannot be created", parent, mend)
    else:
        yield Finding(OK, "is created with the first learning", path)


def _check_rights(exam: Examination, path: str) -> Finding | None:
    is_folder = os.path.isdir(path)
    where = exam.project.place.relative(path)
    mend = quote_command("chmod", f"u+rw{'x' if is_folder else ''}", where)
    if not os.access(path, os.R_OK | (os.X_OK if is_folder else 0)):
        return Finding(BROKEN, "cannot be read", where, mend, "rights", path)
    if not os.access(path, os.W_OK):
        # Histories and logs are appended to; all other files are replaced, which needs rights
        # to their folder only.
        level = BROKEN if is_folder or path.endswith(".jsonl") else WARNING
        return Finding(level, "cannot be written", where, mend, "rights", path)
    return None


def check_memories(exam: Examination) -> Iterator[Finding]:
    """Check that memory files and histories can be read: valid, one per agent, no conflicts."""
    project = exam.project
    yield from _check_level(exam, project.store, exam.memories)
    if project.user_place and project.config["user_level"] != "off":
        store = project.level(user=True)
        memories = agent_status.list_memories(project, store)
        yield from _check_level(exam, store, memories, " --user")


def _check_level(
    exam: Examination, store: Store, memories: list[agent_status.MemoryStatus], level: str = ""
) -> Iterator[Finding]:
    """Check the memory files of a level; `level` is the option of commands for it."""
    for memory in memories:
        path = store.path(memory.agent)
        is_protected = os.path.isfile(path) and not os.access(path, os.R_OK)
        if memory.error and not is_protected:  # check_folder reports missing rights
            mend = "check where the link leads" if "link" in memory.error else "check this path"
            yield Finding(BROKEN, memory.error, memory.path, mend)
        for line, warning in memory.warnings:
            where = f"{memory.path}:{line}"
            if warning.startswith(agent_status.CONFLICT_WARNING):
                yield _report_conflict(warning, where, memory.agent, level)
            else:
                yield Finding(WARNING, warning, where, "correct the line by hand")
        others = [os.path.basename(path) for path in store.files(memory.agent)][1:]
        if others:
            what = f"{memory.agent} has more memory files, which are not used: {', '.join(others)}"
            mend = quote_command("agent-memory", "migrate", *level.split(), memory.agent)
            target = f"{memory.agent}{level}"
            yield Finding(WARNING, what, memory.path, mend, "migrate", target)
    for name in SUBFOLDERS:
        folder = os.path.join(store.folder, name)
        if os.path.islink(folder) and not os.path.realpath(folder).startswith(
            os.path.realpath(store.folder) + os.sep
        ):
            what = "is a link out of the memory folder, which is not followed"
            where = exam.project.place.relative(folder)
            yield Finding(BROKEN, what, where, "replace it by a folder")
        elif os.path.isdir(folder) and os.access(folder, os.R_OK):
            for file in sorted(os.listdir(folder)):
                yield from _check_extra_file(exam, os.path.join(folder, file), level)


def _report_conflict(what: str, where: str, agent: str, level: str) -> Finding:
    mend = quote_command("agent-memory", "resolve", *level.split(), agent)
    return Finding(WARNING, what, where, mend, "resolve", f"{agent}{level}")


def _check_extra_file(exam: Examination, path: str, level: str) -> Iterator[Finding]:
    """Check a file of archive/, quarantine/ or history/."""
    where, name = exam.project.place.relative(path), os.path.basename(path)
    if name.endswith(".jsonl"):
        numbers = history_file.find_bad_lines(path)
        if numbers:
            count = format_count(len(numbers), "line")
            what = f"{count} of the history cannot be read"
            yield Finding(WARNING, what, f"{where}:{numbers[0]}", "correct or delete the line")
        return
    agent = agent_names.PM if name == f"{agent_names.PM}.md" else agent_names.agent_of_file(name)
    if agent and _has_conflict(path):
        what = f"{agent_status.CONFLICT_WARNING} is not resolved"
        yield _report_conflict(what, where, agent, level)


def _has_conflict(path: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError:
        return False
    return markdown.CONFLICT_START in text and conflicts.merge_sides(text).text != text


def check_spool(exam: Examination) -> Iterator[Finding]:
    """Check for learnings that are not merged yet, or cannot be merged."""
    for memory in exam.memories:
        if memory.spooled:
            what = f"{memory.spooled} learnings of {memory.agent} are not in its memory yet"
            yield Finding(WARNING, what, memory.path, "agent-memory sweep", "spool", memory.agent)
    for path, fault in spool.find_damaged(exam.project.place):
        what = f"a waiting learning {fault}"
        mend = "correct the file and run agent-memory sweep, or delete it"
        yield Finding(WARNING, what, exam.project.place.relative(path), mend)


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
        place = exam.project.place
        path = place.relative(os.path.join(place.state, "route.json"))
        what = "memory is given by SubagentStart, because another hook overwrote a prompt"
        when = "once the other hook is removed" if exam.foreign_hooks else "no other hook is left"
        mend = f"{when}: {quote_command('rm', path)}"
        yield Finding(WARNING, what, path, mend, "" if exam.foreign_hooks else "route")


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
    what = "git merges memory files as plain text: the merge driver"
    if merge_driver.is_driver_missing(folder):
        where = exam.project.place.relative(os.path.join(folder, ".gitattributes"))
        what = f"{what} is not installed in this clone"
        yield Finding(WARNING, what, where, merge_driver.INSTALL_COMMAND, "driver")
    elif program := merge_driver.find_missing_program(folder):
        what = f"{what}'s program is missing"
        yield Finding(WARNING, what, program, merge_driver.INSTALL_COMMAND, "driver")
