"""Read what a run says and shows: its learnings, and which of the given items it used."""

from __future__ import annotations

from memory_core.claude_code import events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_core.delegation.run_event import RunEvent
    from memory_core.learning.extraction import Extraction
    from memory_core.learning.feedback import Feedback
    from memory_core.memory.remember import Lesson

# The main agent reads this text if a report had only learnings.
EMPTY_REPORT = "(The report held only notes for the agent's own memory.)"


class RunReport:
    """A text of a report with its learnings and its feedback, None without."""

    __slots__ = ("extraction", "feedback", "text")

    def __init__(self, text: str, extraction: Extraction | None, feedback: Feedback | None) -> None:
        self.text = text
        self.extraction = extraction
        self.feedback = feedback

    @property
    def rest(self) -> str:
        """The text without its feedback and its saved learnings."""
        rest = self.feedback.rest if self.feedback else self.text
        if self.extraction:
            from memory_core.learning import extraction

            rest = extraction.remove_spans(rest, self.extraction.spans)
        return rest.strip("\n")


def read_report(run: RunEvent, text: str) -> RunReport | None:
    """Return a text of a report, None without learnings and without feedback."""
    if not run.is_served:
        return None
    from memory_core.memory import remember

    said = None
    if run.given:
        from memory_core.learning import feedback

        said = feedback.read_feedback(text, run.given) if feedback.may_judge(text) else None
    rest = said.rest if said else text
    learned = remember.extract_learnings(run.project, run.agent, rest)
    return RunReport(text, learned, said) if learned or said else None


def read_reports(run: RunEvent) -> list[RunReport]:
    """Return the texts of the event's report that say something."""
    texts = events.report_texts(run.event)
    return [report for text in texts if (report := read_report(run, text))]


def list_rests(run: RunEvent, reports: Sequence[RunReport]) -> dict[str, str]:
    """Return what is left of each text of a report without what the worker saves.

    The result is {} if the texts have nothing to save, or have to stay as they are.
    """
    if not (reports and run.project.config["strip_markers"]):
        return {}
    from memory_core.memory import remember

    if not remember.are_few([report.extraction for report in reports if report.extraction]):
        return {}
    return {report.text: report.rest or EMPTY_REPORT for report in reports}


def note_used(run: RunEvent, reports: Sequence[RunReport]) -> None:
    """Note the items that a run says it used."""
    run.note_used([key for one in reports if one.feedback for key in one.feedback.used])


def make_lesson(
    run: RunEvent, reports: Sequence[RunReport], source: str = "agent", about: str = ""
) -> Lesson | None:
    """Return what reports of a run teach, None for nothing."""
    learned = [report.extraction for report in reports if report.extraction]
    wrong: dict[str, str] = {}
    if run.project.config.may_learn(run.agent):
        for report in reports:
            wrong |= report.feedback.wrong if report.feedback else {}
    if not (learned or wrong):
        return None
    from memory_core.memory import remember

    ids = run.run_id, events.session(run.event)
    return remember.make_lesson(run.agent, learned, *ids, source, about, wrong, read_reading(run))


def read_reading(run: RunEvent) -> list[str]:
    """Return what a run read from outside, see `origin.reading`; [] without a transcript."""
    from memory_core.origin import text_origins

    folder = events.cwd(run.event) or run.project.paths.root
    return text_origins.read_transcript(run.project, _find_transcript(run), folder)


def _find_transcript(run: RunEvent) -> str:
    from memory_core.claude_code import transcripts

    path = events.own_transcript_path(run.event)
    return path or transcripts.path_of_run(events.transcript_path(run.event), run.run_id)


def note_tool_use(run: RunEvent) -> None:
    """Note which of the given items name what the run's tool calls name, and its task did not."""
    named = run.record.get("named")
    if not isinstance(named, dict):
        return
    from memory_core.claude_code import transcripts
    from memory_core.text import code_names

    try:
        text = "\n".join(transcripts.read_tool_texts(_find_transcript(run)))
    except OSError:
        return  # an older version has no transcripts of agents
    used = [key for key, names in named.items() if any(code_names.has_name(text, n) for n in names)]
    run.note_used(used)
