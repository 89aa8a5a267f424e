"""Two documents as one: the sides of a git conflict, or two files of one agent."""

from __future__ import annotations

from memory_core import edits, markdown, merge, preferences, similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memory_core.markdown import Document, Heading, Item, Section
    from memory_core.similarity import Folded

    Path = tuple[str, ...]
    Signed = tuple[str, str]
    Spot = tuple[int, list[str], list[str]]  # a line, and what stands around a block there

PREFERENCES = (f"## {markdown.title_key(preferences.TITLE)}",)  # the path of that section

ANY = 1 << 30  # sections: so many as there are

# Conflicts in conflicts come of committing one, once or twice; what is deeper is not united.
NESTED = 8


class United:
    """Two texts as one, and what of them has no place in it: the other's front matter, say."""

    __slots__ = ("left", "text")

    def __init__(self, text: str, left: list[str]) -> None:
        self.text = text
        self.left = left


def of_sides(text: str, sections: int = ANY) -> United:
    """Resolve git's conflicts: what either side has stays, what both have stays once.

    What stood between ||||||| and ======= goes: neither side has it.  Markers in code are
    code; others are none in the text that comes of it, whole conflicts or not.
    """
    lines = markdown.split_lines(text)
    document = _read(_without_examples(lines, _read(lines).markers))
    markers = sorted([*document.markers, *_middles(document)])
    if not markers:
        return United(text, [])
    headings = [heading.line for heading in document.headings]
    done = _resolved(_signed(lines, markers, headings), sections, NESTED)
    done.text = _bare(done.text)
    if text.startswith(markdown.BOM):
        done.text = markdown.BOM + done.text.removeprefix(markdown.BOM)
    return done


def combine(text: str, other: str, sections: int = ANY) -> United:
    """Add to a document what only the other one has, each below its heading.

    A document has one title, one front matter and one header: they are the first's.  Where
    it has no title or front matter it takes the other's, else that of the other is left,
    as is what no line can hold; the comments of the header tell nothing and are dropped.
    Of a preference that has two values the one of the text with the newer header stays, the
    other's where that is not known, and what it was else is left.
    With so many `sections` one more becomes a deeper heading in Recent Learnings or, without
    that, in the last one.  Conflicts in either are resolved.
    """
    first, second = of_sides(text, sections), of_sides(other, sections)
    done = _joined(first.text, second.text, sections)
    done.left = [*first.left, *second.left, *done.left]
    return done


# The sides of a conflict.


def _read(lines: list[str]) -> Document:
    """Read the lines; a conflict in front matter makes text of it."""
    front = markdown.front_matter(lines)
    if any(_mark(line) in ("<", ">") for line in lines[:front]):
        lines = ["\n", *lines[1:]]
    return markdown.parse("".join(lines))


def _mark(line: str) -> str:
    """Return the sign of a line that looks like a marker, else nothing."""
    line = line.removeprefix(markdown.BOM).rstrip("\r\n")
    return line[0] if line[:7] in markdown.CONFLICT and line[7:8] in ("", " ") else ""


def _without_examples(lines: list[str], markers: list[int]) -> list[str]:
    """Blank the markers in code that shows whole conflicts, all in one part of a conflict."""
    lines = list(lines)
    seen, inside, at = set(markers), False, 0
    while at < len(lines):
        if at in seen:
            inside = _mark(lines[at]) != ">"
        end = _code_end(lines, at) if inside else at
        shown = [line for line in range(at, end) if _mark(lines[line])]
        signs = "".join(_mark(lines[line]) for line in shown)
        if signs and not signs.replace("|", "").replace("<=>", ""):
            for line in shown:
                lines[line] = " \n"
            at = end
        at += 1
    return lines


def _code_end(lines: list[str], at: int) -> int:
    """Return the line that ends the fenced code which begins here, or `at`."""
    line = lines[at].strip()
    info = line.lstrip(line[:1])
    fence = line[: len(line) - len(info)]
    if fence[:3] not in ("```", "~~~") or fence[0] in info:
        return at
    ends = (each for each in range(at + 1, len(lines)) if lines[each].lstrip().startswith(fence))
    return next((each for each in ends if not lines[each].strip().strip(fence[0])), at)


def _middles(document: Document) -> list[int]:
    """Find the ======= of conflicts that hold others: behind those, the reader expects none."""
    seen, code = set(document.markers), set(document.verbatim)
    found: list[int] = []
    waiting: list[list[int]] = []
    for at, line in enumerate(document.lines):
        mark = _mark(line)
        if at in seen and mark == "<":
            waiting.append([])
        elif at in seen and mark == ">" and waiting:
            found += waiting.pop()
        elif waiting and mark and mark in "|=" and at not in seen and at not in code:
            waiting[-1].append(at)
    return found


class _Conflict:
    """The lines of one conflict's markers, but for the last: `end` is that or a guess."""

    __slots__ = ("end", "marks")

    def __init__(self, line: int) -> None:
        self.marks = [line]
        self.end = -1


def _conflicts(lines: list[str], markers: list[int], headings: list[int]) -> list[_Conflict]:
    """Find the conflicts; one without an end is taken to go on to the next heading."""
    found: list[_Conflict] = []
    inside: list[_Conflict] = []
    for at in markers:
        if _mark(lines[at]) == "<":
            found.append(_Conflict(at))
            inside.append(found[-1])
        elif inside and _mark(lines[at]) == ">":
            inside.pop().end = at
        elif inside:
            inside[-1].marks.append(at)
    for conflict in reversed(inside):
        conflict.end = next(_breaks(conflict, found, headings), len(lines))
    return found


def _breaks(conflict: _Conflict, found: list[_Conflict], headings: list[int]) -> Iterator[int]:
    """Give the headings behind a conflict's markers that stand in no conflict in it."""
    begin = conflict.marks[-1]
    within = [each for each in found if each.marks[0] > begin]
    for at in headings:
        if at > begin and not any(each.marks[0] < at < each.end for each in within):
            yield at


def _signed(lines: list[str], markers: list[int], headings: list[int]) -> list[Signed]:
    """Return the lines with no sign, and for each marker of a conflict its sign with no line."""
    signs: dict[int, list[str]] = {at: [] for at in markers}
    for conflict in _conflicts(lines, markers, headings):
        marks = [_mark(lines[at]) for at in conflict.marks]
        for at, mark, following in zip(conflict.marks, marks, [*marks[1:], ""], strict=True):
            # What goes on to no ======= is no base.
            signs[at] = [mark] if mark != "|" or following == "=" else []
        signs.setdefault(conflict.end, []).append(">")
    signed: list[Signed] = []
    gone = set(markers)
    for at, line in enumerate([*lines, ""]):
        signed += [("", sign) for sign in signs.get(at, ())]
        signed += [(line, "")] if at not in gone else []
    return signed


def _resolved(signed: list[Signed], sections: int, nested: int) -> United:
    """Unite the sides of each conflict, and before that those of the conflicts in a side."""
    if not nested or not any(sign for _line, sign in signed):
        return United(_bare("".join(line for line, _sign in signed)), [])
    first, second = (
        _resolved(list(_side(signed, side)), sections, nested - 1) for side in ("<", "=")
    )
    done = _joined(first.text, second.text, sections)
    done.left = [*first.left, *second.left, *done.left]
    return done


def _side(signed: list[Signed], side: str) -> Iterator[Signed]:
    """Give what one side has: ours stands behind <<<<<<<, theirs behind =======."""
    depth, part = 0, ">"
    for line, sign in signed:
        depth += sign == "<"
        if sign and depth == 1:
            part = sign
        elif part in (">", side):
            yield line, sign
        depth -= sign == ">"


def _bare(text: str) -> str:
    """Take out what is a marker in one side's text only, since it was code in the other's."""
    lines = markdown.split_lines(text)
    while gone := set(_read(lines).markers):
        lines = [line for at, line in enumerate(lines) if at not in gone]
    return "".join(lines)


# The parts of a document.


class _Part:
    """A heading with what is below it up to the next; the first has none, or is the title's.

    `path` tells it from others, `[begin, end)` is its own, up to `whole` go deeper headings.
    """

    __slots__ = ("begin", "end", "heading", "path", "whole")

    def __init__(self, path: Path, heading: Heading | None, begin: int, end: int) -> None:
        self.path = path
        self.heading = heading
        self.begin = begin
        self.end = end
        self.whole = end

    def items(self, document: Document) -> list[Item]:
        return [item for item in document.items if self.begin <= item.line < self.end]

    def section(self, document: Document) -> Section:
        """Return the part as what an item can be inserted into."""
        heading = self.heading or markdown.Heading(self.begin - 1, self.begin, 1, "")
        section = markdown.Section(heading, self.end)
        section.items = self.items(document)
        return section


def _parts(document: Document) -> list[_Part]:
    title = _title(document)
    begin = title.body if title else markdown.front_matter(document.lines)
    headings = document.headings[1:] if title else document.headings
    ends = [*(heading.line for heading in headings), len(document.lines)]
    parts = [_Part((), None, begin, ends[0])]
    for heading, end in zip(headings, ends[1:], strict=True):
        parts.append(_Part(_path(parts, heading), heading, heading.body, end))
    for at, part in enumerate(parts):
        deeper = (each for each in parts[at + 1 :] if _level(each) <= max(_level(part), 2))
        part.whole = next((each.heading.line for each in deeper if each.heading), ends[-1])
    return parts


def _title(document: Document) -> Heading | None:
    """Return the document's title: its first heading, of level 1."""
    return next((each for each in document.headings[:1] if each.level == 1), None)


def _level(part: _Part) -> int:
    return part.heading.level if part.heading else 0


def _path(above: list[_Part], heading: Heading) -> Path:
    """Return what tells a heading: a section by its title, a deeper one by its parents', too."""
    title = markdown.split_title(heading.title)[0]
    name = (f"{'#' * heading.level} {markdown.title_key(title)}",)
    if heading.level <= 2:
        return name
    parent = next(each for each in reversed(above) if _level(each) < heading.level)
    return parent.path + name


def _pieces(source: Document, part: _Part) -> Iterator[tuple[list[str], Item | None]]:
    """Cut a part into its items and the runs of other lines, each without line ends."""
    run: list[str] = []
    for lines, item in [*_steps(source, part), ([], None)]:
        if item or not lines:
            while run and not run[-1].strip():
                run.pop()
            if run:
                yield run, None
                run = []
        if item:
            yield _flush(lines), item
        else:
            run += lines


def _steps(source: Document, part: _Part) -> Iterator[tuple[list[str], Item | None]]:
    """Give the items of a part, and its other lines one by one; no line where a run ends."""
    items = {item.line: item for item in source.items}
    skipped, verbatim = _skipped(source), set(source.verbatim)
    at = part.begin if part.path else markdown.front_matter(source.lines)
    while at < part.end:
        item = items.get(at)
        end = item.end if item else at + 1
        lines = [line.rstrip("\r\n") for line in source.lines[at:end]]
        stops = at in skipped or (at not in verbatim and not lines[0].strip())
        yield [] if stops and not item else lines, item
        at = end


def _skipped(source: Document) -> set[int]:
    """Return the lines of the title and of the header's comments."""
    title = _title(source)
    lines = set(range(title.line, title.body)) if title else set()
    keys = (merge.LIMITS_COMMENT, merge.UPDATED_COMMENT)
    comments = (edits.comment_line(source, key) for key in keys)
    return lines | {at for at in comments if at is not None}


def _flush(block: list[str]) -> list[str]:
    """Move an item to the left, as far as its bullet is from there."""
    indent = len(block[0]) - len(block[0].lstrip(" "))
    return [line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in block]


# Where a block may go, best first.


def _spots(document: Document, part: _Part) -> Iterator[Spot]:
    """Behind all that a part holds, else in front of it, else where the file ends or begins.

    An empty comment parts a block from a list or another comment that would take it in.
    """
    yield from _behind(document, part.begin, part.end)
    yield part.begin, [], [""]
    yield from _behind(document, 0, len(document.lines))
    yield markdown.front_matter(document.lines), [], [""]


def _behind(document: Document, begin: int, end: int) -> Iterator[Spot]:
    end = _last(document, begin, end)
    above, below = [""] if end else [], [""] if _is_text(document, end) else []
    yield end, above, below
    yield end, [*above, markdown.APART, ""], below


def _item_spots(document: Document, part: _Part) -> Iterator[Spot]:
    """Behind the last item of a part, or directly below its heading."""
    items = part.items(document)
    if items:
        # A list with blank lines between its items is continued with one.
        loose = len(items) > 1 and not _is_text(document, items[-1].line - 1)
        yield items[-1].end, [""] * loose, []
    elif part.path and _last(document, part.begin, part.end) == part.begin:
        yield part.begin, [], [""] if _is_text(document, part.begin) else []


def _last(document: Document, begin: int, end: int) -> int:
    """Return the line behind the last one between the two that is not blank."""
    while end > begin and not _is_text(document, end - 1):
        end -= 1
    return end


def _is_text(document: Document, at: int) -> bool:
    return at < len(document.lines) and bool(document.lines[at].strip(" \t\r\n"))


# One document takes in another.


def _joined(text: str, other: str, sections: int) -> United:
    """Do what `combine` does with texts that have no conflict."""
    if not text.strip(f"{markdown.BOM} \t\r\n"):
        return United(other, [])
    other = other.removeprefix(markdown.BOM)
    before = _closed(markdown.parse(text))
    joining = _Joining(before, sections)
    joining.take(_closed(markdown.parse(other)))
    if joining.document is not before:
        text = markdown.render(joining.document)
    text, left = _with_front_matter(text, other)
    return United(text, [*left, *joining.left])


def _closed(document: Document) -> Document:
    """End the code in which a cut-off file ends, so that something can stand behind it."""
    end = len(document.lines)
    for mark in "`~" if _is_open(document) else "":
        stripped = [line.removeprefix(markdown.BOM).lstrip(" ") for line in document.lines]
        longest = max(len(line) - len(line.lstrip(mark)) for line in stripped)
        after = edits.insert_lines(document, end, [mark * max(longest, 3)])
        if after is not None and not _is_open(after):
            return after
    return document


def _is_open(document: Document) -> bool:
    return edits.insert_lines(document, len(document.lines), ["", "# any"]) is None


def _with_front_matter(text: str, other: str) -> tuple[str, list[str]]:
    """Give a document the other's front matter; return what it has no place for."""
    lines, others = markdown.split_lines(text), markdown.split_lines(other)
    own, new = (
        [line.removeprefix(markdown.BOM).rstrip() for line in each[: markdown.front_matter(each)]]
        for each in (lines, others)
    )
    if not any(new[1:-1]) or own == new:
        return text, []
    if own:
        return text, ["\n".join(new)]
    mark = markdown.BOM if text.startswith(markdown.BOM) else ""
    close = lines[0][len(lines[0].rstrip("\r\n")) :] or "\n"
    return mark + "".join(line + close for line in new) + text.removeprefix(mark), []


class _Joining:
    """A document while it takes in another one.

    `homes` says where what stands below a heading of the other one goes; `said` what an
    item's text stands for, that was said in other words.  Of what it takes in, `is_older` says
    that it was written before this, and `counting` which of its preferences count.
    """

    __slots__ = (
        *("counting", "document", "homes", "is_older", "left", "read", "said", "sections"),
    )

    def __init__(self, document: Document, sections: int) -> None:
        self.document = document
        self.sections = sections
        self.homes: dict[Path, Path] = {(): ()}
        self.left: list[str] = []
        self.read: dict[str, Folded] = {}
        self.said: dict[str, list[str]] = {}
        self.is_older = False
        self.counting: set[int] = set()  # their lines

    def take(self, source: Document) -> None:
        own, other = merge.updated(self.document), merge.updated(source)
        self.is_older = "" < other < own
        self.counting = {each.line for each in preferences.counting(source)}
        self._take_title(source)
        for part in _parts(source):
            if part.heading:
                self._take_heading(source, part, part.heading)
            for block, item in _pieces(source, part):
                if item and part.path[:1] == PREFERENCES:
                    is_there = self._has_preference(block, item)
                else:
                    is_there = self._has(block, item)
                if not is_there and not self._add(self._home(part), block, item):
                    self.left.append("\n".join(block))

    def _put(self, block: list[str], spots: Iterable[Spot]) -> bool:
        """Put a block where all is read as before, and it as on its own."""
        for at, above, below in spots:
            after = edits.insert_lines(self.document, at, [*above, *block, *below])
            if after is not None and not after.markers:
                self.document = after
                return True
        return False

    def _part(self, path: Path) -> _Part | None:
        return next((part for part in _parts(self.document) if part.path == path), None)

    def _below(self, path: Path) -> _Part | None:
        """Find a heading somewhere below its parent."""
        above, name, parts = path[:-1], path[-1], _parts(self.document)
        found = (part for part in parts if part.path[-1:] == (name,))
        return next((part for part in found if part.path[: len(above)] == above), None)

    def _home(self, part: _Part) -> _Part:
        return self._part(self.homes[part.path]) or _parts(self.document)[0]

    # Headings.

    def _take_title(self, source: Document) -> None:
        title = _title(source)
        tops = [each for each in self.document.headings if each.level == 1]
        if title is None or _key(title) in map(_key, tops):
            return
        lines = _written(source, title)
        front = markdown.front_matter(self.document.lines)
        if _title(self.document) or not self._put(lines, [(front, [], [""])]):
            self.left.append("\n".join(lines))

    def _take_heading(self, source: Document, part: _Part, heading: Heading) -> None:
        """Find the heading or add it; what is below it has its home there."""
        path, lines = self._wanted(source, part, heading)
        known = self._part(path) or self._below(path)
        self.homes[part.path] = known.path if known else self._with_heading(path, lines, heading)

    def _wanted(self, source: Document, part: _Part, heading: Heading) -> tuple[Path, list[str]]:
        """Return path and lines of a heading; without room for a section, one level deeper."""
        above = self.homes[part.path[:-1]] if heading.level > 2 else ()
        level = heading.level
        if level == 2 and not self._part(part.path) and self._has_no_room(part.path):
            above, level = self._last_resort(), 3
        elif level > 2 and above:
            level += _signs(above) - _signs(part.path[:-1])
        if level == heading.level:
            return above + part.path[-1:], _written(source, heading)
        marks, title = "#" * min(level, 6), markdown.split_title(heading.title)[0]
        return (*above, f"{marks} {markdown.title_key(title)}"), [f"{marks} {title}"]

    def _has_no_room(self, path: Path) -> bool:
        return path != PREFERENCES and merge.is_full(self.document, self.sections)

    def _last_resort(self) -> Path:
        section = merge.last_resort(self.document)
        return (f"## {markdown.title_key(section.title)}",) if section else ()

    def _with_heading(self, path: Path, lines: list[str], heading: Heading) -> Path:
        """Add a heading below its parent, or a section among the others; return its path."""
        before = [part.path for part in _parts(self.document)]
        spots = list(_behind(self.document, 0, len(self.document.lines)))
        parent = self._part(path[:-1]) if _signs(path) > 2 else None
        if parent:
            spots = [*_behind(self.document, parent.begin, parent.whole), *spots]
        is_section = _signs(path) == 2 and self._add_section(heading)
        if not is_section and not self._put(lines, spots):
            self.left.append("\n".join(lines))
            return path[:-1]
        after = [part.path for part in _parts(self.document)]
        return next(each for at, each in enumerate(after) if before[at : at + 1] != [each])

    def _add_section(self, heading: Heading) -> bool:
        title, suffix = markdown.split_title(heading.title)
        order = merge.order(self.document, title)
        try:
            after = edits.add_section(self.document, title, suffix, order)
        except ValueError:
            return False
        if not after.markers:
            self.document = after
        return not after.markers

    # Blocks.

    def _has(self, block: list[str], item: Item | None) -> bool:
        """Say whether a block stands there; of an item in other words, the better ones stay."""
        if item is None:
            return _holds(self.document.lines, block)
        wished = preferences.items(self.document)
        lines = {each.line for each in wished}
        learned = [each for each in self.document.items if each.line not in lines]
        twin = self._twin(block, item, learned)
        if twin is not None:
            return self._agreed(twin, block, item)
        twin = self._twin(block, item, wished)
        return twin is not None and similarity.better(twin.text, item.text) == twin.text

    def _has_preference(self, block: list[str], item: Item) -> bool:
        """Say whether a preference needs no line of its own: of one key there is one value."""
        key, value = preferences.pair(item.text)
        if not key:
            other = self._twin(block, item, preferences.items(self.document))
            return other is not None and self._agreed(other, block, item)
        twin = preferences.find(self.document, key)
        if item.line not in self.counting:
            self._leave(block)
        elif twin is None:
            return False
        elif value != preferences.pair(twin.text)[1] or item.end > item.text_end:
            self._take_value(twin, block, item)
        return True

    def _take_value(self, twin: Item, block: list[str], item: Item) -> None:
        """Give a preference the other one's value, if that is the later; the older is left."""
        is_plain = twin.end == twin.text_end
        old = [line.rstrip("\r\n") for line in self.document.lines[twin.line : twin.end]]
        lines = block if is_plain else block[: item.text_end - item.line]
        if not self.is_older and self._replaced(twin, lines, item):
            self._leave(old)
        self._leave(block)

    def _leave(self, block: list[str]) -> None:
        if not _holds(self.document.lines, block):
            self.left.append("\n".join(block))

    def _twin(self, block: list[str], item: Item, among: list[Item]) -> Item | None:
        """Find the item that says the same and, where something is nested, holds all of it."""
        if item.end == item.text_end and item.text:
            return merge.twin_among(among, item.text, self.read)
        nested = block[item.text_end - item.line :] if item.text else block
        fold = similarity.fold(item.text)
        lines = self.document.lines
        found = [each for each in among if _holds(lines[each.line : each.end], nested)]
        found.sort(key=lambda each: similarity.fold(each.text) != fold)
        return next((each for each in found if similarity.same(item.text, each.text)), None)

    def _agreed(self, twin: Item, block: list[str], item: Item) -> bool:
        """Have the better text of two that say the same, if it says all that they stand for."""
        meant = [*self.said.get(twin.text, ()), item.text]
        if similarity.better(twin.text, item.text) == twin.text:
            self.said[twin.text] = meant
            return True
        if not all(similarity.same(item.text, each) for each in meant):
            return False
        self.said[item.text] = [*meant, twin.text]
        return self._replaced(twin, block[: item.text_end - item.line], item)

    def _replaced(self, twin: Item, block: list[str], item: Item) -> bool:
        after = None
        if len(block) == 1:
            try:
                after = edits.replace_item(self.document, twin, item.text)
            except ValueError:
                return False
        elif twin.end == twin.text_end:  # what is written on several lines stays so
            gone = edits.remove_item(self.document, twin)
            after = edits.insert_lines(gone, twin.line, block)
        if after is not None:
            self.document = after
        return after is not None

    def _add(self, part: _Part, block: list[str], item: Item | None) -> bool:
        """Add a block to a part: an item to its list, in the style of that."""
        if item is None:
            return self._put(block, _spots(self.document, part))
        if self._is_in_style(part, block) and self._put(block, _item_spots(self.document, part)):
            return True
        if len(block) == 1 and item.text and self._insert_item(part, item.text):
            return True
        return self._put(block, [*_item_spots(self.document, part), *_spots(self.document, part)])

    def _is_in_style(self, part: _Part, block: list[str]) -> bool:
        """Say whether an item can stand as it is written; numbers count on."""
        items = part.items(self.document)
        bullet = self.document.lines[items[-1].line].strip()[:1] if items else markdown.BULLET[0]
        return len(block) > 1 or (block[0][:1] == bullet and bullet not in markdown.DIGITS)

    def _insert_item(self, part: _Part, text: str) -> bool:
        section = part.section(self.document)
        if not part.path and not section.items:
            return False
        try:
            self.document = edits.insert_item(self.document, section, text)
        except ValueError:
            return False
        return True


def _signs(path: Path) -> int:
    return len(path[-1]) - len(path[-1].lstrip("#"))


def _key(heading: Heading) -> str:
    return markdown.title_key(heading.title)


def _written(document: Document, heading: Heading) -> list[str]:
    """Return the lines of a heading, without line ends."""
    return [line.rstrip("\r\n") for line in document.lines[heading.line : heading.body]]


def _holds(lines: list[str], block: list[str]) -> bool:
    """Say whether lines hold others one behind the other, with any blanks around each."""
    whole = "\n".join(["", *(line.removeprefix(markdown.BOM).strip() for line in lines), ""])
    return "\n".join(["", *(line.strip() for line in block), ""]) in whole
