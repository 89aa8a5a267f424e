"""Find the passages of a memory by their words and by the subjects of the runs that reported them.

An index is made of passages, or of the parts that an earlier index has stored; then it reads only
the parts that it needs, and raises DamagedIndex if it cannot.  Both give the same answers.
"""

from __future__ import annotations

import marshal

from memory_core.selection.passages import ItemNote, Passage, pack, unpack
from memory_core.selection.tokens import ITEM_TOKENS, estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from memory_core.selection.item_notes import Counts
    from memory_core.selection.passages import Subjects

    Blocks = Sequence[Any]  # of bytes, or parts of the bytes of a file

# A memory with fewer passages is one block, because all of it takes no longer than to divide it.
SMALL = 300

# In a larger one, words are divided by their characters into so many blocks, a prime number, and
# each passage and each run is a block.
WORD_BLOCKS = 1021


class DamagedIndex(ValueError):
    """A part of a stored index cannot be read."""


class Parts:
    """The stored form of an index: marshalled blocks, which load one by one.

    `counts` are the numbers of passages and of runs, and `wished` has the numbers of the passages
    that are given with every task, `own` those that a person wrote here, the newest first, and
    `tokens` are those of all that is not from outside.  The blocks are those of passages, of their
    words, of the words that runs were about, and of the passages that runs reported.
    """

    __slots__ = ("blocks", "counts", "own", "tokens", "wished")

    def __init__(
        self,
        counts: tuple[int, int] = (0, 0),
        wished: tuple[int, ...] = (),
        blocks: Sequence[Blocks] = ((), (), (), ()),
        own: tuple[int, ...] = (),
        tokens: int = 0,
    ) -> None:
        self.counts = counts
        self.wished = wished
        self.blocks = blocks
        self.own = own
        self.tokens = tokens


class PassageIndex:
    """Passages by their numbers, and the numbers of those that have a word.

    `wished`, `own` and `tokens` are those of `Parts`.  `counts` says how many runs received, used
    and failed with the items, by their ids.
    """

    def __init__(
        self,
        passages: Iterable[Passage] = (),
        parts: Parts | None = None,
        counts: Counts | None = None,
    ) -> None:
        parts = parts or Parts()
        self._count, self._run_count = parts.counts
        self.wished, self.own, self.tokens = [*parts.wished], [*parts.own], parts.tokens
        self._rows, self._own, self._subjects, self._reported = map(_BlockLoader, parts.blocks)
        self._counts = counts or {}
        self._passages: dict[int, Passage] = {}
        self._added: dict[str, bytes] = {}  # the passages that were added, by their words
        self._added_runs: dict[int, list[int]] = {}
        self._added_subjects: list[tuple[Subjects, int]] = []
        for passage in passages:
            self.add(passage)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> Passage:
        if number not in self._passages:
            row = self._rows.at(number)
            self._passages[number] = _make_passage(number, row, self._counts)
        return self._passages[number]

    def __iter__(self) -> Iterator[Passage]:
        return map(self.__getitem__, range(self._count))

    def add(self, passage: Passage) -> None:
        """Add a passage; it gets the next number."""
        passage.index = self._count
        self._passages[self._count] = passage
        self._count += 1
        number = pack(passage.index)
        for word in passage.words:
            self._added[word] = self._added.get(word, b"") + number
        note = passage.note
        if note.runs:
            first, numbers = self.add_subjects(note.subjects), note.subjects.numbers
            passage.runs = tuple(first + numbers[run] for run in note.runs if run in numbers)
        for run in passage.runs:
            self._added_runs.setdefault(run, []).append(passage.index)
        if passage.is_wished:
            self.wished.append(passage.index)
        if passage.is_own:
            self.own.append(passage.index)
        if not passage.is_outside:
            self.tokens += estimate_tokens(passage.text) + ITEM_TOKENS

    def add_subjects(self, subjects: Subjects) -> int:
        """Add what runs were about, once; return the number of the first of these runs."""
        for added, first in self._added_subjects:
            if added is subjects:
                return first
        self._added_subjects.append((subjects, self._run_count))
        self._run_count += 1 + max(subjects.numbers.values(), default=-1)
        return self._added_subjects[-1][1]

    def find_own(self, words: Iterable[str]) -> dict[str, Sequence[int]]:
        """Return the numbers of the passages with each word, as often as they have it.

        Words that no passage has are left out.
        """
        hits = self._own.find(words)
        for word in self._added.keys() & words:
            hits[word] = hits.get(word, b"") + self._added[word]
        return {word: unpack(numbers) for word, numbers in hits.items()}

    def list_known(self) -> list[str]:
        """Return the words of the passages; [] for a large memory, where this takes too long."""
        if self._count >= SMALL:
            return []
        return list(dict.fromkeys([*(word for word, _ in self._own.list_all()), *self._added]))

    def find_runs(self, words: Iterable[str]) -> dict[str, Sequence[int]]:
        """Return the numbers of the runs that were about each word, without words of none."""
        hits: dict[str, Sequence[int]] = {
            word: unpack(numbers) for word, numbers in self._subjects.find(words).items()
        }
        for subjects, first in self._added_subjects:
            for word in subjects.by_word.keys() & words:
                numbers = [first + run for run in unpack(subjects.by_word[word])]
                numbers = [run for run in numbers if run in self._added_runs]
                hits[word] = (*hits.get(word, ()), *numbers)
        return hits

    def list_reported(self, run: int) -> Sequence[int]:
        """Return the numbers of the passages that a run reported."""
        if run in self._added_runs:
            return self._added_runs[run]
        hits: Sequence[int] = self._reported.at(run)
        return hits

    def list_words(self) -> dict[str, list[str]]:
        """Return the words of all stored passages by their texts."""
        words: list[list[str]] = [[] for _ in range(self._count)]
        for word, numbers in self._own.list_all():
            for number in unpack(numbers):
                words[number].append(word)
        return {passage.text: words[passage.index] for passage in self}

    def list_subjects(self) -> dict[str, bytes]:
        """Return the packed numbers of the runs by the words that they were about."""
        return dict(self._subjects.list_all())

    def make_parts(self) -> Parts:
        """Return the parts of an index whose passages were all added."""
        subjects: dict[str, bytes] = {}
        for more, first in self._added_subjects:
            if not first:  # of the project; the memory of the user is smaller
                subjects = {**more.by_word}
                continue
            for word, runs in more.by_word.items():
                numbers = b"".join(pack(first + run) for run in unpack(runs))
                subjects[word] = subjects.get(word, b"") + numbers
        reported = [tuple(self._added_runs.get(run, ())) for run in range(self._run_count)]
        is_small = self._count < SMALL
        blocks = (
            _divide(list(map(_make_row, self)), is_small),
            _divide_words(self._added, is_small),
            _divide_words(subjects, is_small),
            _divide(reported, is_small),
        )
        self.sort_own()
        counts = self._count, self._run_count
        return Parts(counts, tuple(self.wished), blocks, tuple(self.own), self.tokens)

    def sort_own(self) -> None:
        """Put the newest lines of a person first; of the same age, those further up in the file.

        People put what always matters at the top of a file.  Typed lines have no age and are new.
        """
        self.own.sort()
        self.own.sort(key=lambda at: self[at].note.born, reverse=True)


class _BlockLoader:
    """Loads marshalled blocks of rows or of words, each when it is needed."""

    __slots__ = ("_blocks", "_loaded")

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._loaded: dict[int, Any] = {}

    def at(self, number: int) -> Any:
        """Return the row with this number."""
        return self._load(0)[number] if len(self._blocks) == 1 else self._load(number)[0]

    def find(self, words: Iterable[str]) -> dict[str, bytes]:
        """Return the packed numbers of those words that have some."""
        count = len(self._blocks)
        if count == 1:
            block = self._load(0)
            return {word: block[word] for word in words if word in block}
        hits = {}
        for word in words if count else ():
            block = self._load(_choose_block(word, count))
            if word in block:
                hits[word] = block[word]
        return hits

    def list_all(self) -> Iterable[tuple[str, bytes]]:
        """Return all words with their packed numbers."""
        return (pair for at in range(len(self._blocks)) for pair in self._load(at).items())

    def _load(self, at: int) -> Any:
        if at not in self._loaded:
            self._loaded[at] = load_block(self._blocks, at)
        return self._loaded[at]


def load_block(blocks: Blocks, at: int) -> Any:
    """Return the content of a block; raises DamagedIndex."""
    try:
        return marshal.loads(blocks[at])  # noqa: S302 - of the user's own state
    except (EOFError, ValueError, TypeError, IndexError, OSError) as error:
        raise DamagedIndex(str(error)) from error


def _divide(rows: list[Any], is_small: bool) -> list[bytes]:
    return [marshal.dumps(rows)] if is_small else [marshal.dumps([row]) for row in rows]


def _divide_words(numbers: dict[str, bytes], is_small: bool) -> list[bytes]:
    if is_small:
        return [marshal.dumps(numbers)]
    blocks: list[dict[str, bytes]] = [{} for _ in range(WORD_BLOCKS)]
    for word, hits in numbers.items():
        blocks[_choose_block(word, WORD_BLOCKS)][word] = hits
    return list(map(marshal.dumps, blocks))


def _choose_block(word: str, count: int) -> int:
    """Return the block of a word; `hash` would differ from process to process."""
    return int.from_bytes(word.encode("utf-8", "surrogatepass"), "little") % count


def _make_row(passage: Passage) -> tuple[Any, ...]:
    note = passage.note
    return (
        *(passage.section, passage.text, passage.item, passage.is_wished, passage.is_users),
        *(passage.short_id, passage.names, passage.runs, passage.tier),
        *(note.id, note.confidence, note.born, note.is_persons, note.is_pinned, note.is_confirmed),
    )


def _make_passage(number: int, row: tuple[Any, ...], counts: Counts) -> Passage:
    section, text, item, is_wished, is_users, short_id, names, runs, tier, *facts = row
    note = ItemNote(*facts)
    note.given, note.used, note.failed = counts.get(note.id, (0, 0, 0))
    passage = Passage(section, text, number, item, note)
    passage.is_wished, passage.is_users = is_wished, is_users
    passage.short_id, passage.names, passage.runs = short_id, names, runs
    passage.tier = tier
    return passage
