"""A memory file as parts that can be told again in another version of it.

A part is a heading with what is below it up to the next one; it consists of pieces: items
with what is nested in them, code and HTML as a whole, single lines of prose.  Each piece
knows the blank lines in front of it, so that a piece can leave, come and be moved.
"""

from __future__ import annotations

from memory_core import aside, edits, markdown, merge, preferences, similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memory_core.markdown import Document, Heading

    Lines = tuple[str, ...]
    Path = tuple[tuple[int, str, int], ...]
    Key = tuple[object, ...]

ITEM, ENTRY, PAIR, PROSE, CODE, HEADER = "item", "entry", "pair", "prose", "code", "header"
LISTED = (ITEM, ENTRY, PAIR)

TITLE, LIMITS, UPDATED = (HEADER, 0), (HEADER, 1), (HEADER, 2)

FRONT: Path = ((-1, "---", 0),)


class Piece:
    """What stands in one place: its lines, those nested in it, the blank ones above it.

    `key` tells it from the other pieces of a file, `text` is what it says.  What is above the
    first item of a list is told by the piece there: `below`, None where no list follows.
    """

    __slots__ = ("below", "gap", "home", "key", "kind", "lines", "nested", "text")

    def __init__(self, kind: str, text: str, lines: Lines, nested: Lines = ()) -> None:
        self.kind = kind
        self.text = text
        self.lines = lines
        self.nested = nested
        self.gap: Lines = ()
        self.home: Path = ()
        self.key: Key = ()
        self.below: Lines | None = None

    def copy(self) -> Piece:
        other = Piece(self.kind, self.text, self.lines, self.nested)
        other.gap, other.home, other.key, other.below = self.gap, self.home, self.key, self.below
        return other

    @property
    def words(self) -> str:
        """What it says, as it is compared; nothing of what has no text of its own."""
        return similarity.fold(self.text) if self.kind == ITEM else self.text


class Part:
    """A heading, the pieces below it, and the deeper headings; the first part has no heading."""

    __slots__ = ("below", "gap", "heading", "inner", "path", "pieces", "title")

    def __init__(self, path: Path, heading: Lines = (), title: str = "", gap: Lines = ()) -> None:
        self.path = path
        self.heading = heading
        self.title = title
        self.gap = gap
        self.below: Lines | None = None
        self.pieces: list[Piece] = []
        self.inner: list[Path] = []


class Outline:
    """A file's parts by their paths, and what is of the file as a whole.

    `front` are the lines of the front matter, `tail` the blank ones at the end, `stamp` is
    the time in the header, `ends` tells whether the last line has an end.
    """

    __slots__ = ("bom", "ends", "eol", "front", "parts", "stamp", "tail")

    def __init__(self, text: str) -> None:
        self.bom = text.startswith(markdown.BOM)
        self.eol = _line_end(text)
        self.ends = text.endswith(("\n", "\r"))
        self.front: Lines = ()
        self.tail: Lines = ()
        self.stamp = ""
        self.parts: dict[Path, Part] = {(): Part(())}

    def pieces(self) -> Iterator[Piece]:
        for part in self.parts.values():
            yield from part.pieces

    def open(self, level: int, title: str, heading: Lines, gap: Lines) -> Part:
        """Begin a part below the last one that has a higher heading."""
        above = next(reversed(self.parts))
        while above and above[-1][0] >= max(level, 2):
            above = above[:-1]
        if level <= 2:
            above = ()
        name, number = markdown.title_key(markdown.split_title(title)[0]), 0
        while (path := (*above, (max(level, 2), name, number))) in self.parts:
            number += 1
        self.parts[above].inner.append(path)
        self.parts[path] = Part(path, heading, title, gap)
        return self.parts[path]


def _line_end(text: str) -> str:
    """Return the line end that most lines have, nothing for a text of one line."""
    both = text.count("\r\n")
    counts = {"\n": text.count("\n") - both, "\r\n": both, "\r": text.count("\r") - both}
    most = max(counts, key=lambda each: counts[each])
    return most if counts[most] else ""


# Reading.


def read(text: str, is_aside: bool = False) -> Outline:
    """Read a memory, or a file of archive/ or quarantine/; any text."""
    outline = Outline(text)
    last = next(reversed(outline.parts.values()))
    gap: list[str] = []
    is_first = True
    for step in _aside_steps(text) if is_aside else _steps(text, outline):
        if isinstance(step, str):
            gap.append(step)
            continue
        if is_first and not outline.front and (isinstance(step, tuple) or not _is_listed(step)):
            gap.append("")  # what begins a file has a blank line above it where it does not
        is_first = False
        if isinstance(step, Piece):
            _add(last, step, tuple(gap))
        else:
            last = outline.open(*step, tuple(gap))
        gap = []
    outline.tail = tuple(gap)
    return outline


def _add(part: Part, piece: Piece, gap: Lines) -> None:
    piece.home = part.path
    above = part.pieces[-1] if part.pieces else part
    if piece.kind not in LISTED or _is_listed(above):
        piece.gap = gap
    else:
        above.below = gap
    part.pieces.append(piece)


def _steps(text: str, outline: Outline) -> Iterator[str | Piece | tuple[int, str, Lines]]:
    """Give the blank lines of a memory, its pieces and its headings."""
    document = markdown.parse(text)
    lines = bare_lines(document)
    outline.stamp = merge.updated(document)
    at = markdown.front_matter(document.lines)
    outline.front = tuple(lines[:at])
    headings = {each.line: each for each in document.headings}
    items = {each.line: each for each in document.items}
    special, verbatim = _special(document), set(document.verbatim)
    in_preferences = False
    while at < len(lines):
        end = at + 1
        if at in special:
            end, number = special[at]
            yield _header(number, tuple(lines[at:end]))
        elif at in headings:
            heading = headings[at]
            end = heading.body
            in_preferences = _is_preferences(heading, in_preferences)
            yield heading.level, heading.title, tuple(lines[at:end])
        elif at in items:
            end = items[at].end
            inner = items[at].text_end if items[at].text else end
            yield _item(items[at].text, lines[at:inner], lines[inner:end], in_preferences)
        elif at in verbatim:
            while end in verbatim and end not in special:
                end += 1
            yield Piece(CODE, "\n".join(lines[at:end]), tuple(lines[at:end]))
        elif lines[at].strip(" \t"):
            yield Piece(PROSE, lines[at].strip(" \t"), (lines[at],))
        else:
            yield lines[at]
        at = end


def bare_lines(document: Document) -> list[str]:
    """Return a document's lines without line ends and byte order mark."""
    lines = [line.rstrip("\r\n") for line in document.lines]
    return [lines[0].removeprefix(markdown.BOM), *lines[1:]] if lines else []


def _is_preferences(heading: Heading, before: bool) -> bool:
    if heading.level > 2:
        return before
    return heading.level == 2 and preferences.is_title(markdown.split_title(heading.title)[0])


def _special(document: Document) -> dict[int, tuple[int, int]]:
    """Return the title and the comments of the header: first line -> (end, number)."""
    first = document.headings[:1]
    found = {each.line: (each.body, 0) for each in first if each.level == 1}
    for number, key in ((1, merge.LIMITS_COMMENT), (2, merge.UPDATED_COMMENT)):
        at = edits.comment_line(document, key)
        if at is not None and "-->" in document.lines[at]:
            found[at] = (at + 1, number)
    return found


def _header(number: int, lines: Lines) -> Piece:
    piece = Piece(HEADER, "\n".join(lines), lines)
    piece.key = (HEADER, number)
    return piece


def _item(text: str, lines: list[str], nested: list[str], in_preferences: bool) -> Piece:
    if in_preferences and (key := preferences.same_key(preferences.pair(text)[0])):
        return Piece(PAIR, key, tuple(lines), tuple(nested))
    return Piece(ITEM, text, tuple(lines), tuple(nested))


def _aside_steps(text: str) -> Iterator[str | Piece | tuple[int, str, Lines]]:
    """Give the same of a file that `aside` has written."""
    lines = [line.rstrip(" \t\r") for line in text.removeprefix(markdown.BOM).split("\n")]
    found = {each.line: each for each in aside.entries("\n".join(lines))}
    if not lines[-1]:
        lines.pop()
    at = 0
    while at < len(lines):
        end = at + 1
        if at in found:
            end = found[at].end
            yield Piece(ENTRY, found[at].text, tuple(lines[at:end]))
        elif lines[at].startswith(aside.DAY):
            yield 2, lines[at][len(aside.DAY) :].strip(), (lines[at],)
        elif lines[at]:
            yield Piece(PROSE, lines[at], (lines[at],))
        else:
            yield ""
        at = end


# Names.


def name(outlines: Iterable[Outline]) -> None:
    """Give each piece a key that it has in all of the files, wherever it was moved.

    An item is known by its words alone, so that it is the same in another section; but
    where some words stand twice in a file, each of them by its section and its number, too.
    """
    outlines = list(outlines)
    often = set().union(*map(_doubled, outlines))
    for outline in outlines:
        seen: dict[Key, int] = {}
        for piece in outline.pieces():
            if piece.kind == HEADER:
                continue
            key = _key(piece)
            if piece.kind != ITEM or key in often:
                key = (*key, piece.home)
                seen[key] = seen.get(key, 0) + 1
                key = (*key, seen[key])
            piece.key = key


def _key(piece: Piece) -> Key:
    if piece.kind == ITEM and not piece.text:
        return ITEM, "", piece.lines
    return piece.kind, piece.words


def _doubled(outline: Outline) -> set[Key]:
    once: set[Key] = set()
    twice: set[Key] = set()
    for piece in outline.pieces():
        if piece.kind == ITEM:
            key = _key(piece)
            (twice if key in once else once).add(key)
    return twice


# Writing.


def render(outline: Outline, apart: Lines = ()) -> str:
    """Give the text of an outline; `apart` goes between pieces that could be taken for one."""
    lines: list[str] = list(outline.front)
    above: Piece | Part = outline.parts[()]
    for each in _all(outline, ()):
        gap = _gap(above, each)
        if not lines and not _is_listed(each):
            gap = gap[:-1]
        elif lines and apart and not (_is_listed(above) and _is_listed(each)):
            gap = apart if isinstance(above, Piece) and isinstance(each, Piece) else gap or ("",)
        lines += (*gap, *_block(each))
        above = each
    lines += outline.tail
    eol = outline.eol or "\n"
    text = eol.join(lines) + (eol if outline.ends and lines else "")
    return (markdown.BOM if outline.bom else "") + text


def _all(outline: Outline, path: Path) -> Iterator[Piece | Part]:
    part = outline.parts[path]
    if path:
        yield part
    yield from part.pieces
    for inner in part.inner:
        yield from _all(outline, inner)


def _block(each: Piece | Part) -> Lines:
    return each.heading if isinstance(each, Part) else (*each.lines, *each.nested)


def _is_listed(each: Piece | Part) -> bool:
    return isinstance(each, Piece) and each.kind in LISTED


def _gap(above: Piece | Part, each: Piece | Part) -> Lines:
    """Return the blank lines between two that stand one below the other."""
    if not _is_listed(each) or _is_listed(above):
        return each.gap
    if above.below is None:
        return ("",) if isinstance(above, Piece) else ()
    return above.below


def shape(outline: Outline) -> list[tuple[str, str]]:
    """Return each line that is not blank with what it is read as."""
    found = [("front", line) for line in outline.front]
    for each in _all(outline, ()):
        kind = each.kind if isinstance(each, Piece) else "heading"
        inner = "within" if kind in LISTED else kind
        found += [(inner if at else kind, line) for at, line in enumerate(_block(each))]
    return [(kind, line.strip(" \t")) for kind, line in found if line.strip(" \t")]
