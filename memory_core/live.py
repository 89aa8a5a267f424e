"""One real delegation, by the user's own Claude Code, in the project as it is set up.

It runs in the project's folder, with all settings and everybody's hooks: so what is found is
what people have.  Ours are led to a folder of their own (see places.TRIAL), which holds the
project's config.yml and a memory of one item, a check word.  The agent is asked for the
word, and to record it: whoever records it has been given it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from typing import NamedTuple

from memory_core import client, events, log, memory, overview, places, rehearsal
from memory_core.agents import agent_id
from memory_core.patient import BROKEN, OK, SAMPLE_OF, WARNING, Finding, Patient

# Seconds: a delegation of this kind takes a model ten to sixty.
PATIENCE = 180.0

# Seconds in which the last hooks of a run that was learned from come to their end.
GRACE = 3.0

# Characters of what Claude Code says that are told.
SAID = 200

# What may have become of a delivery though the memory was there in the end.
ODD = {
    "doubled": "its memory was given twice",
    "lost": "its memory was lost from its prompt, and given at its start in its stead",
}

ITEM = "The check word of agent-memory doctor is {word}"
HEARD = "The agent heard {word}"
NOTHING = "nothing"

TASK = """\
agent-memory checks whether agents get their memory, and whether what they report is kept.
Which check word does your memory give? Answer with this block, the word in place of WORD:

# Add To Memory:
Type: context
Content: The agent heard WORD
#

If no memory gives you a check word, put "nothing" in place of WORD. Use no tool."""

QUESTION = """\
Call the agent `{agent}` once, with exactly the text between the two lines as its prompt.
Do nothing else. When it has answered, repeat its answer.
-----
{task}
-----
"""


class Trial:
    """The folder that our hooks work in, and what they have left there so far."""

    def __init__(self, patient: Patient, folder: str, agent: str) -> None:
        self.agent = agent
        self.word = f"quince-{secrets.token_hex(3)}"
        # The name stands in what agents are given.
        self.root = os.path.join(os.path.realpath(folder), patient.project.name)
        os.makedirs(os.path.join(self.root, places.FOLDER))
        if os.path.exists(patient.project.place.config):
            shutil.copy(patient.project.place.config, os.path.join(self.root, places.FOLDER))
        self.project = memory.Project(places.Place(self.root), patient.environ)
        self._began = 0.0
        os.makedirs(self.project.store.folder)
        self._path = os.path.join(
            self.project.store.folder, f"{self.project.store.stem(agent_id(agent))}.md"
        )
        with open(self._path, "w", encoding="utf-8") as file:
            file.write(f"# {agent}\n\n## Project Context\n- {ITEM.format(word=self.word)}\n")

    @property
    def heard(self) -> str:
        """Return what the agent recorded to have heard, "" for nothing recorded."""
        with open(self._path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        found = (word for word in (self.word, NOTHING) if HEARD.format(word=word) in text)
        return next(found, "")

    @property
    def verdict(self) -> str:
        last = overview.last_delivery(self.project)
        return last.verdict if last else ""

    @property
    def has_hooks(self) -> bool:
        """Say whether a hook of ours was run: that of the session's start leaves this."""
        return os.path.exists(os.path.join(self.project.place.state, "sweep.json"))

    @property
    def was_given(self) -> bool:
        """Say whether Claude Code was handed the memory."""
        logged = log.read(self.project.place)
        return any(each.get("event") == "agent.memory.loaded" for each in logged)

    @property
    def has_started(self) -> bool:
        return os.path.isdir(os.path.join(self.project.place.state, "runs"))

    def is_over(self) -> bool:
        """Say whether all is known: then there is no need to wait for the last words."""
        if not self.heard:
            return False
        self._began = self._began or time.monotonic()
        return bool(self.verdict) or time.monotonic() - self._began > GRACE


class Ran(NamedTuple):
    """A trial that is over: what became of Claude Code, and after how many seconds."""

    trial: Trial
    worked: client.Worked
    seconds: float


def check(patient: Patient, patience: float = PATIENCE) -> Iterator[Finding]:
    """Have an agent called for real, and say how far its memory came."""
    claude = client.program(patient.environ)
    if claude is None:
        what = "there is no `claude` on PATH"
        yield Finding(BROKEN, "live", what, "PATH", "install Claude Code")
        return
    agent = _agent(patient)
    if not agent:
        what = "no agent that Claude Code knows here takes part"
        mend = "see include and exclude in config.yml, and AGENT_MEMORY"
        yield Finding(WARNING, "live", what, patient.project.place.config, mend)
        return
    with tempfile.TemporaryDirectory(prefix="agent-memory-", ignore_cleanup_errors=True) as folder:
        if _is_unsafe(patient, folder):
            what = "not tried: the hooks that are installed are of an older version"
            mend = "run ./install.sh again, from a clone of agent-memory"
            yield Finding(BROKEN, "live", what, patient.settings_path, mend)
        else:
            yield from _tried(patient, Trial(patient, folder, agent), patience)


def _agent(patient: Patient) -> str:
    """Return an agent that takes part, as Claude Code calls it: one that is always there first."""
    if not patient.takes_part and not patient.project.config["enabled"]:
        return ""
    defined = client.agent_files(patient.root, patient.environ)
    names = [events.DEFAULT_AGENT, *(file.name for file in defined), *client.BUILT_IN]
    return next((name for name in names if patient.project.serves(agent_id(name))), "")


def _is_unsafe(patient: Patient, folder: str) -> bool:
    """Say whether a command of ours would work on the project all the same."""
    led_to, project = (os.path.join(os.path.realpath(folder), name) for name in ("probe", "own"))
    os.makedirs(os.path.join(led_to, places.FOLDER))
    os.mkdir(project)
    for file in patient.files:
        environ = {**patient.environ, places.TRIAL: led_to, "CLAUDE_PLUGIN_ROOT": file.folder}
        for entry in file.ours:
            if not patient.knows(file, entry):
                return True
            if entry.event in SAMPLE_OF:
                data = patient.sample(SAMPLE_OF[entry.event], "unsafe")
                rehearsal.run_in(project, file.argv(entry.value), data, environ)
    return bool(os.listdir(project))


def _tried(patient: Patient, trial: Trial, patience: float) -> Iterator[Finding]:
    question = QUESTION.format(agent=trial.agent, task=TASK)
    environ = {**patient.environ, places.TRIAL: trial.root}
    began = time.monotonic()
    try:
        worked = client.work(question, patient.root, environ, patience, trial.is_over)
    except client.NotAnswered as error:
        yield Finding(BROKEN, "live", str(error), "claude", "start `claude` once yourself")
        return
    ran = Ran(trial, worked, time.monotonic() - began)
    yield from _arrived(patient, ran)


def _arrived(patient: Patient, ran: Ran) -> Iterator[Finding]:
    """Say what the trial shows: of what arrived, and of what was kept."""
    trial, where = ran.trial, patient.settings_path
    if trial.heard != trial.word and trial.word not in ran.worked.said:
        what, mend = _failure(ran)
        yield Finding(BROKEN, "live", what, where, mend)
        return
    what = f"{trial.agent} was called and had its memory, after {ran.seconds:.0f} s"
    yield Finding(OK, "live", what)
    if trial.verdict in ODD:
        yield Finding(WARNING, "live", ODD[trial.verdict], where, "see the findings on other hooks")
    if trial.heard:
        yield Finding(OK, "live", "what it reported was kept, as its next runs would find it")
    elif patient.project.config.learns(agent_id(trial.agent)):
        what = f"what {trial.agent} reported was not kept; claude said: {_said(ran)}"
        mend = "agent-memory sample stop | agent-memory replay -"
        yield Finding(BROKEN, "live", what, where, mend)


def _failure(ran: Ran) -> tuple[str, str]:
    """Say how far it came, and how that is mended."""
    trial, worked = ran.trial, ran.worked
    if worked.status:
        mend = "start `claude` yourself: it has to answer first, perhaps to be logged in (/login)"
        return f"claude failed: {_said(ran)}", mend
    late = f" within {ran.seconds:.0f} s" if worked.status is None else ""
    if not trial.has_hooks:
        told = f"; it said: {_short(worked.complained)}" if worked.complained else ""
        mend = "see what `claude -p hello` says of its settings"
        return f"Claude Code ran no hook of ours{late}{told}", mend
    agent = trial.agent
    if not (trial.was_given or trial.has_started):
        return f"claude did not call {agent}{late}; it said: {_said(ran)}", "try it once more"
    if trial.verdict == "lost":
        mend = "see the findings on other hooks; the next try goes by SubagentStart"
        return f"{agent} was called, but its memory was lost from its prompt", mend
    if not trial.has_started:
        mend = "see permissions in the settings, and other tools' hooks"
        return f"the call of {agent} was stopped{late}; claude said: {_said(ran)}", mend
    if trial.heard == NOTHING:
        mend = "see the findings on other hooks and claude"
        return f"{agent} was called, but found no memory in what it was given", mend
    what = f"{agent} was called and given its memory, but did not say so{late}"
    return f"{what}; claude said: {_said(ran)}", "try it once more"


def _said(ran: Ran) -> str:
    return _short(ran.worked.said or ran.worked.complained) or "nothing"


def _short(text: str) -> str:
    from memory_core import learnings

    return learnings.clean(" ".join(text.split()))[:SAID]
