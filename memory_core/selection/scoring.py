"""Score the passages of a memory by the words that they share with a task.

BM25 without length normalisation (b = 0), because items have 20 to 100 characters: each shared word
counts by how rare it is among the passages, once nearly fully, again hardly more.  A passage also
has the words that the run which reported it was about, at a smaller weight.  ../docs/selection.md
has the measurements behind each number.
"""

from __future__ import annotations

from memory_core.text import subject_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_core.history.item_notes import Subjects
    from memory_core.selection.passages import Passage

# How fast a word that a passage or a task repeats stops counting more.
PASSAGE_SATURATION = 0.6
TASK_SATURATION = 0.5

# The weight of a pair of words, whose words count by themselves already.
PAIR_WEIGHT = 0.5

# The weight of a word that only the run was about, if the passage had it once: 1.0.
SUBJECT_WEIGHT = 0.6

# Small enough for a logarithm with five digits.
TINY = 2.0**-20

# From this score on, divided by the root of the sum of the task's words, a passage is strong
# evidence that the memory knows something about the task.  Of recorded tasks, 6 of 10 with a
# related run reach it, 1 of 10 without one, and none with the memory of another repository.
STRONG = 1.0


class Score:
    """The score of a passage: `own` by its words, `subject` by what its best run was about.

    `run` is the number of the best run in its note, -1 without one.
    """

    __slots__ = ("_parts", "_shared", "own", "run", "subject")

    def __init__(
        self,
        parts: dict[str, float],
        subject: float = 0.0,
        run: int = -1,
        shared: Sequence[str] = (),
    ) -> None:
        self._parts = parts
        self._shared = shared
        self.own = sum(parts.values())
        self.subject = subject
        self.run = run

    @property
    def total(self) -> float:
        return self.own + self.subject

    @property
    def words(self) -> list[str]:
        """The words that it shares with the task: its own, the best first, then the run's."""
        own = sorted(self._parts, key=lambda word: (-self._parts[word], word))
        return own + sorted(self._shared)


class Scores:
    """The scores of passages, in their order, and whether the best is strong evidence."""

    def __init__(self, passages: Sequence[Passage], task: str) -> None:
        wanted = subject_words.weigh_task(task)
        if not wanted:
            self.scores, self.is_strong = [Score({}, 0.0, -1, ()) for _ in passages], False
            return
        own = [_count_wanted(passage, wanted) for passage in passages]
        shared = _list_shared(passages, wanted)
        worth = _weigh_words(wanted, own, shared)
        self.scores = [
            _score(counts, subjects, worth) for counts, subjects in zip(own, shared, strict=True)
        ]
        best = max((score.total for score in self.scores), default=0.0)
        self.is_strong = best >= STRONG * sum(worth.values()) ** 0.5


def _count_wanted(passage: Passage, wanted: dict[str, float]) -> dict[str, int]:
    """Return how often a passage has each of the task's words."""
    counts: dict[str, int] = {}
    for word in passage.words:
        if word in wanted:
            counts[word] = counts.get(word, 0) + 1
    return counts


def _list_shared(passages: Sequence[Passage], wanted: dict[str, float]) -> list[list[list[str]]]:
    """Return for each run of each passage the words of the task that the run was about."""
    by_run: dict[Subjects, dict[str, list[str]]] = {}
    for passage in passages:
        subjects = passage.note.subjects
        if subjects not in by_run:
            by_run[subjects] = subjects.list_words(wanted)
    return [
        [by_run[passage.note.subjects].get(run, []) for run in passage.note.runs]
        for passage in passages
    ]


def _weigh_words(
    wanted: dict[str, float], own: list[dict[str, int]], shared: list[list[list[str]]]
) -> dict[str, float]:
    """Return the worth of each of the task's words: the fewer passages have it, the more."""
    frequency = dict.fromkeys(wanted, 0)
    for counts, subjects in zip(own, shared, strict=True):
        for word in set(counts).union(*subjects):
            frequency[word] += 1
    worth = {}
    for word, weight in wanted.items():
        count = frequency[word]
        rare = _log(1 + (len(own) - count + 0.5) / (count + 0.5))
        repeated = weight * (1 + TASK_SATURATION) / (weight + TASK_SATURATION)
        worth[word] = rare * repeated * (PAIR_WEIGHT if " " in word else 1.0)
    return worth


def _log(value: float) -> float:
    """Return the natural logarithm; a hook saves the import of `math`, 0.3 ms."""
    power: float = value**TINY
    return (power - 1) / TINY


def _score(counts: dict[str, int], subjects: list[list[str]], worth: dict[str, float]) -> Score:
    """Return the score with the words of the best run; the runs are never added up."""
    parts = {
        word: worth[word] * count * (1 + PASSAGE_SATURATION) / (count + PASSAGE_SATURATION)
        for word, count in counts.items()
    }
    best, number, shared = 0.0, -1, list[str]()
    for at, words in enumerate(subjects):
        others = [word for word in words if word not in parts]
        value = SUBJECT_WEIGHT * sum(map(worth.__getitem__, others))
        if number < 0 or value > best:
            best, number, shared = value, at, others
    return Score(parts, best, number, shared)
