"""What is known of each item that selection needs: its history, its use, what its runs were about.

A run was about the first line of its prompt, and the words of its report that say most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from memory_core.history import rights
from memory_core.history.item_history import History, ItemState
from memory_core.selection import indexing

# An item that so many runs with different subjects reported is given with every task.
PINNING_RUNS = 3

# Two runs have one subject if they share this part of the words of the run with fewer.
SAME_SUBJECT = 0.3

# So many runs make an item confirmed.
CONFIRMING_RUNS = 2

# The fields of a note that a passage has, too.
OF_PASSAGES = ("id", "confidence", "born", "is_confirmed", "runs", "given", "used")

Uses = Counter[str]  # `given`, `used` and `failed`, each if it is not 0


class ItemNote(NamedTuple):
    """What selection needs to know of one item.

    `runs` has the ids of the runs that reported it.  `given`, `used`, `failed` and `wrong` count
    the runs that received it, used it, failed with it, and reported it as wrong.  A doubted item
    was reported as wrong, and no person has decided on it.  The run of a tainted item had read from
    outside.
    """

    id: str = ""
    confidence: float = 1.0
    born: str = ""
    is_persons: bool = False  # only a person may replace or withdraw it
    is_pinned: bool = False
    is_confirmed: bool = False  # by a person or by several runs
    wrong: int = 0
    is_doubted: bool = False
    has_read_outside: bool = False
    runs: tuple[str, ...] = ()
    given: int = 0
    used: int = 0
    failed: int = 0

    def list_facts(self) -> dict[str, Any]:
        """Return the fields of a passage with this item that are not as usual."""
        facts = {name: getattr(self, name) for name in OF_PASSAGES}
        facts["is_wished"] = self.is_pinned
        return {name: value for name, value in facts.items() if value or name == "confidence"}


def list_notes(
    history: History,
    abouts: Mapping[str, str] | None = None,
    uses: Mapping[str, Uses] | None = None,
) -> dict[str, ItemNote]:
    """Return a note for each present item, by its text.

    `abouts` says what runs were about, by their ids; `uses` has the use of items by theirs.
    """
    return {
        state.text: _make_note(state, abouts or {}, (uses or {}).get(state.id, Counter()))
        for state in history
        if state.is_present
    }


def _make_note(state: ItemState, abouts: Mapping[str, str], uses: Uses) -> ItemNote:
    own, is_pinned = state.own_runs - {""}, state.is_pinned
    if is_pinned is None:
        subjects = [indexing.list_subject(abouts.get(run, "")) for run in sorted(own)]
        is_pinned = _count_subjects(map(frozenset, subjects)) >= PINNING_RUNS
    return ItemNote(
        state.id,
        state.confidence,
        state.born,
        state.is_persons,
        is_pinned,
        len(own) >= CONFIRMING_RUNS,
        len(state.contradicting_runs),
        state.is_doubted,
        bool(state.reading),
        tuple(sorted(state.runs - {""})),
        **uses,
    )


def limit(note: ItemNote, origin: str) -> ItemNote:
    """Return a note for an item of this origin, with the rights that the origin gives.

    What a person of this machine decided on is confirmed.  What is from outside, or of nobody
    known, is no pin, and its confidence is low.
    """
    is_decided, is_known = origin in rights.DECIDED, origin in (*rights.DECIDED, rights.AGENT)
    return note._replace(
        confidence=note.confidence if is_known else min(note.confidence, rights.FOREIGN_CONFIDENCE),
        is_persons=rights.is_persons(origin, note.is_persons),
        is_confirmed=is_decided or (is_known and note.is_confirmed),
        is_pinned=is_known and note.is_pinned,
    )


def _count_subjects(runs: Iterable[frozenset[str]]) -> int:
    """Return how many of the runs were about something different from each other."""
    different: list[frozenset[str]] = []
    for words in runs:
        if words and not any(_is_same_subject(words, other) for other in different):
            different.append(words)
    return len(different)


def _is_same_subject(words: frozenset[str], other: frozenset[str]) -> bool:
    return len(words & other) > SAME_SUBJECT * min(len(words), len(other))
