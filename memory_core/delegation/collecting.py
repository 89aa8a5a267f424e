"""Collect what agents report: put it into the inbox, and remove the learnings from the reply.

handle_answer    PostToolUse         the answer of a delegation, or its launch in the background
handle_stop      SubagentStop        the last message of an agent

Each takes the project and an event, and returns the reply or None.
"""

from __future__ import annotations

import time

from memory_core.claude_code import agent_names, events
from memory_core.delegation import run_event
from memory_core.delegation.run_event import RunEvent
from memory_core.storage import inbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.claude_code.events import Event
    from memory_core.delegation.run_event import Reply
    from memory_core.storage.project import Project


# The largest report seen was 0.2 MB.  A longer one is saved, and the main agent reads it whole.
MAX_STRIPPED = 500_000

# The main agent reads this text if a report had only learnings.
EMPTY_REPORT = "(The report held only notes for the agent's own memory.)"


def handle_answer(project: Project, event: Event) -> Reply | None:
    """Collect the answer of a delegation."""
    return collect_answer(run_event.of_call(project, event))


def collect_answer(answer: RunEvent) -> Reply | None:
    """Collect an answer and remove the learnings from it, or note a launch in the background."""
    event = answer.event
    if events.is_background_launch(event):
        from memory_core.delegation import answers

        if answers.note_launch(answer):
            collect(answer, "PostToolUse")
        return None
    if not (answer.is_served or events.error(event)):
        return None
    collect(answer, "PostToolUse")
    rests = strip(answer)
    if not rests:
        return None
    return events.reply_output(events.edit_report(event, lambda text: rests.get(text, text)))


def strip(run: RunEvent) -> dict[str, str]:
    """Return what is left of each text of a report without what the worker saves.

    The result is {} if the texts have nothing to save, or have to stay as they are.
    """
    from memory_core.learning import lines

    texts = events.report_texts(run.event)
    if sum(map(len, texts)) > MAX_STRIPPED or not run.project.config["strip_markers"]:
        return {}
    blocks, _judgements, rests = run_event.read_texts(run, texts)
    count = sum(len(block.drafts) for block in blocks if not block.is_example)
    is_real = count <= lines.MAX_LEARNINGS
    return {text: rest or EMPTY_REPORT for text, rest in rests.items()} if is_real else {}


def handle_stop(project: Project, event: Event) -> Reply | None:
    """Collect the last message of an agent that ends; return None, so that it may end."""
    run = run_event.of_own_run(project, event)
    if run.is_served:
        collect(run, "SubagentStop")
    return None


def add_chore(project: Project, event: Event, name: str) -> None:
    """Ask the worker for the work at the start of a session, or after a change of tasks."""
    try:
        _write_report(RunEvent(project, event), name)
    except OSError:
        pass  # the next event of this kind asks again


def collect(run: RunEvent, name: str) -> None:
    """Put an event into the inbox; without an inbox save what it teaches now.

    Raises OSError if neither is possible.
    """
    try:
        _write_report(run, name)
    except OSError as error:
        from memory_core.delegation import inbox_reports

        inbox_reports.merge_now(run, _make_report(run, name), error)


def _write_report(run: RunEvent, name: str) -> None:
    event, stem = run.event, agent_names.file_stem_of(run.agent) if run.agent else ""
    # Without a text and a call, two events are of different moments.
    what = events.report_texts(event) or [run.call or str(time.time_ns())]
    key = inbox.make_key(events.session(event), stem, run.run_id, run.call, name, *what)
    inbox.add(run.project.paths, stem, key, _make_report(run, name))


def _make_report(run: RunEvent, name: str) -> inbox.Report:
    return {
        "time": run.when,
        "agent": run.agent,
        "run": run.run_id,
        "settings": inbox.select_settings(run.project.environ),
        "event": {**run.event, "hook_event_name": name},
    }


HANDLERS: run_event.Handlers = {
    "PostToolUse": handle_answer,
    "SubagentStop": handle_stop,
}
