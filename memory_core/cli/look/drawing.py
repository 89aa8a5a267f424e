"""Numbers as bars and sparklines, in characters that the terminal can show."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memory_core.cli.output import can_show

BAR_EIGHTHS = "▏▎▍▌▋▊▉"
SPARK_LEVELS = "▁▂▃▄▅▆▇█"

BAR_WIDTH = 6  # in cells


def draw_bar(share: float) -> str:
    """Return a share of 1 as a bar: empty only for 0, full only from 1 on."""
    full, eighths, empty = ("█", BAR_EIGHTHS, "░") if _can_show_blocks() else ("#", "", ".")
    steps = len(eighths) + 1
    count, part = divmod(int(min(share, 1) * BAR_WIDTH * steps) or int(share > 0), steps)
    bar = full * count + (eighths[part - 1] if part else "")
    return bar + empty * (BAR_WIDTH - len(bar))


def draw_sparkline(numbers: Sequence[int]) -> str:
    """Return a line that rises and falls with the numbers, "" if the terminal cannot show it.

    Small numbers are drawn low: one item a week is not a peak.
    """
    if not _can_show_blocks():
        return ""
    top = len(SPARK_LEVELS) - 1
    peak = max(top, *numbers)
    return "".join(SPARK_LEVELS[-(-number * top // peak)] for number in numbers)


def _can_show_blocks() -> bool:
    # The Linux console accepts UTF-8, but its fonts have few characters.
    return can_show(BAR_EIGHTHS + SPARK_LEVELS) and os.environ.get("TERM") not in ("linux", "dumb")
