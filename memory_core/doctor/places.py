"""The places in which agent-memory expects its files, and which of them are refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memory_core.files.safe_files import Refused, SafeFiles
from memory_core.storage import history_file, paths, store
from memory_core.storage.config_yml import config_merge
from memory_core.storage.project import Project
from memory_core.tasks import backlog_folder

# Folders below the memory folder: the end of their files, and the size that is read in bytes.
SUBFOLDERS = {
    "archive": (".md", store.MAX_DATED_BYTES),
    "history": (".jsonl", history_file.MAX_BYTES),
}

ANY_SIZE = 0


class Place(NamedTuple):
    """A file or folder that agent-memory uses; `limit` is in bytes, None for a folder."""

    path: str
    limit: int | None = None


class Level(NamedTuple):
    """The memories of a project, or those of the user."""

    store: store.Store
    is_user: bool

    def locate(self, path: str, project: Project) -> str:
        """Return a path below this level for people."""
        return project.paths.relative(self.store.files.locate(path))


def list_levels(project: Project) -> list[Level]:
    """Return the levels of a project that its settings use."""
    levels = [Level(project.store, is_user=False)]
    if project.user_paths and project.config["user_level"] != "off":
        levels.append(Level(project.level(user=True), is_user=True))
    return levels


def find_refused(project: Project) -> dict[str, Refused]:
    """Return the refused places of all levels, by their path for people."""
    levels = list_levels(project)
    for level in levels:
        touch(level.store.files, list_places(level, level.store.files))
    touch(project.paths.files, _list_backlog(project))
    refused = {
        level.locate(error.path, project): error
        for level in levels
        for error in level.store.files.refused.values()
    }
    for name in filter(project.paths.files.is_file, backlog_folder.FOLDER_NAMES):
        refused.pop(name, None)  # a file of that name is not for Backlog.md
    return refused


def list_places(level: Level, files: SafeFiles) -> Iterator[Place]:
    """Yield the places of a level, folders before their files; they need not exist.

    `files` are those of the level, with or without links.
    """
    memories = files.relative(level.store.folder)
    locks = f"{paths.FOLDER_NAME}/locks"
    yield Place(paths.FOLDER_NAME)
    yield Place(files.relative(level.store.paths.config), config_merge.MAX_BYTES)
    yield from _list_folder(files, locks, ".lock", ANY_SIZE)
    yield from _list_folder(files, memories, ".md", store.MAX_MEMORY_BYTES)
    for name, (suffix, limit) in SUBFOLDERS.items():
        yield from _list_folder(files, f"{memories}/{name}", suffix, limit)


def _list_folder(files: SafeFiles, folder: str, suffix: str, limit: int) -> Iterator[Place]:
    yield Place(folder)
    for name in files.list_names(folder):
        if name.endswith(suffix):
            yield Place(f"{folder}/{name}", limit)


def _list_backlog(project: Project) -> Iterator[Place]:
    files = project.paths.files
    folder = files.relative(backlog_folder.Folder(files).path)
    if not files.has_entry(folder):
        return
    for name in (backlog_folder.OPEN, backlog_folder.COMPLETED, backlog_folder.ARCHIVED):
        yield from _list_folder(files, f"{folder}/{name}", ".md", ANY_SIZE)
    for name in ("memory", "memory/archive", ""):
        yield from _list_folder(files, f"{folder}/{name}".rstrip("/"), ".md", ANY_SIZE)
    for name in (backlog_folder.STATE_NAME, *backlog_folder.CONFIG_NAMES):
        yield Place(f"{folder}/{name}", ANY_SIZE)


def touch(files: SafeFiles, places: Iterable[Place]) -> None:
    """Open all places, so that `files.refused` has those that are refused."""
    for place in list(places):
        try:
            if place.limit is None:
                files.list_names(place.path)
            elif place.limit == ANY_SIZE:
                files.read_end(place.path, 1)
            else:
                files.read(place.path, place.limit)
        except Refused as error:
            files.refused[error.path] = error
        except OSError:
            continue  # `check_folder` reports missing rights
