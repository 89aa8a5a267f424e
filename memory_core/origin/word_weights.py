"""Rate a text by its words: how much more often they stand in attacks than in ordinary learnings.

`word_weights.bin` has the heaviest weights of a logistic regression over words, pairs of
neighbours, and pairs with one word between: first the hashes of these words, sorted and of four
bytes each, then a signed byte for the weight of each.  `make word-weights` makes the file.
"""

from __future__ import annotations

import os
from bisect import bisect_left

PATH = os.path.join(os.path.dirname(__file__), "word_weights.bin")

# The number of weights; all others are 0.
COUNT = 40_000

# The largest prime below 2 ** 32, so that a hash has four bytes and hardly two words share one.
PRIME = 4_294_967_291

# The sum of weights of the rating 1.0, at which less than 3 % of the rules of public projects wait,
# and of the ordinary texts of lists that were not used for the weights.
LIMIT = 60

# How much heavier a part of a text must be than a whole one.
MARGIN = 60

# Chinese and Japanese have no blanks: each sign is a word, also the syllables of Korean.
FIRST_WIDE = "\u2e80"


def rate(text: str) -> float:
    """Return 1.0 and more for a text that reads like an order to agents, 0.0 for most others.

    The whole text counts, or its heaviest part without MARGIN if that is more, so that ordinary
    words around an attack do not hide it.  A word counts once.
    """
    whole = part = heaviest = 0
    seen = set[int]()
    for hashes in list_hashes(text):
        own = sum([look_up(value) for value in hashes if value not in seen])
        seen.update(hashes)
        whole += own
        part = max(0, part + own)
        heaviest = max(heaviest, part)
    return max(whole, heaviest - MARGIN, 0) / LIMIT


def list_hashes(text: str) -> list[list[int]]:
    """Return the hashes of each word, alone and with each of the two words before it.

    Before the first word is "", so a word weighs more or less at the beginning.
    """
    words = ["", "", *_split(text.lower())]
    return [
        [_hash(word), _hash(f"{second} {word}"), _hash(f"{first}~{word}")]
        for first, second, word in zip(words, words[1:], words[2:], strict=False)
    ]


def _split(text: str) -> list[str]:
    """Return the words of a text.

    A sign that is not a letter or digit is a word, too, but an apostrophe only ends one, since
    languages such as French have many.
    """
    text = text.replace("'", " ").replace("\u2019", " ")
    signs = [char if char.isalnum() and char < FIRST_WIDE else f" {char} " for char in text]
    return "".join(signs).split()


def _hash(text: str) -> int:
    return int.from_bytes(text.encode("utf-8", "replace"), "big") % PRIME


def look_up(value: int) -> int:
    """Return the weight of a hash."""
    at = bisect_left(TABLE[0], value)
    return TABLE[1][at] if at < COUNT and TABLE[0][at] == value else 0


def _read() -> tuple[memoryview[int], memoryview[int]]:
    """Return the hashes and their weights; raises OSError, also for a damaged file."""
    try:
        with open(PATH, "rb") as file:
            view = memoryview(file.read())
    except OSError:
        view = memoryview(b"")
    if len(view) != COUNT * 5:
        raise OSError(None, "missing or damaged, install this program again", PATH)
    return view[: COUNT * 4].cast("I"), view[COUNT * 4 :].cast("b")


TABLE = _read()
