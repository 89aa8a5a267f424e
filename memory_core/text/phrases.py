"""Format numbers and ages for messages."""

from __future__ import annotations

import time


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun: 1 memory, 2 memories."""
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun}"


def format_share(part: int, whole: int) -> str:
    """Return a share in percent, "" of nothing; 999 of 1000 are 99%, because one is missing."""
    return f"{100 * part // whole}%" if whole else ""


def format_size(size: int) -> str:
    """Return a number of bytes with its unit: 900 B, 12.3 KB."""
    return f"{size} B" if size < 1000 else f"{size / 1024:.1f} KB"


def format_age(seconds: float) -> str:
    """Return how long ago a time (seconds since 1970) is, in at most seven characters."""
    if not seconds:
        return "-"
    age = time.time() - seconds
    units = {"y": 365 * 86400, "w": 7 * 86400, "d": 86400, "h": 3600, "m": 60}
    for unit, length in units.items():
        if age >= length:
            return f"{int(age // length)}{unit} ago"
    return "now"
