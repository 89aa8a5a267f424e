"""Check the whole way once: the user's own Claude Code starts a real agent.

It runs in the project's folder, with all settings and the hooks of all tools.  The hooks of
agent-memory work in a temporary folder instead (see paths.TRIAL_VARIABLE), with a state of its
own, a copy of config.yml and a memory file that contains a random check word.  The agent is asked
for the word and reports it, so a report with the word shows that the memory arrived.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress

from memory_core.claude_code import agent_definitions, events, headless, settings_files
from memory_core.claude_code.agent_names import id_of
from memory_core.doctor.examination import BROKEN, OK, WARNING, Examination, Finding
from memory_core.git import arrivals
from memory_core.memory.project import Project
from memory_core.monitor.log_numbers import count_log
from memory_core.storage import config, config_file, event_log, paths
from memory_core.text import sanitize

# Seconds; such a run takes 10 to 60.
TIMEOUT = 180.0

MAX_QUOTE_CHARS = 200
OTHER_HOOKS = "see the findings of other-hooks"

DELIVERY_WARNINGS = {
    "doubled": "the agent got its memory twice",
    "lost": "another hook removed the memory from the prompt; the agent got it at its start",
}

ITEM = "The check word of agent-memory doctor is {word}"
REPORT = "The agent heard {word}"
NOTHING = "nothing"

TASK = """\
agent-memory checks whether agents get their memory, and whether their reports are saved.
Which check word does your memory contain? Answer with this block, and replace WORD by the word:

# Add To Memory:
Type: context
Content: The agent heard WORD
#

If your memory contains no check word, write "nothing" instead of WORD. Do not use any tool."""

QUESTION = """\
Call the agent `{agent}` once, with exactly the text between the two lines as its prompt.
Do nothing else. When it has answered, repeat its answer.
-----
{task}
-----
"""


class LiveTrial:
    """The temporary project of the trial, and the traces of the hooks in it.

    `environ` are the variables for Claude Code, `state` is what hooks remember of the trial.
    """

    def __init__(self, exam: Examination, folder: str, agent: str) -> None:
        self.agent = agent
        self.word = f"quince-{secrets.token_hex(3)}"
        folder = os.path.realpath(folder)
        root = os.path.join(folder, "project", exam.project.name)  # agents see the folder's name
        state = os.path.join(folder, "state")
        self.environ = {**exam.environ, paths.TRIAL_VARIABLE: root, "XDG_STATE_HOME": state}
        # The settings' variables take precedence, and may name another folder for the state.
        hook_environ = {**self.environ, **settings_files.read_hook_variables(exam.files)}
        own = paths.LevelPaths(root, hook_environ)
        own.files.replace(paths.TRIAL_FILE, b"")
        settings = config.read_source(exam.project.paths)
        if exam.project.config["experiment"]["hold_out"]:
            with suppress(config_file.NotChanged):
                settings = config_file.set_value(settings, "memory.experiment.hold_out", "0")
        own.files.replace(own.config, settings.encode("utf-8", "surrogateescape"))
        self.project = Project(own, hook_environ)
        self.state = own.state
        self._file = self.project.store.path(id_of(agent))
        item = ITEM.format(word=self.word)
        text = f"# {agent}\n\n## Project Context\n- {item}\n"
        own.files.replace(self._file, text.encode())
        arrivals.ask_whose(self.project)  # the hook has nothing to ask about this memory
        arrivals.look(self.project)

    @property
    def reported_word(self) -> str:
        """The word in the saved report, "" if no report was saved."""
        text = self.project.paths.files.read_text(self._file)
        words = (word for word in (self.word, NOTHING) if REPORT.format(word=word) in text)
        return next(words, "")

    @property
    def verdict(self) -> str:
        last = count_log(self.project).find_last()
        return last.verdict if last else ""

    def remove_state(self) -> None:
        """Remove what hooks remember of the trial, wherever it is."""
        shutil.rmtree(self.state.root, ignore_errors=True)


def run(exam: Examination, patience: float = TIMEOUT) -> Iterator[Finding]:
    """Start an agent, and report how far its memory and its report came."""
    if headless.find_claude(exam.environ) is None:
        yield Finding(BROKEN, "there is no `claude` on PATH", "PATH", "install Claude Code")
        return
    agent = _choose_agent(exam)
    if not agent:
        what = "not tried: config.yml or AGENT_MEMORY exclude all agents"
        advice = "change include and exclude in config.yml"
        yield Finding(WARNING, what, exam.project.paths.config, advice)
        return
    if not all(map(exam.is_trusted, exam.own_hooks)):
        what = "not tried: hooks are outdated or modified"
        yield Finding(WARNING, what, exam.settings_path, "see the findings of settings")
        return
    with tempfile.TemporaryDirectory(prefix="agent-memory-", ignore_cleanup_errors=True) as folder:
        trial = LiveTrial(exam, folder, agent)
        question, began = QUESTION.format(agent=agent, task=TASK), time.monotonic()
        try:
            session = headless.run_session(question, exam.root, trial.environ, patience)
            yield from _judge(exam, trial, session, time.monotonic() - began)
        except headless.NoAnswer as error:
            yield Finding(BROKEN, str(error), "claude", "start `claude` once yourself")
        finally:
            trial.remove_state()


def _choose_agent(exam: Examination) -> str:
    """Return an agent's name in Claude Code: the default agent if it is not excluded."""
    definitions = agent_definitions.read_agents(exam.root, exam.environ)
    names = [
        events.DEFAULT_AGENT,
        *(definition.name for definition in definitions),
        *agent_definitions.BUILT_IN_AGENTS,
    ]
    return next((name for name in names if exam.project.serves(id_of(name))), "")


def _judge(
    exam: Examination, trial: LiveTrial, session: headless.HeadlessRun, seconds: float
) -> Iterator[Finding]:
    """Yield the results of the trial, for the memory and for the report."""
    where, agent, answer = exam.settings_path, trial.agent, _quote(session)
    if trial.reported_word != trial.word and trial.word not in session.said:
        what, advice = _explain(trial, session, seconds)
        yield Finding(BROKEN, what, where, advice)
        return
    yield Finding(OK, f"{agent} got its memory, after {seconds:.0f} s")
    if trial.verdict in DELIVERY_WARNINGS:
        yield Finding(WARNING, DELIVERY_WARNINGS[trial.verdict], where, OTHER_HOOKS)
    if trial.reported_word:
        yield Finding(OK, f"the report of {agent} was saved")
    elif exam.project.config.may_learn(id_of(agent)):
        what = f"the report of {agent} was not saved; claude answered: {answer}"
        advice = "to see more: agent-memory sample stop | agent-memory replay -"
        yield Finding(BROKEN, what, where, advice)


def _explain(trial: LiveTrial, session: headless.HeadlessRun, seconds: float) -> tuple[str, str]:
    """Return how far the trial came, and what to do."""
    agent, answer = trial.agent, _quote(session)
    if session.status:
        return f"claude failed: {answer}", "start `claude` yourself and log in (/login)"
    limit = f" within {seconds:.0f} s" if session.status is None else ""
    if not trial.state.is_file("sweep.json"):  # the SessionStart hook writes it
        error = f"; its error: {_clean(session.stderr)}" if session.stderr else ""
        advice = "run `claude -p hello` and look for errors about settings"
        return f"Claude Code ran no hooks of agent-memory{limit}{error}", advice
    has_started = trial.state.is_folder("runs")
    if trial.verdict == "lost":
        what = f"another hook removed the memory from the prompt of {agent}"
        return what, f"{OTHER_HOOKS}; the next try uses SubagentStart"
    if not has_started and event_log.find_last(trial.project.paths, ["agent.memory.loaded"]):
        advice = "check permissions in the settings, and hooks of other tools"
        return f"{agent} was called but not started{limit}; claude answered: {answer}", advice
    if not has_started:
        return f"claude did not call {agent}{limit}; it answered: {answer}", "try again"
    if trial.reported_word == NOTHING:
        return f"{agent} started, but did not get its memory", OTHER_HOOKS
    what = f"{agent} got its memory, but did not report it{limit}; claude answered: {answer}"
    return what, "try again"


def _quote(session: headless.HeadlessRun) -> str:
    return _clean(session.said or session.stderr) or "nothing"


def _clean(text: str) -> str:
    return sanitize.clean_line(" ".join(text.split()))[:MAX_QUOTE_CHARS]
