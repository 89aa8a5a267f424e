"""One hook event of a run, with the record of that run, and what its report says for the memory.

The hook removes learnings, and lines that judge given items, from the reply; the worker saves them.
"""

from __future__ import annotations

import time

from memory_core.claude_code import agent_names, events
from memory_core.storage import event_log, run_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memory_core.claude_code.events import Event
    from memory_core.learning.blocks import LearningBlock
    from memory_core.learning.feedback_lines import Judgement
    from memory_core.storage.project import Project

    Reply = dict[str, Any]
    Handlers = dict[str, Callable[[Project, Event], Reply | None]]

# Number of characters of a prompt that are searched for the type of its task.
PROMPT_HEAD = 300

# When this hook began, in seconds of time.monotonic(); `hook` sets it.
began = time.monotonic()

# What the receipt of a call says about the memory in its prompt.
FACTS = ("given", "named", "asked", "experiment", "prompt_tokens", "hook_ms")


class RunEvent:
    """A hook event of one run of an agent.

    `run_id` is "" if the event does not name it: at the call, or for a skill that did not fork.
    `agent` is "" if it is unknown.  `when` is the time of the event in seconds, by default now.
    `runs` are the run records of the session.
    """

    __slots__ = ("_record", "agent", "event", "project", "run_id", "runs", "when")

    def __init__(
        self,
        project: Project,
        event: Event,
        agent: str = "",
        run_id: str = "",
        when: float = 0.0,
    ) -> None:
        self.project = project
        self.event = event
        self.agent = agent
        self.run_id = run_id
        self.when = when or time.time()
        self.runs = run_records.SessionRuns(project.paths, events.session(event))
        self._record: dict[str, Any] | None = None

    @property
    def record(self) -> dict[str, Any]:
        """Return the record of the run; it is read once, at the first call."""
        if self._record is None:
            self._record = self.runs.record(self.run_id)
            taken, own = self._record.get("call"), self.find_call()
            if taken and own and own != taken:
                facts = self.runs.record(own)
                self._record |= {name: facts.get(name) for name in FACTS}
        return self._record

    def find_call(self) -> str:
        """Return the call of the run, "" if this event cannot know it.

        Of two runs of one agent that start at once, either may have taken the receipt of the
        other.
        """
        return self.call or str(self.launch.get("call") or "")

    @property
    def launch(self) -> dict[str, Any]:
        """Return the record of the run's launch in the background, {} in the foreground."""
        return self.runs.record(run_records.launch_id_of(self.run_id))

    @property
    def given(self) -> list[str]:
        """The ids of the items that the run received."""
        return str(self.record.get("given") or "").split()

    @property
    def call(self) -> str:
        return events.tool_call_id(self.event)

    @property
    def is_served(self) -> bool:
        return bool(self.agent) and self.project.serves(self.agent)

    def log(self, event_name: str, **fields: object) -> None:
        """Write an event of this run to the event log."""
        event_log.write(
            self.project.paths,
            event_name,
            agent_id=self.agent,
            **fields,
            session=events.session(self.event),
            run=self.run_id or None,
            call=self.call or None,
        )


def of_call(project: Project, event: Event) -> RunEvent:
    """Return the event of a call or of its answer; only the answer names the run."""
    agent = agent_names.id_of(events.called_agent(event))
    return RunEvent(project, event, agent, events.called_run(event))


def of_own_run(project: Project, event: Event) -> RunEvent:
    """Return an event that the agent itself causes: its start, its end, its tools.

    Up to 2.1.20 SubagentStop does not name the agent; the record of its start may have the name.
    """
    run = RunEvent(project, event, run_id=events.own_run(event))
    name = events.own_agent(event) or str(run.record.get("agent") or "")
    run.agent = agent_names.id_of(name) if name else ""
    return run


def read_texts(
    run: RunEvent, texts: list[str]
) -> tuple[list[LearningBlock], list[Judgement], dict[str, str]]:
    """Return the blocks and judgements of a report's texts, and what is left of them without both.

    The third is by text, and has only those of the texts that say something.
    """
    blocks: list[LearningBlock] = []
    judgements: list[Judgement] = []
    rests: dict[str, str] = {}
    for text in texts if run.is_served else ():
        judged, rest = _cut_judgements(run, text)
        taught, rest = _cut_blocks(run, rest)
        if taught or judged:
            blocks += taught
            judgements += judged
            rests[text] = rest.strip("\n")
    return blocks, judgements, rests


def _cut_judgements(run: RunEvent, text: str) -> tuple[list[Judgement], str]:
    """Return what a text says about given items, and the text without it."""
    if not run.given:
        return [], text
    from memory_core.learning import feedback_lines

    return feedback_lines.find_judgements(text, run.given)


def _cut_blocks(run: RunEvent, text: str) -> tuple[list[LearningBlock], str]:
    """Return the blocks of a text, and the text without them."""
    from memory_core.learning import lines

    config = run.project.config
    has_sentences = config["natural_language"]
    if not config.may_learn(run.agent) or not lines.may_teach(text, has_sentences):
        return [], text
    from memory_core.learning.blocks import find_blocks, remove_spans

    blocks, spans = find_blocks(text, has_sentences)
    return blocks, remove_spans(text, spans)
