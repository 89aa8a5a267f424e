"""Report the state of a project: sizes of memories, deliveries, and problems."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memory_core.claude_code import settings_files
from memory_core.curation import lookup
from memory_core.document import markdown
from memory_core.memory import old_state
from memory_core.memory.project import Project
from memory_core.storage import event_log, spool
from memory_core.storage.store import FileSnapshot, Store
from memory_core.text import markdown_lines
from memory_core.text.phrases import format_count, format_names
from memory_core.text.times import format_utc

# The verdicts on a delivery, and the event log's names for them.
VERDICTS = ("delivered", "doubled", "lost")
EVENT_PREFIX = "agent.memory."
DELIVERY_EVENTS = tuple(f"{EVENT_PREFIX}{verdict}" for verdict in VERDICTS)

# Number of weeks in a trend, which counts new items; the last week ends now.
TREND_WEEKS = 8
WEEK_SECONDS = 7 * 86400

# A memory is nearly full from this share of its limit on.
NEARLY_FULL = 0.9

CONFLICT_WARNING = "a merge conflict"  # the start of markdown's warning
DOCTOR_COMMAND = "agent-memory doctor"


class MemoryStatus(NamedTuple):
    """The numbers of one agent's memory; `error` says why it or its history is unreadable.

    `size` and `limit` are in bytes, `changed` in seconds since 1970 (0 without a file).
    `review` counts learnings that wait for a person, `spooled` those that are not merged yet.
    `warnings` are (line, sentence).  `trend` counts the items learned in each of the last weeks,
    oldest first.
    """

    agent: str
    path: str
    size: int
    limit: int
    sections: int
    items: int
    changed: float
    review: int
    spooled: int
    warnings: list[tuple[int, str]]
    error: str
    trend: list[int]

    @property
    def exists(self) -> bool:
        return bool(self.changed)

    @property
    def is_in_conflict(self) -> bool:
        return any(sentence.startswith(CONFLICT_WARNING) for _line, sentence in self.warnings)


def list_memories(project: Project, store: Store | None = None) -> list[MemoryStatus]:
    """Return the memories of a level, and agents that have only learnings to merge or review."""
    store = store or project.store
    spooled = [agent for _stem, agent in spool.list_agents(store.paths)]
    agents = {*store.agents(), *spooled, *store.agents_to_review()} - {""}
    now = time.time()
    weeks = [format_utc(now - ago * WEEK_SECONDS) for ago in range(TREND_WEEKS, 0, -1)]
    return [_read_memory(project, store, agent, weeks) for agent in lookup.sort_agents(agents)]


def _read_memory(project: Project, store: Store, agent: str, weeks: list[str]) -> MemoryStatus:
    stem = store.stem(agent)
    snapshot, error = _read(store, agent)
    trend, history_error = _count_learned(store, agent, weeks)
    text = snapshot.text if snapshot else ""
    document = markdown.parse_document(text)
    return MemoryStatus(
        agent=agent,
        path=project.paths.relative(snapshot.path if snapshot else store.path(agent)),
        size=len(text.encode("utf-8", "surrogateescape")),
        limit=project.limits(agent, store).size,
        sections=len(document.sections),
        items=len(document.items),
        changed=snapshot.changed if snapshot else 0.0,
        review=len(store.read_review(agent)),
        spooled=sum(
            len(entry["learnings"]) for _path, entry in spool.read_entries(store.paths, stem)
        ),
        warnings=[*document.warnings, *_check_bytes(text)],
        error=error or history_error,
        trend=trend,
    )


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


def _check_bytes(text: str) -> Iterator[tuple[int, str]]:
    """Warn of the first line with bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        number = len(markdown_lines.split_lines(text[: error.start + 1]))
        yield number, "holds bytes that are not UTF-8; agents get a replacement character"


def _count_learned(store: Store, agent: str, weeks: list[str]) -> tuple[list[int], str]:
    """Return the number of items learned in each week, and a read error or ""."""
    counts = [0] * len(weeks)
    try:
        history = store.history(agent)
        for when in history.read_learned_times(weeks[0]):
            counts[bisect_right(weeks, when) - 1] += 1
        refusal = store.find_refusal(history.path)
        problem = refusal.reason if refusal else ""
    except OSError as error:
        problem = error.strerror or str(error)
    return counts, f"its history: {problem}" if problem else ""


class Delivery(NamedTuple):
    """One delivery of a memory to an agent; `verdict` is one of VERDICTS."""

    agent: str
    verdict: str
    route: str
    timestamp: str


def list_deliveries(project: Project) -> list[Delivery]:
    """Return the deliveries in the event log, oldest first."""
    return [
        _parse_delivery(event)
        for event in event_log.read(project.paths)
        if event.get("event") in DELIVERY_EVENTS
    ]


def read_last_delivery(project: Project) -> Delivery | None:
    event = event_log.find_last(project.paths, DELIVERY_EVENTS)
    return _parse_delivery(event) if event else None


def _parse_delivery(event: dict[str, Any]) -> Delivery:
    return Delivery(
        agent=str(event.get("agent_id")),
        verdict=str(event["event"]).removeprefix(EVENT_PREFIX),
        route=str(event.get("route") or ""),
        timestamp=str(event.get("timestamp") or ""),
    )


class StatusWarning(NamedTuple):
    """A problem, and the command that fixes or explains it."""

    what: str
    advice: str


class ProjectStatus(NamedTuple):
    """The state of a project; `hooks` are the settings files with hooks of agent-memory.

    `log` is the path of the event log.
    """

    memories: list[MemoryStatus]
    hooks: list[settings_files.SettingsFile]
    last_delivery: Delivery | None
    log: str
    warnings: list[StatusWarning]


def read_status(project: Project, environ: Mapping[str, str], user: bool = False) -> ProjectStatus:
    """Return the state of a project, or of the user's level."""
    level = project.level(user)
    memories = list_memories(project, level)
    files = settings_files.read_hook_files(project.paths.root, environ)
    hooks = [file for file in files if file.own_hooks]
    last = read_last_delivery(project)
    warnings = [
        *_check_project(project, hooks, last),
        *_check_old_state(level, user),
        *_check_settings(files),
        *_check_memories(memories, user),
        *_check_learnings(memories, level),
    ]
    log = project.paths.state.locate(event_log.FILE_NAME)
    return ProjectStatus(memories, hooks, last, log, warnings)


def _check_project(
    project: Project, hooks: list[settings_files.SettingsFile], last: Delivery | None
) -> Iterator[StatusWarning]:
    config = project.config
    if not config["enabled"]:
        yield StatusWarning("memory is switched off", "agent-memory config show")
    if not hooks:
        yield StatusWarning("no settings file has the hooks", "agent-memory install")
    if config.problems:
        count = format_count(len(config.problems), "problem")
        yield StatusWarning(f"config.yml: {count}", "agent-memory config check")
    for problem in config.invalid_variables:
        yield StatusWarning(problem, f"unset {problem.partition(':')[0]}")
    if last and last.verdict != "delivered":
        what = f"the last delivery, to {last.agent}, was {last.verdict}"
        yield StatusWarning(what, DOCTOR_COMMAND)


def _check_old_state(level: Store, user: bool) -> Iterator[StatusWarning]:
    if old_state.is_present(level):
        advice = "agent-memory migrate --user" if user else "agent-memory migrate"
        yield StatusWarning(old_state.PROBLEM, advice)


def _check_settings(files: list[settings_files.SettingsFile]) -> Iterator[StatusWarning]:
    disabling = settings_files.find_disabling_file(files)
    if disabling:
        what = f"{disabling.path}: disableAllHooks switches all hooks off"
        yield StatusWarning(what, DOCTOR_COMMAND)
    for file in files:
        if file.problem:
            yield StatusWarning(f"{file.path}: {file.problem}", DOCTOR_COMMAND)


def _check_memories(memories: list[MemoryStatus], user: bool) -> Iterator[StatusWarning]:
    level = " --user" if user else ""

    def explain(memory: MemoryStatus) -> str:  # the doctor checks the project only
        return f"agent-memory show --user {memory.agent}" if user else DOCTOR_COMMAND

    for error in dict.fromkeys(memory.error for memory in memories if memory.error):
        failing = [memory for memory in memories if memory.error == error]
        names = format_names([memory.path for memory in failing])
        yield StatusWarning(f"{names}: {error}", explain(failing[0]))
    prune = f"agent-memory prune{level} --older-than 90d" if user else "agent-memory optimize"
    problems: list[tuple[str, str, list[MemoryStatus]]] = [
        (
            "a merge conflict is not resolved",
            f"agent-memory resolve{level}",
            [memory for memory in memories if memory.is_in_conflict],
        ),
        (
            "some lines could not be parsed as you probably meant",
            "",
            [memory for memory in memories if memory.warnings and not memory.is_in_conflict],
        ),
        (
            "nearly full; the next write may archive the least certain items",
            prune,
            [memory for memory in memories if memory.size >= NEARLY_FULL * memory.limit],
        ),
    ]
    for what, advice, affected in problems:
        if affected:
            names = format_names([memory.agent for memory in affected])
            yield StatusWarning(f"{names}: {what}", advice or explain(affected[0]))


def _check_learnings(memories: list[MemoryStatus], level: Store) -> Iterator[StatusWarning]:
    spooled = sum(memory.spooled for memory in memories)
    if spooled:
        yield StatusWarning(
            f"{format_count(spooled, 'learning')} not merged yet", "agent-memory sweep"
        )
    review = sum(memory.review for memory in memories)
    if review:
        what = f"{format_count(review, 'learning')} to review"
        yield StatusWarning(what, "agent-memory search WORD --in review")
