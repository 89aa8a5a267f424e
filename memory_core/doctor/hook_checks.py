"""Checks of Claude Code and its settings: does it run the hooks, and do they work?"""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
from collections.abc import Iterator
from functools import partial

from memory_core import __version__
from memory_core.claude_code import headless, sample_events, settings_files, settings_json
from memory_core.doctor import examination
from memory_core.doctor.examination import BROKEN, NOTE, OK, WARNING, Examination, Finding, Repair
from memory_core.setup import hook_runner, installation, program
from memory_core.storage import config
from memory_core.text import memory_echoes

REINSTALL = "run ./install.sh again, from a clone of agent-memory"

# The `agent-memory sample` for each event; of two, the first one.
SAMPLE_BY_EVENT = {event: kind for kind, event in reversed(sample_events.KINDS.items())}


def check_program(exam: Examination) -> Iterator[Finding]:
    """Report the versions of Python, agent-memory and Claude Code."""
    home = exam.environ.get("HOME", "")
    if not (os.path.isabs(home) and os.path.isdir(home)):
        what = f"HOME is {home!r}: hooks find their program in the home folder"
        yield Finding(BROKEN, what, "HOME", "set HOME to your home folder, then start claude again")
    else:
        yield from _check_copy()
    version = headless.find_version(os.environ)
    number = ".".join(map(str, version)) or "(no `claude` on PATH)"
    what = f"Python {platform.python_version()}, agent-memory {__version__}, Claude Code {number}"
    oldest = headless.OLDEST_CLAUDE
    is_supported = headless.is_supported(version)
    advice = "" if is_supported else f"install Claude Code {oldest} or newer, or add it to PATH"
    yield Finding(OK if is_supported else WARNING, what, sys.executable, advice)


def _check_copy() -> Iterator[Finding]:
    """Report a program of hooks that is older than the running one, or that PATH hides."""
    environment = program.find_environment()
    note = program.read_note(environment)
    if note and program.parse_version(note.version) < program.parse_version(__version__):
        what = f"hooks run agent-memory {note.version}, which is older than this one"
        yield Finding(WARNING, what, environment, "agent-memory upgrade")
    if note and (rival := program.find_rival()):
        what = f"another {program.COMMAND} is first on PATH: {rival}"
        advice = f"type {program.format_command()}, or put its folder first on PATH"
        yield Finding(WARNING, what, "PATH", advice)


def check_enabled(exam: Examination) -> Iterator[Finding]:
    """Check whether hooks or memory are switched off."""
    if file := settings_files.find_disabling_file(exam.files):
        what = f"{file.off_switch} is true: Claude Code does not run the hooks"
        yield Finding(BROKEN, what, file.path, f"remove {file.off_switch} from this file")
    if config.is_off(exam.environ):
        where, advice = "AGENT_MEMORY", "unset AGENT_MEMORY"
        for file in exam.files:
            if "AGENT_MEMORY" in settings_files.read_hook_variables([file]):
                where, advice = file.path, "remove AGENT_MEMORY from env"
        yield Finding(WARNING, "memory is switched off", where, advice)
    elif not exam.project.config["enabled"]:
        what, advice = "memory is switched off", "set memory.enabled to true"
        yield Finding(WARNING, what, exam.project.paths.config, advice)
    elif not exam.project.config["auto_learning"]:
        what = "auto_learning is off: agents get their memory, but learn nothing"
        yield Finding(NOTE, what, exam.project.paths.config)


# --- settings and plugins ---


def check_settings(exam: Examination) -> Iterator[Finding]:
    """Check that the settings are valid and name all hooks once, as this version writes them."""
    unusable = {file.path: file for file in exam.files if file.problem}
    yield from map(_report_unusable, unusable.values())
    if not exam.own_hooks:
        # An invalid settings file may contain the hooks.
        if not any(file.problem for file in exam.files if not file.plugin):
            what = "no hooks of agent-memory: agents get no memory and learn nothing"
            yield _suggest_install(exam, BROKEN, what)
        return
    wanted = settings_json.build_hooks(hook_runner.read_template())
    missing = wanted.keys() - {hook.entry.event for hook in exam.own_hooks}
    if missing:
        events = ", ".join(event for event in wanted if event in missing)
        yield _suggest_install(exam, BROKEN, f"no hooks for {events}", exam.own_hooks[0].file)
    yield from _check_task_hooks(exam)
    for path in dict.fromkeys(hook.file.path for hook in exam.own_hooks):
        yield from _check_file(exam, [hook for hook in exam.own_hooks if hook.file.path == path])


def _check_task_hooks(exam: Examination) -> Iterator[Finding]:
    """Check that a project with tasks has the hooks for them, in this or an older form."""
    if settings_json.TASKS not in installation.find_parts(exam.project):
        return
    if not any("mcp__backlog__" in (hook.entry.matcher or "") for hook in exam.own_hooks):
        what = "no hooks for Backlog.md's commands and failed shell commands"
        yield _suggest_install(exam, WARNING, what)


def _report_unusable(file: settings_files.SettingsFile) -> Finding:
    if os.path.islink(file.path):
        advice = "replace the link by what it leads to, or add what install --dry-run prints"
        return Finding(WARNING, f"{file.problem}: its hooks are not checked", file.path, advice)
    what = f"Claude Code ignores the whole file: {file.problem}"
    return Finding(BROKEN, what, file.path, "correct the file, or its permissions")


def _check_file(exam: Examination, hooks: list[examination.OwnHook]) -> Iterator[Finding]:
    """Check the hooks of one settings or plugin file."""
    file = hooks[0].file
    wrong = [hook for hook in hooks if not exam.is_right(hook)]
    faulty = []
    for fault in exam.faults:
        if fault.file is file:
            faulty += fault.hooks
            is_known = any(hook.entry in fault.hooks for hook in wrong)
            yield _suggest_install(exam, BROKEN, str(fault), file, "" if is_known else REINSTALL)
    if others := dict.fromkeys(hook.entry.event for hook in wrong if hook.entry not in faulty):
        what = f"hooks are outdated or modified (not tested): {', '.join(others)}"
        yield _suggest_install(exam, WARNING, what, file)


def _suggest_install(
    exam: Examination,
    severity: str,
    what: str,
    file: settings_files.SettingsFile | None = None,
    advice: str = "",
) -> Finding:
    """Return a finding that a new installation into the file repairs, or else the advice."""
    path = file.path if file else os.path.join(exam.session_folder, settings_files.PROJECT_SETTINGS)
    if file and file.plugin:
        advice = shlex.join(["claude", "plugin", "update", file.plugin])
    # Hooks do not come to a folder that never had any, nor a memory.
    is_used = file or exam.project.paths.files.is_folder(exam.project.paths.folder)
    repair = partial(_update_hooks, path) if is_used and not advice else None
    levels = {"user": "--user", "project": exam.session_folder}
    level = levels.get(file.level if file else "project")
    if level and not advice:
        advice = shlex.join(["agent-memory", "install", level])
    return Finding(severity, what, path, advice or "agent-memory doctor --fix", repair)


def _update_hooks(path: str) -> Iterator[Repair]:
    """Update the hooks in a settings file."""
    diff = installation.renew(path)
    if diff:
        yield Repair("hooks updated", path, diff=diff)


# --- the programs behind the hooks ---


def check_commands(exam: Examination) -> Iterator[Finding]:
    """Run the command of each hook on a copy of the memory, as Claude Code does."""
    for hook in exam.hooks_to_run:
        finding = _run_hook(exam, hook)
        yield finding
        if finding.severity == BROKEN:
            return  # the others fail for the same reason


def _run_hook(exam: Examination, hook: examination.OwnHook) -> Finding:
    environ = exam.environ
    if hook.file.folder:
        environ = {**environ, "CLAUDE_PLUGIN_ROOT": hook.file.folder}
    path, event = hook.file.path, hook.entry.event
    kind = SAMPLE_BY_EVENT[event]
    sample = sample_events.build(kind, exam.agent, exam.root, f"command{event}")
    stdin = json.dumps(sample).encode()
    command = [hook_runner.SHELL, "-c", hook.entry.command]
    result = hook_runner.run_on_copy(exam.project, command, stdin, environ)
    replay = f"to see more: agent-memory sample {kind} | agent-memory replay -"
    if result.fault:
        return Finding(BROKEN, f"{event}: the hook {result.fault}", path, f"{REINSTALL}; {replay}")
    is_idle = event == "SessionEnd" or (exam.are_prompts_lost and event == "PreToolUse")
    if exam.is_enabled and not is_idle and not (result.stdout.strip() or result.changes):
        return Finding(BROKEN, f"{event}: the hook does nothing", path, REINSTALL)
    has_block = memory_echoes.has_block(result.stdout.decode("utf-8", "replace"))
    is_given = exam.is_enabled and exam.project.config.may_learn(exam.agent)
    delivering_event = "SubagentStart" if exam.are_prompts_lost else "PreToolUse"
    if event == delivering_event and is_given and not has_block:
        return Finding(BROKEN, f"{event}: {exam.agent} gets no memory", path, replay)
    gives = f" and gave {exam.agent} its memory" if has_block else ""
    return Finding(OK, f"{event}: the hook took {result.milliseconds:.0f} ms{gives}", path)
