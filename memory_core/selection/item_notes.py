"""What the history knows of each item that selection needs: its use, and what its runs were about.

A run was about the first line of its prompt, and the words of its report that say most; the state
has them.  The `task` record of a run has `given`, the ids of the items that it received, and
`used`, the ids of those that it used, separated by spaces.
"""

from __future__ import annotations

from memory_core.history import rights
from memory_core.selection.passages import FACTS, NO_SUBJECTS, ItemNote, Subjects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memory_core.history.item_history import History, ItemState, Record

    Words = frozenset[str]
    # By the id of an item: how many runs received it, used it, and failed with it.
    Counts = Mapping[str, tuple[int, int, int]]

# An item that so many runs with different subjects reported is given with every task.
PINNING_RUNS = 3

# Two runs have one subject if they share this part of the words of the run with fewer.
SAME_SUBJECT = 0.3

# So many runs make an item confirmed.
CONFIRMING_RUNS = 2


def list_notes(
    history: History,
    counts: Counts,
    before: Subjects = NO_SUBJECTS,
    read_subjects: Callable[[], dict[str, str]] = dict,
) -> dict[str, ItemNote]:
    """Return a note for each present item, by its text; `counts` are those of `count_runs`.

    `before` has what runs of earlier notes were about, and `read_subjects` reads it for all runs.
    """
    present = [state for state in history if state.is_present]
    runs = {run for state in present for run in state.runs} - {""}
    abouts = read_subjects() if runs - before.numbers.keys() else {}
    subjects = before.update({run: abouts.get(run, "") for run in runs})
    has_many = any(len(state.runs) >= PINNING_RUNS for state in present)
    words = subjects.list_words() if has_many else {}
    by_run = {run: frozenset(words[run]) for run in words}
    return {
        state.text: _make_note(state, by_run, subjects, counts.get(state.id, (0, 0, 0)))
        for state in present
    }


def count_runs(records: Iterable[Record], counts: Counts) -> Counts:
    """Return `counts` with the runs in these records added."""
    total = dict(counts)
    for record in records:
        if record["kind"] != "task":
            continue
        failed = record.get("outcome") == "failed"
        for name, added in (("given", (1, 0, failed)), ("used", (0, 1, 0))):
            for key in record.get(name, "").split():
                before = total.get(key, (0, 0, 0))
                given, used, failures = map(sum, zip(before, added, strict=True))
                total[key] = (given, used, failures)
    return total


def _make_note(
    state: ItemState,
    by_run: dict[str, Words],
    subjects: Subjects,
    counts: tuple[int, int, int],
) -> ItemNote:
    runs = tuple(sorted(state.runs - {""}))
    words = [by_run[run] for run in runs if run in by_run and run in state.own_runs]
    return ItemNote(
        state.id,
        state.confidence,
        state.born,
        state.is_persons,
        count_subjects(words) >= PINNING_RUNS if state.is_pinned is None else state.is_pinned,
        len(state.own_runs - {""}) >= CONFIRMING_RUNS,
        len(state.contradicting_runs),
        state.is_doubted,
        bool(state.reading),
        runs,
        counts,
        subjects,
    )


def limit(note: ItemNote, tier: str) -> ItemNote:
    """Return a note for an item of this tier, with the rights that the tier gives.

    What a person of this machine decided on is confirmed.  What is from outside, or of nobody
    known, is no pin, and its confidence is low.
    """
    is_decided, is_known = tier in rights.DECIDED, tier in (*rights.DECIDED, rights.AGENT)
    limited = ItemNote(*(getattr(note, name) for name in FACTS))
    limited.given, limited.used, limited.failed = note.given, note.used, note.failed
    limited.subjects = note.subjects
    limited.is_persons = rights.is_persons(tier, note.is_persons)
    limited.is_confirmed = is_decided or (is_known and note.is_confirmed)
    limited.is_pinned = is_known and note.is_pinned
    if not is_known:
        limited.confidence = min(note.confidence, rights.FOREIGN_CONFIDENCE)
    return limited


def count_subjects(runs: Iterable[Words]) -> int:
    """Return how many of the runs were about something different from each other."""
    different: list[Words] = []
    for words in runs:
        if words and not any(_is_same_subject(words, other) for other in different):
            different.append(words)
    return len(different)


def _is_same_subject(words: Words, other: Words) -> bool:
    return len(words & other) > SAME_SUBJECT * min(len(words), len(other))
