"""Compute the texts that `trust.checking` looks for before it loads the rules."""

from __future__ import annotations

from memory_core.trust import rules, scoring

# Words that make `folding` read a text in another way.
READ_OTHERWISE = (" backward", " reversed", " rot13", " rot 13")


def list_triggers() -> list[str]:
    """Return texts, one of which each rule needs: those of its first concept, in ASCII.

    A text that begins with a blank is searched in the words of a learning, others in its signs.
    """
    triggers = set(READ_OTHERWISE)
    for _reason, _weight, concepts, *_rest in rules.RULES:
        for stem in scoring.list_stems(concepts.split(", ")[0]):
            if scoring.PIPE in stem:
                triggers.add("|")
            elif stem[0] == "@":
                triggers.add("@" if stem == "@email" else "://")
            elif stem.isascii():
                triggers.add(stem[1:].strip() if stem[0] == "=" else stem)
    return sorted(one for one in triggers if not any(_covers(other, one) for other in triggers))


def _covers(other: str, one: str) -> bool:
    if other[0] == " ":
        return other != one and one.startswith(other)
    return other != one and one[0] != " " and other in one
