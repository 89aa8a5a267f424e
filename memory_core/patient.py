"""What every check of the doctor has to hand: a finding's form, and the project examined."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping
from typing import NamedTuple

from memory_core import (
    client,
    config,
    events,
    installation,
    memory,
    overview,
    plugin,
    rehearsal,
    runs,
    samples,
    settings,
)

OK, WARNING, BROKEN = "ok", "warning", "broken"

# What is older, in seconds, has either been mended or will show itself again.
RECENT = 7 * 86400

SAMPLE_OF = {
    "PreToolUse": "pre",
    "SubagentStart": "start",
    "SessionStart": "session",
    "PostToolUse": "post",
    "PostToolUseFailure": "failure",
    "SubagentStop": "stop",
}


# Where else a command of ours may look for our program: a path that a shell takes as it stands,
# without `..`, /proc and /dev, by which a repository could lead into itself.
PROGRAM = re.compile(r'"(?!/(?:proc|dev)/)(?:/(?!\.\.?[/"])[A-Za-z0-9_. -]+)+"')


def typed(*command: str) -> str:
    """Return a command as a person can give it to a shell, whatever is in its names."""
    return shlex.join(command)


def is_known(event: str, text: str, root: str) -> bool:
    """Say whether a command is what this version writes, but perhaps for another folder.

    Settings come with a repository, so nothing else in them is run only because it begins as
    our commands do; nor is a program that is in the repository, below `root`.
    """
    if event not in rehearsal.SCRIPTS:
        return False
    wanted = settings.command(rehearsal.SCRIPTS[event])
    end = wanted[wanted.index(";") :]
    folder = text.removeprefix(settings.TAG).removesuffix(end)
    if text == wanted or text != f"{settings.TAG}{folder}{end}" or not PROGRAM.fullmatch(folder):
        return text == wanted
    real, top = os.path.realpath(folder.strip('"')), os.path.realpath(root)
    return os.path.commonpath([real, top]) != top


class Finding(NamedTuple):
    """One thing that was looked at: how it is, where, and how to mend it.

    `cure` is a key of `mending.CURES` where that is safe to do by itself, `subject` what it is
    to be done to.
    """

    level: str
    check: str
    what: str
    where: str = ""
    mend: str = ""
    cure: str = ""
    subject: str = ""


class Patient:
    """A project under examination: what several checks need, found out once."""

    def __init__(self, project: memory.Project, environ: Mapping[str, str]) -> None:
        self.project = project
        self.root = project.place.root
        self.files = client.hook_files(self.root, environ)
        # As Claude Code's hooks have it.
        self.environ = {**environ, **client.variables(self.files)}
        self.version = installation.claude_version()
        self.memories = overview.memories(project)
        self.agent = self._sample_agent()

    def _sample_agent(self) -> str:
        """Return an agent that takes part, one with a memory if possible."""
        named = [
            entry.agent for entry in self.memories if entry.exists and entry.agent != memory.PM
        ]
        candidates = [*named, samples.AGENT, events.DEFAULT_AGENT]
        return next((name for name in candidates if self.project.serves(name)), samples.AGENT)

    @property
    def takes_part(self) -> bool:
        return self.project.serves(self.agent) and not config.is_off(self.environ)

    @property
    def settings_path(self) -> str:
        """Return where the project's hooks are looked for first."""
        return os.path.join(self.root, ".claude", "settings.json")

    @property
    def foreign(self) -> list[client.Foreign]:
        """Return other tools' hooks that see delegations."""
        return [hook for file in self.files for hook in client.foreign_hooks(file)]

    def knows(self, file: client.SettingsFile, entry: settings.Entry) -> bool:
        """Say whether a command of ours is one that may be run here; see `is_known`."""
        *shell, text = file.argv(entry.value)
        known = is_known(entry.event, text, self.root) or self._is_of_plugin(file, entry)
        return shell == ["sh", "-c"] and known

    def _is_of_plugin(self, file: client.SettingsFile, entry: settings.Entry) -> bool:
        """Say whether a command is what this version's plugin has, from outside of the project."""
        if not file.folder or entry.event not in rehearsal.SCRIPTS:
            return False
        real, top = os.path.realpath(file.folder), os.path.realpath(self.root)
        wanted = plugin.command(rehearsal.SCRIPTS[entry.event])
        return entry.value.get("command") == wanted and os.path.commonpath([real, top]) != top

    def should_act(self, event: str) -> bool:
        """Say whether the hook of an event has something to do, if only to note it."""
        lost = runs.prompts_are_lost(self.project.place)
        return self.takes_part and not (lost and event == "PreToolUse")

    def sample(self, kind: str, run: str) -> bytes:
        return json.dumps(samples.sample(kind, self.agent, self.root, run)).encode()
