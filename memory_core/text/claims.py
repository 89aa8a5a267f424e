"""Whether two texts contradict each other, so that an agent does not receive both.

Two texts contradict each other if they say the same words in the same order, except that

- one of them has one negation more ("Use npm", "Never use npm"), or
- one number is another one ("The timeout is 30 seconds", "The timeout is 60 seconds").  The number
  is in the second half: in front it names what the text is about ("Migration 12 is slow").

Small words, case and the ending of a verb or plural ("needs", "does not need") do not matter.  If
only one of them goes on behind a comma or the like, its first clause counts, so "Never use npm,
use pnpm" contradicts "Always use npm".  Other words in the same place, as in "Tests run with
pytest" and "Tests run with unittest", are not a contradiction: both may be right.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Words that deny the others, without apostrophes, and what remains of them.
NEGATIONS = {
    **dict.fromkeys(("never", "no", "not"), ""),
    **dict.fromkeys(("dont", "doesnt", "isnt", "arent", "shouldnt", "mustnt"), ""),
    "cannot": "can",
    "cant": "can",
    "without": "with",
}

# Words without which a sentence claims the same.
_SMALL = frozenset(
    """
    a an the this that these those is are be been it its we you our your they
    should must shall do does always please all any here there longer
    """.split()  # noqa: SIM905 - a text of words is easier to read
)

_DIGIT_SET = frozenset("0123456789")
_PAUSES = (", ", "; ", " - ", " \u2013 ", " \u2014 ", " because ")
_FINAL = ".,;:!?"
_ENDING = "eisy"  # "terminates", "does not terminate"; "retries", "does not retry"
_AROUND = "0123456789'\"`*" + _FINAL
_MARKS = dict.fromkeys(map(ord, "'\"`*\u2018\u2019\u201c\u201d"))
_DIGITS = dict.fromkeys(map(ord, "0123456789.,:"))

# A number in a shorter text is a name: "Error 502".
MIN_WORDS = 3

# More texts that differ in numbers only are a list of things rather than contradictions.
MAX_GROUP = 10


class Claim:
    """The first clause of a text: its words without negations and small words.

    `frame` has the words without digits, `numbers` the place and the word of each word with
    digits, and `length` counts all words.
    """

    __slots__ = ("frame", "is_whole", "length", "negations", "numbers", "tail")

    def __init__(self, text: str) -> None:
        clause, self.tail = _cut(text), read_tail(text)
        self.is_whole = len(clause) == len(text)
        words = clause.translate(_MARKS).lower().split()
        self.length, self.negations = len(words), 0
        self.numbers: list[tuple[int, str]] = []
        kept = []
        for place, word in enumerate(words):
            if word in _SMALL:
                continue
            if word in NEGATIONS:
                self.negations += 1
                kept.append(NEGATIONS[word])
                continue
            if not word.isalpha():
                word = word.rstrip(_FINAL)
                if not _DIGIT_SET.isdisjoint(word):
                    self.numbers.append((place, word))
                    kept.append(word.translate(_DIGITS) or "#")
                    continue
            kept.append(word.rstrip(_ENDING) or word)
        self.frame = " ".join(filter(None, kept))


class ClaimCache:
    """Compares texts, and parses each of them once."""

    def __init__(self) -> None:
        self._tails: dict[str, str] = {}
        self._claims: dict[str, Claim] = {}

    def contradict(self, text: str, other: str) -> bool:
        """Say whether two texts contradict each other."""
        for one in (text, other):
            if one not in self._tails:
                self._tails[one] = read_tail(one)
        if self._tails[text] != self._tails[other]:
            return False
        for one in (text, other):
            if one not in self._claims:
                self._claims[one] = Claim(one)
        return _contradict(self._claims[text], self._claims[other])


def _contradict(one: Claim, other: Claim) -> bool:
    if not one.frame or (one.frame, one.tail) != (other.frame, other.tail):
        return False
    if not (one.is_whole or other.is_whole):
        return False
    if len(one.numbers) != len(other.numbers):
        return False
    pairs = zip(one.numbers, other.numbers, strict=True)
    changed = [min(place, at) for (place, word), (at, twin) in pairs if word != twin]
    if not changed:
        return abs(one.negations - other.negations) == 1
    length = max(one.length, other.length)
    is_behind = length >= MIN_WORDS and 2 * changed[0] >= length
    return len(changed) == 1 and is_behind and one.negations == other.negations


def find_pairs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return the index pairs of texts that contradict each other; the first is the earlier one."""
    tails: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        tails.setdefault(read_tail(text), []).append(at)
    frames: dict[tuple[str, str], list[tuple[int, Claim]]] = {}
    for places in tails.values():
        for at in places if len(places) > 1 else ():
            claim = Claim(texts[at])
            frames.setdefault((claim.tail, claim.frame), []).append((at, claim))
    return [
        (at, later)
        for group in frames.values()
        if len(group) <= MAX_GROUP
        for index, (at, claim) in enumerate(group)
        for later, other in group[index + 1 :]
        if _contradict(claim, other)
    ]


def read_tail(text: str) -> str:
    """Return the last word of the first clause, without digits and ending.

    Texts that contradict each other have the same one; most texts differ in it, which is cheap.
    """
    return _cut(text).rpartition(" ")[2].strip(_AROUND).lower().rstrip(_ENDING)


def _cut(text: str) -> str:
    for pause in _PAUSES:
        text = text.partition(pause)[0]
    return text
