"""The resources: each memory as it stands, by its URI."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote

from mcp_types import Annotations, Resource, ResourceTemplate

from memory_core import backlog, log, memory, overview, places, recording, store, tasks
from memory_core.mcp_server.served import readable, titled

AGENTS = "memory://agents"
TASKS = "backlog://memory"
ACTIVE = f"{TASKS}/active"

MARKDOWN, JSON = "text/markdown", "application/json"

TEMPLATES = [
    ResourceTemplate(
        uri_template=f"{AGENTS}/{{agent}}",
        name="agent",
        title="What an agent remembers",
        description="An agent's memory as it stands in its file; PM is the main session's.",
        mime_type=MARKDOWN,
    ),
    ResourceTemplate(
        uri_template=f"{TASKS}/{{task_id}}",
        name="task",
        title="The memory of a task",
        description="Context, decisions and notes of a task, such as task-368, archived or not.",
        mime_type=MARKDOWN,
    ),
]


class NotThere(ValueError):
    """A resource that does not exist; the message says what does."""

    status = 2


class Read(NamedTuple):
    """A resource as it is now."""

    text: str
    kind: str


def of_agent(agent: str) -> str:
    return f"{AGENTS}/{quote(agent, safe='')}"


def of_task(task: str) -> str:
    return f"{TASKS}/{quote(task, safe='')}"


def is_of_task(uri: str) -> bool:
    return uri.startswith(TASKS)


def read(project: memory.Project, uri: str) -> Read:
    """Return a resource; raises NotThere, tasks.TaskError, memory.NoAgent or OSError."""
    if uri.rstrip("/") == AGENTS:
        return Read(json.dumps(_index(project)), JSON)
    scheme, name = _parts(uri)
    if scheme == TASKS:
        told = tasks.find(project, "" if uri == ACTIVE else name)
        return Read(readable(tasks.text(project, told)), MARKDOWN)
    found = project.store.read(_agent(project, name))
    if found is None:
        raise NotThere(f"{name} has no memory yet; {AGENTS} lists those that have one")
    return Read(readable(found.text), MARKDOWN)


def _parts(uri: str) -> tuple[str, str]:
    """Return the beginning of a URI, AGENTS or TASKS, and the name that follows."""
    for scheme in (AGENTS, TASKS):
        name = unquote(uri.removeprefix(f"{scheme}/"))
        if uri.startswith(f"{scheme}/") and name:
            return scheme, name
    known = ", ".join([AGENTS, ACTIVE, *(each.uri_template for each in TEMPLATES)])
    raise NotThere(f"no resource {uri!r}; there are {known}")


def _agent(project: memory.Project, name: str) -> str:
    agent = memory.named(project, name)
    recording.check_serves(project, agent)
    return agent


class _Of(NamedTuple):
    """An agent with a memory: what it is called, where its resource is, and the file."""

    agent: str
    title: str
    uri: str
    path: str


def _having(project: memory.Project) -> list[_Of]:
    """Return the agents with a memory that take part, in the order of `status`."""
    listing = _names(project.store.folder)
    found = _owned(project.place.root, project.config["directory"], listing)
    return [each for each in found if project.serves(each.agent)]


@lru_cache(maxsize=4)
def _owned(root: str, directory: str, _listing: frozenset[str]) -> list[_Of]:
    """Return whose files these are: to know a name takes longer than to read a file."""
    held = store.Store(places.Place(root), directory)
    return [
        _Of(readable(each), readable(titled(each)), of_agent(each), held.path(each))
        for each in overview.in_order(held.agents())
    ]


def _index(project: memory.Project) -> list[dict[str, object]]:
    return [
        {
            "agent": each.agent,
            "uri": each.uri,
            "bytes": status.st_size,
            "updated": _moment(status.st_mtime),
        }
        for each, status in _files(project)
    ]


def _files(project: memory.Project) -> list[tuple[_Of, os.stat_result]]:
    found = ((each, _status(each.path)) for each in _having(project))
    return [(each, status) for each, status in found if status]


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def task_ids(project: memory.Project) -> list[str]:
    """Return the ids of the tasks with a memory, archived ones last."""
    folder = backlog.Folder(project.place.root)
    return list({**folder.memories(), **folder.memories(archived=True)})


def _moment(seconds: float) -> str:
    return log.utc(seconds)


# Listing.


def listed(project: memory.Project) -> list[Resource]:
    """Return what can be read: the agents, the active task, and each memory with its title.

    Archived tasks are left out: they can be read, but nobody should be shown them all.
    In one answer, not in pages: Claude Code asks for the first alone (seen in 2.1.63).
    """
    index = Resource(
        uri=AGENTS,
        name="agents",
        title="All agents with a memory",
        description="Each agent with its URI, its size, and when it changed.",
        mime_type=JSON,
    )
    found = [told for told in tasks.listed(project) if not told.archived]
    active = [_active(told) for told in found if told.active]
    agents = [_of_agent(each, status) for each, status in _files(project)]
    return [index, *agents, *active, *map(_of_task, found)]


def _of_agent(each: _Of, status: os.stat_result) -> Resource:
    return Resource(
        uri=each.uri,
        name=each.agent,
        title=each.title,
        description=f"What {each.agent} remembers.",
        mime_type=MARKDOWN,
        size=status.st_size,
        annotations=Annotations(last_modified=_moment(status.st_mtime)),
    )


def _active(told: tasks.Told) -> Resource:
    return Resource(
        uri=ACTIVE,
        name="active-task",
        title=readable(f"The active task: {told.title or told.id}"),
        description="The memory of the task that was started last.",
        mime_type=MARKDOWN,
        annotations=Annotations(priority=1.0),
    )


def _of_task(told: tasks.Told) -> Resource:
    title = f"{told.id}: {told.title}" if told.title else told.id
    moment = told.updated.replace(" ", "T") + "Z" if told.updated else None
    return Resource(
        uri=of_task(told.id),
        name=told.id,
        title=readable(title),
        description=f"The memory of a task, {told.state}.",
        mime_type=MARKDOWN,
        annotations=Annotations(last_modified=moment) if moment else None,
    )


# What has changed.


def stamp(project: memory.Project, uri: str) -> object:
    """Return what is another once the resource is another; None where there is none."""
    try:
        if uri.rstrip("/") == AGENTS:
            return [(each.agent, _mark(status)) for each, status in _files(project)]
        scheme, name = _parts(uri)
        if scheme == TASKS:
            told = tasks.find(project, "" if uri == ACTIVE else name)
            path = os.path.join(project.place.root, told.path)
            return told.id, _mark(_status(path))
        path = project.store.path(_agent(project, name))
    except (ValueError, OSError):
        return None
    return _mark(_status(path))


def _mark(status: os.stat_result | None) -> tuple[int, ...]:
    return (status.st_ino, status.st_size, status.st_mtime_ns) if status else ()


def names(project: memory.Project) -> object:
    """Return what is another once another memory is listed, or another task is active."""
    folder = backlog.Folder(project.place.root)
    listed = [_names(each) for each in (project.store.folder, folder.memory, folder.archive)]
    return listed, _mark(_status(os.path.join(folder.path, backlog.STATE)))


def _names(folder: str) -> frozenset[str]:
    """Return the names in a folder, without the files that somebody is about to put in place."""
    try:
        return frozenset(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return frozenset()
