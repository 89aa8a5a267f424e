"""Which item a person means: by its id, the first digits of it, its text, or a part of that.

A way that finds nothing gives way to the next one, so a whole text is never mistaken for a
part of others.
"""

from __future__ import annotations

from memory_core import similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol, TypeVar

    class HasText(Protocol):
        """Anything that has a text, of one line or, with what is nested, of several."""

        @property
        def text(self) -> str: ...

    class HasId(HasText, Protocol):
        """Anything that has an id as well, `past.identity` of its text."""

        @property
        def id(self) -> str: ...

    Texted = TypeVar("Texted", bound=HasText)
    Identified = TypeVar("Identified", bound=HasId)

# Fewer digits of an id are as likely a word or a number of its text.
SHORTEST_PREFIX = 4
HEX = frozenset("0123456789abcdef")

# How many candidates are told, and how much of each one's text.
TOLD = 5
TOLD_LENGTH = 60

# What shares less of its words with a name than this is not worth telling.
LIKENESS = 0.4


class NotFound(ValueError):
    """No item is meant by a name; the message tells which come near."""

    status = 2


class Ambiguous(ValueError):
    """Several items may be meant by a name; the message tells them."""

    status = 2


class Named:
    """An item that has no more than id and text."""

    __slots__ = ("id", "text")

    def __init__(self, id: str, text: str) -> None:
        self.id = id
        self.text = text

    def __repr__(self) -> str:
        return f"Named({self.id!r}, {self.text!r})"


def find(name: str, items: Iterable[Identified]) -> Identified:
    """Return the item that a name means; of several with one id, which say the same, the first.

    A name is an id, at least SHORTEST_PREFIX digits that only one id begins with, the text, the
    same words, or a part of only one text.  Raises NotFound and Ambiguous, both ValueErrors.
    """
    known = list(items)
    found = meant(name.strip(), known, WAYS)
    one_each = list({each.id: each for each in reversed(found)}.values())[::-1]
    if len(one_each) == 1:
        return one_each[0]
    if found:
        raise Ambiguous(f"{name!r} may be one of {len(one_each)} items: {_told(one_each)}")
    near = _told(_nearest(name, known))
    raise NotFound(f"no item is {name!r}{'; near it: ' if near else ''}{near}")


def meant(
    name: str, items: Sequence[Texted], ways: Iterable[Callable[[Texted, str], bool]]
) -> list[Texted]:
    """Return the items that the first way finds that finds any."""
    for way in ways:
        found = [each for each in items if way(each, name)]
        if found:
            return found
    return []


def is_id(item: HasId, name: str) -> bool:
    return item.id == name.lower()


def begins_id(item: HasId, name: str) -> bool:
    digits = name.lower()
    return len(digits) >= SHORTEST_PREFIX and HEX.issuperset(digits) and item.id.startswith(digits)


def is_text(item: HasText, name: str) -> bool:
    """Say whether a name is an item's text, with what is nested or without."""
    return bool(name) and name in (item.text, _first(item))


def has_words(item: HasText, name: str) -> bool:
    """Say whether a name is the same words: their case, emphasis and the like do not count."""
    return bool(name) and similarity.fold(_first(item)) == similarity.fold(name)


def has_part(item: HasText, name: str) -> bool:
    return bool(name) and name.casefold() in item.text.casefold()


WORDS = (is_text, has_words)
WAYS = (is_id, begins_id, *WORDS, has_part)


def _first(item: HasText) -> str:
    return item.text.partition("\n")[0]


def _nearest(name: str, items: list[Identified]) -> list[Identified]:
    words = similarity.words(name)
    known = {each.id: each for each in reversed(items)}.values()
    ranked = [(similarity.likeness(words, similarity.words(_first(each))), each) for each in known]
    near = [pair for pair in ranked if pair[0] >= LIKENESS]
    return [each for _likeness, each in sorted(near, key=lambda pair: -pair[0])[:TOLD]]


def _told(items: list[Identified]) -> str:
    told = [f"{each.id} {_shortened(_first(each))}" for each in items[:TOLD]]
    over = len(items) - TOLD
    return "; ".join([*told, *([f"and {over} more"] if over > 0 else [])])


def _shortened(text: str) -> str:
    return text if len(text) <= TOLD_LENGTH else f"{text[:TOLD_LENGTH].rstrip()} ..."
