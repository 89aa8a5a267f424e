"""Find in a report what is meant for the memory: learnings, and lines that judge given items.

The hook removes them from the reply, and the worker saves them.
"""

from __future__ import annotations

from memory_core.claude_code import events
from memory_core.learning import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.delegation.run_event import RunEvent
    from memory_core.learning.blocks import LearningBlock
    from memory_core.learning.feedback_lines import Judgement

# The main agent reads this text if a report had only learnings.
EMPTY_REPORT = "(The report held only notes for the agent's own memory.)"


class ReportText:
    """A text of a report; `rest` is what is left of it without what the worker saves."""

    def __init__(
        self, text: str, rest: str, blocks: list[LearningBlock], judgements: list[Judgement]
    ) -> None:
        self.text = text
        self.rest = rest
        self.blocks = blocks
        self.judgements = judgements


def read_texts(run: RunEvent) -> list[ReportText]:
    """Return the texts of the event's report that say something."""
    texts = [read_text(run, text) for text in events.report_texts(run.event)]
    return [text for text in texts if text]


def read_text(run: RunEvent, text: str) -> ReportText | None:
    """Return a text of a report, None without learnings and without judgements."""
    if not run.is_served:
        return None
    judgements: list[Judgement] = []
    rest = text
    if run.given:
        from memory_core.learning import feedback_lines

        judgements, rest = feedback_lines.find_judgements(text, run.given)
    blocks, rest = _cut_blocks(run, rest)
    return ReportText(text, rest.strip("\n"), blocks, judgements) if blocks or judgements else None


def _cut_blocks(run: RunEvent, text: str) -> tuple[list[LearningBlock], str]:
    """Return the blocks of a text, and the text without them."""
    config = run.project.config
    has_sentences = config["natural_language"]
    if not config.may_learn(run.agent) or not lines.may_teach(text, has_sentences):
        return [], text
    from memory_core.learning.blocks import find_blocks, remove_spans

    blocks, spans = find_blocks(text, has_sentences)
    return blocks, remove_spans(text, spans)


def list_rests(run: RunEvent, texts: list[ReportText]) -> dict[str, str]:
    """Return what is left of each text of a report without what the worker saves.

    The result is {} if the texts have nothing to save, or have to stay as they are.
    """
    blocks = [block for one in texts for block in one.blocks if not block.is_example]
    count = sum(len(block.drafts) for block in blocks)
    if count > lines.MAX_LEARNINGS or not run.project.config["strip_markers"]:
        return {}
    return {one.text: one.rest or EMPTY_REPORT for one in texts}
