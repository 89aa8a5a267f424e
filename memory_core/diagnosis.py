"""Whether memory really arrives: what is wrong, where, and how it is mended."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from memory_core import (
    __version__,
    agents,
    client,
    config,
    events,
    installation,
    log,
    memory,
    overview,
    rehearsal,
    runs,
    samples,
    settings,
    spool,
    team,
    trust,
)

OK, WARNING, BROKEN = "ok", "warning", "broken"

# What is older has either been mended or will show itself again.
RECENT = 7 * 86400

# Milliseconds from which on a hook is felt; the goal is far below.
SLOW = 1000

# A first try may meet a cold disk, or a machine that is busy for a moment.
TRIES = 3

# Claude Code up to this version drops all hooks of a file with an event it does not know.
STRICT_UP_TO = (2, 1, 100)

SAMPLE_OF = {
    "PreToolUse": "pre",
    "SubagentStart": "start",
    "SessionStart": "session",
    "PostToolUse": "post",
    "PostToolUseFailure": "failure",
    "SubagentStop": "stop",
}


class Finding(NamedTuple):
    """One thing that was looked at: how it is, where, and how to mend it."""

    level: str
    check: str
    what: str
    where: str = ""
    mend: str = ""


class Patient:
    """A project under examination: what several checks need, found out once."""

    def __init__(self, project: memory.Project, environ: Mapping[str, str]) -> None:
        self.project = project
        self.environ = environ
        self.root = project.place.root
        self.files = client.settings_files(self.root, environ)
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
        return self.project.serves(self.agent)

    def should_act(self, event: str) -> bool:
        """Say whether the hook of an event has something to do, if only to note it."""
        lost = runs.prompts_are_lost(self.project.place)
        return self.takes_part and not (lost and event == "PreToolUse")

    def sample(self, kind: str, run: str) -> bytes:
        return json.dumps(samples.sample(kind, self.agent, self.root, run)).encode()


def examine(project: memory.Project, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Look at everything, and say of each thing how it is."""
    patient = Patient(project, environ)
    for check in CHECKS:
        yield from check(patient)


def program(_patient: Patient) -> Iterator[Finding]:
    """The interpreter and the package that this command runs on."""
    told = f"Python {platform.python_version()}, agent-memory {__version__}"
    yield Finding(OK, "program", told, sys.executable)


def switched_off(patient: Patient) -> Iterator[Finding]:
    """Whether somebody has switched memory off."""
    if not patient.project.config["enabled"]:
        by_variable = config.is_off(patient.environ)
        where = "AGENT_MEMORY" if by_variable else patient.project.place.config
        mend = "unset AGENT_MEMORY" if by_variable else "set memory.enabled to true"
        yield Finding(WARNING, "switched-off", "memory is switched off", where, mend)
    elif not patient.project.config["auto_learning"]:
        told = "agents get their memory but learn nothing: auto_learning is off"
        yield Finding(WARNING, "switched-off", told, patient.project.place.config)


def configuration(patient: Patient) -> Iterator[Finding]:
    """Whether config.yml is understood."""
    found = overview.problems(patient.project)
    for problem in found:
        where, what = split_place(problem)
        yield Finding(WARNING, "config", what, where, "correct the line; see config show")
    if not found and os.path.exists(patient.project.place.config):
        yield Finding(OK, "config", "config.yml is understood", patient.project.place.config)


def split_place(problem: str) -> tuple[str, str]:
    """Split "FILE:LINE: KEY: reason" behind the place."""
    where, _colon, what = problem.partition(": ")
    return where, what


def hooks(patient: Patient) -> Iterator[Finding]:
    """Whether the hooks of this installation run, in time, and reply as they should."""
    for script in dict.fromkeys(rehearsal.SCRIPTS.values()):
        event = next(name for name, used in rehearsal.SCRIPTS.items() if used == script)
        command = rehearsal.command_of(script)
        yield _tried(patient, command, event, "hook", rehearsal.script_path(script))


def _tried(patient: Patient, command: list[str], event: str, check: str, where: str) -> Finding:
    data = patient.sample(SAMPLE_OF[event], f"{check}{event}")
    outcome = _quickest(patient, command, data)
    took = f"{outcome.milliseconds:.0f} ms"
    if outcome.fault:
        mend = f"try it: agent-memory sample {SAMPLE_OF[event]} | agent-memory replay -"
        return Finding(BROKEN, check, f"{event}: the hook {outcome.fault}", where, mend)
    if patient.should_act(event) and not outcome.did_something:
        mend = "run install.sh again: the command does not find agent-memory"
        return Finding(BROKEN, check, f"{event}: the hook does nothing", where, mend)
    if outcome.milliseconds > SLOW:
        mend = "compile the package: run install.sh again"
        return Finding(WARNING, check, f"{event}: the hook took {took}", where, mend)
    return Finding(OK, check, f"{event}: answered in {took}", where)


def _quickest(patient: Patient, command: list[str], data: bytes) -> rehearsal.Outcome:
    outcome = rehearsal.on_copy(patient.project, command, data, patient.environ)
    for _again in range(1, TRIES):
        if outcome.milliseconds <= SLOW or outcome.fault:
            break
        outcome = rehearsal.on_copy(patient.project, command, data, patient.environ)
    return outcome


def arrival(patient: Patient) -> Iterator[Finding]:
    """Whether an agent that is called now would get its memory."""
    if not patient.takes_part:
        return
    kind = "start" if runs.prompts_are_lost(patient.project.place) else "pre"
    script = {"start": "subagent_start", "pre": "pre_tool_use"}[kind]
    outcome = rehearsal.on_copy(
        patient.project,
        rehearsal.command_of(script),
        patient.sample(kind, "arrival"),
        patient.environ,
    )
    if trust.is_fenced(outcome.stdout.decode("utf-8", "replace")):
        way = {"start": "at its start", "pre": "with its prompt"}[kind]
        yield Finding(OK, "arrival", f"{patient.agent} would be given its memory {way}")
    elif patient.project.config.learns(patient.agent):
        mend = "agent-memory sample pre | agent-memory replay -"
        yield Finding(BROKEN, "arrival", f"{patient.agent} would be given nothing", "", mend)


def installed(patient: Patient) -> Iterator[Finding]:
    """Whether Claude Code is told to run our hooks, all of them, and as they are today."""
    for file in patient.files:
        if file.problem:
            mend = "correct the file; Claude Code ignores it as it is"
            yield Finding(BROKEN, "settings", f"not read: {file.problem}", file.path, mend)
    ours = [(file, entry) for file in patient.files for entry in file.ours]
    if not ours:
        told = "no settings file names our hooks: nothing is given, nothing is learned"
        where = os.path.join(patient.root, ".claude", "settings.json")
        yield Finding(BROKEN, "settings", told, where, f"agent-memory install {patient.root}")
        return
    yield from _missing(patient, {entry.event for _file, entry in ours})
    yield from _outdated(ours)
    for file, entry in _distinct(ours):
        yield _tried(
            patient, ["sh", "-c", entry.value["command"]], entry.event, "command", file.path
        )


def _distinct(
    ours: list[tuple[client.SettingsFile, settings.Entry]],
) -> list[tuple[client.SettingsFile, settings.Entry]]:
    """Leave out what several files have in common: Claude Code runs it once."""
    known = {
        (entry.event, str(entry.value["command"])): (file, entry) for file, entry in reversed(ours)
    }
    return [pair for pair in reversed(known.values()) if pair[1].event in SAMPLE_OF]


def _missing(patient: Patient, present: set[str]) -> Iterator[Finding]:
    wanted = settings.block(installation.template(), patient.version)
    missing = [event for event in wanted if event not in present]
    if missing:
        told = f"our hooks are missing for {', '.join(missing)}"
        where = os.path.join(patient.root, ".claude", "settings.json")
        yield Finding(BROKEN, "settings", told, where, f"agent-memory install {patient.root}")
    else:
        yield Finding(OK, "settings", f"our hooks are there for all {len(wanted)} events")


def _outdated(ours: list[tuple[client.SettingsFile, settings.Entry]]) -> Iterator[Finding]:
    wanted = settings.block(installation.template())
    for file in dict.fromkeys(file.path for file, _entry in ours):
        stale = [
            entry.event
            for each, entry in ours
            if each.path == file and not _is_current(entry, wanted.get(entry.event))
        ]
        if stale:
            told = f"our hooks are of another version: {', '.join(stale)}"
            yield Finding(WARNING, "settings", told, file, "run agent-memory install again")


def _is_current(entry: settings.Entry, group: Mapping[str, object] | None) -> bool:
    if group is None:
        return False
    return [entry.value] == group["hooks"] and entry.matcher == group.get("matcher")


def disabled(patient: Patient) -> Iterator[Finding]:
    """Whether all hooks are switched off in Claude Code."""
    file = client.is_switched_off(patient.files)
    if file:
        told = "disableAllHooks is true: Claude Code runs no hook at all"
        yield Finding(BROKEN, "disabled", told, file.path, "remove disableAllHooks")


def claude(patient: Patient) -> Iterator[Finding]:
    """Which Claude Code there is, and whether it knows the events that are named to it."""
    if patient.version is None:
        yield Finding(OK, "claude", "no `claude` on PATH: its version is not known")
        return
    number = ".".join(map(str, patient.version))
    unknown = [event for event, first in settings.FIRST_VERSION.items() if patient.version < first]
    told = [
        (file.path, entry.event)
        for file in patient.files
        for entry in file.ours
        if entry.event in unknown and patient.version <= STRICT_UP_TO
    ]
    for path, event in told:
        what = f"Claude Code {number} does not know {event} and drops every hook of this file"
        yield Finding(BROKEN, "claude", what, path, "update Claude Code, or install again")
    if not told:
        yield Finding(OK, "claude", f"Claude Code {number} knows all events that are named to it")


def foreign(patient: Patient) -> Iterator[Finding]:
    """Whether other tools' hooks may rewrite the prompts of delegations."""
    for file in patient.files:
        for hook in client.foreign_hooks(file):
            what = f"another PreToolUse hook sees delegations: {hook.command[:60]}"
            mend = "fine if it only looks; if it rewrites prompts, the last to finish wins"
            level = WARNING if hook.is_for_delegations else OK
            yield Finding(level, "other-hooks", what, hook.path, mend if level == WARNING else "")


def native(patient: Patient) -> Iterator[Finding]:
    """Whether an agent would be given two memories: Claude Code's own and ours."""
    having = {entry.agent for entry in patient.memories if entry.exists}
    for file in client.agent_files(patient.root, patient.environ):
        if file.memory and agents.agent_id(file.name) in having:
            what = f"{file.name} has a memory of Claude Code's as well (memory: {file.memory})"
            mend = "remove the line `memory:`, or exclude the agent in config.yml"
            yield Finding(WARNING, "native-memory", what, file.path, mend)


def folder(patient: Patient) -> Iterator[Finding]:
    """Whether the memory folder can be read and written."""
    path = patient.project.store.folder
    present = path
    while not os.path.lexists(present):
        present = os.path.dirname(present)
    if not os.path.isdir(present):
        yield Finding(BROKEN, "folder", "is no folder", present, "move it away")
    elif not os.access(present, os.R_OK | os.W_OK | os.X_OK):
        mend = f"chmod u+rwx {present}"
        yield Finding(BROKEN, "folder", "cannot be read and written", present, mend)
    elif present != path:
        yield Finding(OK, "folder", "is made with the first learning", path)
    else:
        yield Finding(OK, "folder", f"can be read and written, {_count(patient)}", path)


def _count(patient: Patient) -> str:
    number = sum(entry.exists for entry in patient.memories)
    return "1 memory" if number == 1 else f"{number} memories"


def memories(patient: Patient) -> Iterator[Finding]:
    """Whether each memory file can be read, and reads as its writer meant it."""
    for entry in patient.memories:
        if entry.error:
            yield Finding(
                BROKEN, "memory", entry.error, entry.path, "see the file's rights or link"
            )
        for line, sentence in entry.warnings:
            where = f"{entry.path}:{line}"
            conflict = sentence.startswith("a merge conflict")
            mend = f"agent-memory resolve {entry.agent}" if conflict else "correct the line by hand"
            yield Finding(WARNING, "memory", sentence, where, mend)
        files = [os.path.basename(path) for path in patient.project.store.files(entry.agent)]
        if len(files) > 1:
            what = f"is read, but not {entry.agent}'s other {', '.join(files[1:])}"
            mend = f"agent-memory migrate {entry.agent}"
            yield Finding(WARNING, "memory", what, entry.path, mend)


def waiting(patient: Patient) -> Iterator[Finding]:
    """Whether learnings wait: for a lock or a disk, or for a person."""
    for entry in patient.memories:
        if entry.spooled:
            what = f"{entry.spooled} of {entry.agent}'s learnings are not in its memory yet"
            yield Finding(WARNING, "spool", what, entry.path, "agent-memory sweep")
        if entry.review:
            what = f"{entry.review} of {entry.agent}'s learnings wait for a person"
            path = patient.project.place.relative(
                overview.review_path(patient.project, entry.agent)
            )
            mend = "move what is right into the memory, delete the rest"
            yield Finding(WARNING, "review", what, path, mend)


def spoilt(patient: Patient) -> Iterator[Finding]:
    """Whether something waits that cannot be merged as it is; hooks pass it over and keep it."""
    place = patient.project.place
    for path, fault in spool.spoilt(place):
        what = f"what an agent learned {fault}"
        mend = (
            "correct its rights or its text and run agent-memory sweep,"
            " or carry over by hand what it says and delete it"
        )
        yield Finding(WARNING, "spool", what, place.relative(path), mend)


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
    if runs.prompts_are_lost(patient.project.place):
        path = os.path.join(patient.project.place.state, "route.json")
        what = "memory goes by SubagentStart, because a rewritten prompt was lost"
        mend = f"once the other hook is gone: rm {patient.project.place.relative(path)}"
        yield Finding(WARNING, "route", what, patient.project.place.relative(path), mend)


def failures(patient: Patient) -> Iterator[Finding]:
    """Which errors the hooks have logged lately."""
    place = patient.project.place
    since = log.utc(time.time() - RECENT)
    told = [
        str(event.get("error"))
        for event in log.read(place)
        if event.get("event") == "agent.memory.error" and str(event.get("timestamp")) >= since
    ]
    if told:
        where = place.relative(os.path.join(place.logs, log.NAME))
        what = f"{len(told)} errors in a week, the last: {told[-1]}"
        yield Finding(WARNING, "errors", what, where, "see the lines agent.memory.error")


def merging(patient: Patient) -> Iterator[Finding]:
    """Whether git in this clone knows how memories are merged, where it is told to."""
    folder = patient.project.store.folder
    where = patient.project.place.relative(os.path.join(folder, ".gitattributes"))
    if team.missing_driver(folder):
        what = "the merge driver is missing in this clone: git merges memories as text"
        yield Finding(WARNING, "git", what, where, team.COMMAND)
    elif gone := team.missing_program(folder):
        what = "the merge driver's program is gone: git merges memories as text"
        yield Finding(WARNING, "git", what, gone, team.COMMAND)


CHECKS: tuple[Callable[[Patient], Iterator[Finding]], ...] = (
    program,
    switched_off,
    hooks,
    arrival,
    installed,
    disabled,
    claude,
    foreign,
    native,
    configuration,
    folder,
    memories,
    waiting,
    spoilt,
    deliveries,
    route,
    failures,
    merging,
)
