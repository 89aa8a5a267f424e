"""The numbers of a chart, which templates/charts.html draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# An axis ends at one of these times a power of ten.
STEPS = (1, 2, 4, 6, 8, 10)
FINE_STEPS = (1, 1.2, 1.4, 1.6)


class Series(NamedTuple):
    """A name, a value for each place (None for no value), and a colour from 1 to 4."""

    name: str
    values: Sequence[float | None]
    colour: int = 1


def find_top_of(series: Sequence[Series]) -> int:
    """Return the end of the axis of series that stand on top of each other."""
    columns = zip(*(row.values for row in series), strict=True)
    return find_top(max((sum(filter(None, column)) for column in columns), default=0))


def find_top(value: float) -> int:
    """Return the end of an axis: a round number from `value` on, even from 2 on."""
    unit = 1
    while value > 10 * unit:
        unit *= 10
    steps = STEPS if unit == 1 else (*FINE_STEPS, *STEPS)
    return next(int(step * unit) for step in steps if value <= step * unit)


def format_short(value: float) -> str:
    """Return a number in few characters, such as 950, 1.2k or 3M."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if value >= unit:
            return f"{value / unit:.1f}".removesuffix(".0") + name
    return f"{value:g}"
