"""Estimate how many tokens a model reads in a text."""

from __future__ import annotations

# Of ASCII; measured by bench/relevance.py --tokens on the sentences of 213 recorded reports.
CHARS_PER_TOKEN = 3.8

# An id and a line break.
ITEM_TOKENS = 3


def count_fitting(room: int) -> int:
    """Return about how many tokens fit into so many characters."""
    return int(max(room, 0) / CHARS_PER_TOKEN)


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text, rather too high than too low.

    A character that is not ASCII counts as one token.
    """
    narrow = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return int(-(-narrow // CHARS_PER_TOKEN)) + len(text) - narrow
