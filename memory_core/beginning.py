"""The beginning of a project's memory: the folder and what belongs in it, empty memories."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from memory_core import agents, client, history, memory, places, store, writing


def begin(held: store.Store) -> list[str]:
    """Make the folder of memories and what goes with it; return the files that it lacked.

    The README says what the folder is, .gitignore keeps state/ and logs/ out of git, and
    history/.gitattributes lets git merge histories as unions of their lines.
    """
    place, folder = held.place, held.folder
    attributes = os.path.join(folder, "history", ".gitattributes")
    wanted: dict[str, Callable[[str], None]] = {
        os.path.join(place.folder, ".gitignore"): lambda path: places.write_once(
            path, places.IGNORED
        ),
        os.path.join(folder, "README.md"): lambda path: store.replace(path, store.README.encode()),
        attributes: lambda path: places.write_once(path, history.ATTRIBUTES),
    }
    lacking = {path: make for path, make in wanted.items() if not _is_there(path)}
    held.make_folder()
    for path, make in lacking.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not _is_there(path):
            make(path)
    return [place.relative(path) for path in lacking]


def _is_there(path: str) -> bool:
    """Say whether a file is there that is more than a killed writer's beginning."""
    return os.path.islink(path) or (os.path.exists(path) and os.path.getsize(path) > 0)


def without(held: store.Store, environ: Mapping[str, str], user: bool = False) -> list[str]:
    """Return the agents that are defined in files, and have no memory at this level.

    Of the project and its user; for the user's own level, those of the user alone.
    """
    own = os.path.join(client.config_folder(environ), "agents") + os.sep
    found = [
        agents.agent_id(file.name)
        for file in client.agent_files(held.place.root, environ)
        if file.is_named and (not user or file.path.startswith(own))
    ]
    able = {each for each in found if any(char.isalnum() for char in each)}
    return sorted(able - set(held.agents()))


def give(project: memory.Project, held: store.Store, names: Iterable[str]) -> list[tuple[str, str]]:
    """Give agents an empty memory; return (agent, file) of those that had none."""
    found = []
    for agent in dict.fromkeys(names):
        with held.locked(agent):
            if held.read(agent) is None:
                held.write(agent, writing.Memory(project, agent, held).text, None)
                found.append((agent, held.place.relative(held.path(agent))))
    return found


def has_hooks(root: str, environ: Mapping[str, str]) -> bool:
    """Say whether anything that counts for the project names our hooks."""
    return any(file.ours for file in client.hook_files(root, environ))
