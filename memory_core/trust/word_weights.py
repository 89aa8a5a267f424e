"""Score a text by its words: how much more often they stand in attacks than in ordinary learnings.

`word_weights.bin` has a signed byte for each weight of a logistic regression over words, pairs of
neighbours, and pairs with one word between.  The hash of a word is the index of its weight; two
thirds of the places are empty, so few words share one.  `make word-weights` makes the file out of
the lists in tests/adversarial.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PATH = os.path.join(os.path.dirname(__file__), "word_weights.bin")

# The number of weights: a prime, so that the hash spreads the words evenly.
PLACES = 1_048_573

# The byte of the weight 1.0.
SCALE = 32

# How much heavier a part must be than a whole text.
MARGIN = 2.0

# Chinese and Japanese have no blanks: each sign is a word, also the syllables of Korean.
FIRST_WIDE = "\u2e80"

APOSTROPHES = "'\u2019"


def weigh(reading: str) -> tuple[float, str]:
    """Return the weight of a folded text, and the part of it that weighs most.

    The weight is that of the whole text, or that of the part without MARGIN if it is more, so that
    ordinary words around an attack hide only about one in five.  A word counts once.  The
    weight is 0.0 for most ordinary texts.
    """
    words = list(split(reading))
    heaviest, begin, end = 0, 0, 0
    whole, weight, start = 0, 0, 0
    in_text, in_part = set[int](), set[int]()
    for at, places in enumerate(find_places(reading[word] for word in words)):
        whole += sum(WEIGHTS[place] for place in places if place not in in_text)
        weight += sum(WEIGHTS[place] for place in places if place not in in_part)
        in_text.update(places)
        in_part.update(places)
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


def find_places(words: Iterable[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the numbers of the weights of each word, and of it with the two words before it."""
    first = second = ""
    for word in words:
        yield _hash(word), _hash(f"{second} {word}"), _hash(f"{first}~{word}")
        first, second = second, word


def _hash(text: str) -> int:
    return int.from_bytes(text.encode("utf-8", "replace"), "big") % PLACES


def unpack(data: bytes) -> memoryview[int]:
    """Return weights as numbers; raises ValueError for data of another length."""
    if len(data) != PLACES:
        raise ValueError(f"{PATH} is damaged: install agent-memory again")
    return memoryview(data).cast("b")


def _read() -> memoryview[int]:
    with open(PATH, "rb") as file:
        return unpack(file.read())


WEIGHTS = _read()
