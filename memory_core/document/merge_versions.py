"""Merge two versions of a memory file, or of an archive or review file, into one text.

Items are a set for each section, so equal ones occur once.  A piece of the common ancestor is
removed if one version has removed it and the other version has not changed it.  All other pieces
stay.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from memory_core.document import markdown, preferences, template
from memory_core.document.block_reader import Heading, Item
from memory_core.text import markdown_lines, similarity

Lines = tuple[str, ...]
Key = tuple[str, ...]
Path = tuple[tuple[int, str, int], ...]  # of (rank, title, number) above a piece
Place = tuple[Path, Key, int]  # with a number for equal pieces below one heading


ITEM, PREFERENCE, ENTRY = LISTED = ("item", "preference", "entry")
TEXT, CODE, HEADING, HEADER, FRONT = ("text", "code", "heading", "header", "front")
BLANK = "blank"
# Keys of front matter that the program writes: both versions of a task memory have changed them.
TIME_KEYS = ("updated", "archived")
HEADER_COMMENTS = (template.LIMITS_COMMENT, markdown.UPDATED_COMMENT)


class Piece:
    """One piece: its lines and nested lines without line ends.

    Pieces of two versions with equal `place` are the same piece.  `rank` is that of a heading.
    """

    def __init__(
        self, kind: str, lines: Lines, text: str = "", nested: Lines = (), rank: int = 0
    ) -> None:
        self.kind = kind
        self.lines = lines
        self.text = text
        self.nested = nested
        self.rank = rank
        self.path: Path = ()
        self.number = 1
        words = similarity.normalize_text(text) if kind == ITEM else text
        self.key: Key = (kind, str(rank), *([words] if words else self.whole))

    def replace_lines(self, lines: Lines, nested: Lines) -> Piece:
        """Return the same piece with other lines."""
        piece = copy.copy(self)
        piece.lines, piece.nested = lines, nested
        return piece

    @property
    def place(self) -> Place:
        return self.path, self.key, self.number

    @property
    def whole(self) -> Lines:
        return (*self.lines, *self.nested)


def read_pieces(text: str, is_dated: bool = False) -> list[Piece]:
    """Split a text into pieces; `is_dated` for files in archive/.

    Code and comments that are never closed are closed, and items without any text are skipped.
    """
    pieces, counts = list(_read_memory(text)), Counter[tuple[Path, Key]]()
    path: Path = ()
    for at, piece in enumerate(pieces):
        if piece.kind == HEADING:
            parents = path if piece.rank > 2 else ()
            above = tuple(part for part in parents if part[0] < piece.rank)
            # Two sections with one title stay two, except the days of an archive.
            counts[above, piece.key] += not is_dated
            path = (*above, (piece.rank, piece.text, counts[above, piece.key]))
        if is_dated and piece.kind == ITEM:
            lines = tuple(line.rstrip() for line in piece.whole)
            pieces[at] = piece = Piece(ENTRY, lines, "\n".join(lines))
        piece.path = path
        if piece.kind != HEADING:
            counts[path, piece.key] += 1
            piece.number = counts[path, piece.key]
    return pieces


def _read_memory(text: str) -> Iterator[Piece]:
    document = markdown.parse_document(text)
    lines = tuple(line.rstrip("\r\n") for line in document.lines)
    at = markdown_lines.count_front_matter(document.lines)
    if at:
        yield Piece(FRONT, lines[:at], "front matter")
    headings = {heading.line: heading for heading in document.headings}
    items = {item.line: item for item in document.items}
    comments = {markdown.find_comment(document, name): name for name in HEADER_COMMENTS}
    code = set(document.verbatim)
    while at < len(lines):
        end = at + 1
        if at in headings:
            yield _read_heading(headings[at], lines[at], headings[at] is document.headings[0])
        elif at in items:
            item, end = items[at], items[at].end
            if "".join(lines[at:end]).strip("-+* \t"):
                yield _read_item(item, lines)
        elif at in comments:
            yield Piece(HEADER, lines[at:end], comments[at])
        elif at in code:
            is_comment = at in document.comments
            while (
                end in code
                and end not in document.comments
                and not (is_comment and "-->" in lines[end - 1])
            ):
                end += 1
            closing = [document.unclosed[one] for one in range(at, end) if one in document.unclosed]
            yield Piece(CODE, (*lines[at:end], *closing))
        else:
            text = lines[at].strip(" \t")
            yield Piece(TEXT if text else BLANK, lines[at:end], text)
        at = end


def _read_item(item: Item, lines: Lines) -> Piece:
    key = preferences.read_key(item.text) if preferences.is_title(item.section) else ""
    inner = item.text_end if item.text else item.end
    kind, text = (PREFERENCE, key) if key else (ITEM, item.text)
    return Piece(kind, lines[item.line : inner], text, lines[inner : item.end])


def _read_heading(heading: Heading, line: str, is_title: bool) -> Piece:
    if heading.rank == 1 and is_title:
        return Piece(HEADER, (line,), "title")
    title = markdown.normalize_title(markdown.split_title(heading.title)[0])
    return Piece(HEADING, (line,), title, rank=heading.rank)


# Return the pieces of base, ours and theirs in the order of the merged text, or ours and theirs,
# as without an order.
Order = Callable[[list[Piece], list[Piece], list[Piece]], list[list[Piece]]]


class MergedText(NamedTuple):
    """The merged text, and the parts that do not fit into it, such as a second title."""

    text: str
    left: list[str]


class VersionMerge:
    """Two versions of a file and their ancestor, while their pieces are put into groups.

    - base, ours, theirs: the pieces of each text by place
    - neighbours: the keys of all pairs of pieces that follow each other in one of the versions
    - staying: the keys of pieces that both versions have in one place, or that are new
    - left: the texts that do not fit into the groups
    - groups: the pieces below a heading by its path, which begin with the heading
    """

    def __init__(self, base: list[Piece], ours: list[Piece], theirs: list[Piece]) -> None:
        self.base, self.ours, self.theirs = (
            {piece.place: piece for piece in pieces} for pieces in (base, ours, theirs)
        )
        pairs = [pair for pieces in (ours, theirs) for pair in pairwise(pieces)]
        self.neighbours = {(above.key, piece.key) for above, piece in pairs}
        self.continued = {two.key for one, two in pairs if one.kind == two.kind == TEXT}
        both = self.ours.keys() & self.theirs.keys()
        new = (self.ours.keys() | self.theirs.keys()) - self.base.keys()
        self.staying = {place[1] for place in both | new}
        self.is_theirs_newer = bool(base) and _read_time(theirs) > _read_time(ours)
        self.left: list[str] = []
        self.groups: dict[Path, list[Piece]] = {}
        self.seen: set[Place] = set()

    def add_pieces(self, pieces: list[Piece]) -> None:
        """Put pieces into groups; of a place, the first piece counts."""
        path: Path | None = None
        is_adding = False
        for piece in pieces:
            if piece.kind == HEADING or piece.path != path:
                path, is_adding = piece.path, piece.path in self.groups
            group = self.groups.setdefault(path, [])
            kept = None if piece.place in self.seen else self._keep(piece.place)
            self.seen.add(piece.place)
            if kept and not is_adding:
                self._insert(group, len(group), kept)
            elif kept and kept.kind != BLANK:
                self._add(group, kept)

    def _keep(self, place: Place) -> Piece | None:
        """Return the piece to keep at a place, None if it is removed."""
        old, ours, theirs = (table.get(place) for table in (self.base, self.ours, self.theirs))
        if ours and theirs:
            return self._choose(old, ours, theirs)
        piece = ours or theirs
        if piece is None or piece.kind == HEADING:
            return piece
        if old and piece.whole == old.whole:
            keys = ({other[1] for other in table} for table in (self.ours, self.theirs))
            is_moved = all(piece.key in own for own in keys)
            return piece if is_moved and piece.key not in self.staying else None
        if theirs and self._stays_elsewhere(piece):
            self.left += ["\n".join(piece.whole)] if piece.kind == PREFERENCE else []
            return None
        return None if theirs and piece.text in HEADER_COMMENTS else piece

    def _stays_elsewhere(self, piece: Piece) -> bool:
        """Say whether our version has all of an item in another place, where it stays."""
        return any(
            place in self.theirs or place not in self.base
            for place, own in self.ours.items()
            if own.key == piece.key
            if own.kind == PREFERENCE or (own.kind == ITEM and piece.nested in ((), own.nested))
        )

    def _choose(self, old: Piece | None, ours: Piece, theirs: Piece) -> Piece:
        """Return one piece with the changes of both versions."""
        if ours.kind == HEADER and ours.text in HEADER_COMMENTS:
            return theirs if self.is_theirs_newer else ours
        if ours.whole == theirs.whole or (old and theirs.whole == old.whole):
            return ours
        if old and ours.whole == old.whole:
            return theirs
        if ours.kind == FRONT and self.base:
            before = old.lines[:-1] if old else ()
            lines = _merge_lines(before, ours.lines[:-1], theirs.lines[:-1])
            return ours.replace_lines((*_keep_latest_times(lines), ours.lines[-1]), ())
        if ours.kind in (FRONT, HEADER, PREFERENCE):
            if not _fold(theirs) <= _fold(ours):
                self.left.append("\n".join(theirs.whole))
            return ours
        lines = theirs.lines if old and ours.lines == old.lines else ours.lines
        nested = _merge_lines(old.nested if old else (), ours.nested, theirs.nested)
        return ours.replace_lines(lines, nested)

    def _add(self, group: list[Piece], piece: Piece) -> None:
        """Put a piece of a group that occurs again behind the group's like pieces."""
        listed = [at for at, other in enumerate(group, 1) if other.kind in LISTED]
        piece = _dedent(piece) if piece.kind in LISTED else piece
        at = len(group)
        if piece.kind in (FRONT, HEADER):
            at = len([other for other in group if other.kind == FRONT])
            if piece.kind == HEADER:
                group.insert(at, Piece(BLANK, ("",)))
        elif piece.kind in LISTED and listed:
            at = listed[-1]
        else:
            while at and group[at - 1].kind == BLANK:
                at -= 1
        self._insert(group, at, piece)

    def _insert(self, group: list[Piece], at: int, piece: Piece) -> None:
        """Insert a piece, and blank lines or an empty comment if the one above would take it."""
        gap: list[str] = []
        if at and self._needs_gap(group[at - 1], piece):
            # Without the comment, indented code would belong to an item above.
            is_indented = piece.kind == CODE and piece.lines[0][:1] in (" ", "\t")
            has_items = any(other.kind in LISTED for other in group[:at])
            gap = ["", markdown.EMPTY_COMMENT, ""] if is_indented and has_items else [""]
        group[at:at] = [*(Piece(BLANK, (line,)) for line in gap), piece]

    def _needs_gap(self, above: Piece, piece: Piece) -> bool:
        """Say whether a blank line belongs between two pieces."""
        kinds = (above.kind, piece.kind)
        if (above.key, piece.key) in self.neighbours or BLANK in kinds:
            return False
        if above.kind in (HEADING, *LISTED) and piece.kind in LISTED:
            return False
        return kinds != (TEXT, TEXT) or piece.key not in self.continued

    def render(self, is_dated: bool) -> list[str]:
        """Return the lines of the merged text."""
        above, lines = Piece(BLANK, ()), list[str]()
        for path in sorted(self.groups) if is_dated else self._sort_paths():
            pieces = self.groups[path]
            if path and self._is_removed(path, pieces, is_dated):
                continue
            if lines and pieces and self._needs_gap(above, pieces[0]):
                lines.append("")
            for piece in pieces:
                lines += piece.whole
                above = piece
        return lines

    def _sort_paths(self) -> list[Path]:
        """Return the paths, each followed by the deeper ones; those of no section come first."""
        paths = list(self.groups)
        order = {path: (path[-1][0] <= 2 if path else False, at) for at, path in enumerate(paths)}
        ends = {path: range(1, len(path) + 1) for path in paths}
        return sorted(paths, key=lambda path: [order[path[:end]] for end in ends[path]])

    def _is_removed(self, path: Path, pieces: list[Piece], is_dated: bool) -> bool:
        """Say whether one version removed a heading, and nothing is left below it."""
        place = pieces[0].place
        is_empty = all(piece.kind == BLANK for piece in pieces[1:])
        has_deeper = any(other != path and other[: len(path)] == path for other in self.groups)
        is_gone = place in self.base and not (place in self.ours and place in self.theirs)
        return is_empty and (is_gone or is_dated) and not has_deeper


def _read_time(pieces: Iterable[Piece]) -> str:
    comments = (piece for piece in pieces if piece.kind == HEADER)
    times = (piece.lines[0] for piece in comments if piece.text == markdown.UPDATED_COMMENT)
    return next(times, "")


def _merge_lines(base: Lines, ours: Lines, theirs: Lines) -> Lines:
    """Return our lines without those that they removed, then the lines that they added."""
    if ours == base:
        return theirs
    old, own, others = ({line.strip() for line in lines} for lines in (base, ours, theirs))
    stay = [line for line in ours if line.strip() in others or line.strip() not in old]
    added = [line for line in theirs if line.strip() not in own and line.strip() not in old]
    return (*stay, *added)


def _keep_latest_times(lines: Lines) -> Lines:
    """Return front matter with one line for each time of a task memory, the latest."""
    kept: dict[str, str] = {}
    for number, line in enumerate(lines):
        key = line.partition(":")[0]
        place = key if key in TIME_KEYS else str(number)
        kept[place] = max(line, kept.get(place, ""))
    return tuple(kept.values())


def _fold(piece: Piece) -> set[str]:
    """Return the lines of a piece for comparisons."""
    return {similarity.normalize_text(line.replace("*", "").lstrip("#-+ ")) for line in piece.whole}


def _dedent(piece: Piece) -> Piece:
    """Move an item to the left margin."""
    indent = len(piece.lines[0]) - len(piece.lines[0].lstrip(" \t"))
    lines, nested = (
        tuple(line[min(indent, len(line) - len(line.lstrip(" \t"))) :] for line in part)
        for part in (piece.lines, piece.nested)
    )
    return piece.replace_lines(lines, nested)


def merge_versions(
    base: str, ours: str, theirs: str, order: Order | None = None, is_dated: bool = False
) -> MergedText:
    """Merge two versions of a text and their common ancestor, which may be empty."""
    if ours == theirs or theirs == base:
        return MergedText(ours, [])
    if ours == base or not ours.strip():
        return MergedText(theirs, [])
    pieces, own, others = (read_pieces(text, is_dated) for text in (base, ours, theirs))
    merge = VersionMerge(pieces, own, others)
    for run in order(pieces, own, others) if order else (own, others):
        merge.add_pieces(run)
    lines = merge.render(is_dated)
    if lines == [line for piece in own for line in piece.whole]:
        return MergedText(ours, merge.left)
    return MergedText(_join_lines(lines, ours), merge.left)


def _join_lines(lines: list[str], ours: str) -> str:
    """Return the text of the lines, with the line ends of our version."""
    end = markdown_lines.find_line_end(ours)
    while lines and not lines[-1].strip() and ours.rstrip("\r\n") + end == ours:
        lines.pop()
    return end.join(lines) + (end if ours.endswith(("\n", "\r")) else "")


def merge_sides(text: str) -> MergedText:
    """Resolve the conflicts in a text: keep the lines of both sides, and equal items once.

    Lines between ||||||| and ======= are dropped, because neither side has them.  Markers in code
    are code.  Single markers are removed.
    """
    if not markdown.parse_document(text).markers:
        return MergedText(text, [])
    ours, theirs = (remove_markers("".join(_list_side(text, side))) for side in "<=")
    result = merge_versions("", ours, theirs)
    return MergedText(remove_markers(result.text), result.left)


def merge_documents(text: str, other: str) -> MergedText:
    """Add text that only the other document has, below the same headings.

    The title, the front matter and the values of preferences of the first text stay; different ones
    of the other text are returned as `left`.  Conflicts in either text are resolved.
    """
    first, second = merge_sides(text), merge_sides(other)
    result = merge_versions("", first.text, second.text)
    return MergedText(result.text, [*first.left, *second.left, *result.left])


def remove_markers(text: str) -> str:
    """Remove lines that are markers in one side only, because they were code in the other."""
    document = markdown.parse_document(text)
    while document.markers:
        lines = [line for at, line in enumerate(document.lines) if at not in document.markers]
        document = markdown.parse_document("".join(lines))
    return markdown.render_document(document)


def _list_side(text: str, side: str) -> Iterator[str]:
    """Yield the lines of one side: `<` for ours, `=` for theirs."""
    document = markdown.parse_document(text)
    signs = {at: document.lines[at][0] for at in document.markers}
    part = ""
    for at, line in enumerate(document.lines):
        if at in signs:
            part = signs.pop(at)
            if part == "|" and next(iter(signs.values()), "") != "=":
                part = "<"  # neither a base nor a separator: the lines are ours
        elif part in ("", ">", side):
            yield line
