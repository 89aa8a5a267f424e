"""Times and durations as people write them."""

from __future__ import annotations

import calendar
import re
import time

from memory_core import past

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}

# A hundred years: more is a slip of the hand, and far beyond it no clock can count.
LONGEST = 36525 * 86400

FARTHEST = 14  # hours from UTC: on Kiritimati

_DURATION = re.compile(r"(\d{1,10})\s*([smhdw])", re.ASCII)
_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(\.\d{1,6})?)?)?\s*(Z|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)


class NoTime(ValueError):
    """A text that is no time or duration; the message says what is expected."""

    status = 2


def duration(text: str) -> int:
    """Return the seconds of `90d`, `12h`, `0d`, ...: in s, m, h, d or w; raises NoTime."""
    found = _DURATION.fullmatch(text.strip().lower())
    seconds = int(found[1]) * SECONDS[found[2]] if found else -1
    if not 0 <= seconds <= LONGEST:
        raise NoTime(f"{text!r} is no duration: a number with s, m, h, d or w is expected, as 90d")
    return seconds


def moment(text: str, now: float, is_first: bool = False) -> str:
    """Return a time as records have it: of `2d` (ago), a day, or a day with a time in UTC.

    Of what has no seconds, or no milliseconds, the last moment of it, so that what the
    log shows at a time is in what was there at it; `is_first`, the first, so that all that
    the log shows at a time is since then.  A day alone is its beginning.  Raises NoTime.
    """
    try:
        ago = duration(text)
        # The times of versions may run ahead of the clock by some seconds: 0 means now, too.
        return _utc(now - ago) if ago else past.LATEST
    except NoTime:
        pass
    found = _MOMENT.fullmatch(text.strip())
    try:
        return _of(found, is_first) if found else _none(text)
    except ValueError:
        return _none(text)


def _of(found: re.Match[str], is_first: bool) -> str:
    day, minute, second, fraction, zone = found.groups()
    if minute is None:
        return _utc(_seconds(f"{day} 00:00:00") - _shift(zone))
    whole = _seconds(f"{day} {minute}:{second or ('00' if is_first else '59')}")
    return _utc(whole + float(fraction or (0 if is_first else 0.999)) - _shift(zone))


def _none(text: str) -> str:
    raise NoTime(
        f"{text!r} is no time: 2026-11-20, '2026-11-20 22:10:05' (UTC) or 2d (ago) is expected"
    ) from None


def _seconds(text: str) -> int:
    return calendar.timegm(time.strptime(text, "%Y-%m-%d %H:%M:%S"))


def _shift(zone: str | None) -> int:
    if zone in (None, "Z"):
        return 0
    digits = zone[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > FARTHEST or minutes > 59:
        raise ValueError(f"there is no zone {zone}")
    return int(f"{zone[0]}1") * (hours * 3600 + minutes * 60)


def _utc(seconds: float) -> str:
    """Return the time with milliseconds; one before 1970 is the beginning of all."""
    seconds = max(0.0, round(seconds, 3))
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{round(seconds % 1 * 1000) % 1000:03d}Z"
