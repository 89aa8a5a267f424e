"""What a trial of the hooks needs: a temporary project, the hooks, and Claude Code's version."""

from __future__ import annotations

import os
import re
import tempfile

from memory_core.claude_code import headless
from memory_core.setup import builder, hook_runner, program
from memory_core.setup.builder import InstallRefused
from memory_core.setup.program import COMMAND
from memory_core.storage import paths
from memory_core.storage.project import Project

TEMPLATE_NAME = "settings.template.json"

# The folders of a trial.
PROJECT, HOME = "shop", "home"

# The oldest version of Claude Code that agent-memory supports.
OLDEST_CLAUDE = "2.1.20"

# Seconds; `claude --version` takes one.
CLAUDE_TIMEOUT = 20


def find_claude_version() -> tuple[int, ...]:
    """Return the version of the installed Claude Code, () if there is none."""
    claude = headless.find_claude(os.environ)
    if claude is None:
        return ()
    # 2.1.20 creates its configuration folder even for this; keep it out of the user's home.
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-") as folder:
        environ = {**os.environ, "CLAUDE_CONFIG_DIR": folder, "DISABLE_AUTOUPDATER": "1"}
        try:
            output = builder.run([claude, "--version"], environ, CLAUDE_TIMEOUT)
        except InstallRefused:
            return ()
    match = re.search(r"\b(\d+)\.(\d+)\.(\d+)\b", output)
    return tuple(map(int, match.groups())) if match else ()


def is_supported(version: tuple[int, ...]) -> bool:
    return version >= tuple(map(int, OLDEST_CLAUDE.split(".")))


def make_project(folder: str, environment: str) -> Project:
    """Create a project, and a home in which hooks find the program in `environment`.

    This keeps the user's memory, settings and state out.
    """
    root, home = os.path.join(folder, PROJECT), os.path.join(folder, HOME)
    os.makedirs(os.path.join(root, paths.FOLDER_NAME))  # else a parent folder is the project
    link = program.find_link(home)
    os.makedirs(os.path.dirname(link))
    os.symlink(environment, link)
    own = ("CLAUDE", "AGENT_MEMORY", "XDG_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    environ = {**inherited, "HOME": home}
    return Project(paths.LevelPaths(root, environ), environ)


def read_template() -> str:
    """Return settings.template.json."""
    path = hook_runner.find_own_file(f"memory_core/{TEMPLATE_NAME}", TEMPLATE_NAME)
    with open(path, encoding="utf-8") as file:
        return file.read()
