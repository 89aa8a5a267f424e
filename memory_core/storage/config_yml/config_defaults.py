"""The limits of settings as plain data, without pydantic.

A test compares the defaults with config_models, which takes the limits from here.
"""

from __future__ import annotations

MAX_SIZE_KB = 1024

# What happens to learnings of agents: they are saved, wait for a person, or are left out.
AUTO, ASK, OFF = "auto", "ask", "off"

# Which items agents receive: all that nothing is found against, or those that a person reviewed.
SCORED, STRICT = "scored", "strict"

# What the user's config.yml sets to one of these values, no config.yml of a project takes back.
PROTECTIONS = {"trust": STRICT, "hold_tainted": True, "hold_outside": True}

# These count in the user's config.yml only.
USERS_OWN = ("trusted_signers",)

_FRACTION = (0.0, 1.0)

# The smallest and the largest value of each number, by the last part of its key.
RANGES: dict[str, tuple[float, float]] = {
    "max_learning_length": (10, 1000),
    "min_confidence": _FRACTION,
    "agent": _FRACTION,
    "person": _FRACTION,
    "step": _FRACTION,
    "contradiction": _FRACTION,
    "context_items": (1, 1000),
    "default_size_kb": (1, MAX_SIZE_KB),
    "size_kb": (1, MAX_SIZE_KB),
    "max_sections": (1, 1000),
    "max_items_per_section": (1, 1000),
    "max_line_length": (20, 10_000),
    "budget_tokens": (100, 20_000),
    "whole_below_tokens": (0, 20_000),
    "hold_out": (0.0, 0.5),
}

# The folder of our own files; other tools give no meaning to anything below it.
OWN_FOLDER = ".claude-mpm"

# Folders in it that are not for memories; earlier code wrote the last two.
RESERVED_FOLDERS = ("locks", "state", "logs")

MAX_DIRECTORY_LENGTH = 200


# What `expire_after` accepts, for messages.
DURATION_EXPECTED = "off, or a number of days or weeks, such as 28d or 4w, is expected"
DAYS_OF_UNIT = {"d": 1, "w": 7}


def count_days(duration: str) -> int | None:
    """Return the days of a duration such as 28d or 4w, 0 for off, None if it is invalid."""
    if duration == OFF:
        return 0
    number, days = duration[:-1], DAYS_OF_UNIT.get(duration[-1:])
    is_number = number.isascii() and number.isdecimal() and len(number) <= 4
    return int(number) * days or None if days and is_number else None
