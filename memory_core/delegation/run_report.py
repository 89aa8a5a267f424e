"""Read what a run says and shows: its learnings, and which of the given items it used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memory_core.claude_code import events, outcome_fields, transcript_ends, transcripts
from memory_core.delegation import run_event
from memory_core.delegation.run_event import RunEvent
from memory_core.learning import extraction, feedback
from memory_core.memory import remember
from memory_core.origin import text_origins
from memory_core.text import subject_words

if TYPE_CHECKING:
    from memory_core.learning.extraction import Extraction
    from memory_core.learning.feedback import Feedback
    from memory_core.memory.remember import Lesson


class RunReport(NamedTuple):
    """A text of a report: its learnings, None without, its feedback, and the text without both."""

    extraction: Extraction | None
    feedback: Feedback
    rest: str


def read_report(run: RunEvent, text: str) -> RunReport | None:
    """Return a text of a report, None without learnings and without feedback."""
    unjudged = run_event.read_text(run, text)
    return _judge(run, unjudged) if unjudged else None


def read_reports(run: RunEvent) -> list[RunReport]:
    """Return the texts of the event's report that say something."""
    return [_judge(run, text) for text in run_event.read_texts(run)]


def _judge(run: RunEvent, text: run_event.ReportText) -> RunReport:
    limit = run.project.config["max_learning_length"]
    learned = extraction.judge_blocks(text.blocks, limit) if text.blocks else None
    return RunReport(learned, feedback.read_judgements(text.judgements), text.rest)


def note_used(run: RunEvent, reports: Sequence[RunReport]) -> None:
    """Note the items that a run says it used."""
    _note_used(run, [key for one in reports for key in one.feedback.used])


def _note_used(run: RunEvent, ids: list[str]) -> None:
    """Record that the run used these items; ids of others are ignored."""
    before = str(run.record.get("used") or "").split()
    used = [key for key in run.given if key in before or key in ids]
    if len(used) > len(before):
        run.record["used"] = " ".join(used)
        run.runs.try_note(run.run_id, used=run.record["used"])
        new = [key for key in used if key not in before]
        run.log("agent.memory.used", items=len(new), ids=new)


def make_lesson(
    run: RunEvent, reports: Sequence[RunReport], source: str = "agent", about: str = ""
) -> Lesson | None:
    """Return what reports of a run teach, None for nothing.

    `about` says what the run was about; "" if it is not known, or saved already.
    """
    learned = [report.extraction for report in reports if report.extraction]
    wrong: dict[str, str] = {}
    if run.project.config.may_learn(run.agent):
        for report in reports:
            wrong |= report.feedback.wrong
    if not (learned or wrong):
        return None
    ids = run.run_id, events.session(run.event)
    lesson = remember.make_lesson(run.agent, learned, *ids, source, wrong, read_reading(run))
    return {**lesson, "about": about} if about else lesson


def read_reading(run: RunEvent) -> list[str]:
    """Return what a run read from outside, see `origin.reading`; [] without a transcript."""
    folder = events.cwd(run.event) or run.project.paths.root
    return text_origins.read_transcript(run.project, _find_transcript(run), folder)


def _find_transcript(run: RunEvent) -> str:
    path = outcome_fields.own_transcript_path(run.event)
    return path or transcript_ends.path_of_run(events.transcript_path(run.event), run.run_id)


def note_tool_use(run: RunEvent) -> None:
    """Note which of the given items name what the run's tool calls name, and its task did not."""
    named = run.record.get("named")
    if not isinstance(named, dict):
        return
    try:
        text = "\n".join(transcripts.read_tool_texts(_find_transcript(run)))
    except OSError:
        return  # an older version has no transcripts of agents
    used = [
        key for key, names in named.items() if any(subject_words.has_name(text, n) for n in names)
    ]
    _note_used(run, used)
