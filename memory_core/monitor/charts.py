"""Draw charts as SVG text, which fits the width of its place and both colour themes.

Widths are percentages, so text keeps its size.  A chart has classes and no styles, as a page that
forbids inline styles needs it; dashboard/static/style.css has the rules.  All texts are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from memory_core.text import sanitize

HEIGHT = 150  # pixels, with the labels
TOP, FOOT = 8, 22  # above and below the plot
PLOT = HEIGHT - TOP - FOOT
BAR_SHARE = 0.72  # of the place of a bar
MOST_LABELS = 6

# An axis ends at one of these times a power of ten.
STEPS = (1, 2, 4, 6, 8, 10)
FINE_STEPS = (1, 1.2, 1.4, 1.6)


class Series(NamedTuple):
    """A name, a value for each place (None for no value), and a colour from 1 to 4."""

    name: str
    values: Sequence[float | None]
    colour: int = 1


def draw_bars(title: str, labels: Sequence[str], series: Sequence[Series]) -> str:
    """Draw a bar for each label, with the series on top of each other.

    `title` says to a screen reader what the chart shows.
    """
    columns = zip(*(row.values for row in series), strict=True)
    sums = [sum(filter(None, column)) for column in columns]
    top = find_top(max(sums, default=0))
    parts = [_draw_grid(top)]
    slot = 100 / max(len(labels), 1)
    for at, label in enumerate(labels):
        left, width = slot * at + slot * (1 - BAR_SHARE) / 2, slot * BAR_SHARE
        drawn, below = [], 0.0
        for row in series:
            value = row.values[at] or 0
            height = PLOT * value / top
            below += height
            if value:
                y = TOP + PLOT - below
                drawn.append(
                    f'<rect class="chart-bar chart-{row.colour}" x="{left:.2f}%" y="{y:.1f}"'
                    f' width="{width:.2f}%" height="{height:.1f}"/>'
                )
        parts.append(_draw_column(slot * at, slot, _describe(label, at, series), drawn))
    return _draw_chart(title, [*parts, *_draw_labels(labels)], top)


def draw_sparkline(title: str, values: Sequence[float]) -> str:
    """Draw a small line without axes, for a cell of a table."""
    top, last = max(values, default=0) or 1, max(len(values) - 1, 1)
    points = [
        f"{100 * at / last:.2f} {18 - 16 * value / top:.1f}" for at, value in enumerate(values)
    ]
    line = f'<polyline class="chart-line chart-1" points="{" ".join(points)}"/>'
    return (
        f'<svg class="sparkline" role="img" aria-label="{_escape(title)}" viewBox="0 0 100 20"'
        f' preserveAspectRatio="none">{line}</svg>'
    )


def draw_legend(series: Sequence[Series]) -> str:
    """Return the names and colours of series as an HTML list."""
    keys = (
        f'<li><span class="chart-key chart-{row.colour}"></span>{_escape(row.name)}</li>'
        for row in series
    )
    return f'<ul class="chart-legend">{"".join(keys)}</ul>'


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


def _describe(label: str, at: int, series: Sequence[Series]) -> str:
    values = [(row.name, row.values[at]) for row in series]
    shown = (f"{name} {value:,g}" for name, value in values if value is not None)
    return f"{label}: {', '.join(shown)}"


def _draw_chart(title: str, parts: list[str], top: int) -> str:
    ticks = "".join(
        f'<text class="chart-tick" x="-8" y="{_place(value, top) + 4:.1f}">'
        f"{format_short(value)}</text>"
        for value in _list_ticks(top)
    )
    name = _escape(title)
    return f'<svg class="chart" role="img" aria-label="{name}">{ticks}{"".join(parts)}</svg>'


def _draw_grid(top: int) -> str:
    return "".join(
        f'<line class="chart-grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        for y in (_place(value, top) for value in _list_ticks(top))
    )


def _list_ticks(top: int) -> list[int]:
    return [0, top] if top % 2 else [0, top // 2, top]


def _place(value: float, top: int) -> float:
    return TOP + PLOT - PLOT * value / top


def _draw_column(left: float, width: float, text: str, drawn: list[str]) -> str:
    """Return what is drawn at one place, with a tooltip that its whole column has."""
    hit = (
        f'<rect class="chart-hit" x="{left:.2f}%" y="{TOP}" width="{width:.2f}%" height="{PLOT}"/>'
    )
    return f'<g class="chart-column"><title>{_escape(text)}</title>{hit}{"".join(drawn)}</g>'


def _draw_labels(labels: Sequence[str]) -> list[str]:
    """Return the labels below the plot, and of many only some."""
    slot, step = 100 / max(len(labels), 1), -(-len(labels) // MOST_LABELS)
    return [
        f'<text class="chart-label" x="{slot * (at + 0.5):.2f}%" y="{HEIGHT - 6}">'
        f"{_escape(labels[at])}</text>"
        for at in range(0, len(labels), max(step, 1))
    ]


def _escape(text: str) -> str:
    return escape(sanitize.join_visible(text))
