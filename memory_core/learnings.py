"""Result text in, learnings out.

What counts as a learning, what is refused and what is only an example of the
format is told with examples in docs/learnings.md.  Every step looks at a piece
of text once, so the time grows with the length of the text and no faster.

Every report comes by here; what only one that may teach needs is imported then:
`blocks` finds what is recorded, `fences` tells examples, `judging` what is kept.
"""

from __future__ import annotations

from memory_core import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_core.blocks import Block, Draft
    from memory_core.fences import Fence

    Span = tuple[int, int]

MAX_LENGTH = 100

# The reasons given for a block that only shows the format, and for one without keys.
EXAMPLE = "stands in an example or a quoted file"
NO_CONTENT = "no Content: line"

# A report with more examples quotes a whole manual: they would hide what else is to be reviewed.
EXAMPLES = 10

# As much of what is refused is kept; its block then stays in the report.
LONGEST = 4000

_MARKERS = ("add to memory", "memorize", "memorise", "remember")
_SENTENCES = {
    "discovered pattern": "pattern",
    "best practice": "guideline",
    "mistake": "mistake",
    "architecture": "architecture",
}


class Learning:
    """One thing that an agent learned."""

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


class Rejected(Learning):
    """What an agent recorded and a person has to look at, with the reason."""

    __slots__ = ("reason",)

    def __init__(self, type: str, content: str, reason: str) -> None:
        super().__init__(type, content)
        self.reason = reason

    __hash__ = Learning.__hash__

    def __repr__(self) -> str:
        return f"Rejected({self.type!r}, {self.content!r}, {self.reason!r})"


class Found:
    """What a text teaches, and the ranges of the blocks that said so, in the order of the text."""

    __slots__ = ("learnings", "rejected", "spans")

    def __init__(
        self, learnings: list[Learning], rejected: list[Rejected], spans: list[Span]
    ) -> None:
        self.learnings = learnings
        self.rejected = rejected
        self.spans = spans


def may_teach(data: bytes, natural_language: bool = False) -> bool:
    """Tell at once of bytes that hold a text, in JSON or not, that it teaches nothing."""
    low = data.lower()
    words = _MARKERS + tuple(_SENTENCES) if natural_language else _MARKERS
    return any(word.encode() in low for word in words)


def extract(text: str, natural_language: bool = False, max_length: int = MAX_LENGTH) -> Found:
    """Find what a text teaches.

    `spans` are the ranges of whole lines that can be taken out with `strip`:
    only what was learned or is kept for review, never the sentences of
    natural language, and never more than was understood.
    """
    text = lines.unified(text)
    low = _lowered(text)
    has_sentences = natural_language and any(word in low for word in _SENTENCES)
    if not has_sentences and not any(word in low for word in _MARKERS):
        return Found([], [], [])
    from memory_core import blocks

    echoes = blocks.echoes(low)
    marked = blocks.find(text, low, _MARKERS, echoes)
    if not has_sentences and not marked:
        return Found([], [], [])
    from memory_core import fences

    fenced = fences.find(text)
    if has_sentences:
        said = blocks.sentences(text, low, _SENTENCES, [echoes, marked, fenced])
        marked += [block for block in said if clean(block.drafts[0][1])]
        marked.sort(key=lambda block: block.start)
    examples = fences.examples(text, marked, fenced)
    return _judged(text, marked, fenced, examples, max_length)


def told(kind: str, content: str, max_length: int = MAX_LENGTH) -> Found:
    """Judge one learning that is told outright, by a command or another program, as one line."""
    verdict = _verdict((kind, " ".join(content.split()), ""), max_length, "")
    refused = Rejected(kind, content, "this is no learning: nothing is said")
    found = refused if verdict is None else verdict
    return Found([], [found], []) if isinstance(found, Rejected) else Found([found], [], [])


def strip(text: str, spans: Iterable[Span]) -> str:
    """Take ranges out of a text and with them the blank lines that would be left over."""
    flat = lines.unified(text)
    kept: list[Span] = []
    at, is_cut = 0, False
    for start, end in spans:
        _append(flat, kept, (at, start), is_cut)
        at, is_cut = end, True
    if not is_cut:
        return text
    _append(flat, kept, (at, len(text)), is_cut)
    if not flat[at:].strip():
        _drop_last_blanks(flat, kept)
    return "".join([text[start:end] for start, end in kept])


def clean(text: str) -> str:
    """Make one harmless line of a text: no controls, escapes, hidden characters or full stop."""
    if not text.isascii() or not text.isprintable():
        from memory_core import invisible

        text = invisible.take_out(text)
    text = " ".join(text.split())
    return text[:-1].rstrip() if text.endswith(".") and not text.endswith("..") else text


def _lowered(text: str) -> str:
    # The one character whose small form is two characters, which would move all behind it.
    return text.replace("\u0130", "i").lower()


def _judged(
    text: str, blocks: list[Block], fenced: list[Fence], examples: set[int], max_length: int
) -> Found:
    from memory_core import fences

    found, cuts, shown = Found([], [], []), [], dict[Rejected, None]()
    for block in blocks:
        if block.is_bare and lines.around(fenced, block.start):
            continue  # a comment in code that reads like a marker
        reason = EXAMPLE if block.start in examples else NO_CONTENT if block.is_bare else ""
        drafts = [_verdict(draft, max_length, reason) for draft in block.drafts]
        if reason == EXAMPLE:
            shown.update({each: None for each in drafts if isinstance(each, Rejected)})
            continue
        found.rejected += [each for each in drafts if isinstance(each, Rejected)]
        found.learnings += [each for each in drafts if type(each) is Learning]
        cuts += block.cuts if all(map(_is_kept, drafts, block.drafts)) else []
    found.rejected += _first(list(shown))
    cuts.sort(key=lambda cut: cut.start)
    found.spans = [(cut.start, cut.end) for cut in fences.with_marks(text, cuts, fenced)]
    return found


def _verdict(draft: Draft, max_length: int, reason: str) -> Learning | None:
    """Judge one learning, which may be refused for a reason already: None for a placeholder."""
    from memory_core import judging

    kind, content, fault = draft
    if not fault and judging.is_placeholder(kind, content):
        return None
    name, line = clean(kind), clean(content.strip().partition("\n")[0])
    type = judging.type_of(name) or _shortened(name)
    reason = reason or fault or judging.refusal(name, line, max_length)
    return Rejected(type, _shortened(line), reason) if reason else Learning(type, line)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _is_kept(verdict: Learning | None, draft: Draft) -> bool:
    """Tell whether all words of a draft are kept elsewhere, so that the report can do without."""
    return verdict is not None and len(draft[0]) <= LONGEST and len(draft[1]) <= LONGEST


def _first(shown: list[Rejected]) -> list[Rejected]:
    """Return as many examples as a person may want to look through; all are in the report."""
    over = len(shown) - EXAMPLES
    told = Rejected("", f"{over} more like these are in the report", EXAMPLE)
    return shown if over <= 0 else [*shown[:EXAMPLES], told]


def _append(text: str, kept: list[Span], span: Span, is_behind_cut: bool) -> None:
    start, end = span
    if is_behind_cut and _ends_blank(text, kept):
        piece = text[start:end]
        blank = len(piece) - len(piece.lstrip())
        start += piece.rfind("\n", 0, blank) + 1
    if start < end:
        kept.append((start, end))


def _ends_blank(text: str, kept: list[Span]) -> bool:
    """Tell whether a blank line, or nothing, comes in front of what follows."""
    piece = text[kept[-1][0] : kept[-1][1]] if kept else ""
    core = piece.rstrip()
    return not core or piece.count("\n", len(core)) > 1


def _drop_last_blanks(text: str, kept: list[Span]) -> None:
    while kept and not text[kept[-1][0] : kept[-1][1]].strip():
        kept.pop()
    if kept:
        start, end = kept[-1]
        core = len(text[start:end].rstrip())
        line_end = text.find("\n", start + core, end) + 1
        kept[-1] = (start, line_end or end)
