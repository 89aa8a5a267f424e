"""The file ready/AGENT in the state: the items of an agent, prepared for the choice.

`memory.preparing` makes it whenever a memory changes.  It begins with a digest, and has a stamp of
all that it depends on.  If it is missing, damaged or of another stamp, for example after an edit or
a pull, the next reader makes it again.
"""

from __future__ import annotations

import marshal

from memory_core import __version__
from memory_core.selection.passages import PassageIndex
from memory_core.text import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memory_core.storage.paths import MemoryFolder
    from memory_core.storage.project import Project

    Stamp = list[Any]

FOLDER = "ready"

# Raise it if the same files give other passages or words.
VERSION = 7

DIGEST_SIZE = 16
MAX_BYTES = 64 * 1024 * 1024

# See `storage.typed_command`.
COMMAND_FILE = ".local/share/agent-memory/command"

SETTINGS = (
    *("min_confidence", "confidence", "user_level", "trust", "hold_outside"),
    "give_performance",
)


class ReadyMemory:
    """The passages that an agent may receive, and facts about its memory files.

    `paths` are those of the files, as people read them, and `day` is that of their last change.
    `command` is the program as people here type it, `id_length` the length of the longest short id,
    and `has_recorded` says whether the agent has recorded an item.
    """

    passages: PassageIndex
    paths: Sequence[str] = ()
    day = ""
    command = ""
    id_length = 0
    has_recorded = False

    def __init__(self, **facts: Any) -> None:
        self.__dict__.update(facts)


def read(project: Project, agent: str) -> ReadyMemory | None:
    """Return what an agent may receive, None if it has to be prepared."""
    stamp = make_stamp(project, agent)
    old, passages, facts = load(project.folders[0], agent)
    if old == stamp:
        return ReadyMemory(passages=PassageIndex(passages), **facts)
    if not (old or any(stamp[1:])):
        return ReadyMemory(passages=PassageIndex())
    return None


def load(folder: MemoryFolder, agent: str) -> list[Any]:
    """Return a stamp, the stored index, and facts; without a file they are empty."""
    try:
        return unpack(folder.paths.state.read(locate(folder, agent), MAX_BYTES))
    except (OSError, EOFError, ValueError, TypeError):
        return [[], {}, {}]  # or written by another Python, or by an older version


def unpack(data: bytes) -> list[Any]:
    """Return what `preparing.pack` put into bytes; raises EOFError, ValueError and TypeError."""
    view = memoryview(data)
    if view[:DIGEST_SIZE] != digests.hash_bytes(view[DIGEST_SIZE:], DIGEST_SIZE):
        raise ValueError("what was prepared is damaged")
    stamp, passages, facts = marshal.loads(view[DIGEST_SIZE:])  # noqa: S302 - of this user
    return [stamp, passages, facts]


def make_stamp(project: Project, agent: str) -> Stamp:
    """Return values of which one differs if the agent may receive something else now.

    These are the settings, and a list of files for each level.
    """
    levels = [_stamp_level(folder, agent) for folder in project.folders]
    settings = [repr(project.config[name]) for name in SETTINGS]
    is_given = any(level[0] for level in levels[1:] if level)
    if is_given:
        from memory_core.storage import user_level

        is_given = user_level.is_allowed(project.paths)
    home = project.user_paths
    command = home.files.identify(COMMAND_FILE) if home else []
    return [[VERSION, __version__, is_given, command, *settings], *levels]


def _stamp_level(folder: MemoryFolder, agent: str) -> Stamp:
    """Return a stamp of the files of a level, of the memory file first.

    It is [] without this file and a history, of which agents may receive their performance.
    """
    path, state = folder.path(agent), folder.paths.state
    memory = folder.files.identify(path)
    history = folder.files.identify(folder.history_path(agent))
    if not (memory or history):
        return []
    return [memory, history, state.identify(folder.origins_path(agent)), path]


def locate(folder: MemoryFolder, agent: str) -> str:
    """Return the path in the state of what is prepared for an agent."""
    return f"{FOLDER}/{folder.stem(agent)}"
