"""Where the files of a project are.

.claude-mpm/            in the project's root; a second one in the home directory
  config.yml            settings
  memories/             one file per agent, committed
  locks/                files that git ignores, so that two processes do not write one memory at
                        once, and the permission for the user-level memory

Everything else is outside of the project, so that nothing in a repository can forge it:

$XDG_STATE_HOME/agent-memory/shop-1f0a9c22d1/    or below ~/.local/state; for the user alone
  project.json               which folder it belongs to
  user-level                 a secret: the user-level memory is given to the repository that has it
  state.db                   what the worker and the commands know; see database/state_db.py
  origins/AGENT              changes when the origins of an agent's texts change
  review.jsonl               learnings that wait, decisions and origins, from which it can be made
  waiting                    changes with what waits for a person; no file: nothing waits
  key                        the secret of the marks of memory blocks
  events.jsonl               what happened
  receipts/ runs/            delegations
  inbox/ done/               events that the worker has to merge, and those that it has merged
  tasks.json route.json      for hooks: the tasks of the last look; prompts cannot be changed
  settings ready/            what is computed from other files; may be deleted at any time
"""

from __future__ import annotations

import posix
import stat

from memory_core.claude_code import agent_names
from memory_core.claude_code.agent_names import PM
from memory_core.files import posix_paths
from memory_core.files.safe_files import SafeFiles
from memory_core.text import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER_NAME = ".claude-mpm"

PROGRAM_FOLDER = "agent-memory"

# Of files that change with the origins of an agent's texts.
ORIGINS_FOLDER = "origins"

KEY_FILE = "key"
KEY_LENGTH = 32

# Below a device there is no folder: nothing is kept, and memories still work.
NOWHERE = f"/dev/null/{PROGRAM_FOLDER}"

# How long commands and the worker wait for another process with the database.
BUSY_SECONDS = 5.0

# Of the project's name in the folder's name.
MAX_NAME_LENGTH = 40


class StateFiles(SafeFiles):
    """The state of the project at `owner`.

    A process waits `busy_seconds` for another one that writes `state.db`.  A hook that has to merge
    a report itself may have to do it without the database: then `has_database` is False.
    """

    __slots__ = ("busy_seconds", "has_database", "owner")

    def __init__(self, owner: str, home: str) -> None:
        self.busy_seconds = BUSY_SECONDS
        self.has_database = True
        self.owner = posix_paths.resolve(owner)
        super().__init__(f"{home}/{_make_name(self.owner)}", private=True)

    def make_root(self) -> None:
        """Create the folder; raises OSError."""
        if not is_folder(self.root):
            from memory_core.storage import state_owner

            state_owner.make_state(self, self.owner)

    def read_key(self) -> bytes:
        """Return a secret of this project on this machine; a new one each time without a folder."""
        key = self.read_text(KEY_FILE, KEY_LENGTH).encode()
        if len(key) == KEY_LENGTH:
            return key
        from memory_core.storage import state_owner

        return state_owner.make_key(self, KEY_FILE, KEY_LENGTH)


class LevelPaths:
    """The folders of one level: a project, or the user's home.

    `files` are those below the root, `state` those that this machine keeps about them.
    """

    __slots__ = ("config", "files", "folder", "memories", "root", "state")

    def __init__(self, root: str, environ: Mapping[str, str], is_user: bool = False) -> None:
        self.root = root
        self.folder = posix_paths.join(root, FOLDER_NAME)
        self.config = f"{self.folder}/config.yml"
        self.memories = f"{self.folder}/memories"
        self.files = SafeFiles(root, follows_links=is_user, private=is_user)
        # The home directory holds the folder of all states; a project must not choose it.
        around = self.folder if is_user else root
        self.state: StateFiles = StateFiles(root, find_state_home(around, environ))

    def relative(self, path: str) -> str:
        """Return `path` for people: relative to the root if it is below it."""
        return self.files.relative(path)


class MemoryFolder:
    """The files of the agents of one level, in `folder`."""

    def __init__(self, paths: LevelPaths, directory: str = "") -> None:
        self.paths = paths
        self.files = paths.files
        self.folder = posix_paths.join(paths.root, directory) if directory else paths.memories

    def path(self, agent: str) -> str:
        """Return the agent's file: an existing one under any of its names, or the new one."""
        usual = f"{self.folder}/{self.stem(agent)}.md"
        if self.files.has_entry(usual):
            return usual
        names = agent_names.list_file_names(agent)
        name = agent_names.find_file(self.files.list_names(self.folder), names)
        return f"{self.folder}/{name}" if name else usual

    def stem(self, agent: str) -> str:
        return PM if agent == PM else agent_names.file_stem_of(agent)

    def history_path(self, agent: str) -> str:
        """Return the path of an agent's history."""
        return f"{self.folder}/history/{self.stem(agent)}.jsonl"

    def origins_path(self, agent: str) -> str:
        """Return the path in the state of a file that changes with the origins of an agent."""
        return f"{ORIGINS_FOLDER}/{self.stem(agent)}"


def find_user_level(environ: Mapping[str, str]) -> LevelPaths | None:
    """Return the user's level, None if HOME is not an absolute path."""
    home = find_home(environ)
    return LevelPaths(home, environ, is_user=True) if home[:1] == "/" else None


def find_home(environ: Mapping[str, str]) -> str:
    path = environ.get("HOME", "")
    return path.rstrip("/") or path[:1]  # a container may have the home directory "/"


def find_project_level(cwd: str, environ: Mapping[str, str]) -> LevelPaths:
    """Return the project that an event belongs to.

    CLAUDE_PROJECT_DIR stays the main checkout while an agent works in a worktree (seen in all
    versions); the event's cwd does not.  Raises OSError if a folder on the way up cannot be
    read: skipping it could lead to the memory of another project.  A report that arrives
    meanwhile is not lost, because the next sweep reads its transcript.
    """
    candidates = (environ.get("CLAUDE_PROJECT_DIR"), cwd)
    start = next((path for path in candidates if path and is_folder(path)), "")
    root, home = posix_paths.resolve(start or ".", follows_links=False), find_home(environ)
    if root == home or not is_folder(posix_paths.join(root, FOLDER_NAME)):
        from memory_core.files import project_roots

        root = project_roots.find_root(root, home, FOLDER_NAME)
    return LevelPaths(root, environ)


def is_folder(path: str) -> bool:
    """Return whether a folder is there; raises OSError.

    os.path.isdir would also return False for a failing disk or a folder without permission.
    """
    try:
        return stat.S_ISDIR(posix.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False  # ValueError: a path from an event may hold a null character


def find_state_home(root: str, environ: Mapping[str, str]) -> str:
    """Return the folder with the state of all projects; a project at `root` cannot choose it."""
    named = environ.get("XDG_STATE_HOME", "")
    if named[:1] == "/" and not is_below(named, root):
        return posix_paths.join(named, PROGRAM_FOLDER)
    home = environ.get("HOME", "")
    if home[:1] == "/":
        return posix_paths.join(home, ".local/state", PROGRAM_FOLDER)
    return NOWHERE


def is_below(path: str, root: str) -> bool:
    """Check whether a path leads into the folder `root`."""
    inner, outer = posix_paths.resolve(path), posix_paths.resolve(root)
    return f"{inner}/".startswith(f"{outer.rstrip('/')}/")


def _make_name(owner: str) -> str:
    kept = (
        char if char.isalnum() and char.isascii() else "-" for char in posix_paths.split(owner)[1]
    )
    return f"{''.join(kept)[:MAX_NAME_LENGTH] or 'project'}-{digests.hash_text(owner)}"
