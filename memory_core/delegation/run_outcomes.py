"""What runs say and show, and how they ended, for memories and the tables of runs and errors.

The outcome of a run is recorded once, by the first of these events:

    its answer     PostToolUse: has the numbers, in the foreground
    its failure    PostToolUseFailure: names only the call, whose receipt names the run
    its end        SubagentStop: in the background, and for an agent that nobody called
    the sweep      for a run that was killed, or whose end no hook has seen

The key `recorded` in the record of the run says that it is; a second one changes the same row.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from memory_core.claude_code import events, run_fields, transcript_ends, transcripts
from memory_core.delegation import answers, run_event
from memory_core.delegation.run_event import RunEvent
from memory_core.history import performance
from memory_core.history.performance import DONE, FAILED, STOPPED
from memory_core.learning import extraction
from memory_core.memory import remember, run_history
from memory_core.memory.run_history import RunRecord
from memory_core.origin import text_origins
from memory_core.storage import paths
from memory_core.storage.project import Project
from memory_core.text import subject_words

if TYPE_CHECKING:
    from memory_core.document.merge_learnings import Learning
    from memory_core.memory.changes import Lesson

FINAL_OUTCOMES = (DONE, FAILED)

# Maximum number of errors to record per run; more would teach nothing new.
MAX_RUN_ERRORS = 20


# What a run says and shows


class RunReport(NamedTuple):
    """What texts of a run say: its learnings, its judgements, and what is left without both."""

    learnings: list[Learning]
    used: list[str]
    wrong: dict[str, str]
    rest: str


def read_report(run: RunEvent, texts: list[str]) -> RunReport:
    """Return what texts of a run say."""
    blocks, judgements, rests = run_event.read_texts(run, texts)
    learned = extraction.judge_blocks(blocks, run.project.config["max_learning_length"])
    return RunReport(learned, *extraction.read_judgements(judgements), "\n".join(rests.values()))


def note_used(run: RunEvent, ids: Collection[str]) -> None:
    """Record that the run used these items; ids of others are ignored."""
    before = str(run.record.get("used") or "").split()
    used = [key for key in run.given if key in before or key in ids]
    if len(used) > len(before):
        run.record["used"] = " ".join(used)
        run.runs.try_note(run.run_id, used=run.record["used"])
        new = [key for key in used if key not in before]
        run.log("agent.memory.used", items=len(new), ids=new)


def make_lesson(
    run: RunEvent, report: RunReport, source: str = "agent", about: str = ""
) -> Lesson | None:
    """Return what the report of a run teaches, None for nothing.

    `about` says what the run was about; "" if it is not known, or saved already.
    """
    wrong = report.wrong if run.project.config.may_learn(run.agent) else {}
    if not (report.learnings or wrong):
        return None
    ids, reading = (run.run_id, events.session(run.event)), read_reading(run)
    return remember.make_lesson(report.learnings, *ids, source, wrong, reading, about)


def read_reading(run: RunEvent) -> list[str]:
    """Return what a run read from outside, see `origin.reading`; [] without a transcript."""
    folder = events.cwd(run.event) or run.project.paths.root
    return text_origins.read_transcript(run.project, _find_transcript(run), folder)


def _find_transcript(run: RunEvent) -> str:
    path = run_fields.own_transcript_path(run.event)
    return path or transcript_ends.path_of_run(events.transcript_path(run.event), run.run_id)


def note_tool_use(run: RunEvent) -> None:
    """Note which of the given items name what the run's tool calls name, and its task did not."""
    named = run.record.get("named")
    if not isinstance(named, dict):
        return
    try:
        calls = transcripts.read_calls(_find_transcript(run), transcripts.TOOL_USE)
    except OSError:
        return  # an older version has no transcripts of agents
    inputs = [given for tool, given in calls if tool != events.HANDBACK_TOOL]
    text = "\n".join(transcripts.list_strings(inputs))
    used = [
        key for key, names in named.items() if any(subject_words.has_name(text, n) for n in names)
    ]
    note_used(run, used)


# How it ended


class EventResult:
    """The additions of an event to its agent's memory: records, and a lesson, None for nothing.

    `notes` are called when both are saved.
    """

    def __init__(self, run: RunEvent) -> None:
        self.run = run
        self.records: list[RunRecord] = []
        self.lesson: Lesson | None = None
        self.notes: list[Callable[[], None]] = []

    def add_records(self, *records: RunRecord) -> None:
        self.records += run_history.date_records(self.run.agent, records, self.run.when)

    def note_later(self, run: str, **fields: Any) -> None:
        """Note this in the record of a run when all is saved."""
        self.notes.append(lambda: self.run.runs.try_note(run, **fields))


def list_use(run: RunEvent) -> dict[str, Any]:
    """Return what a run received and used, how it arrived, and its group in an experiment."""
    use = {name: run.record.get(name) for name in ("given", "used", *performance.COSTS)}
    call = run.find_call() or str(run.record.get("call") or "")
    facts = run.runs.record(call)
    delivery = {name: facts.get(name) for name in performance.DELIVERY}
    # A run whose memory was lost or doubled is in neither group.
    is_sound = delivery["arrived"] in (None, "delivered")
    return {**use, **delivery, "experiment": run.record.get("experiment") if is_sound else ""}


def _describe_task(run: RunEvent) -> dict[str, Any]:
    """Return the words of a run's task, and its duration, tokens and tool uses, if known."""
    event, launch = run.event, run.launch
    words = ("description", "prompt")
    fields: dict[str, Any] = {name: launch[name] for name in words if name in launch}
    fields |= answers.task_words(event)
    began = run.record.get("began") or launch.get("began") or launch.get("launched")
    if type(began) is float:
        fields["duration_ms"] = max(0, int((run.when - began) * 1000))
    if events.is_delegation(event) and not events.is_background_launch(event):
        totals = run_fields.totals(event).items()
        fields |= {name: count for name, count in totals if type(count) is int and count >= 0}
    return fields


def add_outcome(result: EventResult, outcome: str, **fields: Any) -> None:
    """Add how the run ended; `fields` may describe and measure its task, too."""
    run = result.run
    key = run.run_id or run.call
    if not key:
        return  # without an id it could not be distinguished from other runs
    ids = {"key": key, "run": run.run_id, "session": events.session(run.event)}
    task = {**fields, **_describe_task(run)}
    result.add_records({"kind": "task", "outcome": outcome, **ids, **list_use(run), **task})
    result.note_later(key, recorded=outcome)


def add_failure(result: EventResult) -> None:
    """Add that the run failed or was stopped, and why."""
    run = result.run
    is_stopped = run_fields.is_interrupt(run.event)
    outcome = STOPPED if is_stopped else FAILED
    add_outcome(result, outcome)
    error = None if is_stopped else _make_error(run)
    if error and result.records:
        result.add_records(error)
    if run.run_id and run.call:
        result.note_later(run.call, recorded=outcome)


def add_call_failure(result: EventResult) -> None:
    """Add that a delegation failed or was stopped, if its agent was at work.

    A denied call, or a call of an unknown agent, causes the same event.  In these cases no run has
    taken its receipt, and there is no API error.
    """
    call = result.run
    has_begun = call.run_id or events.API_ERROR in events.error(call.event)
    if has_begun and call.is_served and "recorded" not in call.runs.record(call.call):
        note_tool_use(call)
        add_failure(result)


def add_tool_failure(result: EventResult) -> None:
    """Add the failure of a tool in a run; each error is recorded once per run."""
    run = result.run
    error = _make_error(run)
    recorded = run.record.get("errors") or []
    if error and error["id"] not in recorded and len(recorded) < MAX_RUN_ERRORS:
        result.add_records(error)
        result.note_later(run.run_id, errors=[*recorded, error["id"]])


def record_missed_run(run: RunEvent, path: str) -> None:
    """Record the outcome or the numbers of a run that no event had.

    They are read from its transcript at `path`.  Raises OSError.
    """
    launch, record = run.launch, run.record
    # A background run ends before its last message is in its transcript.
    is_counted = not launch or record.get("recorded") not in FINAL_OUTCOMES or "counted" in record
    if not run.run_id or ("recorded" in record and is_counted) or not run.is_served:
        return
    outline = transcripts.TranscriptSummary(path)
    if not record.get("agent") and not contains(run.project, outline.cwd):
        return  # another project's run, whose transcript is in the same folder
    if run.runs.record(outline.call).get("recorded"):
        return  # the call failed, and no event named its run
    run.when = record.get("ended") or transcripts.mtime_of(path)
    outcome, error = _judge(record, outline.last)
    note_tool_use(run)
    note_used(run, read_report(run, [outline.last]).used)
    result, words = EventResult(run), {"description": outline.description, "prompt": outline.prompt}
    add_outcome(result, outcome, **words, **outline.numbers)
    if failure := _make_error(run, error):
        result.add_records(failure)
    run_history.add_records(run.project.store, result.records)
    result.note_later(run.run_id, counted=1)
    for note in result.notes:
        note()


def _judge(record: dict[str, Any], last: str) -> tuple[str, str]:
    """Return (outcome, error) of a run; `last` is its last message, "" if it still worked."""
    if record.get("recorded") in FINAL_OUTCOMES:
        return record["recorded"], ""
    if last.startswith(events.API_ERROR):
        return FAILED, last
    return (DONE if last or "ended" in record else STOPPED), ""


def _make_error(run: RunEvent, text: str | None = None) -> RunRecord | None:
    ids = {"run": run.run_id, "session": events.session(run.event)}
    text = run_fields.cause(run.event) if text is None else text
    # An event at the end of a run has no tool: the delegation itself failed.
    tool = run_fields.tool_name(run.event) or "Agent"
    return performance.make_error(text, tool, **ids)


def contains(project: Project, folder: str) -> bool:
    """Check whether a folder belongs to a project: is below it, or in a working tree of it.

    A folder below it need not exist any more.  Raises OSError as `paths.find_project_level`.
    """
    root = project.paths.root
    if not os.path.isabs(folder):
        return False
    if paths.is_below(folder, root):
        return True
    if not paths.is_folder(folder):
        return False
    other = paths.find_project_level(folder, {**project.environ, "CLAUDE_PROJECT_DIR": ""}).root
    return os.path.realpath(other) == os.path.realpath(root)
