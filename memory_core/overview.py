"""What there is: each agent's memory in numbers, what waits, and how the last delivery went."""

from __future__ import annotations

import os
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memory_core import agents, client, history, log, markdown, memory, spool, store

# The verdicts on a delivery, as the event log has them.
VERDICTS = ("delivered", "doubled", "lost")
EVENT = "agent.memory."
EVENTS = tuple(f"{EVENT}{verdict}" for verdict in VERDICTS)

# How many weeks of seven days a trend has, the last of them up to now.
WEEKS = 8
WEEK = 7 * 86400


class Memory(NamedTuple):
    """One agent's memory in numbers; `error` says why it, or its history, could not be read.

    `size` and `limit` are in bytes, `changed` in seconds since 1970.  `review` items
    wait in quarantine/, `spooled` learnings to be merged.  `warnings` are (line, sentence).
    `trend` is how many items were learned in each of the last weeks, oldest first.
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
        return any(sentence.startswith(CONFLICT) for _line, sentence in self.warnings)


CONFLICT = "a merge conflict"  # how `markdown` begins to tell of one


def memories(project: memory.Project, held: store.Store | None = None) -> list[Memory]:
    """Return the memories of a level, those that only wait to be made among them.

    The project's, or those of `held`.
    """
    held = held or project.store
    stems = dict(spool.waiting(held.place))
    waiting = {stem: _spooled(held, stem) for stem in stems}
    beside = _listed(os.path.join(held.folder, "quarantine"))
    owners = {memory.PM if name == f"{memory.PM}.md" else agents.owner(name) for name in beside}
    names = {*held.agents(), *stems.values(), *owners} - {""}
    told = _Told(project, held, waiting, beside, _weeks(time.time()))
    return [told.memory(agent) for agent in in_order(names)]


def in_order(names: Iterable[str]) -> list[str]:
    """Return agents by their names, the main session behind them."""
    return sorted(names, key=lambda name: (name == memory.PM, name))


def _weeks(now: float) -> list[str]:
    """Return when each of the last weeks began, as records have it, oldest first."""
    return [log.utc(now - ago * WEEK) for ago in range(WEEKS, 0, -1)]


def _listed(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


class _Told:
    """What is looked up once for all memories of a level: at 200 agents that shows."""

    def __init__(
        self,
        project: memory.Project,
        held: store.Store,
        waiting: Mapping[str, int],
        in_review: frozenset[str],
        weeks: Sequence[str],
    ) -> None:
        self.project, self.store = project, held
        self.waiting, self.in_review, self.weeks = waiting, in_review, weeks

    def memory(self, agent: str) -> Memory:
        stem = self.store.stem(agent)
        text, error = _read(self.store, agent)
        trend, unread = _trend(self.store, agent, self.weeks)
        census = markdown.census(text.text if text else "")
        path = text.path if text else self.store.path(agent)
        in_review = f"{stem}.md" in self.in_review
        return Memory(
            agent=agent,
            path=self.project.place.relative(path),
            size=len(text.text.encode("utf-8", "surrogateescape")) if text else 0,
            limit=self.project.size_limit(agent),
            sections=census.sections,
            items=census.items,
            changed=text.changed if text else 0.0,
            review=len(review(self.project, agent, self.store)) if in_review else 0,
            spooled=self.waiting.get(stem, 0),
            warnings=[*census.warnings, *_unreadable(text)],
            error=error or unread,
            trend=trend,
        )


def _read(held: store.Store, agent: str) -> tuple[store.Text | None, str]:
    try:
        return held.read(agent), ""
    except store.Outside as error:
        return None, str(error)
    except OSError as error:
        return None, f"{error.strerror}"


def _unreadable(text: store.Text | None) -> list[tuple[int, str]]:
    """Point out the first line with bytes that are not UTF-8."""
    try:
        (text.text if text else "").encode()
        return []
    except UnicodeEncodeError as error:
        number = len(markdown.split_lines(error.object[: error.start + 1]))
        told = "holds bytes that are not UTF-8; agents get a replacement character"
        return [(number, told)]


def _trend(held: store.Store, agent: str, weeks: Sequence[str]) -> tuple[list[int], str]:
    """Return how many items were learned in each week, and why that is not known."""
    counts = [0] * len(weeks)
    try:
        for when in history.learned(held.history(agent), weeks[0]):
            counts[bisect_right(weeks, when) - 1] += 1
    except OSError as error:
        return counts, f"its history: {error.strerror or error}"
    return counts, ""


def review(project: memory.Project, agent: str, held: store.Store | None = None) -> list[str]:
    """Return the items of an agent that wait for a person."""
    try:
        path = review_path(project, agent, held)
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line[2:].strip() for line in file if line.startswith("- ")]
    except OSError:
        return []


def review_path(project: memory.Project, agent: str, held: store.Store | None = None) -> str:
    held = held or project.store
    return os.path.join(held.folder, "quarantine", f"{held.stem(agent)}.md")


def _spooled(held: store.Store, stem: str) -> int:
    return sum(len(entry["learnings"]) for _path, entry in spool.entries(held.place, stem))


class Delivery(NamedTuple):
    """How a delivery went: delivered, doubled or lost."""

    agent: str
    verdict: str
    route: str
    timestamp: str


def deliveries(project: memory.Project) -> list[Delivery]:
    """Return the logged verdicts on deliveries, oldest first."""
    return [_delivery(event) for event in log.read(project.place) if event.get("event") in EVENTS]


def last_delivery(project: memory.Project) -> Delivery | None:
    """Return the last logged verdict on a delivery."""
    event = log.last(project.place, EVENTS)
    return _delivery(event) if event else None


def _delivery(event: dict[str, Any]) -> Delivery:
    verdict = str(event["event"]).removeprefix(EVENT)
    told = [str(event.get(key) or "") for key in ("route", "timestamp")]
    return Delivery(str(event.get("agent_id")), verdict, *told)


class Warned(NamedTuple):
    """What a person should know, and what mends it."""

    what: str
    mend: str


class Overview(NamedTuple):
    """A project at a glance."""

    memories: list[Memory]
    hooks: list[client.SettingsFile]
    last_delivery: Delivery | None
    warnings: list[Warned]


def overview(project: memory.Project, environ: Mapping[str, str], user: bool = False) -> Overview:
    """Return what there is in a project, or at the user's level, and what needs a person."""
    found = memories(project, project.level(user))
    every = client.hook_files(project.place.root, environ)
    files = [file for file in every if file.ours]
    last = last_delivery(project)
    told = [*_of_project(project, files, last), *_of_settings(every), *_of_memories(found, user)]
    return Overview(found, files, last, told)


def _of_project(
    project: memory.Project, files: list[client.SettingsFile], last: Delivery | None
) -> Iterator[Warned]:
    if not project.config["enabled"]:
        yield Warned("memory is switched off", "agent-memory config show")
    if not files:
        yield Warned("no settings file names our hooks", "agent-memory install")
    if project.config.problems:
        number = len(project.config.problems)
        yield Warned(f"config.yml: {counted(number, 'problem')}", "agent-memory config check")
    for told in project.config.strange:
        yield Warned(told, f"unset {told.partition(':')[0]}")
    if last and last.verdict != "delivered":
        yield Warned(f"the last delivery, to {last.agent}, was {last.verdict}", DOCTOR)


def _of_settings(files: list[client.SettingsFile]) -> Iterator[Warned]:
    off = client.is_switched_off(files)
    if off:
        yield Warned(f"{off.path}: disableAllHooks switches all hooks off", DOCTOR)
    for file in files:
        if file.problem:
            yield Warned(f"{file.path}: {file.problem}", DOCTOR)


# From which share of its limit on a memory is nearly full.
FULL = 0.9

# As many agents are named in one warning.
NAMED = 3


def _of_memories(found: list[Memory], user: bool) -> Iterator[Warned]:
    level = " --user" if user else ""
    for error in dict.fromkeys(entry.error for entry in found if entry.error):
        of = [entry for entry in found if entry.error == error]
        told = named([entry.path for entry in of])
        yield Warned(f"{told}: {error}", _looking(of[0], user))
    conflicts = [entry.agent for entry in found if entry.is_in_conflict]
    if conflicts:
        told = f"{named(conflicts)}: a merge conflict is not resolved"
        yield Warned(told, f"agent-memory resolve{level}")
    odd = [entry for entry in found if entry.warnings and not entry.is_in_conflict]
    if odd:
        told = named([entry.agent for entry in odd])
        mend = _looking(odd[0], user)
        yield Warned(f"{told}: some lines may be read otherwise than meant", mend)
    full = [entry.agent for entry in found if entry.size >= FULL * entry.limit]
    if full:
        mend = f"agent-memory prune{level} --older-than 90d" if user else "agent-memory optimize"
        yield Warned(f"{named(full)}: nearly full, what is worth least leaves next", mend)
    yield from _of_waiting(found)


def _looking(entry: Memory, user: bool) -> str:
    """Return what tells more of a memory: the doctor looks at those of the project."""
    return f"agent-memory show --user {entry.agent}" if user else DOCTOR


def _of_waiting(found: list[Memory]) -> Iterator[Warned]:
    spooled = sum(entry.spooled for entry in found)
    if spooled:
        yield Warned(f"{counted(spooled, 'learning')} not merged yet", "agent-memory sweep")
    waiting = sum(entry.review for entry in found)
    if waiting:
        yield Warned(f"{counted(waiting, 'learning')} to review in quarantine/", DOCTOR)


DOCTOR = "agent-memory doctor"


def named(names: list[str]) -> str:
    """Return the first of some names, and how many more there are."""
    over = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {over} more" if over > 0 else "")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 memory, 2 memories."""
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun}"


class Setting(NamedTuple):
    """A setting in force: its dotted key, value, where that comes from, and what it means."""

    key: str
    value: Any
    source: str
    description: str


def settings(project: memory.Project) -> list[Setting]:
    """Return the settings in force; the source is a file's path, `environment` or `default`."""
    from memory_core import config, models, shapes

    together = _flat(config.load(project.place, project.user, {}).values)
    # A file that cannot be understood now answers for what is in force in its stead.
    alone = {path: _flat(_alone(path)[0]) or together for path in _files(project)}
    default = _flat(shapes.CONFIG)
    told = {key.removeprefix("memory."): text for key, _default, text in models.described()}
    return [
        Setting(key, value, _source(key, value, together, default, alone), _told(key, told))
        for key, value in _flat(project.config.values).items()
    ]


def problems(project: memory.Project) -> list[str]:
    """Return what is wrong in config.yml, "FILE:LINE: KEY: ...", and in the environment.

    The files are read afresh.
    """
    told = [problem for path in reversed(_files(project)) for problem in _alone(path)[1]]
    return [*told, *project.config.strange]


def _files(project: memory.Project) -> list[str]:
    """Return the paths of the config.yml files, the project's first, which counts first."""
    return [level.config for level in (project.place, project.user) if level]


def _alone(path: str) -> tuple[dict[str, Any], list[str]]:
    """Return the settings of one file, none where it cannot be understood, and what is wrong."""
    from memory_core import config_file

    try:
        return config_file.merged([path])
    except config_file.Unreadable as error:
        return {}, [str(error)]


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict) and value:
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def _source(
    key: str,
    value: Any,
    together: dict[str, Any],
    default: dict[str, Any],
    alone: dict[str, dict[str, Any]],
) -> str:
    """Find the first file, of the highest precedence first, that accounts for a value."""
    if value != together.get(key):
        return "environment"
    usual = default.get(key)
    telling = [path for path, values in alone.items() if values.get(key, usual) != usual]
    if not telling:
        return "default"
    # A project may set a key back to its default, over the user's.
    return telling[0] if alone[telling[0]].get(key) == value else next(iter(alone))


def _told(key: str, told: dict[str, str]) -> str:
    if key.startswith("agent_overrides."):
        key = f"agent_overrides.AGENT.{key.rpartition('.')[2]}"
    return told.get(key, "limits for single agents")
