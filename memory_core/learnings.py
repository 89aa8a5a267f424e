"""Result text in, learnings out.

What counts as a learning, what is refused and what is only an example of the
format is told with examples in docs/learnings.md.  Every step looks at a piece
of text once, so the time grows with the length of the text and no faster.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Span = tuple[int, int]

TYPES = (
    "pattern",
    "architecture",
    "guideline",
    "mistake",
    "strategy",
    "integration",
    "performance",
    "context",
    "learning",
)

# The type of what comes without one.
UNTYPED = "learning"

MAX_LENGTH = 100

# "none", "n/a", "todo": nothing of up to this length is a sentence.
_TOO_SHORT = 5

_SPELLINGS = {
    **{kind: kind for kind in TYPES},
    **{kind + "s": kind for kind in TYPES},
    "strategies": "strategy",
    "architectural": "architecture",
}

_MARKERS = ("add to memory", "memorize", "memorise", "remember")
_KEY = '"remember"'
_SENTENCES = {
    "discovered pattern": "pattern",
    "best practice": "guideline",
    "mistake": "mistake",
    "architecture": "architecture",
}
_OPEN, _CLOSE = "<agent-memory", "</agent-memory>"

# What may stand in front of a marker on its line: longer runs are no indentation.
_LEAD = 80
_MARGIN = " \t>"

# How far back an introduction is looked for; no placeholder is longer.
_INTRODUCTION = 300

# What may stand around the name of a type.
_DECORATION = "`*_\"'[]<> "

# The reason given for a block that only shows the format.
EXAMPLE = "stands in an example or a quoted file"

# Objects nested deeper than this are data, not learnings.
_DEPTH = 50

# What an introduction to an example says, and what it says of an agent's own learnings.
_EXPLAINS = (
    "example",
    "for instance",
    " format ",
    "syntax",
    "template",
    " sample ",
    "look like",
    "looks like",
    "documentation",
    " i documented ",
    "the docs ",
    "readme",
    "should write",
    "can write",
    "must write",
    "agents write",
)
_OWN = (
    " my ",
    "learned",
    "learnt",
    "recorded",
    "recording",
    " i learn",
    " i record",
    " i'd ",
    " i want",
    "in the requested",
    "in the required",
)

# What stands where a learning would, in brackets or not.
_PLACEHOLDERS = ("content", "your content", "the content", "your learning", "the learning", "xxx")
_INSTRUCTIONS = ("one sentence of at most", "brief description of", "short description of")

# Characters that show nothing, or turn the direction of what follows, and are
# no format characters by their category.
_INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"


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


class _Block:
    """A marker block or JSON object as it stands, not yet judged."""

    __slots__ = ("cuts", "drafts", "end", "is_bare", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.drafts: list[tuple[str, str]] = []  # type and content
        self.cuts: list[Span] = []  # what may be taken out without losing a word
        self.is_bare = False  # has neither Type nor Content


class _Fence:
    """A fenced code block: the whole of it, and what is in it."""

    __slots__ = ("end", "inner_end", "inner_start", "start")

    def __init__(self, start: int, inner_start: int, inner_end: int, end: int) -> None:
        self.start = start
        self.inner_start = inner_start
        self.inner_end = inner_end
        self.end = end


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
    has_blocks = any(word in low for word in _MARKERS)
    has_sentences = natural_language and any(word in low for word in _SENTENCES)
    if not has_blocks and not has_sentences:
        return Found([], [], [])
    echoes = _echoes(low)
    blocks = _blocks(text, low, echoes) if has_blocks else []
    if not blocks and not has_sentences:
        return Found([], [], [])
    fences = _fences(text)
    verdicts, spans = _judged(text, blocks, fences, max_length)
    if has_sentences:
        taken = [echoes, [(b.start, b.end) for b in blocks], [(f.start, f.end) for f in fences]]
        verdicts += _sentences(text, low, taken, max_length)
        verdicts.sort(key=lambda verdict: verdict[0])
    found = [each for _, each in verdicts]
    rejected = [each for each in found if isinstance(each, Rejected)]
    return Found([each for each in found if not isinstance(each, Rejected)], rejected, spans)


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
        text = _visible(text)
    text = " ".join(text.split())
    return text[:-1].rstrip() if text.endswith(".") and not text.endswith("..") else text


# -- finding ---------------------------------------------------------------------


def _lowered(text: str) -> str:
    # The one character whose small form is two characters, which would move all behind it.
    return text.replace("\u0130", "i").lower() if not text.isascii() else text.lower()


def _at_line_start(text: str, word: str, lead: str = _MARGIN) -> Iterator[tuple[int, int]]:
    """Find the lines that begin with a word: where the line starts, and where the word.

    Characters of `lead` may stand in front of it.
    """
    at = text.find(word)
    while at >= 0:
        start = text.rfind("\n", max(0, at - _LEAD), at) + 1
        if (start or at <= _LEAD) and not text[start:at].strip(lead):
            yield start, at
        next_line = text.find("\n", at)
        at = text.find(word, next_line) if next_line >= 0 else -1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _span_at(ranges: list[Span], at: int) -> Span | None:
    """Find the one of the ranges, which are sorted, in which a place is."""
    from bisect import bisect_right

    place = bisect_right(ranges, at, key=lambda span: span[0])
    return ranges[place - 1] if place and at < ranges[place - 1][1] else None


def _echoes(low: str) -> list[Span]:
    """Find what was given to the agent and comes back: nothing in it is new."""
    if _OPEN not in low:
        return []
    tags = sorted(
        [(at, True) for at in _all(low, _OPEN)] + [(at, False) for at in _all(low, _CLOSE)]
    )
    ranges, start, depth, closed = [], 0, 0, 0
    for at, opens in tags:
        if opens and low[at - 1 : at] != "`":
            start = at if not depth else start
            depth += 1
        elif not opens and depth:
            depth -= 1
            closed = at
            if not depth:
                ranges.append((start, at))
    # Mentioned once too often: what is surely inside is all up to the last end.
    return [*ranges, (start, closed)] if depth and closed > start else ranges


def _all(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def _blocks(text: str, low: str, echoes: list[Span]) -> list[_Block]:
    """Find all blocks, in the order of the text."""
    headers = sorted([header for word in _MARKERS for header in _headers(low, word)])
    limits = [start for start, _, _ in headers[1:]] + [len(text)]
    found = [_marker_block(text, *pair) for pair in zip(headers, limits, strict=False)]
    if _KEY in text:
        found += [_json_block(text, span) for span in _objects(text)]
    blocks = [block for block in found if block and not _span_at(echoes, block.start)]
    return sorted(blocks, key=lambda block: block.start)


# -- marker blocks ---------------------------------------------------------------


def _headers(low: str, word: str) -> Iterator[tuple[int, int, bool]]:
    """Find the heading lines of a marker: start, end, and whether there is a colon."""
    for start, at in _at_line_start(low, word, _MARGIN + "*#"):
        signs = low[start:at].strip(_MARGIN + "*")
        end = _line_end(low, at)
        rest = low[at + len(word) : min(end, at + _LEAD)].replace("*", "").strip()
        if 1 <= len(signs) <= 6 and set(signs) == {"#"} and rest in ("", ":"):
            yield start, end, rest == ":"


class _Reader:
    """Reads one block; a class, for what a line means depends on the lines before it."""

    __slots__ = ("block", "content", "has_gap", "is_closed", "kept_to", "kind", "rest", "type_last")

    def __init__(self, block: _Block) -> None:
        self.block = block
        self.kind = ""
        self.content: str | None = None
        self.rest = ""  # the first line without a key
        self.kept_to = block.end
        self.is_closed = False
        self.has_gap = False  # there was a blank line behind the content
        self.type_last = False  # the content comes in front of its type

    def takes(self, text: str, start: int, end: int) -> bool:
        """Read a line; False where the block ends, with it or in front of it."""
        line = _bare(text[start:end])
        key, value = _key_and_value(line)
        if not line:
            self.has_gap = bool(self.content or self.rest)
            return True
        if not line.strip("#"):
            self.is_closed = True
        elif key:
            self._field(key, value)
        elif self.has_gap:
            return False
        elif self.content == "":
            self.content = line
        else:
            return self._leave(line, end)
        self._keep(text, start, end)
        return not self.is_closed

    def finish(self) -> None:
        if self.content is not None or self.kind:
            self.block.drafts.append((self.kind, self.content or ""))
        elif self.is_closed:
            self.block.is_bare = True
            self.block.drafts.append(("", self.rest))

    def _field(self, key: str, value: str) -> None:
        if self.content is not None and (key == "content" or not self.type_last):
            self.block.drafts.append((self.kind, self.content))
            self.content = None
        if key == "content":
            self.type_last = self.type_last or not self.kind
            self.content = value
        else:
            self.kind = value
        self.has_gap = False

    def _leave(self, line: str, end: int) -> bool:
        """Pass over a line that is neither kept as a learning nor taken out of the text."""
        self.rest = self.rest or line
        self.block.end = end
        return True

    def _keep(self, text: str, start: int, end: int) -> None:
        cuts = self.block.cuts
        if _is_blank(text[self.kept_to : start]):
            cuts[-1] = (cuts[-1][0], end)
        else:
            cuts.append((start, end))
        self.kept_to = self.block.end = end


def _marker_block(text: str, header: tuple[int, int, bool], limit: int) -> _Block | None:
    start, at, has_colon = header
    block = _Block(start, at)
    block.cuts.append((start, at))
    reader = _Reader(block)
    is_quoted = _is_quoted(text[start:at])
    while at < limit:
        end = _line_end(text, at)
        line = text[at:end]
        if _is_quoted(line) != is_quoted or _is_other(line) or not reader.takes(text, at, end):
            break
        at = end
    reader.finish()
    return block if block.drafts and (has_colon or not block.is_bare) else None


def _bare(line: str) -> str:
    return line.lstrip(_MARGIN).strip()


def _is_blank(text: str) -> bool:
    return not text.strip(_MARGIN + "\r\n")


def _is_quoted(line: str) -> bool:
    return line.lstrip(" \t")[:1] == ">"


def _is_other(line: str) -> bool:
    """Tell a line of which a block never consists: a heading or the end of its code block."""
    line = _bare(line)
    return line[:3] in ("```", "~~~") or (line[:1] == "#" and line.lstrip("#")[:1] in (" ", "\t"))


def _key_and_value(line: str) -> tuple[str, str]:
    field = line[2:] if line[:2] in ("- ", "* ", "+ ") else line
    name, colon, value = field.partition(":")
    key = name[:_LEAD].strip("*_` ").lower()
    if not colon or key not in ("type", "content"):
        return "", ""
    value = value.strip()
    return key, value.removeprefix("**").lstrip() if name.startswith("**") else value


# -- JSON ------------------------------------------------------------------------


def _objects(text: str) -> Iterator[Span]:
    """Find the outermost objects with the key that stand on lines of their own."""
    for start, end in _balanced(text, [at for _, at in _at_line_start(text, "{")]):
        if text.find(_KEY, start, end) >= 0 and _is_blank(text[end : _line_end(text, end)]):
            yield start, end


def _balanced(text: str, starts: list[int]) -> list[Span]:
    """Find the outermost closed braces from one of `starts`, sorted, in one pass.

    Only strings and braces are looked at; whether it is JSON the decoder decides.
    """
    closed: list[Span] = []
    opened: list[int] = []
    signs, begins = _Signs(text), set(starts)
    at, before = _first_from(starts, 0), ""
    while at < len(text):
        place, sign = signs.first(at)
        at = _string_end(text, place) if sign == '"' else place + 1
        if at < 0 or sign == before == "{" or len(opened) > _DEPTH:
            # No JSON, for there a name follows a brace: begin anew behind it.
            opened.clear()
            at, sign = place + (before != "{"), ""
        elif sign == "{":
            opened.append(place)
        elif sign == "}" and (start := opened.pop()) in begins:
            _close(closed, start, at)
        before = sign
        at = at if opened else _first_from(starts, at)
    return closed


def _close(closed: list[Span], start: int, end: int) -> None:
    while closed and closed[-1][0] > start:
        closed.pop()
    closed.append((start, end))


class _Signs:
    """Finds the next quote or brace; remembers where each is, not to search twice."""

    __slots__ = ("_places", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._places = dict.fromkeys('"{}', -1)

    def first(self, at: int) -> tuple[int, str]:
        """Return where the next sign is and which: the end of the text and "" without one."""
        nearest, found = len(self._text), ""
        for sign, place in self._places.items():
            if place < at:
                place = self._text.find(sign, at)
                place = self._places[sign] = len(self._text) if place < 0 else place
            if place < nearest:
                nearest, found = place, sign
        return nearest, found


def _first_from(starts: list[int], at: int) -> int:
    from bisect import bisect_left
    from sys import maxsize

    place = bisect_left(starts, at)
    return starts[place] if place < len(starts) else maxsize


def _string_end(text: str, quote: int) -> int:
    """Find the end of a JSON string, or -1: it has one, and on its own line."""
    end = text.find('"', quote + 1)
    while end >= 0 and _is_escaped(text, end):
        end = text.find('"', end + 1)
    return -1 if end < 0 or text.find("\n", quote, end) >= 0 else end + 1


def _is_escaped(text: str, at: int) -> bool:
    first = at
    while text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def _json_block(text: str, span: Span) -> _Block | None:
    from memory_core import fastjson

    start, end = text.rfind("\n", 0, span[0]) + 1, _line_end(text, span[1])
    lines = text[start:end]
    if _is_quoted(lines):
        lines = "\n".join([line.lstrip(_MARGIN) for line in lines.split("\n")])
    try:
        value = fastjson.loads(lines)
    except ValueError:
        return None
    block = _Block(start, end)
    if isinstance(value, dict):
        block.drafts = _drafts(value.get(_KEY.strip('"')))
        if len(value) == 1 and not any("\n" in content.strip() for _, content in block.drafts):
            block.cuts = [(start, end)]
    return block if block.drafts else None


def _drafts(value: object) -> list[tuple[str, str]]:
    if isinstance(value, list):
        return [_draft(item) for item in value]
    # `"remember": true` and the like are the fields of a log-in form.
    is_one = isinstance(value, dict) and isinstance(value.get("content"), str)
    is_text = isinstance(value, str) and len(value) > _TOO_SHORT
    return [_draft(value)] if is_one or is_text else []


def _draft(item: object) -> tuple[str, str]:
    if isinstance(item, str):
        return "", item
    if not isinstance(item, dict):
        return "", f"{item}" if isinstance(item, (int, float)) else ""
    fields = {key.lower(): value for key, value in item.items()}
    kind, content = fields.get("type"), fields.get("content")
    return kind if isinstance(kind, str) else "", content if isinstance(content, str) else ""


# -- fences and examples ---------------------------------------------------------


def _fences(text: str) -> list[_Fence]:
    """Find the fenced code blocks; one that is never closed is none."""
    marks = [*_at_line_start(text, "```"), *_at_line_start(text, "~~~")]
    fences = []
    opened: tuple[int, int, str] | None = None
    for start, at in sorted(marks):
        end = _line_end(text, at)
        line = text[at:end].strip()
        info = line.lstrip(line[0])
        run = line[: len(line) - len(info)]
        if opened is None:
            opened = (start, end, run) if line[0] not in info else None
        elif run.startswith(opened[2]) and not info:
            fences.append(_Fence(opened[0], opened[1], start, end))
            opened = None
    return fences


def _is_whole(text: str, fences: list[_Fence]) -> bool:
    """Tell whether one fence is around all of the report."""
    if len(fences) != 1:
        return False
    return _is_blank(text[: fences[0].start]) and _is_blank(text[fences[0].end :])


def _examples(text: str, blocks: list[_Block], fences: list[_Fence]) -> set[int]:
    """Find the starts of the blocks that only show what a block looks like.

    That is what stands in a fence among other text, as in a quoted file; and what
    an introduction calls an example, where it is in a fence, quoted or indented.
    """
    starts: set[int] = set()
    before, is_example = 0, False
    for fence, group in _groups(blocks, fences):
        start, end = (fence.start, fence.end) if fence else (group[0].start, group[0].end)
        is_shown = (
            fence or _is_quoted(text[start:end]) or text[start:end].startswith(("    ", "\t"))
        )
        follows = is_example and _is_blank(text[before:start])
        is_example = bool(is_shown) and (follows or _is_introduced(text, start))
        if fence and not _is_blank_but(text, fence, [(b.start, b.end) for b in group]):
            is_example = True
        if is_example:
            starts.update([block.start for block in group])
        before = end
    return starts


def _groups(
    blocks: list[_Block], fences: list[_Fence]
) -> Iterable[tuple[_Fence | None, list[_Block]]]:
    """Put the blocks of one fence together; a block in none is a group of its own."""
    groups: dict[int, tuple[_Fence | None, list[_Block]]] = {}
    by_start = {fence.start: fence for fence in fences}
    ranges = [(fence.start, fence.end) for fence in fences]
    for block in blocks:
        span = _span_at(ranges, block.start)
        fence = by_start[span[0]] if span else None
        groups.setdefault(fence.start if fence else block.start, (fence, []))[1].append(block)
    return groups.values()


def _is_blank_but(text: str, fence: _Fence, spans: list[Span]) -> bool:
    """Tell whether a fence holds nothing but the ranges, which are sorted."""
    at = fence.inner_start
    for start, end in spans:
        if not _is_blank(text[at:start]):
            return False
        at = max(at, end)
    return _is_blank(text[at : fence.inner_end])


def _is_introduced(text: str, start: int) -> bool:
    """Tell whether the sentence in front of this place announces an example."""
    before = text[max(0, start - _INTRODUCTION) : start].rstrip(_MARGIN + "\r\n").lower()
    before = before.replace("e.g.", "example")
    sentence = before[max(before.rfind("\n"), before.rfind(". ")) + 1 :]
    words = f" {sentence.strip(_MARGIN + '.:*')} ".replace(",", " ")
    return any(word in words for word in _EXPLAINS) and not any(word in words for word in _OWN)


# -- judging ---------------------------------------------------------------------


def _judged(
    text: str, blocks: list[_Block], fences: list[_Fence], max_length: int
) -> tuple[list[tuple[int, Learning]], list[Span]]:
    """Judge the blocks; say which ranges may be taken out."""
    verdicts: list[tuple[int, Learning]] = []
    spans: list[Span] = []
    ranges = [(fence.start, fence.end) for fence in fences]
    examples = _examples(text, blocks, [] if _is_whole(text, fences) else fences)
    for block in blocks:
        if block.is_bare and _span_at(ranges, block.start):
            continue  # a comment in code that reads like a marker
        drafts = [_verdict(kind, content, max_length) for kind, content in block.drafts]
        found = [each for each in drafts if each]
        if block.start in examples:
            found = [Rejected(each.type, each.content, EXAMPLE) for each in found]
        elif block.is_bare:
            found = [Rejected(each.type, each.content, "no Content: line") for each in found]
        if found and block.start not in examples:
            spans += block.cuts
        verdicts += [(block.start, each) for each in found]
    return verdicts, _with_fences(text, sorted(spans), fences)


def _with_fences(text: str, spans: list[Span], fences: list[_Fence]) -> list[Span]:
    """Take in the fences of which otherwise only the marks would be left."""
    ranges = [(fence.start, fence.end) for fence in fences]
    inside: dict[Span, list[Span]] = {}
    for span in spans:
        inside.setdefault(_span_at(ranges, span[0]) or span, []).append(span)
    by_range = dict(zip(ranges, fences, strict=True))
    return [
        each
        for around, cut in inside.items()
        for each in (
            [around] if around in by_range and _is_blank_but(text, by_range[around], cut) else cut
        )
    ]


def _verdict(kind: str, content: str, max_length: int) -> Learning | None:
    """Judge one learning: None for a placeholder."""
    if _is_placeholder(content) or _is_any_type(kind):
        return None
    name = clean(kind)
    type = _SPELLINGS.get(name.strip(_DECORATION).lower()) if name else UNTYPED
    line = clean(_first_line(content))
    reason = _reason(type, name, len(line), max_length)
    return Rejected(type or name[:_LEAD], line, reason) if reason else Learning(type or "", line)


def _reason(type: str | None, name: str, length: int, max_length: int) -> str:
    if type is None:
        return f"unknown type {name[:_LEAD]!r}"
    if not length:
        return "no content"
    if length <= _TOO_SHORT:
        return f"{length} characters: more than {_TOO_SHORT} are needed"
    return f"{length} characters: at most {max_length} are kept" if length > max_length else ""


def _first_line(content: str) -> str:
    content = content.strip()
    end = content.find("\n")
    return content if end < 0 else content[:end]


def _is_placeholder(content: str) -> bool:
    """Tell what stands for a learning: `[specific pattern]`, `<content>`, `...`."""
    bare = content.strip(" \t\r\n`*_\"'.\u2026")
    if not bare:
        return bool(content.strip())
    if len(bare) > _INTRODUCTION:
        return False
    if _is_bracketed(bare) or bare.lower() in _PLACEHOLDERS:
        return True
    words = bare.lower()
    return words.startswith(_INSTRUCTIONS) or (words[:5] == "your " and words[-5:] == " here")


def _is_bracketed(text: str) -> bool:
    closing = {"[": "]", "<": ">", "{": "}", "(": ")"}.get(text[0], "")
    return closing != "" and text.find(closing) == len(text) - 1


def _is_any_type(kind: str) -> bool:
    """Tell a list of types to choose from, or what stands for one."""
    kind = kind.strip()
    names = kind.replace("/", ",").split(",")
    if "|" in kind or _is_list_of_types(names):
        return True
    is_known = kind.strip(_DECORATION).lower() in _SPELLINGS
    return bool(kind) and not is_known and (_is_bracketed(kind) or not kind.strip(".\u2026"))


def _is_list_of_types(names: list[str]) -> bool:
    known = [
        name for name in names[: len(TYPES) + 1] if name.strip(_DECORATION).lower() in _SPELLINGS
    ]
    return len(names) > 2 and len(known) == len(names)


def _sentences(
    text: str, low: str, taken: list[list[Span]], max_length: int
) -> list[tuple[int, Learning]]:
    """Find the learnings that are sentences and not in any of the ranges."""
    found = []
    for phrase, kind in _SENTENCES.items():
        for start, at in _at_line_start(low, phrase, _MARGIN + "*-+_\u2022"):
            signs = low[start:at].strip(_MARGIN).replace("*", "").replace("_", "").strip()
            content = _said(text[at + len(phrase) : _line_end(text, at)])
            if signs in ("", "-", "+", "\u2022") and not any(_span_at(each, at) for each in taken):
                verdict = _verdict(kind, content, max_length) if clean(content) else None
                found += [(at, verdict)] if verdict else []
    return found


def _said(rest: str) -> str:
    """Give what a line says behind its phrase and the colon."""
    mark = rest[: len(rest) - len(rest.lstrip("*_"))]
    rest = rest[len(mark) :]
    if rest[:1] != ":":
        return ""
    return rest[1:].strip() if mark else rest[1:].strip().removeprefix("**").strip()


# -- cleaning --------------------------------------------------------------------


def _visible(text: str) -> str:
    if "\x1b" in text or "\x9b" in text:
        text = _without_escapes(text)
    return text.translate({ord(char): _shown(char) for char in set(text)})


def _shown(char: str) -> str:
    from unicodedata import category

    kind = category(char)
    if kind == "Cf" or char in _INVISIBLE or "\U000e0100" <= char <= "\U000e01ef":
        return ""
    if kind == "Cs":
        return "\ufffd"
    return " " if kind[0] == "Z" or kind == "Cc" else char


def _without_escapes(text: str) -> str:
    """Take out what a terminal would obey."""
    first, *parts = text.replace("\x9b", "\x1b[").split("\x1b")
    return first + "".join([_behind_escape(part) for part in parts])


def _behind_escape(part: str) -> str:
    if part[:1] == "[":
        ends = [place for place, char in enumerate(part[1:_LEAD], 1) if "@" <= char <= "~"]
        return part[ends[0] + 1 :] if ends else part[1:]
    if part[:1] == "]" and "\x07" in part:
        return part.partition("\x07")[2]
    return part[1:]


# -- taking out ------------------------------------------------------------------


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
