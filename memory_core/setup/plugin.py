"""The Claude Code plugin, as far as a hook needs it: imported by every hook of the plugin.

DATA/                       CLAUDE_PLUGIN_DATA; ~/.claude/plugins/data/... in old clients
  venv -> environments/NAME the environment in use, with a link `packages`
  environments/NAME/        the dependencies only; the code runs from the plugin's folder
  python                    path of the system's Python, used until then
  build.log                 log of the last build; its last line is why it failed
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from memory_core.files.safe_files import SafeFiles
from memory_core.text import fastjson

# The plugin's data folder; hooks/plugin.sh sets it.
DATA_VARIABLE = "AGENT_MEMORY_PLUGIN_DATA"

# As in settings_json, which is too slow to import in a hook; a test compares them.
TAG = "agent_memory="
FOLDER = '"$HOME/.local/share/agent-memory/venv"'

# Start of the plugin's commands.  With braces, Claude Code would put the path into the command,
# where the shell would run a `$()` in it.
COMMAND_PREFIX = f'{TAG}"$CLAUDE_PLUGIN_ROOT";'

# What hooks/plugin.sh runs, with the plugin's folder and the verb as arguments.  An import, not a
# script: Python caches the compiled code of imports only, which saves 3 ms.
LAUNCH_CODE = (
    'import sys; sys.path += [sys.argv[1], sys.argv[1] + "/hooks"];'
    " import agent_memory_plugin; agent_memory_plugin.main()"
)


def format_command(script: str) -> str:
    """Return the shell command in hooks.json that runs a hook script of the plugin.

    It starts like the commands of an installation, so that the doctor recognises it.  It does
    nothing if the plugin is removed during a session.  PATH, in which a project may have put a
    folder of its own, chooses no program.
    """
    path = '"$agent_memory/hooks/plugin.sh"'
    return f"{COMMAND_PREFIX} if [ -r {path} ]; then exec /bin/sh {path} hook {script}; fi"


def is_superseded(script: str, environ: Mapping[str, str]) -> bool:
    """Say whether settings run the same hook from an installation on this machine.

    Settings may come with a repository whose other users have an installation.
    """
    home = os.path.join(environ.get("HOME") or "/nonexistent", ".claude")
    config = SafeFiles(environ.get("CLAUDE_CONFIG_DIR") or home, follows_links=True)
    files = [(config, "settings.json")]
    if root := environ.get("CLAUDE_PROJECT_DIR"):
        project = SafeFiles(root)
        files += (project, ".claude/settings.json"), (project, ".claude/settings.local.json")
    return any(
        is_installed(command, script, environ)
        for folder, name in files
        for command in _list_commands(folder, name)
        if command.startswith(TAG) and f"/hooks/{script}.py" in command
    )


def _list_commands(files: SafeFiles, name: str) -> list[str]:
    """Return all hook commands of a settings file; [] if none is of agent-memory."""
    try:
        data = files.read(name)
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
        return []  # missing, or invalid: Claude Code ignores it too


def is_installed(command: str, script: str, environ: Mapping[str, str]) -> bool:
    """Say whether the program that an installation's hook command names is on this machine."""
    path = command.removeprefix(TAG).partition(";")[0].strip('"')
    if path.startswith("$HOME/"):
        path = path.replace("$HOME", environ.get("HOME", ""), 1)
    if not os.path.isabs(path):
        return False
    return os.access(os.path.join(path, "bin", "python"), os.X_OK) and os.access(
        os.path.join(path, "hooks", f"{script}.py"), os.R_OK
    )


def find_packages() -> list[str]:
    """Return the folder of the dependencies: a hook's Python starts without site-packages."""
    path = os.path.join(os.path.dirname(os.path.dirname(sys.executable)), "packages")
    return [path] if os.path.isdir(path) else []
