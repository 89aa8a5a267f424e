"""Numbers that are added: by agent and by day (UTC)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta, timezone
from typing import NamedTuple

WEEK_DAYS = 7


class HookTime(NamedTuple):
    """How long hooks took that gave memory, in milliseconds without the start of Python.

    Half of these `hooks` took at most `p50_ms`, and 95 % at most `p95_ms`; both are None without
    any.
    """

    p50_ms: int | None
    p95_ms: int | None
    hooks: int


class Counts(Counter[str]):
    """What happened in some time, to one agent or to several: numbers by these names.

    From the history: items `learned` (new ones, also from the review), `confirmed` (reported again,
    or by a person) and `removed` (also evicted and archived).

    From the database: finished `runs`, of which `failed` ones; items that these runs were `given`,
    and `used` of them; runs of the last half year with memory in their prompt (`loaded`), with how
    many `tokens` in sum; deliveries that arrived once, twice or not at all (`delivered`, `doubled`,
    `lost`).
    """

    NAMES = (
        *("learned", "confirmed", "removed", "runs", "failed", "given", "used"),
        *("loaded", "tokens", "delivered", "doubled", "lost"),
    )

    def __getattr__(self, name: str) -> int:
        if name in self.NAMES:
            return self[name]
        raise AttributeError(name)

    @property
    def checked(self) -> int:
        """Return the deliveries of which it is known whether they arrived."""
        return self.delivered + self.doubled + self.lost

    @property
    def tokens_per_run(self) -> int:
        """Return the mean of the tokens added to the prompt of an agent, 0 without any."""
        return self.tokens // max(self.loaded, 1)


class Bucket(NamedTuple):
    """The counts of a day or of seven days; `day` is the first one, such as 2026-11-20 (UTC)."""

    day: str
    counts: Counts


def find_today() -> str:
    """Return the present day (UTC)."""
    return datetime.now(timezone.utc).date().isoformat()


def split_days(counts: Iterable[tuple[str, Counts]], number: int, days: int = 1) -> list[Bucket]:
    """Return the sums of so many periods of `days`, oldest first; the last one ends today (UTC).

    `counts` are pairs of a day and its counts, in any order.  Later days, of a clock that is ahead,
    belong to the last period; texts of other programs that are no day to none.
    """
    today = date.fromisoformat(find_today())
    ends = [today - timedelta(days=at * days) for at in reversed(range(number))]
    buckets = [Bucket((end - timedelta(days=days - 1)).isoformat(), Counts()) for end in ends]
    for day, added in counts:
        try:
            age = max((today - date.fromisoformat(day)).days, 0)
        except ValueError:
            continue
        if age < number * days:
            buckets[-1 - age // days].counts.update(added)
    return buckets
