"""What this machine remembers of a project, outside of it: nothing in a repository can forge it.

$XDG_STATE_HOME/agent-memory/shop-1f0a9c22d1/    or below ~/.local/state; for the user alone
  project.json               which folder it belongs to
  user-level                 a secret: the user-level memory is given to the repository that has it
  decided/AGENT              where the texts of a memory came from, and which a person reviewed
  made/AGENT                 which records of a history this machine wrote
  key                        the secret of the marks of memory blocks
  events.jsonl               what happened
  receipts/ runs/            delegations
  inbox/ done/               events that the worker has to merge, and those that it has merged
  review/AGENT.jsonl         learnings that wait for a person
  errors/AGENT.jsonl         errors of runs, and what solved them
  subjects/AGENT.jsonl       what runs were about
  settings errors/*.txt      what is computed from other files; may be deleted at any time
"""

from __future__ import annotations

import os

from memory_core.files import safe_files
from memory_core.files.safe_files import SafeFiles
from memory_core.text import digests, fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM_FOLDER = "agent-memory"

OWNER_FILE = "project.json"

USER_LEVEL_FILE = "user-level"

# Learnings that wait for a person, see `review_file`.  Years of work fit into this size.
REVIEW_FOLDER, MAX_REVIEW_BYTES = "review", 64_000_000

# A person has been told that the user-level memory is not given.
ASKED_FILE = "user-level-asked"

# In OWNER_FILE since the agents of a project have to be allowed to receive the user-level memory.
ASKS = "asks"

KEY_FILE = "key"
KEY_BYTES = 16

# Below a device there is no folder: nothing is kept, and memories still work.
NOWHERE = os.path.join(os.devnull, PROGRAM_FOLDER)

# Of the project's name in the folder's name.
MAX_NAME_LENGTH = 40


class StateFiles(SafeFiles):
    """The state of the project at `owner`."""

    __slots__ = ("owner",)

    def __init__(self, owner: str, home: str) -> None:
        self.owner = os.path.realpath(owner)
        super().__init__(os.path.join(home, _make_name(self.owner)), private=True)

    def make_root(self) -> None:
        """Create the folder; if the project was moved, it is that of its old place.

        Raises OSError.
        """
        if os.path.isdir(self.root):
            return
        safe_files.make_folders(os.path.dirname(self.root), 0o700)
        asks = True
        if moved := self._find_moved():
            os.rename(moved, self.root)
            asks = not self.is_from_before()
        else:
            os.makedirs(self.root, 0o700, exist_ok=True)  # another process may be quicker
        status = os.stat(self.owner)
        owner = {"path": self.owner, "device": status.st_dev, "inode": status.st_ino}
        owner |= {ASKS: True} if asks else {}
        self.replace(OWNER_FILE, fastjson.dumps(owner).encode(), durable=False)

    def follow_move(self) -> None:
        """Use the state of a project that was moved, before anything is written here."""
        try:
            if not os.path.isdir(self.root) and self._find_moved():
                self.make_root()
        except OSError:
            pass  # the next write reports it

    def is_from_before(self) -> bool:
        """Return whether this is the state of a project that was used before ASKS."""
        owner = fastjson.load_object(self.read_text(OWNER_FILE))
        return bool(owner) and ASKS not in owner

    def was_allowed_user_level(self) -> bool:
        """Return whether an older version allowed the user-level memory to the same folder."""
        if not (self.is_file(USER_LEVEL_FILE) or self.is_from_before()):
            return False
        owner = fastjson.load_object(self.read_text(OWNER_FILE))
        try:
            status = os.stat(self.owner)
        except OSError:
            return False
        return (owner.get("device"), owner.get("inode")) == (status.st_dev, status.st_ino)

    def forbid_user_level(self) -> None:
        """Allow the user-level memory no more.  Raises OSError."""
        if self.is_from_before():
            owner = fastjson.load_object(self.read_text(OWNER_FILE))
            self.replace(OWNER_FILE, fastjson.dumps({**owner, ASKS: True}).encode())
        self.remove(USER_LEVEL_FILE)

    def read_key(self) -> bytes:
        """Return a secret of this project on this machine; a new one each time without a folder."""
        key = self._read_key()
        if not key:
            key = os.urandom(KEY_BYTES).hex().encode()
            try:
                self.replace(KEY_FILE, key, durable=False)
            except OSError:
                return key
            key = self._read_key() or key  # of another hook that made one at the same time
        return key

    def _read_key(self) -> bytes:
        try:
            key = self.read(KEY_FILE, 2 * KEY_BYTES)
        except OSError:
            return b""
        return key if len(key) == 2 * KEY_BYTES else b""

    def _find_moved(self) -> str:
        """Return the state folder of this project at its old place, "" if it was not moved."""
        gone = list_gone(os.path.dirname(self.root), self.owner)
        return next((folder for folder, _path, is_certain in gone if is_certain), "")


def find_home(root: str, environ: Mapping[str, str]) -> str:
    """Return the folder with the state of all projects; a project at `root` cannot choose it."""
    named = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(named) and not is_below(named, root):
        return os.path.join(named, PROGRAM_FOLDER)
    home = environ.get("HOME", "")
    if os.path.isabs(home):
        return os.path.join(home, ".local", "state", PROGRAM_FOLDER)
    return NOWHERE


def list_gone(home: str, owner: str) -> list[tuple[str, str, bool]]:
    """Return (state folder, its project, is certain) of states that may be of the folder `owner`.

    Their projects are gone, and had the name or the number (inode) of this folder; both make it
    certain that the project was moved here.  A new folder may get the number of a deleted one.
    """
    if not os.path.isdir(owner):
        return []  # HOME may name a folder that does not exist
    files, status = SafeFiles(home), os.stat(owner)
    gone = []
    for name in files.list_names():
        old = fastjson.load_object(files.read_text(f"{name}/{OWNER_FILE}"))
        path = str(old.get("path"))
        has_name = os.path.basename(path) == os.path.basename(owner)
        has_number = (old.get("device"), old.get("inode")) == (status.st_dev, status.st_ino)
        if (has_name or has_number) and os.path.isabs(path) and not os.path.lexists(path):
            gone.append((files.locate(name), path, has_name and has_number))
    return gone


def list_owners(home: str) -> list[tuple[str, str]]:
    """Return (name of the state folder, path of its project) of all states in a folder."""
    files = SafeFiles(home)
    owners = (
        (name, fastjson.load_object(files.read_text(f"{name}/{OWNER_FILE}")).get("path"))
        for name in files.list_names()
    )
    return [(name, path) for name, path in owners if isinstance(path, str) and os.path.isabs(path)]


def is_below(path: str, root: str) -> bool:
    """Check whether a path leads into the folder `root`."""
    return f"{os.path.realpath(path)}/".startswith(f"{os.path.realpath(root).rstrip('/')}/")


def _make_name(owner: str) -> str:
    kept = (char if char.isalnum() and char.isascii() else "-" for char in os.path.basename(owner))
    return f"{''.join(kept)[:MAX_NAME_LENGTH] or 'project'}-{digests.hash_text(owner)}"
