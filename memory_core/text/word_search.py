"""Compare texts with the words of a search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import normalize

from memory_core.text import similarity

# Combining accents, which the search ignores.
ACCENTS = range(0x300, 0x370)


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
    text = text.replace('"', "'").replace("`", "")
    return text.lower() if text.isascii() else "".join(map(_fold_char, normalize("NFC", text)))


def contains_all(text: str, words: Iterable[str]) -> bool:
    """Check whether a text contains all of these folded words, also as parts of words."""
    folded = fold_text(text)
    return all(word in folded for word in words)


@lru_cache(maxsize=10_000)
def _fold_char(char: str) -> str:
    char = similarity.ASCII_PUNCTUATION.get(ord(char), char)
    bare = normalize("NFKD", char).casefold()
    return normalize("NFC", "".join(part for part in bare if ord(part) not in ACCENTS))


def split_matches(text: str, words: str) -> list[tuple[str, bool]]:
    """Split a text into parts that are one of the words in any case, and parts that are not."""
    pattern = "|".join(map(re.escape, words.split()))
    parts = re.split(f"({pattern})", text, flags=re.IGNORECASE) if pattern else [text]
    return [(part, at % 2 == 1) for at, part in enumerate(parts) if part]
