"""Score a text by its words: how much more often they stand in attacks than in ordinary learnings.

`word_weights.bin` has the heaviest weights of a logistic regression over words, pairs of
neighbours, and pairs with one word between: first the hashes of these words, sorted and of four
bytes each, then a signed byte for the weight of each.  `make word-weights` makes the file out of
the lists in tests/adversarial.
"""

from __future__ import annotations

import os
from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Table = tuple[memoryview[int], memoryview[int]]

PATH = os.path.join(os.path.dirname(__file__), "word_weights.bin")

# The number of weights; all others are 0.
COUNT = 250_000

# The largest prime below 2 ** 32, so that a hash has four bytes and hardly two words share one.
PRIME = 4_294_967_291

# The byte of the weight 1.0.
SCALE = 64

# How much heavier a part must be than a whole text.
MARGIN = 1.3

# Chinese and Japanese have no blanks: each sign is a word, also the syllables of Korean.
FIRST_WIDE = "\u2e80"

APOSTROPHES = "'\u2019"


def weigh(reading: str) -> tuple[float, str]:
    """Return the weight of a folded text, and the part of it that weighs most.

    The weight is that of the whole text, or that of the part without MARGIN if it is more, so that
    ordinary words around an attack hide only about one in seven.  A word counts once.  The
    weight is 0.0 for most ordinary texts.
    """
    words = list(split(reading))
    heaviest, begin, end = 0, 0, 0
    whole, weight, start = 0, 0, 0
    in_text, in_part = set[int](), set[int]()
    for at, hashes in enumerate(list_hashes(reading[word] for word in words)):
        for hashed in hashes:
            if own := look_up(hashed):
                whole += own * (hashed not in in_text)
                weight += own * (hashed not in in_part)
                in_text.add(hashed)
                in_part.add(hashed)
        if weight <= 0:
            weight, start = 0, at + 1
            in_part.clear()
        elif weight > heaviest:
            heaviest, begin, end = weight, words[start].start, words[at].stop
    begin = reading.rfind(" ", 0, begin + 1) + 1
    end = reading.find(" ", end) if " " in reading[end:] else len(reading)
    part = reading[begin:end] if heaviest else ""
    return max(whole / SCALE, heaviest / SCALE - MARGIN, 0.0), part


def split(reading: str) -> Iterator[slice]:
    """Yield where the words of a text are.

    A sign that is not a letter or digit is a word, too, but an apostrophe only ends one, since
    languages such as French have many.
    """
    start = -1
    for at, char in enumerate(f"{reading} "):
        if char.isalnum() and char < FIRST_WIDE:
            start = at if start < 0 else start
            continue
        if start >= 0:
            yield slice(start, at)
            start = -1
        if not (char.isspace() or char in APOSTROPHES):
            yield slice(at, at + 1)


def list_hashes(words: Iterable[str]) -> Iterator[list[int]]:
    """Yield the hashes of each word, alone and with each of the two words before it.

    Before the first word is "", so a word weighs more or less at the beginning.
    """
    first, second = "", ""
    for at, word in enumerate(words):
        yield [_hash(word), _hash(f"{second} {word}"), *([_hash(f"{first}~{word}")] if at else [])]
        first, second = second, word


def _hash(text: str) -> int:
    return int.from_bytes(text.encode("utf-8", "replace"), "big") % PRIME


def look_up(value: int) -> int:
    """Return the weight of a hash, times SCALE."""
    hashes, weights = TABLE
    at = bisect_left(hashes, value)
    return weights[at] if at < COUNT and hashes[at] == value else 0


def pack(weights: dict[int, int]) -> bytes:
    """Return the content of the file: the heaviest COUNT of these weights of hashes."""
    heaviest = sorted(weights, key=lambda value: (-abs(weights[value]), value))[:COUNT]
    heaviest.sort()
    hashes = b"".join(value.to_bytes(4, "little") for value in heaviest)
    return hashes + bytes(weights[value] & 0xFF for value in heaviest)


def unpack(data: bytes) -> Table:
    """Return the hashes and their weights; raises ValueError for data of another length."""
    if len(data) != COUNT * 5:
        raise ValueError(f"{len(data)} bytes instead of {COUNT * 5}")
    view = memoryview(data)
    return view[: COUNT * 4].cast("I"), view[COUNT * 4 :].cast("b")


def _read() -> Table:
    """Return the content of the file; raises OSError, also for a damaged one."""
    try:
        with open(PATH, "rb") as file:
            return unpack(file.read())
    except (OSError, ValueError) as error:
        raise OSError(None, "missing or damaged, install agent-memory again", PATH) from error


TABLE = _read()
