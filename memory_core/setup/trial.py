"""What a trial of the hooks needs: the hooks, and Claude Code's version."""

from __future__ import annotations

import os
import re
import tempfile

from memory_core.claude_code import headless
from memory_core.setup import builder, hook_runner
from memory_core.setup.builder import InstallRefused
from memory_core.setup.program import COMMAND

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


def read_template() -> str:
    """Return settings.template.json."""
    name = "settings.template.json"
    path = hook_runner.find_own_file(f"memory_core/{name}", name)
    with open(path, encoding="utf-8") as file:
        return file.read()
