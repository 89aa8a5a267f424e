"""Judge what a report teaches: its learnings, and those that a person has to review.

docs/learnings.md shows with examples which blocks are learned or rejected.  `blocks` finds them,
`marker_blocks` and `json_blocks` read one, `examples` recognises examples, `classify` checks types
and contents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory_core.learning import blocks, classify
from memory_core.learning.blocks import LearningBlock
from memory_core.learning.lines import Draft
from memory_core.learning.type_names import is_placeholder
from memory_core.secrets import scanner
from memory_core.text.sanitize import clean_line, shorten

# The reason for rejecting a block that only shows the format.
EXAMPLE_REASON = "is called an example in the line before it"

# A report with more examples quotes a manual: they would hide other learnings in the review.
MAX_EXAMPLES = 10


@dataclass(frozen=True)
class Learning:
    """One learning: a type, a content of one line, and the lines nested below it, or "".

    A type that is not in type_names.TYPES is the word of the report.  With a `reason`, it is
    rejected: a person has to review it.
    """

    type: str
    content: str
    nested: str = ""
    reason: str = ""


@dataclass
class Extraction:
    """The learnings of a text, in its order."""

    learnings: list[Learning]
    rejected: list[Learning]


def judge_blocks(unjudged: Iterable[LearningBlock], max_length: int) -> Extraction:
    """Return the learnings of blocks; a content longer than `max_length` is rejected."""
    extraction = Extraction([], [])
    examples: dict[Learning, None] = {}
    for block in unjudged:
        judged = [_judge_draft(draft, max_length) for draft in block.drafts]
        if block.is_example:
            examples |= {replace(one, reason=EXAMPLE_REASON): None for one in judged}
            continue
        extraction.learnings += [one for one in judged if not one.reason]
        extraction.rejected += [one for one in judged if one.reason]
    extraction.rejected += list(examples)[:MAX_EXAMPLES]
    return extraction


def extract_one(kind: str, content: str, max_length: int) -> Extraction:
    """Check one learning from a command or another program; its content becomes one line."""
    line = clean_line(content)
    reason = classify.check_learning(clean_line(kind), line, max_length)
    if not reason and is_placeholder(content):
        reason = "the content is a placeholder"
    if reason:
        return Extraction([], [Learning(kind, line, reason=reason)])
    return Extraction([Learning(classify.clean_type(kind), line)], [])


def clean(learning: Learning) -> Learning:
    """Return a learning as it is saved: without secrets, and not too long for the review.

    It is rejected if it had a secret.
    """
    words = f"{learning.content}\n{learning.nested}"
    masked = scanner.redact(words)
    reason = learning.reason or (scanner.REASON if masked != words else "")
    line, *below = (shorten(text, blocks.MAX_REVIEW_LENGTH) for text in masked.split("\n"))
    return Learning(learning.type, line, "\n".join(below), reason)


def _judge_draft(draft: Draft, max_length: int) -> Learning:
    kind, content, reason, nested = draft
    line = clean_line(classify.remove_quotes(content))
    below = [clean_line(text) for text in nested if not classify.is_blank(text)]
    reason = reason or classify.check_report(kind, [line, *below], max_length)
    lines_below = "\n".join(f"  - {text}" for text in below)
    return Learning(classify.clean_type(kind), line, lines_below, reason)
