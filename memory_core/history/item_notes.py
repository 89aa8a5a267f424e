"""What the history knows of each item that selection needs: its use, and what its runs were about.

The first record that a run left in a write has `about`: the first line of the run's prompt, and the
words of its report that say most.  The `task` record of a run has `given`, the ids of the items
that it received, and `used`, the ids of those that it used, separated by spaces.
"""

from __future__ import annotations

from memory_core.text import subject_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory_core.history.item_history import History, ItemState, Record

    Words = frozenset[str]
    # By the id of an item: how many runs received it, used it, and failed with it.
    Counts = Mapping[str, tuple[int, int, int]]

FIELDS = (
    *("id", "confidence", "born", "is_persons", "is_confirmed", "is_pinned"),
    *("given", "used", "failed", "wrong", "runs", "is_doubted"),
)

# An item that so many runs with different subjects reported is given with every task.
PINNING_RUNS = 3

# Two runs have one subject if they share this part of the words of the run with fewer.
SAME_SUBJECT = 0.3

# So many runs make an item confirmed.
CONFIRMING_RUNS = 2


class Subjects:
    """What `runs` were about: `by_word` has for each word the ids of the runs.

    A hook needs only the words of its task, and this loads faster than the words of each run.
    """

    __slots__ = ("by_word", "runs")

    def __init__(self, by_word: dict[str, tuple[str, ...]], runs: Words) -> None:
        self.by_word = by_word
        self.runs = runs

    def list_words(self, words: Iterable[str]) -> dict[str, list[str]]:
        """Return which of the words each run was about, by the run."""
        shared: dict[str, list[str]] = {}
        for word in words:
            for run in self.by_word.get(word, ()):
                shared.setdefault(run, []).append(word)
        return shared

    def update(self, abouts: dict[str, str]) -> Subjects:
        """Return the subjects of exactly these runs; only those that are new are split."""
        by_word, gone = dict(self.by_word), self.runs - abouts.keys()
        if gone:
            kept = {word: {*runs} - gone for word, runs in by_word.items()}
            by_word = {word: tuple(sorted(runs)) for word, runs in kept.items() if runs}
        news: dict[str, list[str]] = {}
        for run in sorted(abouts.keys() - self.runs):
            for word in dict.fromkeys(subject_words.list_words(abouts[run])):
                if " " not in word:
                    news.setdefault(word, []).append(run)
        by_word |= {word: (*by_word.get(word, ()), *runs) for word, runs in news.items()}
        return Subjects(by_word, frozenset(abouts))


NO_SUBJECTS = Subjects({}, frozenset())


class ItemNote:
    """What selection needs to know of one item.

    `runs` has the ids of the runs that reported it, and `subjects` what they were about.  `given`,
    `used`, `failed` and `wrong` count the runs that received it, used it, failed with it, and
    reported it as wrong.  A confirmed item was confirmed by a person or by several runs.  A
    doubted item was reported as wrong, and no person has decided on it.
    """

    __slots__ = (*FIELDS, "subjects")

    def __init__(
        self,
        id: str = "",
        confidence: float = 1.0,
        born: str = "",
        is_persons: bool = False,
        is_confirmed: bool = False,
        is_pinned: bool = False,
        given: int = 0,
        used: int = 0,
        failed: int = 0,
        wrong: int = 0,
        runs: tuple[str, ...] = (),
        is_doubted: bool = False,
        subjects: Subjects = NO_SUBJECTS,
    ) -> None:
        self.id = id
        self.confidence = confidence
        self.born = born
        self.is_persons = is_persons
        self.is_confirmed = is_confirmed
        self.is_pinned = is_pinned
        self.given = given
        self.used = used
        self.failed = failed
        self.wrong = wrong
        self.runs = runs
        self.subjects = subjects
        self.is_doubted = is_doubted

    @property
    def rank(self) -> tuple[bool, float, str]:
        """A value that is greater for the item to trust: a person's, certain or newer."""
        return self.is_persons, 0.0 if self.is_persons else self.confidence, self.born


def list_notes(
    history: History, counts: Counts, before: Subjects = NO_SUBJECTS
) -> dict[str, ItemNote]:
    """Return a note for each present item, by its text; `counts` are those of `count_runs`.

    `before` has what runs of earlier notes were about.
    """
    present = [state for state in history if state.is_present]
    runs = {run for state in present for run in state.runs}
    subjects = before.update({run: history.subjects[run] for run in runs & history.subjects.keys()})
    has_many = any(len(state.runs) >= PINNING_RUNS for state in present)
    words = subjects.list_words(subjects.by_word) if has_many else {}
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
        for key in record.get("given", "").split():
            given, used, failures = total.get(key, (0, 0, 0))
            total[key] = (given + 1, used, failures + failed)
        for key in record.get("used", "").split():
            given, used, failures = total.get(key, (0, 0, 0))
            total[key] = (given, used + 1, failures)
    return total


def _make_note(
    state: ItemState,
    by_run: dict[str, Words],
    subjects: Subjects,
    counts: tuple[int, int, int],
) -> ItemNote:
    runs = tuple(sorted(state.runs - {""}))
    words = [by_run[run] for run in runs if run in by_run]
    return ItemNote(
        state.id,
        state.confidence,
        state.born,
        state.is_persons,
        state.is_persons or len(runs) >= CONFIRMING_RUNS,
        count_subjects(words) >= PINNING_RUNS if state.is_pinned is None else state.is_pinned,
        *counts,
        len(state.contradicting_runs),
        runs,
        state.is_doubted,
        subjects,
    )


def count_subjects(runs: Iterable[Words]) -> int:
    """Return how many of the runs were about something different from each other."""
    different: list[Words] = []
    for words in runs:
        if words and not any(_is_same_subject(words, other) for other in different):
            different.append(words)
    return len(different)


def _is_same_subject(words: Words, other: Words) -> bool:
    return len(words & other) > SAME_SUBJECT * min(len(words), len(other))
