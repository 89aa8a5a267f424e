"""The permission of a person that the agents of a project receive the user-level memory.

It is a secret that the state and a file that git ignores have in common, so another repository at
the same place does not inherit it.
"""

from __future__ import annotations

import os

from memory_core.storage.paths import LevelPaths
from memory_core.storage.project import Project

FILE = "user-level"

# The note that a person has been told that the user-level memory is not given.
ASKED = "asked"
NOT_ALLOWED = (
    "agent-memory: the agents of this project do not receive your user-level memory."
    "  If you want them to: agent-memory allow"
)


def is_allowed(paths: LevelPaths) -> bool:
    """Return whether the agents of the project receive the user-level memory."""
    secret = paths.state.read_text(FILE)
    own = os.path.join(paths.folder, "locks", FILE)
    return secret != "" and secret == paths.files.read_text(own)


def is_missing(project: Project) -> bool:
    """Return whether there are user-level memories that the agents would receive if allowed."""
    if project.user_paths is None or project.config["user_level"] == "off":
        return False
    return not is_allowed(project.paths) and bool(project.level(user=True).agents())


def ask(project: Project) -> list[str]:
    """Return a notice, once, if the agents do not receive the user-level memory.

    Raises OSError, because it would be said again and again.
    """
    state = project.paths.state
    from memory_core.storage.database import state_db

    if not is_missing(project) or state_db.read_note(state, ASKED):
        return []
    state_db.write_note(state, ASKED, "yes")
    return [NOT_ALLOWED]


def allow(paths: LevelPaths) -> None:
    """Allow that the agents receive the user-level memory.  Raises OSError."""
    from memory_core.storage import store
    from memory_core.storage.database import state_db

    secret = os.urandom(16).hex().encode()
    paths.files.replace(store.make_lock_path(paths, FILE), secret, durable=False)
    paths.state.replace(FILE, secret, durable=False)
    state_db.write_note(paths.state, ASKED, "")


def forbid(paths: LevelPaths) -> None:
    """Allow it no more."""
    paths.state.remove(FILE)
