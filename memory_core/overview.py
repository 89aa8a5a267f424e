"""What there is: each agent's memory in numbers, what waits, and how the last delivery went."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memory_core import agents, client, log, markdown, memory, spool, store

# The verdicts on a delivery, as the event log has them.
VERDICTS = ("delivered", "doubled", "lost")


class Memory(NamedTuple):
    """One agent's memory in numbers; `error` says why it could not be read.

    `size` and `limit` are in bytes, `changed` in seconds since 1970.  `review` items
    wait in quarantine/, `spooled` learnings to be merged.  `warnings` are (line, sentence).
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

    @property
    def exists(self) -> bool:
        return bool(self.changed)


def memories(project: memory.Project) -> list[Memory]:
    """Return the memories of a project, those that only wait to be made among them."""
    stems = dict(spool.waiting(project.place))
    waiting = {stem: _spooled(project, stem) for stem in stems}
    named = set(stems.values())
    names = {*project.store.agents(), *named, *_in_review(project)}
    ordered = sorted(names, key=lambda name: (name == memory.PM, name))
    return [_memory(project, agent, waiting) for agent in ordered]


def _memory(
    project: memory.Project, agent: str, waiting: dict[str, list[dict[str, Any]]]
) -> Memory:
    text, error = _read(project, agent)
    document = markdown.parse(text.text if text else "")
    path = text.path if text else project.store.path(agent)
    spooled = waiting.get(project.store.stem(agent), [])
    return Memory(
        agent=agent,
        path=project.place.relative(path),
        size=len(text.text.encode("utf-8", "surrogateescape")) if text else 0,
        limit=project.limits(agent).size,
        sections=len(document.sections),
        items=len(document.items),
        changed=text.changed if text else 0.0,
        review=len(review(project, agent)),
        spooled=sum(len(entry["learnings"]) for entry in spooled),
        warnings=[*document.warnings, *_unreadable(document.lines)],
        error=error,
    )


def _read(project: memory.Project, agent: str) -> tuple[store.Text | None, str]:
    try:
        return project.store.read(agent), ""
    except store.Outside as error:
        return None, str(error)
    except OSError as error:
        return None, f"{error.strerror}"


def _unreadable(lines: list[str]) -> list[tuple[int, str]]:
    """Point out the first line with bytes that are not UTF-8."""
    for number, line in enumerate(lines, 1):
        if any("\udc80" <= char <= "\udcff" for char in line):
            return [(number, "holds bytes that are not UTF-8; agents get a replacement character")]
    return []


def review(project: memory.Project, agent: str) -> list[str]:
    """Return the items of an agent that wait for a person."""
    try:
        with open(review_path(project, agent), encoding="utf-8", errors="replace") as file:
            return [line[2:].strip() for line in file if line.startswith("- ")]
    except OSError:
        return []


def review_path(project: memory.Project, agent: str) -> str:
    folder = os.path.join(project.store.folder, "quarantine")
    return os.path.join(folder, f"{project.store.stem(agent)}.md")


def _in_review(project: memory.Project) -> set[str]:
    try:
        names = os.listdir(os.path.join(project.store.folder, "quarantine"))
    except OSError:
        return set()
    owners = {memory.PM if name == f"{memory.PM}.md" else agents.owner(name) for name in names}
    return owners - {""}


def _spooled(project: memory.Project, stem: str) -> list[dict[str, Any]]:
    return [entry for _path, entry in spool.entries(project.place, stem)]


class Delivery(NamedTuple):
    """How a delivery went: delivered, doubled or lost."""

    agent: str
    verdict: str
    route: str
    timestamp: str


def deliveries(project: memory.Project) -> list[Delivery]:
    """Return the logged verdicts on deliveries, oldest first."""
    found = []
    for event in log.read(project.place):
        verdict = str(event.get("event")).removeprefix("agent.memory.")
        if verdict in VERDICTS:
            told = [str(event.get(key) or "") for key in ("route", "timestamp")]
            found.append(Delivery(str(event.get("agent_id")), verdict, *told))
    return found


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


def overview(project: memory.Project, environ: Mapping[str, str]) -> Overview:
    """Return what there is in a project, and what needs a person."""
    found = memories(project)
    files = [file for file in client.settings_files(project.place.root, environ) if file.ours]
    verdicts = deliveries(project)
    last = verdicts[-1] if verdicts else None
    told = [*_of_project(project, files, last), *_of_memories(found)]
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


def _of_memories(found: list[Memory]) -> Iterator[Warned]:
    for entry in found:
        if entry.error:
            yield Warned(f"{entry.path}: {entry.error}", DOCTOR)
        if entry.warnings:
            yield Warned(f"{entry.path}: {counted(len(entry.warnings), 'oddity')}", DOCTOR)
    spooled = sum(entry.spooled for entry in found)
    if spooled:
        yield Warned(f"{counted(spooled, 'learning')} not merged yet", "agent-memory sweep")
    waiting = sum(entry.review for entry in found)
    if waiting:
        yield Warned(f"{counted(waiting, 'learning')} to review in quarantine/", DOCTOR)


DOCTOR = "agent-memory doctor"


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
