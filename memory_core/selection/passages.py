"""The passages of a memory: items with their nested lines, and paragraphs, found by their words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

SHORTEST_ID = 4

# Tiers of `history.rights`, which hooks need not import: a person wrote it here; it is from
# outside, and nobody reviewed it here.
OWN_TIERS = ("person", "hand")
OUTSIDE_TIERS = ("tainted", "mcp", "import")


class Passage:
    """One part of a memory: an item with its nested lines, or a paragraph.

    `text` has its lines, and `item` is the text of an item without nested lines, "" for a
    paragraph.  A field with its usual value is not stored.
    """

    section: str
    text: str
    item = ""
    index = -1  # its number in the memory
    id = ""
    short_id = ""  # the name of an item in the block: the beginning of its id
    worth = 0  # of its section, see `indexing`
    confidence = 1.0
    born = ""
    tier = ""  # where it comes from: see history.rights
    given = 0  # how many runs received it
    used = 0
    is_confirmed = False  # by a person or by several runs
    is_wished = False  # given with every task
    is_users = False  # of the user's level: the files it names are of any project
    is_list = False  # lines of agent-memory: common errors, performance
    stale = ""  # why it may be out of date
    names: Sequence[str] = ()  # the paths, symbols and commands in it
    runs: Sequence[str] = ()  # the ids of the runs that reported it

    def __init__(self, section: str, text: str, item: str = "", **facts: Any) -> None:
        self.__dict__.update(facts, section=section, text=text, item=item)

    @property
    def is_own(self) -> bool:
        """Whether it is an item that a person wrote on this machine."""
        return self.item != "" and self.tier in OWN_TIERS

    @property
    def is_outside(self) -> bool:
        """Whether it came from elsewhere, or from a run that had read from outside."""
        return self.tier in OUTSIDE_TIERS


class PassageIndex:
    """Passages by their numbers, and the numbers of those that have a word, as often as they do.

    `subjects` has the ids of the runs that were about a word, and `reported` the numbers of the
    passages that a run reported.  `wished` has the numbers of the passages that are given with
    every task, `own` of those that a person wrote here, and `tokens` is the size of all that is
    not from outside.  `frequent` are those of the words that notes of all projects often have.
    """

    STORED = ("rows", "words", "subjects", "reported", "wished", "own", "tokens", "frequent")

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.words: dict[str, list[int]] = {}
        self.subjects: dict[str, list[str]] = {}
        self.reported: dict[str, list[int]] = {}
        self.wished: list[int] = []
        self.own: list[int] = []
        self.tokens = 0
        self.frequent: set[str] = set()
        self.passages: dict[int, Passage] = {}

    @staticmethod
    def load(stored: Sequence[Any]) -> PassageIndex:
        """Return the index whose `dump` this is."""
        index = PassageIndex()
        index.__dict__.update(zip(PassageIndex.STORED, stored, strict=True))
        return index

    def dump(self) -> list[Any]:
        return [getattr(self, name) for name in self.STORED]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Passage:
        if number not in self.passages:
            self.passages[number] = Passage(**self.rows[number])
        return self.passages[number]

    def __iter__(self) -> Iterator[Passage]:
        return map(self.__getitem__, range(len(self.rows)))
