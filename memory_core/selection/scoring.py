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

    from memory_core.selection.passages import PassageIndex

# How fast a word that a passage or a task repeats stops counting more.
PASSAGE_SATURATION = 0.6
TASK_SATURATION = 0.5

# The weight of a pair of words, whose words count by themselves already.
PAIR_WEIGHT = 0.5

# The weight of a word that only the run was about, if the passage had it once: 1.0.
SUBJECT_WEIGHT = 0.6

# A word that more of the passages have is frequent here.
FREQUENT_SHARE = 0.2

# The weight of a word of the task that only resembles a word of the memory: a typo, or another
# ending.  Words are compared by parts of this length, of which they share at least this much.
SIMILAR_WEIGHT = 0.5
PART_LENGTH = 4
SIMILAR_SHARE = 0.5

# Of so many passages with the best scores the budget takes some.
MOST_COMPARED = 100

# From this score on, divided by the root of the sum of the task's words, a passage is strong
# evidence that the memory knows something about the task.  Of recorded tasks, 6 of 10 with a
# related run reach it, 1 of 10 without one, and none with the memory of another repository.
STRONG = 1.0


class Score:
    """The score of a passage: `own` by its words, `subject` by what its best run was about.

    `run` is the id of the best run, "" if none shares words with the task.  `is_enough`: the
    shared words may be more than chance.  `parts` has its own words with their scores, `shared`
    those of the run.
    """

    __slots__ = ("is_enough", "own", "parts", "run", "shared", "subject")

    def __init__(
        self,
        parts: dict[str, float],
        subject: float = 0.0,
        run: str = "",
        shared: Sequence[str] = (),
        is_enough: bool = True,
    ) -> None:
        self.is_enough = is_enough
        self.parts = parts
        self.shared = shared
        self.own = sum(parts.values())
        self.subject = subject
        self.run = run

    @property
    def total(self) -> float:
        return self.own + self.subject


class Scores:
    """The scores of the passages that share words with a task, by their numbers.

    `is_strong`: the best is strong evidence.
    """

    def __init__(self, index: PassageIndex, task: str) -> None:
        wanted = subject_words.weigh_task(task) if len(index) else {}
        shared = _Shared(index, wanted)
        counts = shared.count_passages()
        worth = _weigh(index.rarity, counts, wanted)
        worth |= {word: worth[word] * SIMILAR_WEIGHT for word in shared.similar}
        telling = _list_telling(counts, len(index), shared.frequent)
        self._scores = {
            number: _score(words, shared.subjects.get(number, {}), worth, telling)
            for number, words in shared.own.items()
        }
        best = max([score.total for score in self._scores.values()], default=0.0)
        self.is_strong = bool(best) and best >= STRONG * sum(worth.values()) ** 0.5

    def find(self, number: int) -> Score:
        """Return the score of a passage; all others than those of `list_best` have none."""
        return self._scores.get(number) or Score({})

    def list_best(self) -> list[int]:
        """Return the numbers of passages that share words, in their order.

        Of a large memory they are those with the best scores, more than any budget takes.
        """
        numbers = sorted(self._scores)
        if len(numbers) <= MOST_COMPARED:
            return numbers
        best = sorted(numbers, key=lambda number: -self._scores[number].total)
        return sorted(best[:MOST_COMPARED])


class _Shared:
    """The words that passages, and the runs that reported them, share with a task.

    By the numbers of passages, `own` has how often they have each of the words, and `subjects` has
    by the ids of their runs the words that these were about.  `frequent` are those of them that
    notes of all projects often have.
    """

    def __init__(self, index: PassageIndex, wanted: dict[str, float]) -> None:
        self._passages = {word: index.words[word] for word in wanted if word in index.words}
        self._runs = {word: index.subjects[word] for word in wanted if word in index.subjects}
        unknown = [word for word in wanted if word not in self._passages and word not in self._runs]
        alike = {word: _find_similar(word, index.parts) for word in unknown}
        self.similar = {word: others for word, others in alike.items() if others}
        self.frequent = {word for word in wanted if word in index.frequent}
        for word, others in self.similar.items():
            self.frequent |= {word for other in others if other in index.frequent}
            self._passages[word] = [number for other in others for number in index.words[other]]
        self._reported: dict[str, Sequence[int]] = {}
        self.own: dict[int, dict[str, int]] = {}
        self.subjects: dict[int, dict[str, list[str]]] = {}
        by_run: dict[str, list[str]] = {}
        for word, numbers in self._passages.items():
            for number in numbers:
                counts = self.own.setdefault(number, {})
                counts[word] = counts.get(word, 0) + 1
        for word, runs in self._runs.items():
            for run in runs:
                by_run.setdefault(run, []).append(word)
        for run in sorted(by_run):
            self._reported[run] = index.reported[run]
            for number in self._reported[run]:
                self.subjects.setdefault(number, {})[run] = by_run[run]
                self.own.setdefault(number, {})

    def count_passages(self) -> dict[str, int]:
        """Return how many passages have each word, or were reported by a run about it."""
        counts = {}
        for word in {**self._passages, **self._runs}:
            reported = (self._reported[run] for run in self._runs.get(word, ()))
            counts[word] = len(set(self._passages.get(word, ())).union(*reported))
        return counts


def _weigh(
    rarity: Sequence[float], counts: dict[str, int], wanted: dict[str, float]
) -> dict[str, float]:
    """Return the worth of each of the task's words: the fewer of the passages have it, the more."""
    worth = {}
    for word, weight in wanted.items():
        repeated = weight * (1 + TASK_SATURATION) / (weight + TASK_SATURATION)
        rare = rarity[counts.get(word, 0)]
        worth[word] = rare * repeated * (PAIR_WEIGHT if " " in word else 1.0)
    return worth


def _list_telling(counts: dict[str, int], size: int, frequent: set[str]) -> set[str]:
    """Return the words of which one is enough: of code, or neither frequent here nor in general."""
    most = max(1, size * FREQUENT_SHARE)
    return {
        word
        for word, count in counts.items()
        if subject_words.is_code_word(word)
        or (count <= most and " " not in word and word not in frequent)
    }


def _score(
    counts: dict[str, int],
    subjects: dict[str, list[str]],
    worth: dict[str, float],
    telling: set[str],
) -> Score:
    """Return the score with the words of the best run; the runs are never added up."""
    parts = {
        word: worth[word] * count * (1 + PASSAGE_SATURATION) / (count + PASSAGE_SATURATION)
        for word, count in counts.items()
    }
    best, best_run, shared = 0.0, "", list[str]()
    for run, words in subjects.items():
        others = [word for word in words if word not in parts]
        value = SUBJECT_WEIGHT * sum(map(worth.__getitem__, others))
        if not best_run or value > best:
            best, best_run, shared = value, run, others
    single = {word for word in (*parts, *shared) if " " not in word}
    return Score(parts, best, best_run, shared, len(single) > 1 or not single.isdisjoint(telling))


def _find_similar(word: str, by_part: dict[str, list[str]]) -> list[str]:
    """Return the words of the memory, by their parts, that resemble a word of the task."""
    parts = split_word(word)
    counts: dict[str, int] = {}
    for part in parts:
        for other in by_part.get(part, ()):
            counts[other] = counts.get(other, 0) + 1
    return [
        other
        for other, shared in counts.items()
        if shared >= SIMILAR_SHARE * (len(parts) + len(split_word(other)) - shared)
    ]


def split_word(word: str) -> set[str]:
    """Return the parts of a plain word, which overlap; none of a pair of words or of a name."""
    if not word.isalpha():
        return set()
    return {word[at : at + PART_LENGTH] for at in range(len(word) - PART_LENGTH + 1)}
