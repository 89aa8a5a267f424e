"""Two versions of a memory file and what both came from: one file, without a conflict.

An item, a heading or a line of prose is there if one version has brought it, or if none has
taken it out; what was edited is taken out in its old words and brought in its new ones.  So
the result does not depend on whose version is whose, nor on which two of several are merged
first.
"""

from __future__ import annotations

from memory_core import aside, choice, markdown, outline, past, similarity, union, weave
from memory_core.merge import ORDER
from memory_core.outline import (
    HEADER,
    ITEM,
    LIMITS,
    LISTED,
    PAIR,
    PROSE,
    UPDATED,
    Outline,
    Part,
    Piece,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeVar

    from memory_core.outline import Key, Lines, Path

    V = TypeVar("V")

# What goes between pieces that would be read as one: tried in turn.
APART: tuple[Lines, ...] = ((), ("",), ("", markdown.APART, ""))

# A line of prose that ends or begins so is whole; any other one stays with its neighbours.
ENDS = (".", "!", "?", ":", ";", "|")
STARTS = ("- ", "* ", "+ ", ">", "|", *markdown.DIGITS)


def merge(base: str, ours: str, theirs: str, is_aside: bool = False) -> str:
    """Merge what two versions of a file made of `base`; the same whichever is whose.

    Of a memory, or with `is_aside` of a file in archive/ or quarantine/; an empty base where
    there is none.  Conflicts that stand in one of them are resolved first.
    """
    base, ours, theirs = (_clean(text) for text in (base, ours, theirs))
    simple = choice.simple(base, ours, theirs)
    if simple is not None:
        return simple
    files = [outline.read(text, is_aside) for text in (base, ours, theirs)]
    outline.name(files)
    merged = _Merge(files, is_aside).result
    for apart in APART:
        text = outline.render(merged, apart)
        if _is_as_meant(text, merged, is_aside):
            return text
    # Broken Markdown of one side that would take in what the other one has brought.
    return _united(min(ours, theirs), max(ours, theirs), is_aside)


def _clean(text: str) -> str:
    return union.of_sides(text).text


def _united(text: str, other: str, is_aside: bool) -> str:
    """Return all that is in two texts, whatever was taken out."""
    if not is_aside:
        return _clean(union.combine(text, other).text)
    for entry in aside.entries(other):
        text = aside.added(text, [entry.text], entry.day)
    return text


def _is_as_meant(text: str, merged: Outline, is_aside: bool) -> bool:
    if markdown.parse(text).markers:
        return False
    return outline.shape(outline.read(text, is_aside)) == outline.shape(merged)


def _line_end(one: str, other: str) -> str:
    return max(one, other, key=("", "\r", "\r\n", "\n").index)


class _Merge:
    """Three outlines, base first, while a fourth comes of them.

    A class since each decision needs all three, and what was edited into what.
    """

    def __init__(self, files: list[Outline], is_aside: bool) -> None:
        self.files = files
        self.is_aside = is_aside
        self.base, *self.sides = [{piece.key: piece for piece in each.pieces()} for each in files]
        self.was = [_edited(self.base, side) for side in self.sides]
        self.alive: dict[Key, Piece] = {}
        for key in {**self.sides[0], **self.sides[1]}:
            piece = self._piece(key)
            if piece:
                self.alive[key] = piece
        _join(self.alive, *(self._only(side) for side in (0, 1)))
        self.beside: dict[Key, Key] = {}  # what both have edited stands together
        self.heirs = self._heirs()
        self.result = self._whole()
        self._fill(())

    def _only(self, side: int) -> list[Piece]:
        """Return the items that only one side has."""
        other = self.sides[1 - side]
        return [
            piece
            for key, piece in self.alive.items()
            if key in self.sides[side] and key not in other and piece.kind == ITEM and piece.text
        ]

    # What becomes of a piece.

    def _piece(self, key: Key) -> Piece | None:
        ours, theirs = (side.get(key) for side in self.sides)
        if ours and theirs:
            return self._of_both(ours, theirs)
        side = 0 if ours else 1
        own = self.sides[side][key]
        old = self.base.get(key)
        if old is None:
            return self._brought(own, side)
        is_edited = key in self.was[1 - side].values()
        return own.copy() if _is_changed(old, own) and not is_edited else None

    def _of_both(self, ours: Piece, theirs: Piece) -> Piece:
        old = self.base.get(ours.key) or self._before(ours.key)
        piece = self._better(old, ours, theirs).copy()
        piece.gap = choice.chosen(old.gap if old else None, ours.gap, theirs.gap, choice.longer)
        piece.below = _below(old, ours, theirs)
        piece.home = choice.chosen(old.home if old else None, ours.home, theirs.home, choice.larger)
        piece.nested = choice.merge(old.nested if old else (), ours.nested, theirs.nested)
        return piece

    def _before(self, key: Key) -> Piece | None:
        """Return what both sides have edited into the same words."""
        was = [side.get(key) for side in self.was]
        return self.base[was[0]] if was[0] and was[0] == was[1] else None

    def _better(self, old: Piece | None, ours: Piece, theirs: Piece) -> Piece:
        """Return whose lines count."""
        if ours.key in (LIMITS, UPDATED):
            return ours if self._head(1) >= self._head(2) else theirs
        lines = choice.chosen(old.lines if old else None, ours.lines, theirs.lines, choice.larger)
        if lines in (ours.lines, theirs.lines) and ours.kind in (HEADER, PAIR):
            lines = self._newer(old.lines if old else None, ours.lines, theirs.lines)
        return ours if lines == ours.lines else theirs

    def _head(self, file: int) -> tuple[str, Lines, Lines]:
        found = self.sides[file - 1]
        lines = [found[key].lines if key in found else () for key in (UPDATED, LIMITS)]
        return self.files[file].stamp, lines[0], lines[1]

    def _newer(self, base: Lines | None, ours: Lines, theirs: Lines) -> Lines:
        """Return what one side has changed; where both did, that of the later header."""
        stamps = [each.stamp for each in self.files[1:]]
        later = max((stamps[0], ours), (stamps[1], theirs))[1]
        return choice.chosen(base, ours, theirs, lambda _ours, _theirs: later)

    def _brought(self, own: Piece, side: int) -> Piece:
        """Return what only one side has, with what the other did to it in its old words."""
        piece = own.copy()
        old = self.base.get(self.was[side].get(own.key, ()))
        other = self.sides[1 - side].get(old.key) if old else None
        if old and other:
            piece.nested = choice.merge(old.nested, own.nested, other.nested)
            piece.home = choice.chosen(old.home, own.home, other.home, choice.larger)
        return piece

    # Where it stands.

    def _whole(self) -> Outline:
        base, ours, theirs = self.files
        result = Outline("")
        result.bom = choice.chosen(base.bom, ours.bom, theirs.bom, choice.larger)
        result.ends = choice.chosen(base.ends, ours.ends, theirs.ends, choice.larger)
        result.eol = choice.chosen(base.eol, ours.eol, theirs.eol, _line_end)
        result.tail = choice.chosen(base.tail, ours.tail, theirs.tail, choice.longer)
        result.front = choice.front_matter(*(each.front for each in self.files))
        return result

    def _fill(self, path: Path) -> bool:
        """Put the part of that path into the result; say whether anything of it is left."""
        parts = [each.parts.get(path) for each in self.files]
        self.result.parts[path] = part = self._heading(path, parts)
        inner = {each for found in parts if found for each in found.inner}
        left = {each for each in inner if self._fill(each)}
        part.inner = self._woven(
            [found.inner if found else [] for found in parts], left, _section_rank
        )
        beside = set(self.beside.values())
        here = {key for key, each in self.alive.items() if each.home == path} - beside
        order = self._woven([self._names(found) for found in parts], here, self._rank)
        part.pieces = [self.alive[key] for key in self._with_others(order)]
        is_there = bool(part.pieces or part.inner) or (not self.is_aside and _is_there(parts))
        if not is_there:
            del self.result.parts[path]
        return is_there

    def _names(self, part: Part | None) -> list[Key]:
        """Return the keys of a part's pieces; what one side has edited stands where it stood."""
        names = [piece.key for piece in part.pieces] if part else []
        return [self.heirs.get(key, key) for key in names]

    def _with_others(self, keys: list[Key]) -> Iterator[Key]:
        for key in keys:
            yield key
            if key in self.beside:
                yield self.beside[key]

    def _heirs(self) -> dict[Key, Key]:
        """Tell of the old words of what was edited the new ones; of those of both sides, one."""
        found: dict[Key, Key] = {}
        for side in (0, 1):
            other = self.sides[1 - side]
            new_of = self.was[side].items()
            found |= {old: new for new, old in new_of if old in other and new in self.alive}
        both = [{old: new for new, old in was.items() if new in self.alive} for was in self.was]
        for old in both[0].keys() & both[1].keys():
            one, other_one = sorted((both[0][old], both[1][old]), key=self._order)
            if one != other_one and self.alive[one].home == self.alive[other_one].home:
                found[old] = found[other_one] = one
                self.beside[one] = other_one
        return found

    def _order(self, key: Key) -> tuple[Any, ...]:
        return self._rank(key, None)

    def _heading(self, path: Path, parts: list[Part | None]) -> Part:
        base, ours, theirs = parts
        if not (ours and theirs):
            one = ours or theirs
            part = Part(path, one.heading, one.title, one.gap) if one else Part(path)
            part.below = one.below if one else None
            return part
        lines = self._newer(base.heading if base else None, ours.heading, theirs.heading)
        gap = choice.chosen(base.gap if base else None, ours.gap, theirs.gap, choice.longer)
        part = Part(path, lines, (ours if lines == ours.heading else theirs).title, gap)
        part.below = _below(base, ours, theirs)
        return part

    def _woven(self, names: list[list[Any]], alive: set[Any], rank: weave.Rank) -> list[Any]:
        base, ours, theirs = names
        is_new = not self.base  # then what both have is taken to be old
        return weave.weave(None if is_new else base, ours, theirs, alive, rank, self._goes_on)

    def _rank(self, key: Key, anchor: Key | None) -> tuple[Any, ...]:
        """Sort what is like the anchor before what is not: items behind items."""
        piece, above = self.alive[key], self.alive.get(anchor or ())
        is_apart = (piece.kind in LISTED) != (above is not None and above.kind in LISTED)
        number = key[1] if piece.kind == HEADER else 9
        return number, is_apart, piece.words, piece.lines, piece.nested

    def _goes_on(self, chunk: list[Any], name: Any) -> bool:
        """Say whether a line of prose belongs to the ones above it."""
        pieces = [self.alive.get(key) for key in (chunk[-1], name)]
        above, below = pieces
        if above is None or below is None or {above.kind, below.kind} != {PROSE}:
            return False
        return not (below.gap or above.text.endswith(ENDS) or below.text.startswith(STARTS))


def _below(base: Piece | Part | None, ours: Piece | Part, theirs: Piece | Part) -> Lines | None:
    """Merge what is above the lists below two pieces; None where no list is."""
    if ours.below is None or theirs.below is None:
        return theirs.below if ours.below is None else ours.below
    return choice.chosen(base.below if base else None, ours.below, theirs.below, choice.longer)


def _section_rank(path: Any, _anchor: object) -> tuple[int, Path]:
    """Sort sections as new files have them, and a person's own behind."""
    titles = [markdown.title_key(title) for title in ORDER]
    title = path[-1][1]
    return (titles.index(title) if title in titles else len(titles)), path


def _is_there(parts: list[Part | None]) -> bool:
    base, ours, theirs = parts
    return bool(ours and theirs) if base else bool(ours or theirs)


def _is_changed(old: Piece, new: Piece) -> bool:
    by_lines = new.kind in (HEADER, PAIR)
    said = new.lines != old.lines if by_lines else new.kind == ITEM and new.text != old.text
    return said or new.nested != old.nested


def _edited(base: Mapping[Key, Piece], side: Mapping[Key, Piece]) -> dict[Key, Key]:
    """Tell of each item that is new on a side which one that is gone it was."""
    fresh, gone = (
        [piece for key, piece in one.items() if key not in other and piece.kind == ITEM]
        for one, other in ((side, base), (base, side))
    )
    if len(fresh) * len(gone) > past.PAIRS:
        return {}
    old = [(similarity.words(piece.text), piece) for piece in gone]
    pairs = []
    for piece in fresh:
        words = similarity.words(piece.text)
        likely = ((similarity.likeness(words, others), each) for others, each in old)
        pairs += [(share, piece.key, each.key) for share, each in likely if share >= past.LIKENESS]
    was: dict[Key, Key] = {}
    for _share, new, key in sorted(pairs, key=lambda pair: (-pair[0], repr(pair[1:]))):
        if new not in was and key not in was.values():
            was[new] = key
    return was


# Near-duplicates.


def _is_alike(one: similarity.Folded, other: similarity.Folded) -> bool:
    """Compare as fast as can be: for more items than any memory of ours may have."""
    return one.fold == other.fold


def _join(alive: dict[Key, Piece], ours: list[Piece], theirs: list[Piece]) -> None:
    """Of what both sides have brought in other words, let the better ones stay."""
    if not ours or not theirs:
        return
    mine = {piece.key for piece in ours}
    read = [(similarity.Folded(piece.text), piece) for piece in [*ours, *theirs]]
    # The order is that of `similarity.better`; of equals one that needs no side to be told.
    read.sort(key=lambda pair: (-len(pair[0].tokens), pair[0].fold, repr(pair[1].key)))
    kept: list[tuple[similarity.Folded, Piece]] = []
    is_same = similarity.same_folded if len(ours) * len(theirs) <= past.PAIRS else _is_alike
    for one, piece in read:
        others = (pair for pair in kept if (pair[1].key in mine) != (piece.key in mine))
        twin = next((each for other, each in others if is_same(one, other)), None)
        if twin is None:
            kept.append((one, piece))
        else:
            twin.nested = choice.merge((), twin.nested, piece.nested)
            del alive[piece.key]
