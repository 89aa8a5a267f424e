"""The input (`Examination`) and the output (`Finding`) of all doctor checks."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from memory_core.claude_code import sample_events, settings_files, settings_json
from memory_core.claude_code.agent_names import PM
from memory_core.curation import agent_status
from memory_core.monitor.numbers import Numbers
from memory_core.setup import hook_runner, plugin
from memory_core.storage import config, paths, run_records
from memory_core.storage.project import Project
from memory_core.storage.store import Store

# A note needs nothing to be done.
OK, NOTE, WARNING, BROKEN = "ok", "note", "warning", "broken"


@dataclass(frozen=True)
class Repair:
    """A repair: a description, the file, the undo command, the diff, or the error."""

    what: str
    where: str
    undo: str = ""
    diff: str = ""
    error: str = ""
    check: str = ""


@dataclass
class Finding:
    """A result of a check: the problem, the file, and what a person can do about it (`advice`).

    `repair` does the repair if `--fix` can do it.  `check` is the name of the check;
    `checks.examine` sets it.
    """

    severity: str
    what: str
    where: str = ""
    advice: str = ""
    repair: Callable[[], Iterable[Repair]] | None = None
    check: str = ""


def report_closed(severity: str, what: str, path: str, is_own: bool = True) -> Finding:
    """Return a finding about a path that its owner, or else root, may open."""
    command = ["chmod", "u+rwX"] if is_own else ["sudo", "chown", "-R", str(os.geteuid())]
    return Finding(severity, what, path, shlex.join([*command, path]))


class OwnHook(NamedTuple):
    """A hook of agent-memory, and the settings or plugin file that names it."""

    file: settings_files.SettingsFile
    entry: settings_json.HookEntry

    @property
    def is_of_plugin(self) -> bool:
        """Whether it is a hook of the agent-memory plugin."""
        return self.entry.command.startswith(plugin.COMMAND_PREFIX)


class Examination:
    """The project, and the facts that several checks need."""

    def __init__(self, project: Project) -> None:
        self.project = project
        environ = project.environ
        self.root = project.paths.root
        self.session_folder = settings_files.find_session_folder(self.root, environ)
        self.files = settings_files.read_hook_files(self.root, environ)
        # The variables that Claude Code sets for hooks.
        self.environ = {**environ, **settings_files.read_hook_variables(self.files)}
        self.own_hooks = [OwnHook(file, entry) for file in self.files for entry in file.own_hooks]
        self.are_prompts_lost = run_records.are_prompts_lost(project.paths)

    @cached_property
    def memories(self) -> list[agent_status.MemoryStatus]:
        """The memories of the project."""
        return self.list_memories(self.project.store)

    def list_memories(self, store: Store) -> list[agent_status.MemoryStatus]:
        """Return the memories of a level, [] if the database cannot be read, see `check_state`."""
        try:
            return agent_status.list_memories(Numbers(self.project, store))
        except OSError:
            return []

    @cached_property
    def agent(self) -> str:
        """An agent for samples: one with a memory, if there is one."""
        agents = (name for name in self.project.store.agents() if name != PM)
        return next(filter(self.project.serves, agents), sample_events.AGENT)

    @property
    def stores(self) -> list[Store]:
        """The levels that the settings use: the project's, and perhaps the user's."""
        is_user_used = self.project.user_paths and self.project.config["user_level"] != "off"
        return [self.project.store, *([self.project.level(user=True)] if is_user_used else [])]

    @property
    def is_enabled(self) -> bool:
        return self.project.serves(self.agent) and not config.is_off(self.environ)

    @cached_property
    def faults(self) -> list[settings_files.HookFault]:
        """Why hooks do nothing, as far as their commands and matchers show."""
        return settings_files.list_faults(self.files, self.environ)

    @property
    def hooks_to_run(self) -> list[OwnHook]:
        """The right hooks that work, once for each command: Claude Code does not repeat one."""
        hooks = [hook for hook in self.own_hooks if self.is_right(hook) and self.is_active(hook)]
        return list({(hook.entry.event, hook.entry.command): hook for hook in hooks}.values())

    def is_right(self, hook: OwnHook) -> bool:
        """Say whether a hook is as this version writes it.

        Only such hooks are run: settings and plugins may come with a repository, and any other
        command could do anything.
        """
        folder = hook.file.folder
        if hook.is_of_plugin and (not folder or paths.is_below(folder, self.root)):
            return False
        build = plugin.format_command if hook.is_of_plugin else settings_json.build_command
        parts = (settings_json.BASIC, settings_json.TASKS)
        wanted = settings_json.build_hooks(hook_runner.read_template(), parts, build)
        event = hook.entry.event
        return any(hook.entry.is_of(event, group) for group in wanted.get(event, []))

    def is_active(self, hook: OwnHook) -> bool:
        """Say whether the hook works, and is none of the plugin whose work settings do."""
        environ = {**self.environ, "CLAUDE_PROJECT_DIR": self.root}
        script = hook_runner.list_scripts()[hook.entry.event]
        is_superseded = hook.is_of_plugin and plugin.is_superseded(script, environ)
        return not (is_superseded or settings_files.find_fault(hook.file, hook.entry, self.environ))
