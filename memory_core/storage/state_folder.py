"""What this machine remembers of a project, outside of it: nothing in a repository can forge it.

$XDG_STATE_HOME/agent-memory/shop-1f0a9c22d1/    or below ~/.local/state; for the user alone
  project.json               which folder it belongs to
  user-level                 a secret: the user-level memory is given to the repository that has it
  state.db                   what the worker and the commands know; no hook opens it
  origins/AGENT              changes when the origins of an agent's texts change
  review.jsonl               learnings that wait, decisions and origins, from which it can be made
  waiting                    changes with what waits for a person; no file: nothing waits
  key                        the secret of the marks of memory blocks
  events.jsonl               what happened
  receipts/ runs/            delegations
  inbox/ done/               events that the worker has to merge, and those that it has merged
  settings ready/            what is computed from other files; may be deleted at any time
"""

from __future__ import annotations

import os
import sys

from memory_core.files.safe_files import SafeFiles
from memory_core.text import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM_FOLDER = "agent-memory"

# There while learnings wait for a person, see `review_table`.
WAITING_FILE = "waiting"

KEY_FILE = "key"
KEY_BYTES = 16

# Below a device there is no folder: nothing is kept, and memories still work.
NOWHERE = os.path.join(os.devnull, PROGRAM_FOLDER)

# Of the project's name in the folder's name.
MAX_NAME_LENGTH = 40


class StateFiles(SafeFiles):
    """The state of the project at `owner`.

    A process waits `busy_seconds` for another one that writes `state.db`.  A hook that has to merge
    a report itself may have to do it without the database: then `has_database` is False.
    """

    __slots__ = ("busy_seconds", "has_database", "owner")

    def __init__(self, owner: str, home: str) -> None:
        self.busy_seconds = 5.0
        self.has_database = True
        self.owner = os.path.realpath(owner)
        if sys.platform == "darwin":  # Claude Code and a shell may spell one folder differently
            from memory_core.files import path_spelling

            self.owner = path_spelling.find_spelling(self.owner)
        super().__init__(os.path.join(home, _make_name(self.owner)), private=True)

    def make_root(self) -> None:
        """Create the folder; raises OSError."""
        if not os.path.isdir(self.root):
            from memory_core.storage import state_owner

            state_owner.make_state(self, self.owner)

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


def find_home(root: str, environ: Mapping[str, str]) -> str:
    """Return the folder with the state of all projects; a project at `root` cannot choose it."""
    named = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(named) and not is_below(named, root):
        return os.path.join(named, PROGRAM_FOLDER)
    home = environ.get("HOME", "")
    if os.path.isabs(home):
        return os.path.join(home, ".local", "state", PROGRAM_FOLDER)
    return NOWHERE


def is_below(path: str, root: str) -> bool:
    """Check whether a path leads into the folder `root`."""
    return f"{os.path.realpath(path)}/".startswith(f"{os.path.realpath(root).rstrip('/')}/")


def _make_name(owner: str) -> str:
    kept = (char if char.isalnum() and char.isascii() else "-" for char in os.path.basename(owner))
    return f"{''.join(kept)[:MAX_NAME_LENGTH] or 'project'}-{digests.hash_text(owner)}"
