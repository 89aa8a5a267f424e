"""The values of settings that code compares with, without pydantic."""

from __future__ import annotations

# What happens to learnings of agents: they are saved, wait for a person, or are left out.
AUTO, ASK, OFF = "auto", "ask", "off"

# Which items agents receive: all that nothing is found against, or those that a person reviewed.
SCORED, STRICT = "scored", "strict"

# What the user's config.yml sets to one of these values, no config.yml of a project takes back.
PROTECTIONS = {"trust": STRICT, "hold_tainted": True, "hold_outside": True}

# These count in the user's config.yml only.
USERS_OWN = ("trusted_signers",)

DAYS_OF_UNIT = {"d": 1, "w": 7}


def count_days(duration: str) -> int | None:
    """Return the days of a duration such as 28d or 4w, 0 for off, None if it is invalid."""
    if duration == OFF:
        return 0
    number, days = duration[:-1], DAYS_OF_UNIT.get(duration[-1:])
    is_number = number.isascii() and number.isdecimal() and len(number) <= 4
    return int(number) * days or None if days and is_number else None
