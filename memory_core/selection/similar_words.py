"""Find the words of a memory that resemble a word which it does not have: typos, other endings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The length of the parts by which words are compared, and the least share of parts that they share.
SIZE = 4
LEAST = 0.5


def find(words: Iterable[str], others: Iterable[str]) -> dict[str, list[str]]:
    """Return those of the others that resemble each word, without words that none resembles."""
    wanted = {word: parts for word in words if (parts := _split(word))}
    by_part: dict[str, list[str]] = {}
    for word, parts in wanted.items():
        for part in parts:
            by_part.setdefault(part, []).append(word)
    similar: dict[str, list[str]] = {}
    for other in others if wanted else ():
        parts = _split(other)
        for word in {word for part in parts for word in by_part.get(part, ())}:
            shared = len(parts & wanted[word])
            if shared >= LEAST * (len(parts) + len(wanted[word]) - shared):
                similar.setdefault(word, []).append(other)
    return similar


def _split(word: str) -> set[str]:
    """Return the parts of a plain word, which overlap; none of a pair of words or of a name."""
    if not word.isalpha():
        return set()
    return {word[at : at + SIZE] for at in range(len(word) - SIZE + 1)}
