"""Draw charts as SVG text, which fits the width of its place and both colour themes.

Widths are percentages, so text keeps its size.  A chart has classes and no styles, as
a page that forbids inline styles needs it; STYLE has the rules.  All texts are escaped.
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

STYLE = """\
:root {
  --chart-1: light-dark(#2f63c4, #82a8f5); --chart-2: light-dark(#0f8577, #4fc4b3);
  --chart-3: light-dark(#b1500f, #f09d60); --chart-4: light-dark(#b3323f, #f08a90);
  --chart-quiet: light-dark(#e3e6eb, #363b44); --chart-text: light-dark(#59616e, #a5adba);
}
.chart { display: block; box-sizing: border-box; width: 100%; height: 150px; padding-left: 2.5rem;
  overflow: visible; }
.chart text { fill: var(--chart-text); font-size: 11px; font-variant-numeric: tabular-nums; }
.chart-tick { text-anchor: end; }
.chart-label { text-anchor: middle; }
.chart-grid { stroke: var(--chart-quiet); stroke-width: 1; shape-rendering: crispEdges; }
.chart-hit { fill: transparent; }
.chart-column:hover .chart-hit { fill: var(--chart-quiet); opacity: .5; }
.chart-1 { --series: var(--chart-1); } .chart-2 { --series: var(--chart-2); }
.chart-3 { --series: var(--chart-3); } .chart-4 { --series: var(--chart-4); }
.chart-bar { fill: var(--series); }
.chart-line { fill: none; stroke: var(--series); stroke-width: 2; stroke-linejoin: round;
  stroke-linecap: round; vector-effect: non-scaling-stroke; }
.chart-dot { fill: var(--series); }
.sparkline { width: 6rem; height: 1.25rem; vertical-align: middle; overflow: visible; }
.sharebar { display: block; width: 100%; height: .5rem; border-radius: .25rem; }
.sharebar-rest { fill: var(--chart-quiet); }
.chart-legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0 0 .5rem; padding: 0;
  list-style: none; font-size: .8125rem; }
.chart-legend li { display: flex; align-items: center; gap: .4rem; }
.chart-key { width: .7rem; height: .7rem; border-radius: 2px; background: var(--series); }
@media print { .chart-key { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""


class Series(NamedTuple):
    """A name, a value for each place (None for no value), and a colour from 1 to 4."""

    name: str
    values: Sequence[float | None]
    colour: int = 1


def draw_bars(title: str, labels: Sequence[str], series: Sequence[Series], unit: str = "") -> str:
    """Draw a bar for each label, with the series on top of each other.

    `title` says to a screen reader what the chart shows; values get `unit` in the tooltips.
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
        parts.append(_draw_column(slot * at, slot, _describe(label, at, series, unit), drawn))
    return _draw_chart(title, [*parts, *_draw_labels(labels)], top)


def draw_lines(title: str, labels: Sequence[str], series: Sequence[Series], unit: str = "") -> str:
    """Draw a line for each series; it has a gap where a value is None."""
    values = [value for row in series for value in row.values if value is not None]
    top = find_top(max(values, default=0))
    slot = 100 / max(len(labels), 1)
    parts = [_draw_grid(top)]
    dots: list[list[str]] = [[] for _label in labels]
    for row in series:
        points = [
            None if value is None else (slot * (at + 0.5), TOP + PLOT - PLOT * value / top)
            for at, value in enumerate(row.values)
        ]
        parts.append(_draw_path(points, row.colour, HEIGHT))
        for at, point in enumerate(points):
            if point:
                place = f'cx="{point[0]:.2f}%" cy="{point[1]:.1f}" r="2.5"'
                dots[at].append(f'<circle class="chart-dot chart-{row.colour}" {place}/>')
    for at, label in enumerate(labels):
        text = _describe(label, at, series, unit)
        parts.append(_draw_column(slot * at, slot, text, dots[at]))
    return _draw_chart(title, [*parts, *_draw_labels(labels)], top)


def draw_sparkline(title: str, values: Sequence[float], colour: int = 1) -> str:
    """Draw a small line without axes, for a cell of a table."""
    top, last = max(values, default=0) or 1, max(len(values) - 1, 1)
    points = [(100 * at / last, 18 - 16 * value / top) for at, value in enumerate(values)]
    path = _draw_path(points, colour, 20)
    return f'<svg class="sparkline" role="img" aria-label="{_escape(title)}">{path}</svg>'


def draw_share(title: str, parts: Sequence[tuple[float, int]]) -> str:
    """Draw shares of a whole as one bar; a part is a share from 0 to 1 and a colour."""
    drawn, left = ['<rect class="sharebar-rest" width="100%" height="100%"/>'], 0.0
    for share, colour in parts:
        width = 100 * max(0.0, min(share, 1 - left))
        drawn.append(
            f'<rect class="chart-bar chart-{colour}" x="{100 * left:.2f}%"'
            f' width="{width:.2f}%" height="100%"/>'
        )
        left += width / 100
    text = _escape(title)
    return (
        f'<svg class="sharebar" role="img" aria-label="{text}"><title>{text}</title>'
        f"{''.join(drawn)}</svg>"
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


def _describe(label: str, at: int, series: Sequence[Series], unit: str) -> str:
    values = [(row.name, row.values[at]) for row in series]
    shown = (f"{name} {value:,g}{unit}" for name, value in values if value is not None)
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


def _draw_path(points: Sequence[tuple[float, float] | None], colour: int, height: int) -> str:
    """Return a line through points in percent of the width and pixels; None is a gap."""
    commands, is_down = [], False
    for point in points:
        if point:
            commands.append(f"{'L' if is_down else 'M'}{point[0]:.2f} {point[1]:.1f}")
        is_down = point is not None
    return (
        f'<svg viewBox="0 0 100 {height}" preserveAspectRatio="none" width="100%"'
        f' height="100%" overflow="visible"><path class="chart-line chart-{colour}"'
        f' d="{" ".join(commands)}"/></svg>'
    )


def _escape(text: str) -> str:
    return escape(sanitize.join_visible(text))
