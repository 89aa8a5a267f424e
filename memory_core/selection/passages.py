"""The passages of a memory, items with their nested lines and paragraphs, and notes on items."""

from __future__ import annotations

import sys

from memory_core.text import subject_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

SHORTEST_ID = 4

# Characters of a passage that are compared with a task; a usual one has 100.
MAX_COMPARED = 4000

# Tiers of `history.rights`, which hooks need not import: a person wrote it here; it is from
# outside, and nobody reviewed it here.
OWN_TIERS = ("person", "hand")
OUTSIDE_TIERS = ("tainted", "mcp", "import")

# What a note has besides the counts of runs and their subjects.
FACTS = (
    *("id", "confidence", "born", "is_persons", "is_pinned", "is_confirmed"),
    *("wrong", "is_doubted", "is_tainted", "runs"),
)


def pack(number: int) -> bytes:
    """Return a number of a passage or run as a part of the bytes that `unpack` reads."""
    return number.to_bytes(4, sys.byteorder)


def unpack(numbers: bytes | memoryview) -> memoryview[int]:
    """Return packed numbers; many numbers load faster so, and most of them are not needed."""
    return memoryview(numbers).cast("I")


class Subjects:
    """What runs were about: `by_word` has for each word the packed numbers of the runs.

    `numbers` has those of the runs, by their ids.  A hook needs only the words of its task, and
    this loads faster than the words of each run.
    """

    __slots__ = ("by_word", "numbers")

    def __init__(self, by_word: dict[str, bytes], numbers: dict[str, int]) -> None:
        self.by_word = by_word
        self.numbers = numbers

    def list_words(self) -> dict[str, list[str]]:
        """Return the words that each run was about, by its id."""
        ids = {number: run for run, number in self.numbers.items()}
        words: dict[str, list[str]] = {}
        for word, numbers in self.by_word.items():
            for number in unpack(numbers):
                words.setdefault(ids[number], []).append(word)
        return words

    def select(self, runs: Container[int]) -> dict[str, bytes]:
        """Return the words of these runs, by their numbers."""
        kept = {
            word: b"".join(pack(number) for number in unpack(numbers) if number in runs)
            for word, numbers in self.by_word.items()
        }
        return {word: numbers for word, numbers in kept.items() if numbers}

    def update(self, abouts: dict[str, str]) -> Subjects:
        """Return the subjects of exactly these runs; only those that are new are split."""
        numbers = {run: number for run, number in self.numbers.items() if run in abouts}
        is_same = len(numbers) == len(self.numbers)
        by_word = dict(self.by_word) if is_same else self.select({*numbers.values()})
        number = max(numbers.values(), default=-1)
        for run in sorted(abouts.keys() - numbers.keys()):
            number += 1
            numbers[run] = number
            for word in dict.fromkeys(subject_words.list_words(abouts[run])):
                if " " not in word:
                    by_word[word] = by_word.get(word, b"") + pack(number)
        return Subjects(by_word, numbers)


NO_SUBJECTS = Subjects({}, {})


class ItemNote:
    """What selection needs to know of one item.

    `runs` has the ids of the runs that reported it, and `subjects` what they were about.  `given`,
    `used`, `failed` and `wrong` count the runs that received it, used it, failed with it, and
    reported it as wrong.  A confirmed item was confirmed by a person or by several runs.  A
    doubted item was reported as wrong, and no person has decided on it.  The run of a tainted item
    had read from outside.
    """

    __slots__ = (*FACTS, "failed", "given", "subjects", "used")

    def __init__(
        self,
        id: str = "",
        confidence: float = 1.0,
        born: str = "",
        is_persons: bool = False,
        is_pinned: bool = False,
        is_confirmed: bool = False,
        wrong: int = 0,
        is_doubted: bool = False,
        is_tainted: bool = False,
        runs: tuple[str, ...] = (),
        counts: tuple[int, int, int] = (0, 0, 0),
        subjects: Subjects = NO_SUBJECTS,
    ) -> None:
        self.id = id
        self.confidence = confidence
        self.born = born
        self.is_persons = is_persons
        self.is_confirmed = is_confirmed
        self.is_pinned = is_pinned
        self.given, self.used, self.failed = counts
        self.wrong = wrong
        self.runs = runs
        self.subjects = subjects
        self.is_doubted = is_doubted
        self.is_tainted = is_tainted


NO_NOTE = ItemNote()


class Passage:
    """One part of a memory: an item with its nested lines, or a paragraph.

    `text` has its lines, `index` is its number in the memory.  `item` is the text of an item
    without nested lines, "" for a paragraph; `note` is what the history knows of it.  `runs` has
    the numbers of the runs that reported it, as a PassageIndex gives them.
    """

    __slots__ = (
        *("_words", "index", "is_list", "is_users", "is_wished", "item", "names"),
        *("note", "runs", "section", "short_id", "stale", "text", "tier"),
    )

    def __init__(
        self, section: str, text: str, index: int, item: str = "", note: ItemNote = NO_NOTE
    ) -> None:
        self.section = section
        self.text = text
        self.index = index
        self.item = item
        self.note = note
        self.is_wished = note.is_pinned  # given with every task
        self.tier = ""  # where it comes from: see history.rights
        self.is_users = False  # of the user's level: the files it names are of any project
        self.is_list = False  # lines of agent-memory: common errors, performance
        self.stale = ""  # why it may be out of date
        self.short_id = ""  # the name of an item in the block: the beginning of its id
        self.names: list[str] = []  # the paths, symbols and commands in it
        self.runs: tuple[int, ...] = ()
        self._words: list[str] | None = None

    @property
    def is_own(self) -> bool:
        """Whether it is an item that a person wrote on this machine."""
        return self.item != "" and self.tier in OWN_TIERS

    @property
    def is_outside(self) -> bool:
        """Whether it came from elsewhere, or from a run that had read from outside."""
        return self.tier in OUTSIDE_TIERS

    @property
    def words(self) -> list[str]:
        """The words of the passage by which it is compared with tasks."""
        if self._words is None:
            self._words = subject_words.list_words(self.text[:MAX_COMPARED])
        return self._words

    @words.setter
    def words(self, words: list[str]) -> None:
        self._words = words


def shorten_ids(ids: Iterable[str]) -> dict[str, str]:
    """Return the shortest beginnings, of four or more characters, that differ, by the ids."""
    shortened: dict[str, str] = {}
    waiting, length = {*ids} - {""}, SHORTEST_ID
    while waiting:
        counts: dict[str, int] = {}
        for whole in waiting:
            counts[whole[:length]] = counts.get(whole[:length], 0) + 1
        alone = {one for one in waiting if counts[one[:length]] == 1 or len(one) <= length}
        shortened |= {one: one[:length] for one in alone}
        waiting, length = waiting - alone, length + 1
    return shortened
