"""What the settings of a project mean for its memories; hooks do not need it."""

from __future__ import annotations

import os
from collections.abc import Collection

from memory_core.files import project_roots
from memory_core.history import rights
from memory_core.storage import paths
from memory_core.storage.config_yml import default_settings
from memory_core.storage.project import Project


def contains(project: Project, folder: str) -> bool:
    """Check whether a folder belongs to a project: is below it, or in a working tree of it.

    A folder below it need not exist any more.  Raises OSError as `paths.find_project_level`.
    """
    root = project.paths.root
    if not os.path.isabs(folder):
        return False
    if paths.is_below(folder, root):
        return True
    if not paths.is_folder(folder):
        return False
    home = paths.find_home(project.environ)
    other = project_roots.find_root(os.path.abspath(folder), home, paths.FOLDER_NAME)
    return os.path.realpath(other) == os.path.realpath(root)


def is_strict(project: Project) -> bool:
    """Return whether agents receive only what was reviewed on this machine: `memory.trust`."""
    return bool(project.config["trust"] == default_settings.STRICT)


def list_given_tiers(project: Project) -> Collection[str]:
    """Return the tiers of texts that agents receive, () for all."""
    if is_strict(project):
        return rights.DECIDED
    return rights.INSIDE if project.config["hold_outside"] else ()
