"""Write times as text; hooks cannot afford to import `datetime`."""

from __future__ import annotations

import time

FAR_FUTURE = "9"  # later than any time of a record


def format_utc(seconds: float) -> str:
    """Return a time as ISO 8601 in UTC with milliseconds: 2026-11-20T22:10:05.123Z."""
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds % 1 * 1000):03d}Z"
