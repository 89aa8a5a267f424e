"""Numbers as small pictures for a terminal, of signs that it has."""

from __future__ import annotations

import os

from memory_core.cli.output import can_show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EIGHTHS = "▏▎▍▌▋▊▉"
LEVELS = "▁▂▃▄▅▆▇█"

WIDTH = 6  # of a bar, in cells


def bar(share: float) -> str:
    """Return a share of 1 as a bar: empty for none, full from 1 on only."""
    full, part, rest = ("█", EIGHTHS, "░") if _has_blocks() else ("#", "", ".")
    steps = len(part) + 1
    done, over = divmod(int(min(share, 1) * WIDTH * steps) or int(share > 0), steps)
    drawn = full * done + (part[over - 1] if over else "")
    return drawn + rest * (WIDTH - len(drawn))


def sparkline(numbers: Sequence[int]) -> str:
    """Return a line that rises and falls with numbers, "" where the terminal has no such signs.

    Few are drawn low: one item a week is no peak.
    """
    if not _has_blocks():
        return ""
    top = len(LEVELS) - 1
    peak = max(top, *numbers)
    return "".join(LEVELS[-(-number * top // peak)] for number in numbers)


def _has_blocks() -> bool:
    # The console of Linux knows UTF-8, but its fonts have few signs.
    return can_show(EIGHTHS + LEVELS) and os.environ.get("TERM") not in ("linux", "dumb")
