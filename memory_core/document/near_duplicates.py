"""Find items with the same meaning, and words that a new wording adds or loses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from memory_core.document import markdown, preferences
from memory_core.document.block_reader import ItemFields
from memory_core.text import similarity
from memory_core.text.similarity import parse_text
from memory_core.text.subject_words import stem_word

# The words in titles of sections of things to avoid; the same words elsewhere mean the opposite.
_AVOID = re.compile("avoid|mistakes?|anti-?patterns?|pitfalls?|never|not|don'?ts?")

# Negations and restrictions, which a new wording may not lose.
RESTRICTING = similarity.NEGATIONS | frozenset(
    """
    cannot without nothing none neither nor avoid unless except only until while when if before
    after during instead than however although once may might or
    """.split()  # noqa: SIM905
)

# Words that a new wording may add or lose.
LINKING = frozenset(
    """
    and of to for in on with as by through which that it its them their
    """.split()  # noqa: SIM905
)

# Minimum share of the words of each original that a new wording must keep.
MIN_KEPT_SHARE = 1 / 2

# Minimum share of common words of an item that a person may want to compare with a learning.
MIN_SIMILAR_SHARE = 1 / 2


def find_clusters(
    items: Iterable[ItemFields], rank: Callable[[str], int] = lambda _text: 0
) -> list[list[ItemFields]]:
    """Return groups of items that mean the same; no item is in two of them.

    The first of a group is that of the highest rank, else with nested lines, else with most words.
    """
    sides: dict[bool, list[ItemFields]] = {}
    for item in items:
        if item.text and not preferences.is_title(item.section):
            sides.setdefault(is_avoid_section(item.section), []).append(item)
    return [cluster for side in sides.values() for cluster in _cluster(side, rank)]


def _cluster(items: list[ItemFields], rank: Callable[[str], int]) -> Iterator[list[ItemFields]]:
    items.sort(
        key=lambda item: (-rank(item.text), not item.nested, -len(parse_text(item.text).keys))
    )
    while items:
        best, *items = items
        alike = [item for item in items if similarity.is_same(best.text, item.text)]
        same = [item for item in alike if item.nested.strip() in ("", best.nested.strip())]
        items = [item for item in items if item not in same]
        if same:
            yield [best, *same]


def find_similar(text: str, others: Iterable[str]) -> str:
    """Return the text that has most words in common with this one, "" if all have too few."""
    wanted = {*parse_text(text).words}
    pairs = ((other, {*parse_text(other).words}) for other in others)
    shares = {other: similarity.measure_overlap(wanted, words) for other, words in pairs}
    best = max(shares, key=shares.__getitem__, default="")
    return best if shares.get(best, 0.0) >= MIN_SIMILAR_SHARE else ""


def is_avoid_section(section: str) -> bool:
    """Say whether a section lists things to avoid."""
    return any(map(_AVOID.fullmatch, markdown.normalize_title(section).split()))


# New wordings; a person sees each as a diff.


def find_new_words(proposal: str, originals: Sequence[str]) -> list[str]:
    """Return the words of a proposed wording that none of its originals has.

    Linking words and other forms of a word ("retried", "retry") are allowed.
    """
    present = set(map(_stem, parse_text(" ".join(originals)).words)) | LINKING
    words = dict.fromkeys(parse_text(proposal).words)
    return [word for word in words if _stem(word) not in present]


def find_lost_words(proposal: str, originals: Sequence[str]) -> list[str]:
    """Return the facts, negations and restrictions that a proposed wording does not keep.

    If too few words of an original are kept, the whole original is returned.
    """
    kept = set(map(_stem, parse_text(proposal).words))
    lost: list[str] = []
    for text in originals:
        words = parse_text(text).words
        gone = [word for word in words if _stem(word) not in kept]
        missing = [word for word in gone if not _is_plain(word) or word in RESTRICTING]
        is_other = len(words) - len(gone) < MIN_KEPT_SHARE * len(words)
        lost += missing or ([repr(text)] if is_other else [])
    return list(dict.fromkeys(lost))


def _stem(word: str) -> str:
    """Return the stem of a word, and a fact as it is."""
    return stem_word(word) if _is_plain(word) else word


def _is_plain(word: str) -> bool:
    return word.isalpha() and word.islower()
