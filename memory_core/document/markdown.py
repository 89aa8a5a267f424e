"""Read a memory document without loss.

The reader follows CommonMark's block structure (with tables) as far as it decides what is
a section heading, an item of a top-level list, code or HTML. Where a memory file is broken it
reads on where CommonMark would not, and says so in `Document.warnings`.
"""

from __future__ import annotations

BOM = "\ufeff"
BULLET = "- "
EMPTY_COMMENT = "<!-- -->"  # ends a list without being seen

QUOTE = -1  # among the open containers; every other number is an item's indentation
NO_LEAF, PARAGRAPH, TABLE, FENCE, HTML = range(5)

DIGITS = "0123456789"
ITEM_STARTS = frozenset("-+*" + DIGITS)
CONTAINER_STARTS = ITEM_STARTS | {">"}
LEAF_STARTS = frozenset("#`~<=-*_|:")
AMBIGUOUS_STARTS = (
    CONTAINER_STARTS | LEAF_STARTS | {" ", ""}
)  # behind a bullet: the line may be more than an item
SECTION_START, CONFLICT_START = "## ", "<<<<<<< "
CONFLICT_MARKERS = frozenset(("<<<<<<<", "|||||||", "=======", ">>>>>>>"))

# As deep as markdown-it follows; deeper brackets are text.  A line costs as much as is open above
# it, and of a line of a megabyte every one of its `> > > ...` would be opened.
MAX_DEPTH = 20

RAW_TAGS = ("script", "pre", "style", "textarea")
# As one text: a tag is looked for among them so seldom that no table need be built.
BLOCK_TAGS = (
    " address article aside base basefont blockquote body caption center col colgroup dd "
    "details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 "
    "h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav noframes ol "
    "optgroup option p param search section summary table tbody td tfoot th thead title tr "
    "track ul "
)


class Item:
    """One top-level list item; `text` is its first paragraph, `[line, end)` all that is its own."""

    __slots__ = ("end", "line", "text", "text_end")

    def __init__(self, line: int) -> None:
        self.text = ""
        self.line = line
        self.end = line + 1
        self.text_end = line + 1

    def __repr__(self) -> str:
        return f"Item({self.text!r}, {self.line}, {self.end})"


class Heading:
    """A heading that stands in no list and no quotation."""

    __slots__ = ("body", "level", "line", "title")

    def __init__(self, line: int, body: int, level: int, title: str) -> None:
        self.line = line
        self.body = body
        self.level = level
        self.title = title


class Section:
    """A level-2 heading and everything up to the next heading of level 1 or 2."""

    __slots__ = ("body", "end", "items", "line", "suffix", "title")

    def __init__(self, heading: Heading, end: int) -> None:
        self.title, self.suffix = split_title(heading.title)
        self.line = heading.line
        self.body = heading.body
        self.end = end
        self.items: list[Item] = []

    def __repr__(self) -> str:
        return f"Section({self.title!r}, {self.line}, {self.end}, {self.items!r})"


class Document:
    """What a text says, line for line; the lines alone are the text."""

    __slots__ = (
        "comments",
        "headings",
        "items",
        "lines",
        "markers",
        "open_code",
        "sections",
        "verbatim",
        "warnings",
    )

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.headings: list[Heading] = []
        self.sections: list[Section] = []
        self.items: list[Item] = []
        self.verbatim: list[int] = []  # lines of code and HTML, outside lists and quotations
        self.comments: list[int] = []  # of these, the lines where a comment begins
        self.markers: list[int] = []  # lines that git left behind in a conflict
        self.open_code: int | None = None  # the line that begins the code in which the text ends
        self.warnings: list[tuple[int, str]] = []  # line number from 1, sentence

    def with_line(self, at: int, line: str) -> Document:
        """Return the document with another line there that is read as the old one is."""
        other = Document([*self.lines[:at], line, *self.lines[at + 1 :]])
        for name in Document.__slots__:
            if name != "lines":
                setattr(other, name, getattr(self, name))
        return other


def parse_document(text: str) -> Document:
    """Read any text; `"".join(document.lines) == text` whatever it holds."""
    reader = _DocumentReader(split_lines(text))
    reader.read()
    document = reader.document
    _group(document)
    _warn_of_twins(document)
    document.warnings.sort()
    return document


class DocumentCounts:
    """How many sections and items a document has, and its warnings."""

    __slots__ = ("items", "sections", "warnings")

    def __init__(self, sections: int, items: int, warnings: list[tuple[int, str]]) -> None:
        self.sections = sections
        self.items = items
        self.warnings = warnings


def count_contents(text: str) -> DocumentCounts:
    """Count what `parse` finds: in a tenth of its time where a text is as most memories are."""
    counted = _plain_census(text)
    if counted is None:
        document = parse_document(text)
        counted = DocumentCounts(len(document.sections), len(document.items), document.warnings)
    return counted


def _plain_census(text: str) -> DocumentCounts | None:
    """Count where all lines are items, headings, comments and blanks, and no section has a twin."""
    if "\t" in text or "\r" in text:
        return None
    items, titles = 0, []
    for line in text.split("\n"):
        if line[:2] == BULLET and line[2:3] not in AMBIGUOUS_STARTS:
            items += 1
        elif line[:3] == SECTION_START:
            titles.append(normalize_title(split_title(_without_closing(line[3:]))[0]))
        elif line and not (line[:2] == "# " or (line[:4] == "<!--" and "-->" in line)):
            return None
    return DocumentCounts(len(titles), items, []) if len(set(titles)) == len(titles) else None


def render_document(document: Document) -> str:
    """Give back the text of the document."""
    return "".join(document.lines)


def split_lines(text: str) -> list[str]:
    """Split behind \\n, \\r\\n and \\r only; `str.splitlines` knows eight more line ends."""
    pieces = text.split("\n")
    lines = [piece + "\n" for piece in pieces[:-1]]
    if pieces[-1]:
        lines.append(pieces[-1])
    if "\r" in text:
        lines = [part for line in lines for part in _split_returns(line)]
    return lines


def _split_returns(line: str) -> list[str]:
    body = line.rstrip("\n")
    end = line[len(body) :]
    if end and body.endswith("\r"):
        body, end = body[:-1], "\r\n"
    pieces = body.split("\r")
    parts = [piece + "\r" for piece in pieces[:-1]]
    return [*parts, pieces[-1] + end] if pieces[-1] + end else parts


def _group(document: Document) -> None:
    tops = [heading for heading in document.headings if heading.level <= 2]
    ends = [heading.line for heading in tops[1:]] + [len(document.lines)]
    for heading, end in zip(tops, ends, strict=False):
        if heading.level == 2:
            document.sections.append(Section(heading, end))
    items = iter(document.items)
    item = next(items, None)
    for section in document.sections:
        while item is not None and item.line < section.end:
            if item.line > section.line:
                section.items.append(item)
            item = next(items, None)


def _warn_of_twins(document: Document) -> None:
    first: dict[str, int] = {}
    for section in document.sections:
        line = first.setdefault(normalize_title(section.title), section.line)
        if line != section.line:
            sentence = f"the section {section.title!r} stands in line {line + 1} already"
            document.warnings.append((section.line + 1, sentence))


def normalize_title(title: str) -> str:
    """Fold a title to what tells two sections apart."""
    return " ".join(title.strip("*_: ").split()).casefold()


def find_section(document: Document, title: str) -> Section | None:
    """Return the first section of that title, whatever its case and emphasis."""
    key = normalize_title(title)
    return next((each for each in document.sections if normalize_title(each.title) == key), None)


def split_title(title: str) -> tuple[str, str]:
    """Split `Title (Max: 15 items)` into the title and its suffix."""
    at = title.rfind("(")
    if at < 0 or not title.endswith(")"):
        return title, ""
    words = title[at + 1 : -1].lower().replace(":", ": ").split()
    if len(words) != 3 or words[0] != "max:" or not words[1].isdecimal():
        return title, ""
    return (title[:at].rstrip(), title[at:]) if words[2] in ("item", "items") else (title, "")


class _DocumentReader:
    """The blocks that are open while the lines go by; a line means what they let it mean."""

    __slots__ = (
        "at",
        "close_marks",
        "code_end",
        "code_line",
        "conflict",
        "document",
        "fence",
        "fences",
        "hollow",
        "item",
        "last",
        "leaf",
        "lines",
        "next",
        "no_closer",
        "open",
        "paragraph",
        "paragraph_line",
        "texting",
        "words",
    )

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.document = Document(lines)
        self.at = 0
        self.open: list[int] = []  # containers, outermost first
        self.leaf = NO_LEAF
        self.hollow = False  # the innermost container is an item without content so far
        self.item: Item | None = None
        self.words: list[str] = []  # of that item's text
        self.texting = False  # the next line may still be text of that item
        self.last = ""  # the paragraph's last line
        self.paragraph: list[str] = []  # kept outside containers, for a heading by underline
        self.paragraph_line = 0
        self.fence = ("", 0)
        self.fences: dict[int, _Fence] | None = None
        self.code_line = 0
        self.code_end = -1  # of code that is never closed: the first line that is none of it
        self.next: dict[str, int] = {}  # where a line begins so, as it was looked for last
        self.close_marks: tuple[str, ...] = ()
        self.no_closer: set[tuple[object, ...]] = set()
        self.conflict = False

    def read(self) -> None:
        """Fill `document` from the lines."""
        front = count_front_matter(self.lines)
        self._front(front)
        for at in range(front, len(self.lines)):
            self.at = at
            line = self._plain(at)
            if line[:1] in ("<", "=", "|", ">") and self._is_marker(line):
                self._mark(line)
            elif not self._is_plain(line):
                self._line(line)
        if self.leaf == FENCE and not self.open:
            self.document.open_code = self.code_line
            self._warn(f"{self.fence[0] * 3} is never closed; all below it is code", self.code_line)
        self._close(0)

    def _front(self, end: int) -> None:
        """Look for the markers of a conflict in the front matter, or for its end."""
        for at in range(end):
            self.at = at
            line = self.lines[at].rstrip("\r\n")
            if line[:7] in CONFLICT_MARKERS and self._is_marker(line):
                self._mark(line)
        if count_open_front_matter(self.lines):
            self._warn("--- is never closed; what is below it is text", 0)

    def _plain(self, at: int) -> str:
        """Return a line with columns for indices: no line end, tab or byte order mark."""
        line = self.lines[at].rstrip("\r\n")
        if at == 0:
            line = line.removeprefix(BOM)
        return line.expandtabs(4) if "\t" in line else line

    # Conflict markers come first: git puts them between any two lines, whatever is open there.

    def _is_marker(self, line: str) -> bool:
        if line[:7] not in CONFLICT_MARKERS or line[7:8] not in ("", " "):
            return False
        if self.conflict or line[0] in "=|":  # outside: an underline, or the row of a table
            return self.conflict
        outside = self.open and (line[0] != ">" or self.open[0] != QUOTE)
        return bool(outside) or self.leaf < FENCE or self.at == self.code_end

    def _mark(self, line: str) -> None:
        leaf = self.leaf if line[0] == ">" and not self.open and self.leaf >= FENCE else NO_LEAF
        if leaf == FENCE and not self._is_ended_above(self._next(SECTION_START)):
            leaf = NO_LEAF
        self._close(0)
        self.leaf = leaf  # what the second side opened, and is closed below, goes on till there
        self.conflict = line[0] != ">"
        self.document.markers.append(self.at)
        self._warn(f"a merge conflict is not resolved: {line[:7]}", self.at)

    def _warn(self, sentence: str, at: int) -> None:
        self.document.warnings.append((at + 1, sentence))

    # A line goes through the containers that are open, may open more, and ends in a leaf.

    def _line(self, line: str) -> None:
        depth, pos = self._match(line) if self.open else (0, 0)
        if self.leaf >= FENCE and depth == len(self.open):
            self._inside(line, pos)
        else:
            self._block(line, depth, pos)
        if self.item is not None and line.strip(" "):
            self.item.end = self.at + 1

    def _match(self, line: str) -> tuple[int, int]:
        """Return how many of the open containers the line is in, and where its rest begins."""
        depth = pos = 0
        hollow, self.hollow = self.hollow, False
        for width in self.open:
            start = _skip(line, pos)
            if width == QUOTE:
                if start - pos > 3 or line[start : start + 1] != ">":
                    break
                pos = _behind_quote(line, start)
            elif start >= len(line):
                if hollow and depth == len(self.open) - 1:
                    break
            elif start - pos >= width:
                pos += width
            else:
                break
            depth += 1
        return depth, pos

    def _inside(self, line: str, pos: int) -> None:
        """Take a line of fenced code or HTML, and see whether it is the last."""
        if self.leaf == FENCE:
            if self.at == self.code_end:
                self._close(0)
                self._block(line, 0, 0)
                return
            closed = _closes_fence(line, pos, *self.fence)
        elif self.close_marks:
            closed = _has(line, self.close_marks)
        else:
            closed = not line.strip(" ")
        self._keep_verbatim()
        if closed:
            self.leaf = NO_LEAF

    def _block(self, line: str, depth: int, pos: int) -> None:
        lazy = self.leaf == PARAGRAPH
        joined = lazy and depth == len(self.open)
        start = _skip(line, pos)
        while start - pos < 4 and depth < MAX_DEPTH and line[start : start + 1] in CONTAINER_STARTS:
            inner = self._container(line, depth, pos, start, joined)
            if not inner:
                break
            depth, pos, lazy, joined = depth + 1, inner, False, False
            start = _skip(line, pos)
        if start >= len(line):
            self._blank(depth)
        elif start - pos < 4:
            self._leaf(line[start:], depth, lazy, joined)
        else:
            self._indented(line[start:], depth, lazy)

    def _container(self, line: str, depth: int, pos: int, start: int, joined: bool) -> int:
        """Open the quotation or item that begins at `start`; return where its inside begins."""
        if line[start] == ">":
            self._close(depth)
            self.open.append(QUOTE)
            self.hollow = False
            return _behind_quote(line, start)
        end = _marker_end(line, start, joined)
        if not end or _is_rule(line[start:]):
            return 0
        self._close(depth)
        inner = _behind_marker(line, end)
        self.open.append(inner - pos)
        self.hollow = True
        if depth == 0:
            self._begin_item()
        return inner

    def _is_plain(self, line: str) -> bool:
        """Take a line as most lines of a memory are: the way through all rules takes longer."""
        if not line:
            return self._plain_blank()
        if self.leaf >= FENCE and not self.open:
            return False
        if line[:2] == BULLET and line[2:3] not in AMBIGUOUS_STARTS:
            self._plain_item(line[2:])
            return True
        if line[0] == "#" and self._heading(line, 0):
            self.hollow = False
            return True
        return False

    def _plain_blank(self) -> bool:
        if self.leaf >= FENCE or self.hollow or QUOTE in self.open:
            return False
        self.leaf = NO_LEAF  # every item goes on
        self.texting = False
        return True

    def _plain_item(self, text: str) -> None:
        self._close(0)
        self.hollow = False
        self.open.append(len(BULLET))
        self._begin_item()
        self.leaf = PARAGRAPH
        self.last = text.rstrip(" ")
        self.words.append(self.last)

    def _begin_item(self) -> None:
        self.item = Item(self.at)
        self.words = []
        self.texting = True
        self.document.items.append(self.item)

    def _close(self, depth: int) -> None:
        """Close every container but the outer `depth`, and the leaf."""
        if depth == 0 and self.item is not None:
            self.item.text = unescape(" ".join(self.words))
            self.item = None
        del self.open[depth:]
        self.leaf = NO_LEAF
        self.texting = False

    # Leaves.

    def _blank(self, depth: int) -> None:
        # An item may begin with its bullet alone and have its text on the line below.
        if not self.hollow:
            self._close(depth)

    def _indented(self, text: str, depth: int, lazy: bool) -> None:
        self.hollow = False
        if lazy:
            self._text(text, depth, lazy)
        else:
            self._close(depth)
            self._keep_verbatim()

    def _leaf(self, text: str, depth: int, lazy: bool, joined: bool) -> None:
        self.hollow = False
        if text[0] not in LEAF_STARTS or not (
            (joined and self._under_paragraph(text))
            or self._heading(text, depth)
            or self._fenced(text, depth)
            or self._html(text, depth)
            or self._rule(text, depth)
        ):
            self._text(text, depth, lazy)

    def _text(self, text: str, depth: int, lazy: bool) -> None:
        """Take a line of a paragraph or of a table."""
        if self.leaf == TABLE and depth == len(self.open):
            return
        text = text.rstrip(" ")
        if not lazy:
            self._begin_paragraph(depth)
        self.last = text
        if not self.open:
            self.paragraph.append(text)
        elif self.texting and self.item is not None and len(self.open) == 1:
            self.words.append(text)
            self.item.text_end = self.at + 1

    def _begin_paragraph(self, depth: int) -> None:
        if self.leaf or depth < len(self.open):
            self._close(depth)
        self.leaf = PARAGRAPH
        self.paragraph = []
        self.paragraph_line = self.at
        self.texting = self.texting and len(self.open) == 1

    def _under_paragraph(self, text: str) -> bool:
        """See whether the line makes the paragraph above it a table or a heading."""
        if _is_table(self.last, text):
            self._close(len(self.open))
            self.leaf = TABLE
            return True
        text = text.rstrip(" ")
        if text[0] not in "=-" or text.strip(text[0]):
            return False
        if not self.open:
            defined = _count_definitions(self.paragraph)
            if defined == len(self.paragraph):
                return False
            level = 1 if text[0] == "=" else 2
            title = " ".join(self.paragraph[defined:])
            self._add_heading(self.paragraph_line + defined, level, title)
        self._close(len(self.open))
        return True

    def _heading(self, text: str, depth: int) -> bool:
        title = text.lstrip("#")
        level = len(text) - len(title)
        if not 1 <= level <= 6 or title[:1] not in ("", " "):
            return False
        self._close(depth)
        if not self.open:
            self._add_heading(self.at, level, _without_closing(title))
        return True

    def _add_heading(self, line: int, level: int, title: str) -> None:
        self.document.headings.append(Heading(line, self.at + 1, level, title))

    def _fenced(self, text: str, depth: int) -> bool:
        if text[0] not in "`~" or (fence := _fence_of(text)) is None:
            return False
        self._close(depth)
        self._keep_verbatim()
        self.leaf = FENCE
        self.fence = fence[:2]
        self.code_line = self.at
        self.code_end = -1
        if not self.open and not self.conflict:
            self._end_forgotten()
        return True

    # What a forgotten end would hide is memory: the sections below are read on.

    def _end_forgotten(self) -> None:
        """See whether the end of code that begins here was forgotten, and where it then ends."""
        if self.fences is None:
            if self._is_plain_code():
                return
            self.fences = _fences(self.lines)
        fence, section = (
            self.fences.get(self.at),
            min(self._next(SECTION_START), self._next(CONFLICT_START)),
        )
        if fence is None or section >= (fence.closer.line if fence.closer else len(self.lines)):
            return
        end = self.at + 1
        while end < section and self.lines[end].strip():
            end += 1
        if fence.closer is None or _is_better_ended(fence, fence.closer, end, section):
            self.code_end = end
            sentence = f"{fence.mark * 3} is never closed; it is code to the next blank line"
            self._warn(sentence, self.at)

    def _is_plain_code(self) -> bool:
        """Say whether nothing in this code looks like a section or a conflict, as in most code."""
        sign = self.fence[0] * 3
        for at in range(self.at + 1, len(self.lines)):
            line = self.lines[at]
            if line.startswith((SECTION_START, CONFLICT_START)):
                return False
            if sign in line and _closes_fence(self._plain(at), 0, *self.fence):
                return True
        return True

    def _next(self, sign: str) -> int:
        """Return the next line below that begins so; each is looked for once."""
        if self.next.get(sign, -1) <= self.at:
            below = range(self.at + 1, len(self.lines))
            found = (at for at in below if self.lines[at].startswith(sign))
            self.next[sign] = next(found, len(self.lines))
        return self.next[sign]

    def _is_ended_above(self, end: int) -> bool:
        """Say whether the fence that is open ends above a line; if not, no later one does."""
        sign, key = self.fence[0] * 3, (*self.fence, end)
        if key in self.no_closer:
            return False
        for at in range(self.at + 1, end):
            if sign in self.lines[at] and _closes_fence(self._plain(at), 0, *self.fence):
                return True
        self.no_closer.add(key)
        return False

    def _html(self, text: str, depth: int) -> bool:
        marks = _html_marks(text)
        if marks is None:
            return False
        self._close(depth)
        self._keep_verbatim()
        if marks == COMMENT_END and not self.open:
            self.document.comments.append(self.at)
        if marks and _has(text, marks):
            return True
        if marks and not self.open and not self._is_closed(marks):
            sign = text.split(" ")[0][:20]
            self._warn(f"{sign} is never closed; only its own line is left out", self.at)
            return True
        self.close_marks = marks
        self.leaf = HTML
        return True

    def _is_closed(self, marks: tuple[str, ...]) -> bool:
        """Say whether HTML that begins here ends before the next comment or the end of the file.

        Only a forgotten end makes a comment hold another, and what it would hide is memory.
        In a conflict, what one side begins must not need the other one.
        """
        if marks in self.no_closer:
            return False
        conflict = self.conflict
        for at in range(self.at + 1, len(self.lines)):
            line = self.lines[at]
            if marks != RAW_TAG_ENDS and line.lstrip(" \t").startswith("<!--"):
                return False
            if conflict and line[:7] in CONFLICT_MARKERS:
                conflict = line[0] != ">"
                if conflict:
                    return False
            if _has(line, marks):
                return True
        self.no_closer.add(marks)  # searched to the end once, so that many take linear time
        return False

    def _rule(self, text: str, depth: int) -> bool:
        if not _is_rule(text):
            return False
        self._close(depth)
        return True

    def _keep_verbatim(self) -> None:
        if not self.open:
            self.document.verbatim.append(self.at)


def count_front_matter(lines: list[str]) -> int:
    """Return how many lines the YAML front matter takes, 0 without one."""
    if not _begins_front_matter(lines):
        return 0
    for at in range(1, len(lines)):
        if lines[at].rstrip() in ("---", "..."):
            return at + 1
        if _is_section(lines[at]) and not lines[at - 1].strip():
            return 0  # the next rule is not its end: that was forgotten
    return 0


def count_open_front_matter(lines: list[str]) -> int:
    """Return how many lines look like front matter that is never closed, 0 without such."""
    if not _begins_front_matter(lines) or count_front_matter(lines):
        return 0
    end = 1
    while end < len(lines) and lines[end].strip() and lines[end][0] not in "#`~":
        end += 1
    return end


def _begins_front_matter(lines: list[str]) -> bool:
    if len(lines) < 2 or lines[0].removeprefix(BOM).rstrip() != "---":
        return False
    # A rule looks the same; but metadata are pairs, and begin at once.
    first = next((line for line in lines[1:5] if line[:7] not in CONFLICT_MARKERS), "")
    return ":" in first or first.rstrip() == "---"


def _is_section(line: str) -> bool:
    return line[:3] == SECTION_START and bool(line[3:].strip())


class _Fence:
    """A line that may begin or end fenced code; `above` is the last one with the same sign.

    One that is `nested` is, outside of code, likely that of an item.  `whole` says that, read from
    here on outside of code and but for items, all code has its end.
    """

    __slots__ = ("above", "below", "closer", "info", "length", "line", "mark", "nested", "whole")

    def __init__(self, line: int, nested: bool, mark: str, length: int, info: str) -> None:
        self.line = line
        self.nested = nested
        self.mark = mark
        self.length = length
        self.info = info.strip(" \t").lower()
        self.above: _Fence | None = None
        self.below: _Fence | None = None
        self.closer: _Fence | None = None
        self.whole = False


def _fences(lines: list[str]) -> dict[int, _Fence]:
    """Return the fences by their lines."""
    found: dict[int, _Fence] = {}
    last: dict[str, _Fence] = {}
    above = ""  # what the last line that is not indented begins with
    for at, line in enumerate(lines):
        above = above if line[0] in " \t\r\n" else line[0]
        if "```" in line or "~~~" in line:
            text = line.removeprefix(BOM).strip(" \r\n")
            indent, fence = line.find(text[0]), _fence_of(text)
            if indent < 4 and fence:
                nested = indent >= len(BULLET) and above in ITEM_STARTS
                found[at] = _Fence(at, nested, *fence)
                found[at].above = last.get(fence[0])
                last[fence[0]] = found[at]
    _pair(list(found.values()))
    return found


def _pair(fences: list[_Fence]) -> None:
    """Find what would close each fence: the next one of its sign that is bare and as long."""
    bare: dict[str, list[_Fence]] = {"`": [], "~": []}
    outer: dict[str, list[_Fence]] = {"`": [], "~": []}
    below: _Fence | None = None
    for fence in reversed(fences):
        fence.below, fence.closer = below, _closer(fence, bare[fence.mark])
        last = fence if fence.nested else _closer(fence, outer[fence.mark])
        fence.whole = last is not None and (last.below is None or last.below.whole)
        for known in (bare, outer)[: 1 if fence.nested else 2]:
            _keep_closer(fence, known[fence.mark])
        below = fence


def _closer(fence: _Fence, known: list[_Fence]) -> _Fence | None:
    return next((each for each in reversed(known) if each.length >= fence.length), None)


def _keep_closer(fence: _Fence, known: list[_Fence]) -> None:
    """Put a fence before those below it; what is not longer than it closes nothing above it."""
    while known and not fence.info and known[-1].length <= fence.length:
        known.pop()
    if not fence.info:
        known.append(fence)


def _fence_of(text: str) -> tuple[str, int, str] | None:
    """Read a line that may begin code: the sign of its fence, how many there are, the rest."""
    mark = text[0]
    info = text.lstrip(mark)
    length = len(text) - len(info)
    if mark not in "`~" or length < 3 or (mark == "`" and mark in info):
        return None
    return mark, length, info


def _is_better_ended(fence: _Fence, closer: _Fence, end: int, section: int) -> bool:
    """Say whether the closer of code that holds a section is rather a part of other code.

    That is: so all code below is whole, while else some has no end, or is in this code.
    """
    if fence.info in ("markdown", "md"):
        return False  # an example, with headings of its own
    rest = fence.below
    while rest is not None and rest.line < end:
        rest = rest.below
    inner = closer.above
    holds_other = inner is not None and inner.line > section and inner.length >= fence.length
    leaves_open = closer.below is not None and not closer.below.whole
    is_other = holds_other or leaves_open or closer.nested
    return is_other and rest is not None and rest.whole


def _count_definitions(paragraph: list[str]) -> int:
    """Count the lines that define links; at the beginning of a paragraph they are none of it."""
    count = 0
    while count < len(paragraph) and _is_definition(paragraph[count]):
        count += 1
    return count


def _is_definition(text: str) -> bool:
    """Say whether a line is `[label]: address "title"`; spread over more lines it is text here."""
    label, found, rest = text[1:].partition("]:")
    if text[0] != "[" or not found or not label.strip() or "[" in label or "]" in label:
        return False
    address, _, title = rest.strip(" ").partition(" ")
    title = title.strip(" ")
    if not title:
        return bool(address) and label[-1] != "\\"
    quotes = title[0] + title[-1]
    return quotes in ("''", '""', "()") and len(title) > 1 and title[-1] not in title[1:-1]


def _skip(line: str, pos: int) -> int:
    """Return the first column from `pos` on that is not blank."""
    return len(line) - len(line[pos:].lstrip(" "))


def _behind_quote(line: str, start: int) -> int:
    return start + 2 if line[start + 1 : start + 2] == " " else start + 1


def _marker_end(line: str, start: int, interrupting: bool) -> int:
    """Return where the list marker at `start` ends, 0 if there is none.

    What would interrupt a paragraph has to be a clear case: not empty, and counting from 1.
    """
    end = start + 1
    if line[start] in DIGITS:
        end = start + count_digits(line[start : start + 10])
        if end - start > 9 or line[end : end + 1] not in (".", ")"):
            return 0
        if interrupting and int(line[start:end]) != 1:
            return 0
        end += 1
    if line[end : end + 1] not in ("", " ") or (interrupting and not line[end:].strip(" ")):
        return 0
    return end


def count_digits(text: str) -> int:
    """Count the digits that a text begins with."""
    return len(text) - len(text.lstrip(DIGITS))


def _behind_marker(line: str, end: int) -> int:
    """Return the column where an item's content begins; far in, it is indented code."""
    text = _skip(line, end)
    return end + 1 if text >= len(line) or text - end > 4 else text


def _is_rule(text: str) -> bool:
    mark = text[0]
    return mark in "-*_" and text.count(mark) >= 3 and not text.strip(mark + " ")


def _closes_fence(line: str, pos: int, mark: str, length: int) -> bool:
    start = _skip(line, pos)
    rest = line[start:].rstrip(" ")
    return start - pos < 4 and len(rest) >= length and not rest.strip(mark)


def _without_closing(title: str) -> str:
    """Return a heading's title without the row of # that may close it."""
    title = title.strip(" ")
    bare = title.rstrip("#")
    return bare.rstrip(" ") if not bare or bare.endswith(" ") else title


def _is_table(header: str, text: str) -> bool:
    """Say whether `text` is the row of dashes that makes a table of the line above."""
    if "|" not in header or text.strip("|-: ") or text[:2] in ("-", "- "):
        return False
    columns = [cell.strip(" ") for cell in _cells(text)]
    dashes = all(cell.strip(":").strip("-") == "" and "-" in cell for cell in columns)
    edges = all(cell.count(":") <= 2 and ":" not in cell[1:-1] for cell in columns)
    return dashes and edges and 0 < len(columns) == len(_cells(header))


def _cells(row: str) -> list[str]:
    cells = row.replace("\\|", "").strip(" ").split("|")
    if cells and not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return cells


COMMENT_END = ("-->",)
HTML_MARKS = (("<!--", COMMENT_END), ("<![CDATA[", ("]]>",)), ("<?", ("?>",)))
RAW_TAG_ENDS = tuple(f"</{tag}>" for tag in RAW_TAGS)


def _html_marks(text: str) -> tuple[str, ...] | None:
    """Return what ends the HTML that begins here, () for a blank line, None if it is none.

    A line that is nothing but some other tag begins HTML for CommonMark, too; here it is
    text, since an item under `<Name>` is still an item to the person who wrote it.
    """
    if text[0] != "<":
        return None
    for begin, marks in HTML_MARKS:
        if text.startswith(begin):
            return marks
    if text[1:2] == "!":
        return (">",) if text[2:3].isascii() and text[2:3].isalpha() else None
    return _tag_marks(text)


def _tag_marks(text: str) -> tuple[str, ...] | None:
    rest = text[1:].removeprefix("/")
    name = rest.split(" ", 1)[0].split(">", 1)[0].removesuffix("/").lower()
    after = rest[len(name) :]
    if name in RAW_TAGS and text[1] != "/" and after[:1] in ("", " ", ">"):
        return RAW_TAG_ENDS
    if f" {name} " in BLOCK_TAGS and (after[:1] in ("", " ", ">") or after[:2] == "/>"):
        return ()
    return None


def _has(line: str, marks: tuple[str, ...]) -> bool:
    line = line.lower()
    return any(mark.lower() in line for mark in marks)


# What an item's text must not begin with, since Markdown would read on instead of reading it.
# A backslash before one of these is not part of the text, as everywhere in Markdown.
ESCAPABLE = "#-+*>`~<[_=|\\"


def escape(text: str) -> str:
    """Write a text so that an item can begin with it and `unescape` gives it back."""
    at = _escape_at(text)
    escapable = ".)\\" if at else ESCAPABLE
    hidden = text[at : at + 1] == "\\" and text[at + 1 : at + 2] in tuple(escapable)
    return text[:at] + "\\" + text[at:] if hidden or _begins_block(text) else text


def unescape(text: str) -> str:
    """Take away the backslash that keeps the text of an item from beginning a block."""
    if "\\" not in text[:10]:
        return text
    at = _escape_at(text)
    escapable = ".)\\" if at else ESCAPABLE
    if text[at : at + 1] == "\\" and text[at + 1 : at + 2] in tuple(escapable):
        return text[:at] + text[at + 1 :]
    return text


def _escape_at(text: str) -> int:
    digits = count_digits(text[:10])
    return digits if digits < 10 else 0


def _begins_block(text: str) -> bool:
    mark = text[:1]
    if not mark or mark not in "#-+*>`~<[_" + DIGITS:
        return False
    if mark in CONTAINER_STARTS and (mark == ">" or _marker_end(text, 0, False)):
        return True
    if mark == "#":
        return text.lstrip("#")[:1] in ("", " ")
    return (
        text[:3] in ("```", "~~~")
        or (mark in "-*_" and not text.strip(mark + " "))  # with its bullet it may be a rule
        or _html_marks(text) is not None
        or (mark == "[" and "]:" in text)  # a link definition: never shown
    )
