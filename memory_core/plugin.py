"""The Claude Code plugin, as far as a hook has to know it: light, for it is on every hook's way.

DATA/                       CLAUDE_PLUGIN_DATA; ~/.claude/plugins/data/... in old clients
  venv -> environments/NAME what the plugin runs on, with `packages` beside its bin/
  environments/NAME/        the dependencies alone: our code is run where the plugin is
  python                    the system's Python, until then
  build.log, failed.json    how the last building went
"""

from __future__ import annotations

import os
import sys

from memory_core import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

NAME = "agent-memory"

# Where the plugin keeps what it runs on; hooks/plugin.sh sets it.
DATA = "AGENT_MEMORY_PLUGIN_DATA"

# `settings` has these too, but costs a hook too much; a test holds them to it.
TAG = "agent_memory="
FOLDER = '"${XDG_DATA_HOME:-$HOME/.local/share}/agent-memory/venv"'

# As `client.MANAGED`, for Linux and macOS.
MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
)


# The folder's name in clients that give plugins none; hooks/plugin.sh has it as well.
UNNAMED = "agent-memory-plugin"

# What the plugin's commands begin with.
OWN = f'{TAG}"${{CLAUDE_PLUGIN_ROOT}}";'

# What hooks/plugin.sh has a Python run, with our folder and the verb behind it.  No script: what
# is imported is compiled once, a script each time, for 3 ms and more.
DOOR = (
    'import sys; sys.path += [sys.argv[1], sys.argv[1] + "/hooks"];'
    " import agent_memory_plugin; agent_memory_plugin.main()"
)


def command(script: str) -> str:
    """Return the shell command of the plugin's hooks.json that runs one of our hooks.

    It begins as those do that an installation writes, so that the doctor finds it, and is
    silent where the plugin has been taken away under a running session.
    """
    path = '"$agent_memory/hooks/plugin.sh"'
    return f"{OWN} if [ -r {path} ]; then exec sh {path} hook {script}; fi"


def data_folder(config: str, name: str) -> str:
    """Return the folder that Claude Code gives PLUGIN@MARKETPLACE (seen in 2.1.329)."""
    told = "".join(char if char.isascii() and char.isalnum() else "-" for char in name)
    return os.path.join(config, "plugins", "data", told)


def stands_down(script: str, environ: Mapping[str, str]) -> bool:
    """Say whether the same hook runs from an installation, by settings that count here.

    Settings come with a repository: where the program that they name is not on this machine,
    their hook does nothing, and the plugin's has to.
    """
    return any(
        is_there(each, script, environ)
        for path in _settings(environ)
        for each in _commands(path)
        if each.startswith(TAG) and f"/hooks/{script}.py" in each
    )


def _settings(environ: Mapping[str, str]) -> Iterator[str]:
    home = os.path.join(environ.get("HOME") or "/nonexistent", ".claude")
    yield os.path.join(environ.get("CLAUDE_CONFIG_DIR") or home, "settings.json")
    if root := environ.get("CLAUDE_PROJECT_DIR"):
        yield os.path.join(root, ".claude", "settings.json")
        yield os.path.join(root, ".claude", "settings.local.json")
    yield from MANAGED


def _commands(path: str) -> list[str]:
    """Return all hooks' commands of a settings file that names any of ours."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            data = file.read()
        if TAG.encode() not in data:
            return []
        hooks = fastjson.loads(data.decode("utf-8-sig"))["hooks"]
        return [
            str(hook.get("command"))
            for groups in hooks.values()
            for group in groups
            for hook in group["hooks"]
        ]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return []  # not there, or such that Claude Code ignores it


def is_there(told: str, script: str, environ: Mapping[str, str]) -> bool:
    """Say whether the program of an installed hook's command is on this machine."""
    folder = told.removeprefix(TAG).partition(";")[0]
    if folder == FOLDER:
        home = os.path.join(environ.get("HOME", ""), ".local", "share")
        path = os.path.join(environ.get("XDG_DATA_HOME") or home, "agent-memory", "venv")
    else:
        path = folder.strip('"')
    return os.access(os.path.join(path, "bin", "python"), os.X_OK) and os.access(
        os.path.join(path, "hooks", f"{script}.py"), os.R_OK
    )


def packages() -> list[str]:
    """Return where the dependencies are, for a Python that was started without its own."""
    path = os.path.join(os.path.dirname(os.path.dirname(sys.executable)), "packages")
    return [path] if os.path.isdir(path) else []


def failure(data: str) -> dict[str, Any]:
    """Return how the last building failed: `key`, `when`, `reason`, `told`; {} for not at all."""
    try:
        with open(os.path.join(data, "failed.json"), encoding="utf-8") as file:
            told = fastjson.loads(file.read())
        return dict(told) if isinstance(told["when"], int | float) else {}
    except (OSError, ValueError, LookupError, TypeError):
        return {}
