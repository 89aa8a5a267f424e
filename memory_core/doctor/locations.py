"""List the files and folders that agent-memory uses for a project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from memory_core.setup import program
from memory_core.storage import event_log
from memory_core.storage.database import state_db
from memory_core.storage.project import Project
from memory_core.storage.store import Store


class Location(NamedTuple):
    """A file or folder; `level` is project, user or program."""

    name: str
    level: str
    path: str
    exists: bool


def list_locations(project: Project) -> list[Location]:
    """Return the files and folders of both levels, and the folder of the program."""
    locations = list(_list_of_level(project.store, "project"))
    if project.user_paths:
        locations += _list_of_level(project.level(user=True), "user")
    data = program.data_folder()
    return [*locations, Location("program", "program", data, os.path.lexists(data))]


def _list_of_level(store: Store, level: str) -> Iterator[Location]:
    paths, memories = store.paths, store.folder
    places = {
        "settings": paths.config,
        "memories": memories,
        "history": os.path.join(memories, "history"),
        "archive": os.path.join(memories, "archive"),
        "locks": os.path.join(paths.folder, "locks"),
        "state": paths.state.root,
        "event log": paths.state.locate(event_log.FILE_NAME),
        "database": paths.state.locate(state_db.FILE_NAME),
        "review": paths.state.locate(state_db.JOURNAL),
    }
    for name, path in places.items():
        yield Location(name, level, path, os.path.lexists(path))
