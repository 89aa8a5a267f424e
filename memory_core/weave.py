"""Two lists that came from one: the order of what is in the list that comes of them.

What all three have keeps its order: that of the side that changed it.  What a side has
brought stands behind the same of these as it did there.  Where both have brought something
to one place, the smaller head goes first, again and again: so each side's own order stays,
and several lists come to the same whichever two are woven first.  For that, a side's run of
new names is cut where the other side has taken something out of it, or has brought the same.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    Name = tuple[object, ...]
    Names = Sequence[Name]
    Rank = Callable[[Name, Name | None], Any]
    GoesOn = Callable[[list[Name], Name], bool]


def weave(
    base: Names | None, ours: Names, theirs: Names, alive: set[Name], rank: Rank, goes_on: GoesOn
) -> list[Name]:
    """Return the order of the names that are `alive`, all of them in `ours` or `theirs`.

    `rank` says of a name behind an anchor, or at the beginning, what it is sorted by;
    `goes_on` whether a name belongs to the ones in front of it.  Without a base, what both
    have is taken to be old.
    """
    sides = ours, theirs
    orders = _orders(base, ours, theirs, alive)
    leading = _leading(*orders, rank)
    anchors = _common(orders[1 + leading], orders[2 - leading])
    at = {name: place for place, name in enumerate(anchors, 1)}
    places: list[list[list[Name]]] = [[] for _ in range(len(anchors) + 1)]
    shared: dict[Name, int] = {}
    moved = set(orders[1]) - set(anchors)
    for number, side in enumerate(sides):
        other = set(sides[1 - number])
        here = alive if number == leading else alive - moved
        for place, run in _runs(side, other - moved, at, here):
            if run[0] not in other or run[0] in moved:
                places[place].append(run)
            else:  # brought by both: it stands at the first of its two places
                shared[run[0]] = min(place, shared.get(run[0], place))
    for place in set(shared.values()):
        here = {name for name in shared if shared[name] == place}
        runs = [[name for name in side if name in here] for side in sides]
        places[place].append(min(runs, key=lambda run: [rank(name, None) for name in run]))
    woven: list[Name] = []
    for anchor, runs in zip([None, *anchors], places, strict=True):

        def key(chunk: list[Name], anchor: Name | None = anchor) -> list[Any]:
            # What was there before, and stays though one side took it out, goes first.
            return [(name not in (base or ()), rank(name, anchor)) for name in chunk]

        woven += [anchor] if anchor else []
        woven += _by_heads(runs, key, goes_on)
    return woven


def _orders(
    base: Names | None, ours: Names, theirs: Names, alive: set[Name]
) -> tuple[list[Name], list[Name], list[Name]]:
    """Return in which order each has what all have."""
    common = alive.intersection(ours, theirs)
    if base is not None:
        common.intersection_update(base)
    old, one, other = (
        [name for name in each if name in common] for each in (base or (), ours, theirs)
    )
    return old, one, other


def _leading(old: list[Name], one: list[Name], other: list[Name], rank: Rank) -> int:
    """Say whose order counts: that of the side that changed it, or the smaller one."""
    if old in (one, other):
        return int(one == old)
    return int([rank(name, None) for name in other] < [rank(name, None) for name in one])


def _common(one: list[Name], other: list[Name]) -> list[Name]:
    """Return a longest list of names that stand in both in the same order."""
    if one == other:
        return one
    at = {name: place for place, name in enumerate(other)}
    best: list[list[Name]] = []  # for each name of `one` the longest list that ends with it
    for number, name in enumerate(one):
        ends = (best[each] for each in range(number) if at[one[each]] < at[name])
        best.append([*max(ends, key=len, default=[]), name])
    return max(best, key=len)


def _runs(
    side: Names, other: set[Name], at: dict[Name, int], alive: set[Name]
) -> Iterator[tuple[int, list[Name]]]:
    """Give the runs of names that are new on a side, each with its place among the anchors."""
    place = 0
    run: list[Name] = []
    for name in side:
        is_cut = name in at or name in other or name not in alive
        if is_cut and run:
            yield place, run
            run = []
        if name in at:
            place = at[name]
        elif name in alive and is_cut:
            yield place, [name]
        elif name in alive:
            run.append(name)
    if run:
        yield place, run


def _by_heads(
    runs: list[list[Name]], key: Callable[[list[Name]], Any], goes_on: GoesOn
) -> Iterator[Name]:
    waiting = [list(_chunks(run, goes_on)) for run in runs]
    while waiting:
        least = min(waiting, key=lambda chunks: key(chunks[0]))
        yield from least.pop(0)
        waiting = [chunks for chunks in waiting if chunks]


def _chunks(run: list[Name], goes_on: GoesOn) -> Iterator[list[Name]]:
    chunk: list[Name] = []
    for name in run:
        if chunk and not goes_on(chunk, name):
            yield chunk
            chunk = []
        chunk.append(name)
    if chunk:
        yield chunk
