"""Result text in, learnings out.

What counts as a learning, what is refused and what is only an example of the
format is told with examples in docs/learnings.md.  Every step looks at a piece
of text once, so the time grows with the length of the text and no faster.

Every report comes by here; what only one that may teach needs is imported then:
`blocks` finds what is recorded, `fences` tells examples, `judging` what is kept.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_core.blocks import Block
    from memory_core.fences import Fence

    Span = tuple[int, int]

MAX_LENGTH = 100

# The reason given for a block that only shows the format.
EXAMPLE = "stands in an example or a quoted file"

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
    examples = fences.examples(text, marked, fenced)
    if has_sentences:
        said = blocks.sentences(text, low, _SENTENCES, [echoes, marked, fenced])
        marked += [block for block in said if clean(block.drafts[0][1])]
        marked.sort(key=lambda block: block.start)
    return _judged(text, marked, fenced, examples, max_length)


def strip(text: str, spans: Iterable[Span]) -> str:
    """Take ranges out of a text and with them the blank lines that would be left over."""
    pieces, at, is_cut = [""], 0, False
    for start, end in spans:
        _append(pieces, text[at:start], is_cut)
        at, is_cut = end, True
    if not is_cut:
        return text
    _append(pieces, text[at:], is_cut)
    return "".join(pieces if text[at:].strip() else _without_last_blanks(pieces))


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
    from memory_core import fences, lines

    found, cuts = Found([], [], []), []
    for block in blocks:
        if block.is_bare and lines.around(fenced, block.start):
            continue  # a comment in code that reads like a marker
        reason = "no Content: line" if block.is_bare else ""
        reason = EXAMPLE if block.start in examples else reason
        drafts = [_verdict(kind, content, max_length, reason) for kind, content in block.drafts]
        found.rejected += [each for each in drafts if isinstance(each, Rejected)]
        found.learnings += [each for each in drafts if type(each) is Learning]
        cuts += block.cuts if any(drafts) and reason != EXAMPLE else []
    cuts.sort(key=lambda cut: cut.start)
    found.spans = [(cut.start, cut.end) for cut in fences.with_marks(text, cuts, fenced)]
    return found


def _verdict(kind: str, content: str, max_length: int, reason: str) -> Learning | None:
    """Judge one learning, which may be refused for a reason already: None for a placeholder."""
    from memory_core import judging

    if judging.is_placeholder(kind, content):
        return None
    name, line = clean(kind), clean(content.strip().partition("\n")[0])
    type = judging.type_of(name) or name[: judging.NAME]
    reason = reason or judging.refusal(name, line, max_length)
    return Rejected(type, line, reason) if reason else Learning(type, line)


def _append(pieces: list[str], piece: str, is_behind_cut: bool) -> None:
    if is_behind_cut and _ends_blank(pieces[-1]):
        blank = len(piece) - len(piece.lstrip())
        piece = piece[piece.rfind("\n", 0, blank) + 1 :]
    if piece:
        pieces.append(piece)


def _ends_blank(piece: str) -> bool:
    """Tell whether a blank line, or nothing, comes in front of what follows."""
    core = piece.rstrip()
    return not core or piece.count("\n", len(core)) > 1


def _without_last_blanks(pieces: list[str]) -> list[str]:
    while len(pieces) > 1 and not pieces[-1].strip():
        pieces.pop()
    last = pieces[-1]
    core = last.rstrip()
    line_end = last.find("\n", len(core)) + 1
    return [*pieces[:-1], last[:line_end] if line_end else last]
