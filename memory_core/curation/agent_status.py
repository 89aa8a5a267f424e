"""Report the state of a project: sizes of memories, deliveries, and problems."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from memory_core.claude_code import agent_names, settings_files
from memory_core.curation import lookup
from memory_core.document import contradictions, markdown, merge_learnings
from memory_core.document.template import list_counted_sections
from memory_core.files import file_actions, stale_items
from memory_core.history import item_history, rights
from memory_core.memory.agent_memory import find_limits
from memory_core.monitor import gone_projects
from memory_core.monitor.numbers import Counts, Numbers
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.selection import passages, splitting
from memory_core.storage import config, event_log
from memory_core.storage.database import state_db
from memory_core.storage.database.run_table import RECENT_RUNS, Delivery, RecentUse
from memory_core.storage.project import Project
from memory_core.storage.store import FileSnapshot, Store
from memory_core.text import markdown_lines
from memory_core.text.phrases import format_count
from memory_core.text.times import format_utc

# Number of weeks in a trend, which counts new items; the last week ends today.
TREND_WEEKS = 8

# Maximum number of notes on one memory in `status`; `doctor` shows all.
MAX_NOTES = 3

UNRESOLVED = "a merge conflict is not resolved"  # the start of markdown's warning
ODD_LINES = "some lines could not be parsed as you probably meant"
DOCTOR_COMMAND = "agent-memory doctor"

# What to do in a project without a memory.
USER_STEP = "agent-memory add AGENT TEXT --user"
INSTALL_STEP = "agent-memory install"
START_STEP = "start a new Claude Code session; the first learning of an agent creates its memory"


class StaleItem(NamedTuple):
    """An item that may be out of date; `text` has its nested lines.

    `gone` has the reasons by the files, commands and symbols that are gone: {"src/x.py": "src/x.py
    is gone"}.
    """

    agent: str
    id: str
    text: str
    gone: dict[str, str]


class MemoryStatus(NamedTuple):
    """The numbers of one agent's memory; `error` says why it or its history is unreadable.

    `size` and `limit` are in bytes, `changed` in seconds since 1970 (0 without a file).
    `review` counts learnings that wait for a person, `unmerged` reports that are not merged yet.
    `warnings` are (line, sentence), and so are `notes`: limits that are reached, and items that
    agents do not receive because others contradict them.  `trend` counts the items learned in each
    of the last weeks, oldest first; `stale` are the items that may be out of date.  `recent` is
    about the last runs, and `never` has the texts of a person that none of them received.
    """

    agent: str
    path: str
    size: int
    limit: int
    sections: int
    items: int
    changed: float
    review: int
    unmerged: int
    warnings: list[tuple[int, str]]
    notes: list[tuple[int, str]]
    error: str
    trend: list[int]
    stale: list[StaleItem]
    recent: RecentUse
    never: list[str]

    @property
    def exists(self) -> bool:
        return bool(self.changed)


def is_conflict(warning: tuple[int, str]) -> bool:
    """Say whether a warning is about a merge conflict."""
    return warning[1].startswith(UNRESOLVED)


def list_memories(numbers: Numbers) -> list[MemoryStatus]:
    """Return the memories of a level, and agents that have only learnings to merge or review."""
    agents = lookup.sort_agents(numbers.agents_with_files())
    return [read_memory_status(numbers, agent) for agent in agents]


def read_memory_status(numbers: Numbers, agent: str) -> MemoryStatus:
    """Return the numbers of one memory; a file that cannot be read is an `error`."""
    project, store = numbers.project, numbers.store
    history, recent = numbers.history(agent), numbers.recent(agent)
    snapshot, error = _read(store, agent)
    history_error = f"its history: {history.problem}" if history.problem else ""
    text = snapshot.text if snapshot else ""
    document = markdown.parse_document(text)
    return MemoryStatus(
        agent=agent,
        path=project.paths.relative(snapshot.path if snapshot else store.path(agent)),
        size=len(text.encode("utf-8", "surrogateescape")),
        limit=find_limits(project, agent, store).size,
        sections=len(list_counted_sections(document)),
        items=len(document.items),
        changed=snapshot.changed if snapshot else 0.0,
        review=len(numbers.waiting(agent)),
        unmerged=numbers.unmerged(agent),
        warnings=[*document.warnings, *_check_bytes(text)],
        notes=list(_list_notes(project, store, agent, document)),
        error=error or history_error,
        trend=numbers.learned_by_week(agent, TREND_WEEKS),
        stale=list(_find_stale(project, store, agent, document)),
        recent=recent,
        never=_list_never_given(project, store, document, agent, recent),
    )


def _list_never_given(
    project: Project, store: Store, document: markdown.Document, agent: str, recent: RecentUse
) -> list[str]:
    """Return the items of a person that the last runs did not receive; [] of too few runs.

    Items that were written after the first of these runs do not count.
    """
    texts = [item.text for item in document.items]
    missed = [text for text in texts if item_history.id_of(text) not in recent.given]
    if not missed or recent.runs < RECENT_RUNS or store.paths is not project.paths:
        return []
    try:
        judged = text_origins.list_texts(project, store, agent, looks=False)
    except OSError:
        return []
    origins = text_origins.read_origins(store, agent)
    own = {
        one.text
        for one in judged
        if one.origin in rights.WRITTEN_HERE
        and format_utc(origins.find_time(one.text, one.nested)) < recent.since
    }
    return [text for text in missed if text in own]


def list_stale(project: Project, store: Store, agents: Iterable[str] = ()) -> Iterator[StaleItem]:
    """Yield the items that name something which is gone; default: of all agents."""
    for agent in lookup.sort_agents(agents or store.agents()):
        snapshot, _error = _read(store, agent)
        document = markdown.parse_document(snapshot.text if snapshot else "")
        yield from _find_stale(project, store, agent, document)


def _find_stale(
    project: Project, store: Store, agent: str, document: markdown.Document
) -> Iterator[StaleItem]:
    if store.paths is not project.paths:
        return  # what an item of the user's level names is of any project
    for item in document.items:
        text = markdown.join_nested(item.text, item.nested)
        if gone := stale_items.find_gone(project.paths.files, text):
            yield StaleItem(agent, item_history.id_of(item.text), text, gone)


def _read(store: Store, agent: str) -> tuple[FileSnapshot | None, str]:
    try:
        return read_file(store, agent), ""
    except OSError as error:
        return None, error.strerror or str(error)


def read_file(store: Store, agent: str) -> FileSnapshot | None:
    """Return the agent's memory file, None if there is none.

    Raises OSError, also for a file that counts as absent for hooks, such as a link.
    """
    snapshot = store.read(agent)
    if refusal := store.find_refusal(store.path(agent)):
        raise refusal
    return snapshot


def _list_notes(
    project: Project, store: Store, agent: str, document: markdown.Document
) -> Iterator[tuple[int, str]]:
    """Yield secrets, limits that stop agents from learning, and items that are not delivered."""
    lines = "".join(document.lines)
    for start, _end, kind in scanner.find(lines)[:1]:
        what = f"a secret ({kind}), which agents do not receive: remove it from the file"
        yield lines.count("\n", 0, start) + 1, what

    history = item_history.History()
    with suppress(OSError):  # `_read_history` of the numbers reports it
        history = text_origins.read_history(project, store, agent)
    selection = project.config["selection"]
    for start, _title, part, _item in splitting.list_parts(document):
        tokens = passages.estimate_tokens("\n".join(part))
        if selection["enabled"] and tokens > selection["budget_tokens"]:
            what = f"a text of {tokens} tokens, which agents never receive"
            yield start + 1, f"{what}: a prompt has room for {selection['budget_tokens']}"
    if agent != agent_names.PM and project.config.may_learn(agent):
        limits = find_limits(project, agent, store)
        yield from merge_learnings.list_excess(document, limits, history.age_of)
    for loser, winner in contradictions.find_losers(document, history.rank_of):
        what = f"agents do not receive {loser.text!r}: line {winner.line + 1} contradicts it"
        yield loser.line + 1, what


def _check_bytes(text: str) -> Iterator[tuple[int, str]]:
    """Warn of the first line with bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        number = len(markdown_lines.split_lines(text[: error.start + 1]))
        yield number, "holds bytes that are not UTF-8; agents get a replacement character"


class StatusWarning(NamedTuple):
    """A problem, and the command that fixes or explains it."""

    what: str
    advice: str


class ProjectStatus(NamedTuple):
    """The state of a project; `hooks` are the settings files with hooks of agent-memory.

    `hooks_state` says in words where the hooks are and whether they run, `next_step` what to do
    if there is no memory ("" with one), `unreadable` names a folder above the memories.  `log`
    is the path of the event log, `new` counts the items that came from elsewhere.
    """

    memories: list[MemoryStatus]
    hooks: list[settings_files.SettingsFile]
    hooks_state: str
    next_step: str
    unreadable: str
    last_delivery: Delivery | None
    log: str
    total: Counts
    warnings: list[StatusWarning]
    new: int


def read_status(numbers: Numbers, user: bool = False) -> ProjectStatus:
    """Return the state of a project with these numbers, or of the user's level."""
    project = numbers.project
    level = project.level(user)
    memories = list_memories(Numbers(project, level) if user else numbers)
    files = settings_files.read_hook_files(project.paths.root, project.environ)
    hooks = [file for file in files if file.own_hooks]
    hooks_state, hook_warnings = _check_hooks(files, project.environ)
    last = numbers.runs.last_delivery
    unreadable = find_unreadable(level)
    warnings = [
        *_check_project(project, last, unreadable),
        *hook_warnings,
        *_check_memories(memories, user),
        *_check_learnings(memories, user),
        *_check_level(level, user),
    ]
    usual_step = USER_STEP if user else START_STEP if hooks else INSTALL_STEP
    is_broken = ", but" in hooks_state or unreadable != ""
    return ProjectStatus(
        memories,
        hooks,
        hooks_state,
        "" if memories else DOCTOR_COMMAND if is_broken else usual_step,
        unreadable,
        last,
        project.paths.state.locate(event_log.FILE_NAME),
        numbers.total(),
        warnings,
        len(text_origins.list_reported(project, level)),
    )


def find_unreadable(level: Store) -> str:
    """Return the first folder on the way to the memories that cannot be read, "" for none."""
    parts = level.paths.relative(level.folder).split("/")
    for count in range(len(parts) + 1):
        folder = "/".join(parts[:count])
        is_there = not folder or level.files.has_entry(folder)
        if is_there and not file_actions.is_allowed(level.files, folder, os.R_OK | os.X_OK):
            return level.files.locate(folder).rstrip("/")
    return ""


def _check_hooks(
    files: list[settings_files.SettingsFile], environ: Mapping[str, str]
) -> tuple[str, list[StatusWarning]]:
    """Return where the hooks are and whether they work, and why they do not, causes only."""
    faults, missing = settings_files.list_faults(files, environ), settings_files.list_missing(files)
    disabling = settings_files.find_disabling_file(files)
    causes = [f"{disabling.path}: disableAllHooks switches all hooks off"] if disabling else []
    problems = dict.fromkeys(f"{file.path}: {file.problem}" for file in files if file.problem)
    causes += [*problems, *map(str, faults)]
    warnings = [StatusWarning(what, DOCTOR_COMMAND) for what in causes]
    count = sum(len(file.own_hooks) for file in files)
    if not count:
        absent = StatusWarning("no settings file has the hooks", INSTALL_STEP)
        return ("not found", warnings) if problems else ("not installed", [*warnings, absent])
    if missing and not problems:
        warnings.append(StatusWarning(f"no hooks for {' and '.join(missing)}", DOCTOR_COMMAND))
    levels = dict.fromkeys(file.level for file in files if file.own_hooks)
    places = ["a plugin" if level == "plugin" else f"{level} settings" for level in levels]
    state = f"installed in {', '.join(places)}"
    if disabling or sum(len(fault.hooks) for fault in faults) == count:
        return f"{state}, but they do not work", warnings
    return f"{state}, but not all of them work" if faults or missing else state, warnings


def _check_project(
    project: Project, last: Delivery | None, unreadable: str
) -> Iterator[StatusWarning]:
    settings = project.config
    if unreadable:
        yield StatusWarning(f"{unreadable}: cannot be read", DOCTOR_COMMAND)
    elif settings.problems:
        count = format_count(len(settings.problems), "problem")
        effect = "" if settings["enabled"] else ", so memory is off"
        yield StatusWarning(f"config.yml: {count}{effect}", "agent-memory config check")
    elif not settings["enabled"]:
        advice = (
            "unset AGENT_MEMORY" if config.is_off(project.environ) else "agent-memory config show"
        )
        yield StatusWarning("memory is switched off", advice)
    for problem in settings.invalid_variables:
        yield StatusWarning(problem, f"unset {problem.partition(':')[0]}")
    if last and last.verdict != "delivered":
        what = f"the last delivery, to {last.agent}, was {last.verdict}"
        yield StatusWarning(what, DOCTOR_COMMAND)


def _check_memories(memories: list[MemoryStatus], user: bool) -> Iterator[StatusWarning]:
    option = " --user" if user else ""
    groups = defaultdict[tuple[str, str], list[str]](list)  # names by problems with advice
    for memory in sorted(memories, key=lambda memory: not memory.error):
        # The doctor checks the project only.
        explain = f"agent-memory show --user {memory.agent}" if user else DOCTOR_COMMAND
        if memory.error:
            groups[memory.error, explain].append(memory.path)
        if any(map(is_conflict, memory.warnings)):
            groups[UNRESOLVED, f"agent-memory tidy{option}"].append(memory.agent)
        elif memory.warnings:
            groups[ODD_LINES, explain].append(memory.agent)
    for (what, advice), names in groups.items():
        yield StatusWarning(f"{', '.join(names)}: {what}", advice)
    for memory in memories:
        for _line, what in memory.notes[:MAX_NOTES]:
            yield StatusWarning(
                f"{memory.agent}: {what}", f"agent-memory edit{option} {memory.agent}"
            )


def _check_level(level: Store, user: bool) -> Iterator[StatusWarning]:
    """Report projects that are gone, and a database that was damaged."""
    advice = "agent-memory tidy --user" if user else "agent-memory tidy"
    for gone in gone_projects.list_gone(level):
        what = f"learnings wait that belong to {gone.folder}, which no longer exists"
        yield StatusWarning(what, f"if it was this project: {advice}")
    for name in state_db.list_set_aside(level.paths.state):
        advice = state_db.AFTER_DAMAGE.format(name)
        yield StatusWarning(state_db.SET_ASIDE, f"{advice} (--user)" if user else advice)


def _check_learnings(memories: list[MemoryStatus], user: bool) -> Iterator[StatusWarning]:
    option = " --user" if user else ""
    stale = sum(len(memory.stale) for memory in memories)
    if stale:
        what = f"{format_count(stale, 'item')} may be out of date"
        yield StatusWarning(what, "agent-memory review --list")
    unmerged = sum(memory.unmerged for memory in memories)
    if unmerged:
        what = f"{format_count(unmerged, 'report')} not merged yet"
        yield StatusWarning(what, "agent-memory tidy")
    for memory in memories:
        if memory.never:
            rules = "rule of yours was" if len(memory.never) == 1 else "rules of yours were"
            what = f"{memory.agent}: {len(memory.never)} {rules} not given in the last 10 runs"
            yield StatusWarning(what, f"agent-memory list {memory.agent} --mine")
    review = sum(memory.review for memory in memories)
    if review:
        what = f"{format_count(review, 'learning')} {'waits' if review == 1 else 'wait'} for you"
        yield StatusWarning(what, f"agent-memory review{option}")
