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

    subject = 0.0
    run = ""
    shared: Sequence[str] = ()
    is_enough = True

    def __init__(self, parts: dict[str, float]) -> None:
        self.parts = parts
        self.own = sum(parts.values())

    @property
    def total(self) -> float:
        return self.own + self.subject


class Scores:
    """The scores of a task: `by_number` those of the passages that share words with it.

    `is_strong`: the best is strong evidence.
    """

    def __init__(self, index: PassageIndex, task: str) -> None:
        wanted = subject_words.weigh_task(task) if len(index) else {}
        words = {word: _TaskWord(index, word, weight) for word, weight in wanted.items()}
        counts: dict[int, dict[str, int]] = {}  # how often passages have the words
        by_run: dict[str, list[str]] = {}
        for word, one in words.items():
            for number in one.numbers:
                own = counts.setdefault(number, {})
                own[word] = own.get(word, 0) + 1
            for run in one.runs:
                by_run.setdefault(run, []).append(word)
        subjects: dict[int, dict[str, list[str]]] = {}  # the words that their runs were about
        for run in sorted(by_run):
            for number in index.reported[run]:
                subjects.setdefault(number, {})[run] = by_run[run]
                counts.setdefault(number, {})
        self.by_number = {
            number: _score(own, subjects.get(number, {}), words) for number, own in counts.items()
        }
        best = max([score.total for score in self.by_number.values()], default=0.0)
        worth = sum(word.worth for word in words.values())
        self.is_strong = bool(best) and best >= STRONG * worth**0.5

    def find(self, number: int) -> Score:
        return self.by_number.get(number) or Score({})


class _TaskWord:
    """A word of a task, or the words of the memory that resemble it if the memory lacks it.

    `numbers` are those of the passages that have it, as often as they do, and `runs` were about it.
    The fewer of the passages it concerns, the more it is worth.  A telling word is enough for a
    choice: it is of code, or frequent neither here nor in general.
    """

    __slots__ = ("is_telling", "numbers", "runs", "worth")

    def __init__(self, index: PassageIndex, word: str, weight: float) -> None:
        self.runs = index.subjects.get(word, ())
        is_known = word in index.words or bool(self.runs)
        forms = [word] if is_known else _find_similar(word, index.parts)
        self.numbers = [number for form in forms for number in index.words.get(form, ())]
        count = len({*self.numbers}.union(*(index.reported[run] for run in self.runs)))
        repeated = weight * (1 + TASK_SATURATION) / (weight + TASK_SATURATION)
        self.worth = index.rarity[count] * repeated * (PAIR_WEIGHT if " " in word else 1.0)
        if forms and not is_known:
            self.worth *= SIMILAR_WEIGHT
        is_rare = count <= max(1, len(index) * FREQUENT_SHARE) and index.frequent.isdisjoint(forms)
        self.is_telling = subject_words.is_code_word(word) or (is_rare and " " not in word)


def _score(
    counts: dict[str, int], subjects: dict[str, list[str]], wanted: dict[str, _TaskWord]
) -> Score:
    """Return the score with the words of the best run; the runs are never added up."""
    parts = {
        word: wanted[word].worth * count * (1 + PASSAGE_SATURATION) / (count + PASSAGE_SATURATION)
        for word, count in counts.items()
    }
    score = Score(parts)
    for run, words in subjects.items():
        others = [word for word in words if word not in parts]
        value = SUBJECT_WEIGHT * sum(wanted[word].worth for word in others)
        if not score.run or value > score.subject:
            score.subject, score.run, score.shared = value, run, others
    single = [word for word in (*parts, *score.shared) if " " not in word]
    score.is_enough = len(single) > 1 or any(wanted[word].is_telling for word in single)
    return score


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
