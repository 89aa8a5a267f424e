"""Find hooks of agent-memory that Claude Code has in its settings, but that cannot work.

Nothing is run here: settings may come with a repository.
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from memory_core.claude_code import settings_files, settings_json

# Events whose hooks must see delegations.
DELEGATION_EVENTS = ("PreToolUse", "PostToolUse")

_QUOTED = re.compile(rf'({settings_json.COMMAND_PREFIX}|-x |)"([^"]*)"')


class HookFault(NamedTuple):
    """Why some hooks of a settings file do nothing."""

    file: settings_files.SettingsFile
    reason: str
    hooks: list[settings_json.HookEntry]

    def __str__(self) -> str:
        events = dict.fromkeys(hook.event for hook in self.hooks)
        return f"{self.reason}: the hooks of {', '.join(events)} do nothing"


def list_faults(
    files: list[settings_files.SettingsFile], environ: Mapping[str, str]
) -> list[HookFault]:
    """Return the faults of all hooks of agent-memory, one for each file and cause.

    Another hook of the same event may work, for example that of a plugin.
    """
    reasons = [
        (file, hook, find_fault(file, hook, environ)) for file in files for hook in file.own_hooks
    ]
    working = {hook.event for _file, hook, reason in reasons if not reason}
    faults: dict[tuple[str, str], HookFault] = {}
    for file, hook, reason in reasons:
        if reason and hook.event not in working:
            fault = faults.setdefault((file.path, reason), HookFault(file, reason, []))
            fault.hooks.append(hook)
    return list(faults.values())


def list_missing(files: list[settings_files.SettingsFile]) -> list[str]:
    """Return the events of delegations for which no file has a hook of agent-memory."""
    events = {hook.event for file in files for hook in file.own_hooks}
    return [event for event in DELEGATION_EVENTS if event not in events]


def find_fault(
    file: settings_files.SettingsFile, hook: settings_json.HookEntry, environ: Mapping[str, str]
) -> str:
    """Return why a hook does nothing: a missing path or a wrong matcher; "" if it may work."""
    variables = {"HOME": environ.get("HOME", ""), "CLAUDE_PLUGIN_ROOT": file.folder}
    for path, right in _list_paths(hook.command, variables):
        if problem := _find_problem(path, right):
            return problem
    matcher = hook.matcher or ""
    if hook.event in DELEGATION_EVENTS and not settings_files.matches_delegations(matcher):
        return f"the matcher {matcher} does not match Agent"
    return ""


def _list_paths(command: str, variables: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the absolute paths that one of our commands quotes, with the right that it needs."""
    values = dict(variables)
    for before, word in _QUOTED.findall(command):
        path = string.Template(word).safe_substitute(values)
        if before == settings_json.COMMAND_PREFIX:
            values[before[:-1]] = path
        if os.path.isabs(path):
            yield path, os.X_OK if before == "-x " else os.R_OK


def _find_problem(path: str, right: int) -> str:
    """Return why a path cannot be used; "" if it can."""
    try:
        os.stat(path)
    except FileNotFoundError:
        link = f" is a link to {os.readlink(path)}, which" if os.path.islink(path) else ""
        return f"{path}{link} does not exist"
    except (OSError, ValueError) as error:
        return f"{path} cannot be used ({getattr(error, 'strerror', None) or error})"
    return "" if os.access(path, right) else f"{path} cannot be used"
