"""Collect reports that no hook has seen, because a run or `claude` itself was killed.

A sweep reads the transcripts of agents from the end of the last sweep on, so each line is read
once.  It skips runs whose end a hook has seen, and lines of other projects: Claude Code has one
folder for the transcripts of `code/shop-api` and `code/shop/api`.
"""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING, Any

from memory_core.claude_code import agent_names, events, run_fields, transcripts
from memory_core.delegation import run_outcomes
from memory_core.delegation.run_event import RunEvent
from memory_core.memory import remember, run_history
from memory_core.storage import event_log, hook_files
from memory_core.storage.database import state_db
from memory_core.storage.project import Project
from memory_core.text import fastjson
from memory_core.text.times import format_utc

if TYPE_CHECKING:
    from memory_core.claude_code.events import Event

# The limit at the start of a session: 4 MB take about 20 ms.
SESSION_SECONDS = 1.0

# Claude Code writes the last lines of a transcript shortly after the event of the run's end.
SETTLE_SECONDS = 60

# The note with the day on which a session last summed up old runs.
NOTE = "summed up"


class SweepResult:
    """The number of transcripts that a sweep read, and of learnings that it saved."""

    def __init__(self) -> None:
        self.learnings = 0
        self.transcripts = 0


def sweep_at_start(project: Project, event: Event) -> None:
    """Delete old state, sweep within the time limit for the start of a session, and sum up."""
    folder = os.path.dirname(events.transcript_path(event))
    hook_files.clear_old(project.paths)
    sweep(project, [folder] if folder else [], SESSION_SECONDS)
    # Once a day, because this reads all runs.
    state, today = project.paths.state, format_utc(time.time())[:10]
    if state_db.read_note(state, NOTE) != today:
        state_db.write_note(state, NOTE, today)
        run_history.sum_up(project.store)


def sweep(project: Project, folders: list[str], seconds: float = math.inf) -> SweepResult:
    """Save learnings of the transcripts below `folders` and in folders of earlier sweeps.

    After `seconds` no further transcript is begun; the next sweep continues there.
    """
    state = _SweepState(project)
    since, deadline = time.time(), time.monotonic() + seconds
    result = SweepResult()
    for path in state.list_changed(folders):
        if result.transcripts and time.monotonic() > deadline:
            since = state.since
            break
        try:
            _read(project, state, path, result)
        except OSError as error:  # skip it: the other transcripts may be readable
            since = state.since  # the next sweep tries it again
            event_log.write(project.paths, "agent.memory.error", error=str(error))
    state.save(since)
    return result


def _read(project: Project, state: _SweepState, path: str, result: SweepResult) -> None:
    """Save what a transcript teaches from its offset on, in lines of this project."""
    session, run_id = _identify(path)
    event = {"session_id": session, "agent_transcript_path": path}
    run = RunEvent(project, event, run_id=run_id)
    name = run.record.get("agent") or transcripts.read_agent(path)
    if not name:
        return
    run.agent = agent_names.id_of(str(name))
    run_outcomes.record_missed_run(run, path)
    if transcripts.mtime_of(path) < (run.record.get("ended") or 0) + SETTLE_SECONDS:
        return
    offset = end = state.offsets.get(path, 0)
    texts = list[str]()
    for line, length in transcripts.read_lines(path, offset):
        end += length
        said = transcripts.agent_texts(line)
        if said and run_outcomes.contains(project, run_fields.get_text(line, "cwd")):
            texts += said
    report = run_outcomes.read_report(run, texts)
    if lesson := run_outcomes.make_lesson(run, report, source="sweep"):
        remember.merge_lesson(project, run.agent, lesson)
    result.learnings += sum(not learning.reason for learning in report.learnings)
    result.transcripts += end > offset
    state.offsets[path] = end


def _identify(path: str) -> tuple[str, str]:
    """Return (session, run) of a transcript: SESSION/subagents/.../agent-RUN.jsonl."""
    session = path.partition(f"{os.sep}subagents{os.sep}")[0]
    return os.path.basename(session), os.path.basename(path)[len("agent-") : -len(".jsonl")]


class _SweepState:
    """The progress of sweeps: folders to read, time of the last one, offset in each transcript.

    The first sweep of a project begins at its own time; older transcripts were written before the
    project had memories.
    """

    def __init__(self, project: Project) -> None:
        self.paths = project.paths
        text = state_db.read_note(self.paths.state, state_db.SWEEP)
        first: dict[str, Any] = {"since": time.time(), "folders": [], "offsets": {}}
        state = first | fastjson.load_object(text)
        self.since: float = state["since"]
        if self.since > time.time():  # the clock ran ahead during the last sweep
            self.since = time.time() - state_db.RESUMED_SECONDS
        self.folders: list[str] = state["folders"]
        self.offsets: dict[str, int] = state["offsets"]

    def list_changed(self, folders: list[str]) -> list[str]:
        """Return the transcripts that changed since the last complete sweep."""
        self.folders = sorted({*self.folders, *folders})
        return [
            path for folder in self.folders for path in transcripts.list_changed(folder, self.since)
        ]

    def save(self, since: float) -> None:
        """Write the state; transcripts that change after the time `since` are read next."""
        horizon = time.time() - state_db.RESUMED_SECONDS
        recent = {p: n for p, n in self.offsets.items() if transcripts.mtime_of(p) > horizon}
        state = {"since": since, "folders": self.folders, "offsets": recent}
        try:
            state_db.write_note(self.paths.state, state_db.SWEEP, fastjson.dumps(state))
        except OSError as error:
            event_log.write(self.paths, "agent.memory.error", error=str(error))
