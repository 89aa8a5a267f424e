"""Which project a state folder belongs to: project.json in it, and projects that were moved."""

from __future__ import annotations

import os

from memory_core.files import safe_files
from memory_core.files.safe_files import SafeFiles
from memory_core.text import fastjson

OWNER_FILE = "project.json"


def make_state(state: SafeFiles, project: str) -> None:
    """Create the state folder of a project; if it was moved, it is that of its old place.

    Raises OSError.
    """
    safe_files.make_folders(os.path.dirname(state.root), 0o700)
    if moved := _find_moved(state, project):
        os.rename(moved, state.root)
    else:
        os.makedirs(state.root, 0o700, exist_ok=True)  # another process may be quicker
    status = os.stat(project)
    owner = {"path": project, "device": status.st_dev, "inode": status.st_ino}
    state.replace(OWNER_FILE, fastjson.dumps(owner).encode(), durable=False)


def follow_move(state: SafeFiles, project: str) -> None:
    """Use the state of a project that was moved, before anything is written here."""
    try:
        if not os.path.isdir(state.root) and _find_moved(state, project):
            make_state(state, project)
    except OSError:
        pass  # the next write reports it


def is_of_same_folder(state: SafeFiles, project: str) -> bool:
    """Return whether the state is of the very folder that is there now."""
    owner = fastjson.load_object(state.read_text(OWNER_FILE))
    try:
        status = os.stat(project)
    except OSError:
        return False
    return (owner.get("device"), owner.get("inode")) == (status.st_dev, status.st_ino)


def _find_moved(state: SafeFiles, project: str) -> str:
    """Return the state folder of a project at its old place, "" if it was not moved.

    That project is gone, and had the name and the number (inode) of this folder: a new folder may
    get the number of a deleted one.
    """
    name, former = os.path.basename(project), list_former(state, project)
    return next((folder for path, folder in former.items() if os.path.basename(path) == name), "")


def list_former(state: SafeFiles, project: str) -> dict[str, str]:
    """Return the paths at which this folder was before, or one that had its number (inode).

    Each has the folder of its state.
    """
    files = SafeFiles(os.path.dirname(state.root))
    states = {path: files.locate(name) for name, path in list_owners(files.root)}
    return {
        path: folder
        for path, folder in states.items()
        if not os.path.lexists(path) and is_of_same_folder(SafeFiles(folder), project)
    }


def list_owners(home: str) -> list[tuple[str, str]]:
    """Return (name of the state folder, path of its project) of all states in a folder."""
    files = SafeFiles(home)
    owners = (
        (name, fastjson.load_object(files.read_text(f"{name}/{OWNER_FILE}")).get("path"))
        for name in files.list_names()
    )
    return [(name, path) for name, path in owners if isinstance(path, str) and os.path.isabs(path)]


def make_key(state: SafeFiles, name: str, length: int) -> bytes:
    """Make the secret of a project, unless another hook makes one at the same time; return it."""
    new = os.urandom(length // 2).hex().encode()
    try:
        state.replace(name, new, durable=False)
    except OSError:
        return new
    return state.read_text(name, length).encode() or new
