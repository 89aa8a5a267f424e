"""Compare texts with the words of a search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
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
    """Split a text into parts that match one of the words, and parts that do not."""
    text = normalize("NFC", text)
    folded = [fold_text(char) for char in text]
    origin = [at for at, part in enumerate(folded) for _char in part]
    is_hit = [False] * len(text)
    for begin, end in _find_words("".join(folded), fold_text(words).split()):
        for at in range(origin[begin], origin[end - 1] + 1):
            is_hit[at] = True
    pairs = groupby(zip(text, is_hit, strict=True), key=lambda pair: pair[1])
    return [("".join(char for char, _hit in group), hit) for hit, group in pairs]


def _find_words(text: str, words: Iterable[str]) -> Iterator[tuple[int, int]]:
    for word in words:
        at = text.find(word)
        while at >= 0:
            yield at, at + len(word)
            at = text.find(word, at + 1)
