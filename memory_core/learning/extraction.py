"""Extract learnings from the text of a report.

docs/learnings.md shows with examples which blocks are learned or rejected.  The time grows
linearly with the length of the text.

Every report passes through `extract`.  The other modules of this wing are imported only if a
report may contain learnings: `blocks` finds blocks, `marker_blocks` and `json_blocks` read one,
`examples` recognises examples, `classify` checks types and contents.
"""

from __future__ import annotations

from memory_core.learning import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_core.learning.blocks import Report
    from memory_core.learning.marker_blocks import Draft

    Span = tuple[int, int]

MAX_LENGTH = 300

# The reason for rejecting a block that only shows the format.
EXAMPLE_REASON = "is called an example in the line before it"

# A report with more examples quotes a manual: they would hide other learnings in the review.
MAX_EXAMPLES = 10

# Characters kept of a rejected learning; a longer one also stays in the report.
MAX_REVIEW_LENGTH = 4000

_SENTENCES = {
    "discovered pattern": "pattern",
    "best practice": "guideline",
    "mistake": "mistake",
    "architecture": "architecture",
}


class Learning:
    """One learning: a type, a content of one line, and the lines nested below it, or "".

    A type that is not in classify.TYPES is the word of the report.
    """

    def __init__(self, type: str, content: str, nested: str = "") -> None:
        self.type = type
        self.content = content
        self.nested = nested

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(other) == repr(self)

    def __hash__(self) -> int:
        return hash((self.type, self.content))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{(*vars(self).values(),)}"


class RejectedLearning(Learning):
    """A learning that a person has to review, with the reason."""

    def __init__(self, type: str, content: str, reason: str, nested: str = "") -> None:
        super().__init__(type, content, nested)
        self.reason = reason


class Extraction:
    """The learnings of a text, and the ranges of their blocks, in the order of the text."""

    def __init__(
        self, learnings: list[Learning], rejected: list[RejectedLearning], spans: list[Span]
    ) -> None:
        self.learnings = learnings
        self.rejected = rejected
        self.spans = spans


def extract(
    text: str,
    natural_language: bool = False,
    max_length: int = MAX_LENGTH,
    redacts: bool = True,
) -> Extraction:
    """Extract the learnings of a text; without their secrets, unless only `spans` are needed.

    `natural_language` also accepts sentences such as "Best practice: ...".  A content longer than
    `max_length` characters is rejected.  `spans` are ranges of whole lines that `remove_spans`
    can remove: only lines whose words are all learned or kept for review, never sentences.
    """
    low = text.lower()
    phrases = _SENTENCES if natural_language and any(word in low for word in _SENTENCES) else {}
    if not phrases and not any(word in low for word in lines.MARKERS):
        return Extraction([], [], [])
    from memory_core.learning import blocks

    report = blocks.Report(lines.unify_line_ends(text), phrases)
    extraction, rows = Extraction([], [], []), list[int]()
    examples = dict[RejectedLearning, None]()
    for block in report.read_blocks():
        verdicts = [
            _judge_draft(draft, max_length, block.is_example, redacts) for draft in block.drafts
        ]
        rejected = [verdict for verdict in verdicts if isinstance(verdict, RejectedLearning)]
        if block.is_example:
            examples.update(dict.fromkeys(rejected))
            continue
        extraction.rejected += rejected
        extraction.learnings += [verdict for verdict in verdicts if type(verdict) is Learning]
        if all(map(_is_saved, verdicts, block.drafts)):
            rows += block.rows
    extraction.rejected += list(examples)[:MAX_EXAMPLES]
    extraction.spans = [_find_span(report, *part) for part in _join_rows(report, rows)]
    return extraction


def extract_one(kind: str, content: str, max_length: int = MAX_LENGTH) -> Extraction:
    """Check one learning from a command or another program; its content becomes one line."""
    from memory_core.learning import classify
    from memory_core.text.sanitize import clean_line

    line = clean_line(content)
    reason = classify.check_learning(clean_line(kind), line, max_length)
    if not reason and classify.is_placeholder(content):
        reason = "the content is a placeholder"
    if reason:
        return Extraction([], [RejectedLearning(kind, line, reason)], [])
    return Extraction([Learning(classify.clean_type(kind), line)], [], [])


def remove_spans(text: str, spans: Iterable[Span]) -> str:
    """Return a text without some ranges."""
    pieces, at = [], 0
    for start, end in spans:
        pieces.append(text[at:start])
        at = end
    return "".join([*pieces, text[at:]])


def _judge_draft(draft: Draft, max_length: int, is_example: bool, redacts: bool) -> Learning | None:
    """Return a learning or a rejected learning, None for a placeholder."""
    from memory_core.learning import classify
    from memory_core.text.sanitize import clean_line, shorten

    kind, content, reason, nested = draft
    line = clean_line(content)
    is_short = 0 < len(line) <= classify.TOO_SHORT  # "none", "n/a", "todo"
    if not reason and (is_short or classify.is_placeholder(content)):
        return None
    texts = [line, *(clean_line(text) for text in nested if not classify.is_blank(text))]
    reason = reason or classify.check_report(kind, texts, max_length)
    reason = EXAMPLE_REASON if is_example else reason
    if redacts:
        from memory_core.text import secrets

        words = "\n".join(texts)
        clean = secrets.redact(words)
        if clean != words:
            texts, reason = clean.split("\n"), reason or secrets.REASON
    kind = classify.clean_type(kind)
    line, *below = (shorten(text, MAX_REVIEW_LENGTH) for text in texts)
    lines_below = "\n".join(f"  - {text}" for text in below)
    if reason:
        return RejectedLearning(kind, line, reason, lines_below)
    return Learning(kind, line, lines_below)


def _is_saved(verdict: Learning | None, draft: Draft) -> bool:
    """Check whether all words of a draft are saved, so that the report need not keep them."""
    kind, content, _reason, nested = draft
    return verdict is not None and max(map(len, (kind, content, *nested))) <= MAX_REVIEW_LENGTH


def _join_rows(report: Report, rows: list[int]) -> list[tuple[int, int]]:
    """Return ranges of lines, with the blank lines between them and the fences around them."""
    openings = {last: first for first, last in report.fences.items()}
    ranges: list[tuple[int, int]] = []
    for row in rows:
        first, after = row, row + 1
        while True:
            behind = report.skip_blanks(after)
            opening = openings.get(behind, -1)
            if ranges and report.skip_blanks(ranges[-1][1]) >= first:
                first, _ = ranges.pop()
            elif 0 <= opening < first and report.skip_blanks(opening + 1) >= first:
                first, after = opening, behind + 1
            else:
                break
        ranges.append((first, after))
    return ranges


def _find_span(report: Report, first: int, after: int) -> Span:
    """Return the place of a range of lines, with the blank lines that it would leave."""
    behind = report.skip_blanks(after)
    is_last = behind == len(report.rows)
    if is_last or first == 0 or report.is_blank(first - 1):
        after = behind
    while is_last and first > 0 and report.is_blank(first - 1):
        first -= 1
    return report.starts[first], report.starts[after]
