"""Three-way choices: of two values and the one that both came from, and of lines as prose."""

from __future__ import annotations

from memory_core import weave
from memory_core.outline import PROSE, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from memory_core.outline import Key, Lines

    V = TypeVar("V")


def simple(base: V, ours: V, theirs: V) -> V | None:
    """Return what there is where at most one side has changed it, else None."""
    if ours in (theirs, base):
        return theirs
    return ours if theirs == base else None


def chosen(base: V | None, ours: V, theirs: V, choose: Callable[[V, V], V]) -> V:
    """Return what the one side made of it that changed it; `choose` where both did."""
    if ours in (theirs, base):
        return theirs
    return ours if theirs == base else choose(ours, theirs)


def larger(one: Any, other: Any) -> Any:
    return max(one, other)


def longer(one: Lines, other: Lines) -> Lines:
    return max(one, other, key=lambda lines: (len(lines), lines))


def front_matter(base: Lines, ours: Lines, theirs: Lines) -> Lines:
    """Merge front matter: what is between its first and its last line, as prose."""
    easy = simple(base, ours, theirs)
    if easy is not None:
        return easy
    old, one, other = (front or ("---", "---") for front in (base, ours, theirs))
    begin, end = (chosen(old[at], one[at], other[at], larger) for at in (0, -1))
    inner = merge(old[1:-1], one[1:-1], other[1:-1])
    return (begin, *inner, end) if inner else ()


def merge(base: Lines, ours: Lines, theirs: Lines) -> Lines:
    """Merge lines as prose is merged; code stays whole, and deeper lines below theirs."""
    easy = simple(base, ours, theirs)
    if easy is not None:
        return easy
    files = [_pieces(lines) for lines in (base, ours, theirs)]
    old, one, other = ({piece.key: piece for piece in each} for each in files)
    alive = {
        key: piece
        for key, piece in {**other, **one}.items()
        if (key in one and key in other) or key not in old
    }
    for key in set(alive).intersection(one, other):
        was, first, second = old.get(key), one[key], other[key]
        told = chosen(was.lines if was else None, first.lines, second.lines, larger)
        gap = chosen(was.gap if was else None, first.gap, second.gap, longer)
        alive[key].lines, alive[key].gap = told, gap

    def rank(key: Key, _anchor: object) -> tuple[str, Lines]:
        return alive[key].text, alive[key].lines

    def goes_on(chunk: list[Key], key: Key) -> bool:
        return _indent(alive[key]) > _indent(alive[chunk[0]])

    order = weave.weave(list(old) or None, list(one), list(other), set(alive), rank, goes_on)
    return tuple(line for key in order for line in (*alive[key].gap, *alive[key].lines))


def _indent(piece: Piece) -> int:
    return len(piece.lines[0]) - len(piece.lines[0].lstrip(" \t"))


def _pieces(lines: Lines) -> list[Piece]:
    """Cut lines into single ones and code; a name is its text, and its number among equals."""
    found: list[Piece] = []
    seen: dict[str, int] = {}
    gap: Lines = ()
    at = 0
    while at < len(lines):
        end = _code_end(lines, at)
        text = "\n".join(line.strip(" \t") for line in lines[at:end])
        if text:
            seen[text] = seen.get(text, 0) + 1
            found.append(Piece(PROSE, text, lines[at:end]))
            found[-1].key, found[-1].gap = (text, seen[text]), gap
        gap = () if text else (*gap, lines[at])
        at = end
    return found


def _code_end(lines: Lines, at: int) -> int:
    """Return the line behind the fenced code that begins here, else behind this line."""
    text = lines[at].strip(" \t")
    sign = text[:3]
    if sign not in ("```", "~~~"):
        return at + 1
    ends = (end for end in range(at + 1, len(lines)) if lines[end].strip(" \t").startswith(sign))
    return next(ends, at) + 1
