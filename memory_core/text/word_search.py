"""Compare texts with the words of a search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import normalize

from memory_core.text import similarity

# Combining accents, which the search ignores.
ACCENTS = range(0x300, 0x370)

PUNCTUATION = similarity.ASCII_PUNCTUATION | {ord('"'): "'", ord("`"): None}


class EmptyQuery(ValueError):
    """A search without words."""

    status = 2


def parse_query(words: str) -> list[str]:
    """Return the words to find, folded; raises EmptyQuery."""
    folded = fold_text(words).split()
    if not folded:
        raise EmptyQuery("the search is empty: enter at least one word")
    return folded


def fold_text(text: str) -> str:
    """Return a text in the form in which the search compares texts and words."""
    text = text.translate(PUNCTUATION)
    bare = text.lower() if text.isascii() else normalize("NFKD", text).casefold()
    # Composed again, so that a letter of Japanese or Korean is none of its parts.
    return normalize("NFC", "".join(char for char in bare if ord(char) not in ACCENTS))


def contains_all(text: str, words: Iterable[str]) -> bool:
    """Check whether a text contains all of these folded words, also as parts of words."""
    folded = fold_text(text)
    return all(word in folded for word in words)


def split_matches(text: str, words: str) -> list[tuple[str, bool]]:
    """Split a text into parts that are one of the words in any case, and parts that are not."""
    pattern = "|".join(map(re.escape, words.split()))
    parts = re.split(f"({pattern})", text, flags=re.IGNORECASE) if pattern else [text]
    return [(part, at % 2 == 1) for at, part in enumerate(parts) if part]
