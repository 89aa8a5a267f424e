"""Whether two texts contradict each other, so that an agent does not receive both.

Two texts contradict each other if they say the same words in the same order, except that

- one of them has one negation more ("Use npm", "Never use npm"), or
- they state another number ("The timeout is 30 seconds", "The timeout is 60 seconds").  Only a
  number behind is, are, has, have, = or a colon states something.  Any other one may be one of
  several: "CI tests against Python 3.10", "Retry on 429", "Nginx listens on port 80".

Small words, case and the ending of a verb or plural ("needs", "does not need") do not matter.  If
one of them goes on behind a comma or the like, its first clause counts, so "Never use npm, use
pnpm" contradicts "Always use npm"; if both do, only a negation in it counts, and no condition.
Other words in the same place, as in "Tests run with pytest" and "Tests run with unittest", are not
a contradiction: both may be right.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

# Words that deny the others, without apostrophes, and what remains of them.
NEGATIONS = {
    **dict.fromkeys(("never", "no", "not"), ""),
    **dict.fromkeys(("dont", "doesnt", "isnt", "arent", "shouldnt", "mustnt"), ""),
    "avoid": "use",
    "cannot": "can",
    "cant": "can",
    "wont": "will",
}

# Words without which a sentence claims the same.
_SMALL = frozenset(
    """
    a an the this that these those is are be been it its we you our your they now
    should must shall do does always please all any here there longer more anymore
    """.split()  # noqa: SIM905 - a text of words is easier to read
)

# The first clause behind one of these says when, not what.
CONDITIONS = ("if ", "when ", "unless ", "where ", "while ", "before ", "after ", "until ", "once ")

_STATING = frozenset(("is", "are", "has", "have", "=", ":"))
_PAUSES = (", ", "; ", " - ", " \u2013 ", " \u2014 ", " because ")
_FINAL = ".,;:!?"
_ENDING = "eisy"  # "terminates", "does not terminate"; "retries", "does not retry"
_MARKS = dict.fromkeys(map(ord, "'\"`*\u2018\u2019\u201c\u201d"))
_DIGITS = dict.fromkeys(map(ord, "0123456789.,:"))

# More texts that differ in numbers only are a list of things rather than contradictions.
MAX_GROUP = 10


class Claim:
    """The first clause of a text: its words without negations and small words.

    `numbers` has the numbers that it states, `frame` all other words.
    """

    def __init__(self, text: str) -> None:
        clause = _cut(text)
        self.is_whole = len(clause) == len(text)
        self.is_condition = clause.lower().startswith(CONDITIONS)
        self.negations, is_stating = 0, False
        self.numbers: list[str] = []
        kept = []
        for word in _simplify(clause).split():
            if word in NEGATIONS:
                self.negations += 1
                kept.append(NEGATIONS[word].rstrip(_ENDING))
            elif word in _SMALL:
                is_stating = is_stating or word in _STATING
            elif word.isalpha():
                is_stating = word in _STATING
                kept.append(word.rstrip(_ENDING) or word)
            else:
                bare = word.rstrip(_FINAL)
                if is_stating and bare.lstrip("v")[:1].isdecimal():
                    self.numbers.append(bare)
                    bare = f"# {bare.translate(_DIGITS)}"
                is_stating = word[-1:] in _STATING
                kept.append(bare.rstrip(_ENDING))
        self.frame = " ".join(filter(None, kept))


_parse = lru_cache(maxsize=20_000)(Claim)


def contradict(text: str, other: str) -> bool:
    """Say whether two texts contradict each other."""
    return _contradict(_parse(text), _parse(other))


def _contradict(one: Claim, other: Claim) -> bool:
    if not one.frame or one.frame != other.frame:
        return False
    is_denied = abs(one.negations - other.negations) == 1
    if not (one.is_whole or other.is_whole):
        return is_denied and one.numbers == other.numbers and not one.is_condition
    return is_denied if one.numbers == other.numbers else one.negations == other.negations


def find_pairs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return the index pairs of texts that contradict each other; the first is the earlier one."""
    frames: dict[str, list[tuple[int, Claim]]] = {}
    for at, claim in enumerate(map(_parse, texts)):
        frames.setdefault(claim.frame, []).append((at, claim))
    return [
        (at, later)
        for group in frames.values()
        if len(group) <= MAX_GROUP
        for index, (at, claim) in enumerate(group)
        for later, other in group[index + 1 :]
        if _contradict(claim, other)
    ]


def _simplify(text: str) -> str:
    return text.translate(_MARKS).lower()


def _cut(text: str) -> str:
    for pause in _PAUSES:
        text = text.partition(pause)[0]
    return text
