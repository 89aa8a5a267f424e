"""Merge the learnings of agents' reports into memory files.

A report may be merged again after its writer was killed; `keys` in the run's record, and the runs
in the history, prevent it from being counted twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_core.learning import extraction, feedback
from memory_core.learning.extraction import Extraction
from memory_core.learning.lines import MAX_LEARNINGS
from memory_core.memory import changes, preparing, run_history, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.run_history import RunRecord
from memory_core.storage import run_records, typed_command
from memory_core.storage.config_yml import config_defaults
from memory_core.storage.project import Project
from memory_core.text import digests, similarity
from memory_core.text.phrases import format_count

# What a report teaches: `agent`, `run`, `session`, `source`; `learnings` as [type, content,
# nested], `rejected` as [type, content, reason, nested]; and perhaps `wrong`, the items that
# the run reported as wrong, as [id, reason], `about`, what it was about, and `reading`, what
# it read from outside.
Lesson = dict[str, Any]

# The fields of a lesson that change a memory.
TEACHING = ("learnings", "rejected", "wrong")

# The value of memory.notices for a line after each run.
ALL = "all"


def make_lesson(
    agent: str,
    extractions: list[Extraction],
    run: str = "",
    session: str = "",
    source: str = "agent",
    wrong: dict[str, str] | None = None,
    reading: Sequence[str] = (),
) -> Lesson:
    """Return what reports of one run teach, without secrets.

    `wrong` has the reasons, by id, why given items are wrong.  `reading` is what the run read from
    outside.
    """
    learned, rejected = list[list[str]](), list[list[str]]()
    for result in extractions:
        for item in map(extraction.clean, (*result.learnings, *result.rejected)):
            if item.reason:
                rejected.append([item.type, item.content, item.reason, item.nested])
            else:
                learned.append([item.type, item.content, item.nested])
    reasons = [[key, feedback.clean_reason(reason)] for key, reason in (wrong or {}).items()]
    over = len(learned[MAX_LEARNINGS:]) + len(rejected[MAX_LEARNINGS:])
    lesson: Lesson = {"agent": agent, "run": run, "session": session, "source": source}
    lesson["learnings"], lesson["rejected"] = learned[:MAX_LEARNINGS], rejected[:MAX_LEARNINGS]
    lesson["wrong"] = reasons[:MAX_LEARNINGS]
    lesson |= {"reading": [*reading]} if reading else {}
    if over:
        text = f"{over} more are in the report of run {run or 'unknown'}, session {session}"
        lesson["rejected"].append(["", text, f"a report may have at most {MAX_LEARNINGS}", ""])
    return lesson


def merge_lessons(
    project: Project, agent: str, lessons: Sequence[Lesson], records: Sequence[RunRecord] = ()
) -> None:
    """Merge what reports of different runs teach, and add records of runs, in one write.

    Raises OSError.
    """
    with project.store.lock(agent):
        # They come first: a learning may resolve an error.
        run_history.add_records(project.store, records)
        _merge_learnings(project, agent, lessons)
    preparing.prepare(project, agent)


def _merge_learnings(project: Project, agent: str, lessons: Sequence[Lesson]) -> None:
    """Merge lessons; the caller holds the lock."""
    lessons = [lesson for lesson in lessons if any(map(lesson.get, TEACHING))]
    if not lessons:
        return

    def learn(memory: AgentMemory) -> list[changes.TaughtReport]:
        reports = [_make_report(project, lesson) for lesson in lessons]
        changes.learn_reports(memory, reports)
        return reports

    memory, reports = transaction.change_locked(project, agent, learn)
    for lesson, report in zip(lessons, reports, strict=True):
        _note_end(memory, lesson, report)


def _make_report(project: Project, lesson: Lesson) -> changes.TaughtReport:
    """Return the learnings of a lesson that its run has not taught yet."""
    record = run_records.SessionRuns(project.paths, lesson["session"]).record(lesson["run"])
    taught = set(map(str, record.get("keys", [])))

    def take_new(rows: list[list[str]]) -> list[list[str]]:
        new = [row for row in rows if similarity.normalize_text(row[1]) not in taught]
        taught.update(similarity.normalize_text(row[1]) for row in new)
        return new

    names = ("run", "session", "source", "reading")
    source: dict[str, Any] = {key: lesson[key] for key in names if key in lesson}
    learnings, rejected = take_new(lesson["learnings"]), take_new(lesson["rejected"])
    wrong = {key: text for key, text in lesson.get("wrong", []) if _wrong_key(key) not in taught}
    return changes.TaughtReport(learnings, source, rejected, wrong)


def _wrong_key(key: str) -> str:
    """Return what the record of a run has, among its learnings, for an item that is wrong."""
    return f"wrong {key}"


def _note_end(memory: AgentMemory, lesson: Lesson, report: changes.TaughtReport) -> None:
    """Note what the run has taught and was about, and log what the history does not have."""
    learnings = [*report.learnings, *(learning for learning, _reason in report.rejected)]
    runs = run_records.SessionRuns(memory.project.paths, lesson["session"])
    if lesson.get("about"):
        run_history.add_subject(memory.store, memory.agent, lesson["run"], str(lesson["about"]))
    if learnings or report.wrong:
        keys = [similarity.normalize_text(learning.content) for learning in learnings]
        keys += map(_wrong_key, report.wrong)
        runs.try_note(lesson["run"], keys=keys)
    by = {**report.source, "change": report.change_id}
    waits = len(report.refused) + len(report.rejected)
    counts = {"learned": report.learned, "waiting": waits, "reported as wrong": len(report.wrong)}
    if any(counts.values()) and memory.project.config["notices"] != config_defaults.OFF:
        change = digests.shorten_change(report.change_id)
        line = format_run(memory.agent, runs.record(lesson["run"]), counts, change)
        add_notice(memory.project, lesson["session"], line)
    events: list[tuple[str, dict[str, Any]]] = [
        ("wrong", {"id": key, **by}) for key in report.wrong
    ]
    for learning, _reason in report.refused + report.rejected:
        if memory.history.is_rejected(learning.content):
            events.append(("rejected", {"content": learning.content, **by}))
    transaction.log_events(memory, events)


def format_run(agent: str, use: Mapping[str, Any], counts: Mapping[str, int], change: str) -> str:
    """Return what a run received and taught: "engineer: 5 items given, 2 used, 1 learned (...)".

    `use` has the ids of items that were `given` and `used`; `counts` has numbers by what happened.
    """
    given, used = (len(str(use.get(name) or "").split()) for name in ("given", "used"))
    parts = [f"{format_count(given, 'item')} given", f"{used} used"] if given else []
    parts += [f"{count} {what}" for what, count in counts.items() if count]
    learned = counts.get("learned") and change
    undo = f" (agent-memory undo {change})" if learned else ""
    review = " (agent-memory review)" if any(counts.values()) and not learned else ""
    return f"{agent}: {', '.join(parts) or 'no item given'}{undo}{review}"


def add_notice(project: Project, session: str, line: str) -> None:
    """Add a line for the person, with commands as people here type them, if there is a state."""
    line = typed_command.name_command(line, project.environ)
    path = run_records.SessionRuns(project.paths, session).notices
    try:
        project.paths.state.append(path, f"{line}\n".encode())
    except OSError:
        pass
