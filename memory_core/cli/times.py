"""Times and durations as people write them."""

from __future__ import annotations

import re
import time
from datetime import datetime, timezone

from memory_core.text.times import FAR_FUTURE

UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
MAX_SECONDS = 36525 * 86400  # a hundred years

_DURATION = re.compile(r"(\d{1,10})\s*([smhdw])", re.ASCII)


class InvalidTime(ValueError):
    """A text is not a time or a duration; the message says what is expected."""

    status = 2


def parse_duration(text: str) -> int:
    """Return the seconds of a duration like 90d, 12h or 0d."""
    match = _DURATION.fullmatch(text.strip().lower())
    seconds = int(match[1]) * UNIT_SECONDS[match[2]] if match else -1
    if not 0 <= seconds <= MAX_SECONDS:
        raise InvalidTime(f"invalid duration {text!r}: use a number and s, m, h, d or w, e.g. 90d")
    return seconds


def parse_time(text: str, now: float) -> str:
    """Return a time in the format of history records.

    The text is a duration before `now` (seconds since 1970), a day, or a day with a time.
    """
    try:
        ago = parse_duration(text)
        # Times of records may be some seconds ahead of the clock, and 0 includes them.
        return _format_time(now - ago) if ago else FAR_FUTURE
    except InvalidTime:
        pass
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        zone = moment.tzinfo or timezone.utc
        return _format_time(moment.replace(tzinfo=zone).timestamp())
    except (ValueError, OverflowError):
        raise InvalidTime(
            f"invalid time {text!r}: use 2d, 2026-11-20 or '2026-11-20 22:10' (UTC)"
        ) from None


def parse_since(since: str | None) -> str:
    """Return the time of --since as history records write it, "" for None."""
    return "" if since is None else parse_time(since, time.time())


def _format_time(seconds: float) -> str:
    """Return the time in UTC with milliseconds; a time before 1970 becomes 1970."""
    moment = datetime.fromtimestamp(max(0.0, round(seconds, 3)), timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
