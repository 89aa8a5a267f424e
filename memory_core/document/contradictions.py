"""Find items that contradict each other, so that an agent does not receive both.

An item of a person stays; of two items of agents the more certain one, else the newer one.  Of two
items of people agents receive the newer one, and both stay in the file.

Two texts contradict each other if they say the same words in the same order, except that

- one of them has one negation more ("Use npm", "Never use npm"), or
- one of them corrects the other one ("Use pnpm, not npm", "Use npm"), or
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

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from memory_core.document import near_duplicates
from memory_core.document.block_reader import Item
from memory_core.document.markdown import Document, Section
from memory_core.text import similarity
from memory_core.text.subject_words import stem_word

# Words that deny the others, without apostrophes, and what remains of them.
NEGATIONS = {
    **dict.fromkeys(similarity.NEGATIONS, ""),
    "avoid": "use",
    "cannot": "can",
    "cant": "can",
    "wont": "will",
}

# Words without which a sentence claims the same.
_SMALL = similarity.NOISE | {
    *("its", "now", "always", "please", "all", "any", "longer", "more", "anymore")
}

# The first clause behind one of these says when, not what.
CONDITIONS = ("if ", "when ", "unless ", "where ", "while ", "before ", "after ", "until ", "once ")

_CORRECTION = "not "  # how a clause begins that says what is wrong
_STATING = frozenset(("is", "are", "has", "have", "=", ":"))
_PAUSE = re.compile("[,;] | [-\u2013\u2014] | because ")
_FINAL = ".,;:!?"
_QUOTES = dict.fromkeys(map(ord, "'\"`*\u2018\u2019\u201c\u201d"))
_DIGITS = dict.fromkeys(map(ord, "0123456789.,:"))

# A correction replaces at most so many words.
MAX_REPLACED = 6

# More texts that differ in numbers only are a list of things rather than contradictions.
MAX_GROUP = 10


class Claim:
    """The first clause of a text: its words without negations and small words.

    `numbers` has the numbers that it states, `frame` all other words, and `denied` the words that
    are wrong in their place: "npm" of "Use pnpm, not npm".
    """

    def __init__(self, text: str) -> None:
        clause, *behind = _PAUSE.split(text, maxsplit=2)
        self.is_whole = len(clause) == len(text)
        self.is_condition = clause.lower().startswith(CONDITIONS)
        self.negations, is_stating = 0, False
        self.numbers: list[str] = []
        kept = []
        for word in clause.translate(_QUOTES).lower().split():
            if word in NEGATIONS:
                self.negations += 1
                kept.append(stem_word(NEGATIONS[word]))
            elif word in _SMALL:
                is_stating = is_stating or word in _STATING
            elif word.isalpha():
                is_stating = word in _STATING
                kept.append(stem_word(word))
            else:
                bare = word.rstrip(_FINAL)
                if is_stating and bare.lstrip("v")[:1].isdecimal():
                    self.numbers.append(bare)
                    bare = f"# {bare.translate(_DIGITS)}"
                is_stating = word[-1:] in _STATING
                kept.append(stem_word(bare))
        self.frame = " ".join(filter(None, kept))
        self.denied = ""
        if behind and behind[0].lower().startswith(_CORRECTION):
            self.denied = Claim(behind[0][len(_CORRECTION) :]).frame


_parse = lru_cache(maxsize=20_000)(Claim)


def contradict(text: str, other_text: str) -> bool:
    """Say whether two texts contradict each other."""
    one, other = _parse(text), _parse(other_text)
    if _corrects(one, other) or _corrects(other, one):
        return True
    if not one.frame or one.frame != other.frame:
        return False
    is_denied = abs(one.negations - other.negations) == 1
    if not (one.is_whole or other.is_whole):
        return is_denied and one.numbers == other.numbers and not one.is_condition
    return is_denied if one.numbers == other.numbers else one.negations == other.negations


def _corrects(one: Claim, other: Claim) -> bool:
    is_alike = one.frame != other.frame and one.negations == other.negations
    return is_alike and other.frame in _list_corrected(one)


def _list_corrected(claim: Claim) -> Iterator[str]:
    """Yield the frames that a claim corrects: its own with the words that it denies in it."""
    words = claim.frame.split() if claim.denied else []
    for start in range(len(words)):
        for end in range(start + 1, min(start + MAX_REPLACED, len(words)) + 1):
            if end - start < len(words):
                yield " ".join([*words[:start], claim.denied, *words[end:]])


def find_pairs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return the index pairs of texts that contradict each other; the first is the earlier one."""
    frames: dict[str, list[int]] = {}
    for at, claim in enumerate(map(_parse, texts)):
        for frame in {claim.frame, *_list_corrected(claim)}:
            frames.setdefault(frame, []).append(at)
    groups = [group for group in frames.values() if len(group) <= MAX_GROUP]
    pairs = {pair for group in groups for pair in combinations(group, 2)}
    return [pair for pair in sorted(pairs) if contradict(*map(texts.__getitem__, pair))]


def find_losers(
    document: Document, rank_of: Callable[[str], tuple[int, float, str]]
) -> list[tuple[Item, Item]]:
    """Return the items that are not delivered, each with the item that contradicts it.

    Items of a section to avoid say what is wrong, so they are compared only with each other.
    Of two items the one with the lower rank loses, of equal ones the one above.
    """
    pairs = []
    for is_mistake in (True, False):
        items = [item for _section, item in _list_items(document, is_mistake)]
        for at, later in find_pairs([item.text for item in items]):
            loser, winner = sorted((items[at], items[later]), key=lambda item: rank_of(item.text))
            pairs.append((loser, winner))
    return pairs


def find_rivals(document: Document, text: str, title: str) -> list[tuple[Section, Item]]:
    """Return the items, with their sections, that contradict a text for the section `title`."""
    others = _list_items(document, near_duplicates.is_avoid_section(title))
    return [(section, item) for section, item in others if contradict(text, item.text)]


def _list_items(document: Document, is_mistake: bool) -> list[tuple[Section, Item]]:
    """Return the items of mistakes, or those of all other sections."""
    return [
        (section, item)
        for section in document.sections
        if near_duplicates.is_avoid_section(section.title) == is_mistake
        for item in section.items
    ]
