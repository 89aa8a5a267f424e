"""Templates: the only place that imports jinja2."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from memory_core.curation import change_log
from memory_core.dashboard.page import make_link
from memory_core.storage import typed_command
from memory_core.text import sanitize
from memory_core.text.phrases import format_age, format_count, format_share, format_size

TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")


def make_hidden_field(name: str, value: str) -> Markup:
    """Return a hidden field of a form."""
    return Markup('<input type="hidden" name="{}" value="{}">').format(name, value)


def format_moment(timestamp: str) -> str:
    """Return an ISO 8601 timestamp for people: 2026-11-20 22:10:05."""
    return timestamp[:19].replace("T", " ").removesuffix("Z")


def format_number(value: float) -> str:
    """Return a number with separators of thousands: 1,234."""
    return f"{value:,.0f}"


def format_number_of(number: int, noun: str) -> str:
    """Return a number with its noun: 1 item, 1,234 items."""
    return format_count(number, noun).replace(str(number), format_number(number), 1)


# The numbers of a chart, which templates/charts.html draws.

# An axis ends at one of these times a power of ten.
STEPS = (1, 1.2, 1.4, 1.6, 2, 4, 6, 8, 10)


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
    return next(int(step * unit) for step in STEPS if value <= step * unit)


def format_short(value: float) -> str:
    """Return a number in few characters, such as 950, 1.2k or 3M."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if value >= unit:
            return f"{value / unit:.1f}".removesuffix(".0") + name
    return f"{value:g}"


FILTERS = {
    "visible": sanitize.join_visible,
    "top": find_top_of,
    "short": format_short,
    "size": format_size,
    "age": format_age,
    "moment": format_moment,
    "share": format_share,
    "number": format_number,
    "of": format_number_of,
    "change": change_log.short_id,
}


def make_templates(environ: Mapping[str, str], **values: Any) -> Environment:
    """Return the templates; `values` are known to each of them.  All text is escaped.

    The filter `typed` shows commands as the person has to type them.
    """
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    templates.filters.update(FILTERS)
    templates.filters["typed"] = lambda text: typed_command.name_command(text, environ)
    templates.globals.update(page=None, message=None, is_known=True, link=make_link, **values)
    return templates
