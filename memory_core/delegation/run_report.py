"""Read what a run says and shows: its learnings, and which of the given items it used."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from memory_core.claude_code import events, run_fields, transcript_ends, transcripts
from memory_core.delegation import run_event
from memory_core.delegation.run_event import RunEvent
from memory_core.learning import extraction, feedback
from memory_core.memory import remember
from memory_core.origin import text_origins
from memory_core.text import subject_words

if TYPE_CHECKING:
    from memory_core.document.merge_learnings import Learning
    from memory_core.memory.changes import Lesson


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
    return RunReport(learned, *feedback.read_judgements(judgements), "\n".join(rests.values()))


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
        text = "\n".join(transcripts.read_tool_texts(_find_transcript(run)))
    except OSError:
        return  # an older version has no transcripts of agents
    used = [
        key for key, names in named.items() if any(subject_words.has_name(text, n) for n in names)
    ]
    note_used(run, used)
