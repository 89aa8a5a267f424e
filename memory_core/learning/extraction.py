"""Extract learnings from the text of a report.

docs/learnings.md shows with examples which blocks are learned, rejected or only show the
format.  The time grows linearly with the length of the text.

Every report passes through `extract`.  The other modules of this wing are imported only if a
report may contain learnings: `marker_blocks` finds blocks, `code_examples` recognises examples,
`classify` checks types and contents.
"""

from __future__ import annotations

from memory_core.learning import line_ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_core.learning.code_examples import CodeFence
    from memory_core.learning.marker_blocks import Draft, LearningBlock

    Span = tuple[int, int]

MAX_LENGTH = 100

# Reasons for rejecting a block that only shows the format, and a block without keys.
EXAMPLE_REASON = "stands in an example or a quoted file"
NO_CONTENT_REASON = "no Content: line"

# A report with more examples quotes a manual: they would hide other learnings in the review.
MAX_EXAMPLES = 10

# Characters kept of a rejected learning; a longer one also stays in the report.
MAX_REVIEW_LENGTH = 4000

_MARKERS = ("add to memory", "memorize", "memorise", "remember")
_SENTENCES = {
    "discovered pattern": "pattern",
    "best practice": "guideline",
    "mistake": "mistake",
    "architecture": "architecture",
}


class Learning:
    """One learning: a type and a content of one line."""

    __slots__ = ("content", "type")

    def __init__(self, type: str, content: str) -> None:
        self.type = type
        self.content = content

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(other) == repr(self)

    def __hash__(self) -> int:
        return hash((self.type, self.content))

    def __repr__(self) -> str:
        return f"Learning({self.type!r}, {self.content!r})"


class RejectedLearning(Learning):
    """A learning that a person has to review, with the reason."""

    __slots__ = ("reason",)

    def __init__(self, type: str, content: str, reason: str) -> None:
        super().__init__(type, content)
        self.reason = reason

    __hash__ = Learning.__hash__

    def __repr__(self) -> str:
        return f"Rejected({self.type!r}, {self.content!r}, {self.reason!r})"


class Extraction:
    """The learnings of a text, and the ranges of their blocks, in the order of the text."""

    __slots__ = ("learnings", "rejected", "spans")

    def __init__(
        self, learnings: list[Learning], rejected: list[RejectedLearning], spans: list[Span]
    ) -> None:
        self.learnings = learnings
        self.rejected = rejected
        self.spans = spans


def extract(text: str, natural_language: bool = False, max_length: int = MAX_LENGTH) -> Extraction:
    """Extract the learnings of a text.

    `natural_language` also accepts sentences such as "Best practice: ...".  A content longer than
    `max_length` characters is rejected.  `spans` are ranges of whole lines that `remove_spans`
    can remove: only blocks whose words are all learned or kept for review, never sentences.
    """
    text = line_ranges.unify_line_ends(text)
    low = _lower(text)
    has_sentences = natural_language and any(word in low for word in _SENTENCES)
    if not has_sentences and not any(word in low for word in _MARKERS):
        return Extraction([], [], [])
    from memory_core.learning import marker_blocks

    echoes = marker_blocks.find_echoes(low)
    marked = marker_blocks.find(text, low, _MARKERS, echoes)
    if not has_sentences and not marked:
        return Extraction([], [], [])
    from memory_core.learning import code_examples

    fenced = code_examples.find_fences(text)
    if has_sentences:
        from memory_core.text.sanitize import clean_line

        sentences = marker_blocks.find_sentences(text, low, _SENTENCES, [echoes, marked, fenced])
        marked += [block for block in sentences if clean_line(block.drafts[0][1])]
        marked.sort(key=lambda block: block.start)
    examples = code_examples.find_examples(text, marked, fenced)
    return _judge_blocks(text, marked, fenced, examples, max_length)


def extract_one(kind: str, content: str, max_length: int = MAX_LENGTH) -> Extraction:
    """Check one learning from a command or another program; its content becomes one line."""
    verdict = _judge_draft((kind, " ".join(content.split()), ""), max_length, "")
    if verdict is None:
        verdict = RejectedLearning(kind, content, "the content is a placeholder")
    if isinstance(verdict, RejectedLearning):
        return Extraction([], [verdict], [])
    return Extraction([verdict], [], [])


def remove_spans(text: str, spans: Iterable[Span]) -> str:
    """Remove ranges from a text, and the blank lines that they would leave."""
    flat = line_ranges.unify_line_ends(text)
    remaining: list[Span] = []
    at, is_cut = 0, False
    for start, end in spans:
        _append(flat, remaining, (at, start), is_cut)
        at, is_cut = end, True
    if not is_cut:
        return text
    _append(flat, remaining, (at, len(text)), is_cut)
    if not flat[at:].strip():
        _drop_last_blanks(flat, remaining)
    return "".join([text[start:end] for start, end in remaining])


def _lower(text: str) -> str:
    # The only character with a longer lower case form, which would shift all places after it.
    return text.replace("\u0130", "i").lower()


def _judge_blocks(
    text: str,
    blocks: list[LearningBlock],
    fenced: list[CodeFence],
    examples: set[int],
    max_length: int,
) -> Extraction:
    from memory_core.learning import code_examples

    extraction, cuts, shown = Extraction([], [], []), [], dict[RejectedLearning, None]()
    for block in blocks:
        if block.is_bare and line_ranges.find_enclosing(fenced, block.start):
            continue  # a comment in code that looks like a marker
        reason = (
            EXAMPLE_REASON
            if block.start in examples
            else NO_CONTENT_REASON
            if block.is_bare
            else ""
        )
        verdicts = [_judge_draft(draft, max_length, reason) for draft in block.drafts]
        rejected = [draft for draft in verdicts if isinstance(draft, RejectedLearning)]
        if reason == EXAMPLE_REASON:
            shown.update(dict.fromkeys(rejected))
            continue
        extraction.rejected += rejected
        extraction.learnings += [item for item in verdicts if type(item) is Learning]
        cuts += block.removable_ranges if all(map(_is_saved, verdicts, block.drafts)) else []
    extraction.rejected += _limit_examples(list(shown))
    cuts.sort(key=lambda cut: cut.start)
    extraction.spans = [
        (cut.start, cut.end) for cut in code_examples.widen_to_fences(text, cuts, fenced)
    ]
    return extraction


def _judge_draft(draft: Draft, max_length: int, reason: str) -> Learning | None:
    """Return a learning or a rejected learning, None for a placeholder.

    `reason` rejects the draft whatever its content.
    """
    from memory_core.learning import classify
    from memory_core.text.sanitize import clean_line

    kind, content, fault = draft
    if not fault and classify.is_placeholder(kind, content):
        return None
    name, line = clean_line(kind), clean_line(content.strip().partition("\n")[0])
    type = classify.type_of(name) or _shorten(name)
    reason = reason or fault or classify.check_learning(name, line, max_length)
    return RejectedLearning(type, _shorten(line), reason) if reason else Learning(type, line)


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_REVIEW_LENGTH else f"{text[:MAX_REVIEW_LENGTH]} ..."


def _is_saved(verdict: Learning | None, draft: Draft) -> bool:
    """Check whether all words of a draft are saved, so that the report need not keep them."""
    return (
        verdict is not None
        and len(draft[0]) <= MAX_REVIEW_LENGTH
        and len(draft[1]) <= MAX_REVIEW_LENGTH
    )


def _limit_examples(shown: list[RejectedLearning]) -> list[RejectedLearning]:
    """Return at most MAX_EXAMPLES examples and the number of the others."""
    over = len(shown) - MAX_EXAMPLES
    note = RejectedLearning("", f"{over} more like these are in the report", EXAMPLE_REASON)
    return shown if over <= 0 else [*shown[:MAX_EXAMPLES], note]


def _append(text: str, remaining: list[Span], span: Span, is_behind_cut: bool) -> None:
    start, end = span
    if is_behind_cut and _ends_blank(text, remaining):
        piece = text[start:end]
        blank = len(piece) - len(piece.lstrip())
        start += piece.rfind("\n", 0, blank) + 1
    if start < end:
        remaining.append((start, end))


def _ends_blank(text: str, remaining: list[Span]) -> bool:
    """Check whether the remaining text is empty or ends with a blank line."""
    piece = text[remaining[-1][0] : remaining[-1][1]] if remaining else ""
    core = piece.rstrip()
    return not core or piece.count("\n", len(core)) > 1


def _drop_last_blanks(text: str, remaining: list[Span]) -> None:
    while remaining and not text[remaining[-1][0] : remaining[-1][1]].strip():
        remaining.pop()
    if remaining:
        start, end = remaining[-1]
        core = len(text[start:end].rstrip())
        line_end = text.find("\n", start + core, end) + 1
        remaining[-1] = (start, line_end or end)
