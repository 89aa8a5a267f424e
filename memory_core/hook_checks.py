"""Whether Claude Code runs our hooks, and what they give arrives: the client's side."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from typing import Any

from memory_core import (
    agents,
    client,
    installation,
    log,
    overview,
    plugin,
    plugin_environment,
    rehearsal,
    runs,
    settings,
    trust,
)
from memory_core.patient import BROKEN, OK, RECENT, SAMPLE_OF, WARNING, Finding, Patient, typed

# Milliseconds from which on a hook is felt; the goal is far below.
SLOW = 1000

# A first try may meet a cold disk, or a machine that is busy for a moment.
TRIES = 3

# Claude Code up to this version drops all hooks of a file with an event it does not know.
STRICT_UP_TO = (2, 1, 100)

# From here on it was seen to pass over one hook that has not its form, and to run the others;
# 2.1.63 drops the whole file.
PATIENT_FROM = (2, 1, 329)

# Where it drops the whole file all the same: these hooks may guard something (seen in 2.1.329).
GUARDS = ("PreToolUse",)

# What a hook of each type has to name (seen in 2.1.329).
NEEDED = {
    "command": "command",
    "prompt": "prompt",
    "agent": "prompt",
    "http": "url",
    "mcp_tool": "tool",
}

# Before the first there is no way at all to give an agent its memory; what is older than the
# second is not tested, and not all that agents report reaches a hook.
FIRST_OF_ALL = (2, 0, 43)
OLDEST_TESTED = (2, 1, 20)

# Since then a rewritten prompt counts without a decision on the permission.
REWRITES_FROM = (2, 1, 9)

OLDEST_PYTHON = (3, 10)

AGAIN = "run ./install.sh again, from a clone of agent-memory"

Ours = list[tuple[client.SettingsFile, settings.Entry]]


# The hooks themselves.


def hooks(patient: Patient) -> Iterator[Finding]:
    """Whether the hooks of this installation run, in time, and reply as they should."""
    for script in dict.fromkeys(rehearsal.SCRIPTS.values()):
        event = next(name for name, used in rehearsal.SCRIPTS.items() if used == script)
        command = rehearsal.command_of(script)
        where = rehearsal.script_path(script)
        yield _tried(patient, command, event, "hook", where, patient.environ)


def _tried(
    patient: Patient,
    command: list[str],
    event: str,
    check: str,
    where: str,
    environ: Mapping[str, str],
) -> Finding:
    data = patient.sample(SAMPLE_OF[event], f"{check}{event}")
    outcome = _quickest(patient, command, data, environ)
    took = f"{outcome.milliseconds:.0f} ms"
    if fault := outcome.fault or _reply_fault(outcome, event):
        mend = f"try it: agent-memory sample {SAMPLE_OF[event]} | agent-memory replay -"
        return Finding(BROKEN, check, f"{event}: the hook {fault}", where, mend)
    if patient.should_act(event) and not outcome.did_something:
        return Finding(BROKEN, check, f"{event}: the hook does nothing", where, AGAIN)
    if outcome.milliseconds > SLOW:
        what = f"{event}: the hook took {took}"
        return Finding(WARNING, check, what, where, f"{AGAIN}: that compiles it")
    return Finding(OK, check, f"{event}: answered in {took}", where)


def _reply_fault(outcome: rehearsal.Outcome, event: str) -> str:
    """Say what Claude Code would ignore a reply for."""
    told = (outcome.reply or {}).get("hookSpecificOutput")
    named = told.get("hookEventName") if isinstance(told, dict) else event
    return "" if named == event else f"answers for {named}: Claude Code ignores that"


def _quickest(
    patient: Patient, command: list[str], data: bytes, environ: Mapping[str, str]
) -> rehearsal.Outcome:
    outcome = rehearsal.on_copy(patient.project, command, data, environ)
    for _again in range(1, TRIES):
        if outcome.milliseconds <= SLOW or outcome.fault:
            break
        outcome = rehearsal.on_copy(patient.project, command, data, environ)
    return outcome


def arrival(patient: Patient) -> Iterator[Finding]:
    """Whether an agent that is called now would get its memory."""
    if not patient.takes_part:
        return
    kind = "start" if runs.prompts_are_lost(patient.project.place) else "pre"
    script = {"start": "subagent_start", "pre": "pre_tool_use"}[kind]
    command = rehearsal.command_of(script)
    sample = patient.sample(kind, "arrival")
    outcome = rehearsal.on_copy(patient.project, command, sample, patient.environ)
    if trust.is_fenced(outcome.stdout.decode("utf-8", "replace")):
        way = {"start": "at its start", "pre": "with its prompt"}[kind]
        yield Finding(OK, "arrival", f"{patient.agent} would be given its memory {way}")
    elif patient.project.config.learns(patient.agent):
        what = f"{patient.agent} would be given nothing"
        mend = f"see why: agent-memory sample {kind} | agent-memory replay -"
        yield Finding(BROKEN, "arrival", what, rehearsal.script_path(script), mend)


# The settings that name them.


def installed(patient: Patient) -> Iterator[Finding]:
    """Whether Claude Code is told to run our hooks, all of them, and as they are today."""
    for file in patient.files:
        if file.problem:
            mend = "correct the file; Claude Code ignores it as it is"
            yield Finding(BROKEN, "settings", f"not read: {file.problem}", file.path, mend)
    ours = [(file, entry) for file in patient.files for entry in file.ours]
    if not ours:
        # A file that could not be read may well name them.
        if not any(file.problem for file in patient.files if not file.plugin):
            what = "no settings file names our hooks: nothing is given, nothing is learned"
            mend = typed("agent-memory", "install", patient.root)
            yield Finding(BROKEN, "settings", what, patient.settings_path, mend)
        return
    yield from _misshapen(patient, ours)
    yield from _missing(patient, ours)
    yield from _outdated(patient, ours)
    yield from _doubled(patient, ours)
    yield from _unknown(patient, ours)
    known = [(file, entry) for file, entry in ours if patient.knows(file, entry)]
    yield from _plugins(patient, known)
    known = _at_work(patient, known)
    programs = list(_programs(patient, known))
    yield from programs
    if all(finding.level == OK for finding in programs):
        yield from _commands(patient, known)


def _unknown(patient: Patient, ours: Ours) -> Iterator[Finding]:
    """Find commands that begin as ours do, and are none that this version would write."""
    for path in dict.fromkeys(file.path for file, _entry in ours):
        found = [pair for pair in ours if pair[0].path == path and not patient.knows(*pair)]
        if found:
            names = ", ".join(entry.event for _file, entry in found)
            what = f"{names}: of another version, or not ours: not run"
            yield _renewable(WARNING, what, found[0][0], patient)._replace(check="command")


def _commands(patient: Patient, ours: Ours) -> Iterator[Finding]:
    """Run each command; what several files have in common, Claude Code runs once."""
    known = {
        (entry.event, *file.argv(entry.value)): (file, entry) for file, entry in reversed(ours)
    }
    for file, entry in reversed(known.values()):
        if entry.event in SAMPLE_OF:
            environ = {**patient.environ, **_of_plugin(patient, file)}
            argv = file.argv(entry.value)
            yield _tried(patient, argv, entry.event, "command", file.path, environ)


def _of_plugin(patient: Patient, file: client.SettingsFile) -> dict[str, str]:
    """Return what Claude Code tells a plugin's hooks."""
    if not file.folder:
        return {}
    return {"CLAUDE_PLUGIN_ROOT": file.folder, "CLAUDE_PLUGIN_DATA": _data(patient, file)}


def _data(patient: Patient, file: client.SettingsFile) -> str:
    """Return the folder in which a plugin has its environment."""
    config = client.config_folder(patient.environ)
    own = plugin.data_folder(config, file.plugin)
    is_old = patient.version is not None and not os.path.isdir(own)
    old = plugin.data_folder(config, plugin.UNNAMED)
    return old if is_old and os.path.isdir(old) else own


def _misshapen(patient: Patient, ours: Ours) -> Iterator[Finding]:
    """Find what makes Claude Code drop a whole settings file, and our hooks with it."""
    version = patient.version or PATIENT_FROM
    for file in dict.fromkeys(file.path for file, _entry in ours if file.level != "plugin"):
        value = next(each.value for each, _entry in ours if each.path == file)
        for event, fault in _faults(value):
            is_dropped = version < PATIENT_FROM or event in GUARDS
            what = f"{fault}: Claude Code {'drops' if is_dropped else 'may drop'} the whole file"
            level = BROKEN if is_dropped else WARNING
            yield Finding(level, "settings", what, file, "correct it, or take it out")


def _faults(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give (event, what is wrong) of all hooks of a settings file that have not their form."""
    if not isinstance(value.get("disableAllHooks", False), bool):
        yield GUARDS[0], "disableAllHooks is neither true nor false"
    for event, groups in value.get("hooks", {}).items():
        if not isinstance(groups, list):
            yield event, f"hooks.{event} is no list"
            continue
        for number, group in enumerate(groups):
            place = f"hooks.{event}.{number}"
            members = group.get("hooks") if isinstance(group, dict) else None
            if not isinstance(members, list):
                yield event, f"{place} has no list of hooks"
                continue
            if not isinstance(group.get("matcher", ""), str):
                yield event, f"{place}.matcher is no text"
            for at, hook in enumerate(members):
                if fault := _fault(hook):
                    yield event, f"{place}.hooks.{at} {fault}"


def _fault(hook: Any) -> str:
    if not isinstance(hook, dict):
        return "is no object"
    needed = NEEDED.get(str(hook.get("type")))
    if needed is None:
        return f"has no type that is known ({', '.join(NEEDED)})"
    if not isinstance(hook.get(needed), str):
        return f"lacks {needed!r}"
    timeout = hook.get("timeout", 1)
    return "" if isinstance(timeout, int | float) else "has a timeout that is no number"


def _missing(patient: Patient, ours: Ours) -> Iterator[Finding]:
    present = {entry.event for _file, entry in ours}
    wanted = settings.block(installation.template(), patient.version)
    missing = [event for event in wanted if event not in present]
    if missing:
        what = f"our hooks are missing for {', '.join(missing)}"
        yield _renewable(BROKEN, what, ours[0][0], patient)
    else:
        yield Finding(OK, "settings", f"our hooks are there for all {len(wanted)} events")


def _renewable(level: str, what: str, file: client.SettingsFile, patient: Patient) -> Finding:
    """Return a finding that installing again into the file mends, where that is a person's file."""
    if file.plugin:
        mend = typed("claude", "plugin", "update", file.plugin)
        return Finding(level, "settings", what, file.path, mend)
    if file.level == "managed":
        mend = "ask those who manage this machine"
        return Finding(level, "settings", what, file.path, mend)
    mend = {
        "user": "agent-memory install --user",
        "project": typed("agent-memory", "install", patient.root),
    }.get(file.level, "agent-memory doctor --fix")
    return Finding(level, "settings", what, file.path, mend, "install", file.path)


def _outdated(patient: Patient, ours: Ours) -> Iterator[Finding]:
    wanted = settings.block(installation.template())
    for path in dict.fromkeys(file.path for file, _entry in ours):
        of_file = [(file, entry) for file, entry in ours if file.path == path]
        stale = [
            entry.event
            for file, entry in of_file
            if not file.plugin and not _is_current(entry, wanted.get(entry.event))
        ]
        if stale:
            what = f"our hooks are of another version: {', '.join(stale)}"
            yield _renewable(WARNING, what, of_file[0][0], patient)


def _is_current(entry: settings.Entry, group: Mapping[str, object] | None) -> bool:
    if group is None:
        return False
    return [entry.value] == group["hooks"] and entry.matcher == group.get("matcher")


def _doubled(patient: Patient, ours: Ours) -> Iterator[Finding]:
    """Find events for which a plugin and a settings file each bring a hook of ours."""
    plugins = {entry.event: (file, entry) for file, entry in ours if file.plugin}
    twice = {
        file.path: file
        for file, entry in ours
        if entry.event in plugins and not file.plugin and _does_something(patient, entry)
    }
    for path, file in twice.items():
        bringer, entry = next(iter(plugins.values()))
        what = f"our hooks run twice: the plugin {bringer.plugin} brings them as well"
        if _stands_down(entry):
            what = f"our hooks are there twice: those of the plugin {bringer.plugin} stand down"
        mend = {
            "user": "agent-memory uninstall --user",
            "project": typed("agent-memory", "uninstall", patient.root),
        }.get(file.level, "take our hooks out of the file")
        yield Finding(WARNING, "settings", what, path, f"{mend}, or switch off that plugin")


def _stands_down(entry: settings.Entry) -> bool:
    """Say whether a hook is of our plugin: it leaves the work to that of an installation."""
    return str(entry.value.get("command")).startswith(plugin.OWN)


def _does_something(patient: Patient, entry: settings.Entry) -> bool:
    """Say whether the program of an installed hook is here: settings travel, it does not."""
    command, script = str(entry.value.get("command")), rehearsal.SCRIPTS.get(entry.event, "")
    return plugin.is_there(command, script, patient.environ)


def _at_work(patient: Patient, known: Ours) -> Ours:
    """Leave out what does nothing, where our plugin and a settings file both bring hooks."""
    if not any(_stands_down(entry) for _file, entry in known):
        return known
    told = {**patient.environ, "CLAUDE_PROJECT_DIR": patient.root}
    return [
        (file, entry)
        for file, entry in known
        if (
            not plugin.stands_down(rehearsal.SCRIPTS[entry.event], told)
            if _stands_down(entry)
            else _does_something(patient, entry)
        )
    ]


# The program behind their commands.


def _plugins(patient: Patient, known: Ours) -> Iterator[Finding]:
    """Look at what our plugin runs on."""
    for file in {each.plugin: each for each, entry in known if _stands_down(entry)}.values():
        data = _data(patient, file)
        name, reason = plugin_environment.state(data, file.folder)
        again = typed(os.path.join(file.folder, "bin", "agent-memory"), "version")
        if name == "ready":
            yield Finding(OK, "plugin", "the plugin's environment is there", data)
            continue
        what, mend = {
            "building": ("is being made", "wait a minute"),
            "failed": (
                f"could not be made: {reason}",
                f"see {os.path.join(data, plugin_environment.LOG)}; once that is mended: {again}",
            ),
        }.get(name, ("is not made yet", "start a session of Claude Code"))
        yield Finding(WARNING, "plugin", f"the plugin's environment {what}", data, mend)


def _programs(patient: Patient, ours: Ours) -> Iterator[Finding]:
    """Look at the Python and the scripts that our commands run."""
    known: dict[str, str] = {}
    for file, entry in (each for each in ours if not _stands_down(each[1])):
        text = next(part for part in file.argv(entry.value) if part.startswith(settings.TAG))
        known.setdefault(text.partition(";")[0], file.path)
    for assignment, where in known.items():
        try:
            folder = _folder_of(assignment, patient.environ)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            what = f"where our program is cannot be found out: {error}"
            yield Finding(BROKEN, "interpreter", what, where, "see env in this file")
        else:
            yield _program(folder, where)


def _folder_of(assignment: str, environ: Mapping[str, str]) -> str:
    """Return what the shell takes for the folder of our program; raises as a process does."""
    command = rehearsal.with_shell(["sh", "-c", f'{assignment}; printf %s "$agent_memory"'])
    done = subprocess.run(
        command,
        env=environ,
        capture_output=True,
        text=True,
        timeout=rehearsal.TIMEOUT,
        check=False,
    )
    return done.stdout


def _program(folder: str, where: str) -> Finding:
    python = os.path.join(folder, "bin", "python")
    if not os.path.lexists(folder):
        what = f"agent-memory is not installed for this user: there is no {folder}"
        return Finding(BROKEN, "interpreter", what, where, AGAIN)
    try:
        version = _version(python)
    except ValueError as fault:
        return Finding(BROKEN, "interpreter", f"the hooks' Python {fault}", python, AGAIN)
    for script in dict.fromkeys(rehearsal.SCRIPTS.values()):
        path = os.path.join(folder, "hooks", f"{script}.py")
        if not os.access(path, os.R_OK):
            fault_of_file = "cannot be read" if os.path.exists(path) else "is gone"
            return Finding(BROKEN, "interpreter", f"{script}.py {fault_of_file}", path, AGAIN)
    return Finding(OK, "interpreter", f"the hooks' Python is {version}", python)


def _version(python: str) -> str:
    """Return a Python's version; raise ValueError for one that will not do, and say why."""
    if not os.path.exists(python):
        target = f": it was {os.readlink(python)}" if os.path.islink(python) else ""
        raise ValueError(f"is gone{target}")
    command = [python, "-I", "-S", "-c", "import sys; print(*sys.version_info[:3])"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=rehearsal.TIMEOUT, check=True
        )
        version = tuple(map(int, done.stdout.split()))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ValueError(f"cannot be run: {reason}") from None
    told = ".".join(map(str, version))
    if version < OLDEST_PYTHON:
        raise ValueError(f"is {told}; 3.10 or newer is needed")
    return told


# Claude Code itself.


def disabled(patient: Patient) -> Iterator[Finding]:
    """Whether all hooks are switched off in Claude Code."""
    if file := client.is_switched_off(patient.files):
        what = "disableAllHooks is true: Claude Code runs no hook at all"
        yield Finding(BROKEN, "disabled", what, file.path, "remove disableAllHooks")
    file = client.is_managed_only(patient.files)
    if file and not any(each.ours for each in patient.files if each.level == "managed"):
        what = "allowManagedHooksOnly is true: Claude Code runs no hooks of users and projects"
        mend = "ask those who manage this machine to allow ours"
        yield Finding(BROKEN, "disabled", what, file.path, mend)


def claude(patient: Patient) -> Iterator[Finding]:
    """Which Claude Code there is, and whether it knows the events that are named to it."""
    if patient.version is None:
        yield Finding(OK, "claude", "no `claude` on PATH: its version is not known")
        return
    number = ".".join(map(str, patient.version))
    found = [*_too_old(patient.version, number), *_unknown_events(patient, number)]
    yield from found
    if not found:
        yield Finding(OK, "claude", f"Claude Code {number} knows all events that are named to it")


def _too_old(version: settings.Version, number: str) -> Iterator[Finding]:
    where = client.program(os.environ) or "claude"
    if version < FIRST_OF_ALL:
        what = f"Claude Code {number} can give agents no memory: that came with 2.0.43"
        yield Finding(BROKEN, "claude", what, where, "update Claude Code")
    elif version < OLDEST_TESTED:
        what = f"Claude Code {number} is older than 2.1.20: not all that agents report arrives"
        yield Finding(WARNING, "claude", what, where, "update Claude Code")


def _unknown_events(patient: Patient, number: str) -> Iterator[Finding]:
    """Find events, in whoever's hooks, for which it drops our hooks as well."""
    version = patient.version or ()
    unknown = [event for event, first in settings.FIRST_VERSION.items() if version < first]
    for file in patient.files:
        named = file.value.get("hooks")
        for event in unknown:
            is_named = isinstance(named, dict) and event in named
            if is_named and file.ours and version <= STRICT_UP_TO:
                what = f"Claude Code {number} does not know {event} and drops all hooks of the file"
                mend = "update Claude Code, or install again"
                yield Finding(BROKEN, "claude", what, file.path, mend)


def foreign(patient: Patient) -> Iterator[Finding]:
    """Whether other tools' hooks may rewrite the prompts of delegations."""
    is_lost = runs.prompts_are_lost(patient.project.place)
    for hook in patient.foreign:
        what = f"another PreToolUse hook sees delegations: {hook.command[:60]}"
        if hook.is_for_delegations or is_lost:
            mend = "fine if it only looks; if it rewrites prompts, the last to finish wins"
            yield Finding(WARNING, "other-hooks", what, hook.path, mend)
        else:
            yield Finding(OK, "other-hooks", what, hook.path)


def native(patient: Patient) -> Iterator[Finding]:
    """Whether an agent would be given two memories: Claude Code's own and ours."""
    if patient.environ.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "") not in ("", "0", "false"):
        return
    having = {entry.agent for entry in patient.memories if entry.exists}
    project = patient.project
    where = (patient.root, patient.environ)
    for file in (*client.agent_files(*where), *client.plugin_agents(*where)):
        agent = agents.agent_id(file.name)
        is_given = project.serves(agent) and (agent in having or project.config.learns(agent))
        if file.memory and is_given:
            what = f"{file.name} has a memory of Claude Code's as well (memory: {file.memory})"
            mend = "remove the line `memory:`, or exclude the agent in config.yml"
            yield Finding(WARNING, "native-memory", what, file.path, mend)


# What became of it lately.


def deliveries(patient: Patient) -> Iterator[Finding]:
    """What became of the last deliveries."""
    place = patient.project.place
    since = log.utc(time.time() - RECENT)
    where = place.relative(os.path.join(place.logs, log.NAME))
    recent = [each for each in overview.deliveries(patient.project) if each.timestamp >= since]
    for verdict in ("lost", "doubled"):
        found = [each for each in recent if each.verdict == verdict]
        if found:
            what = f"{verdict} {len(found)} of {len(recent)} deliveries in a week"
            told = f"{what}, last to {found[-1].agent} at {found[-1].timestamp}"
            yield Finding(WARNING, "deliveries", told, where, "see the findings on other hooks")
    if recent and all(each.verdict == "delivered" for each in recent):
        yield Finding(OK, "deliveries", f"{len(recent)} of {len(recent)} arrived in a week", where)


def route(patient: Patient) -> Iterator[Finding]:
    """Whether prompts are left alone since one was overwritten."""
    place = patient.project.place
    if not runs.prompts_are_lost(place):
        return
    path = place.relative(os.path.join(place.state, "route.json"))
    what = "memory goes by SubagentStart, because a rewritten prompt was lost"
    is_over = not patient.foreign and (patient.version or REWRITES_FROM) >= REWRITES_FROM
    when = "no other hook is there any more" if is_over else "once the other hook is gone"
    mend = f"{when}: {typed('rm', path)}"
    yield Finding(WARNING, "route", what, path, mend, "route" if is_over else "")
