"""The passages of a memory: items with their nested lines, and paragraphs.

They are found by their words, and written for an agent as Markdown: the best section first, and in
each section the order of the file.  What came from outside stands behind all others, in a part of
its own.
Whatever they contain, a reader finds the same items: each line of other text is quoted, and each
line below an item is indented.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

SHORTEST_ID = 4

# Origins of `history.rights`, which hooks need not import: from outside, and not reviewed here.
OUTSIDE_ORIGINS = ("tainted", "mcp", "import")

# Behind the id of an item that a person or several runs confirmed.
CONFIRMED = "✓"

# The title of what came from outside; the titles of its sections are one level deeper.
OUTSIDE_TITLE = "## Not reviewed, from runs that read from outside, or from other machines"

QUOTE = "> "

# Of ASCII; measured by bench/relevance.py --tokens on the sentences of 213 recorded reports.
CHARS_PER_TOKEN = 3.8

# An id and a line break.
ITEM_TOKENS = 3


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
    origin = ""  # where it comes from: see history.rights
    is_new = False  # it came into the file since the last look, and not by git
    lead = -1  # the number of the heading or the line above it, with which it is given
    is_title = False  # it only says what the passages below it are about
    given = 0  # how many runs received it
    used = 0
    is_confirmed = False  # by a person or by several runs
    is_wished = False  # given with every task
    is_preference = False
    is_users = False  # of the user's level: the files it names are of any project
    is_list = False  # lines of agent-memory: common errors, performance
    stale = ""  # why it may be out of date
    names: Sequence[str] = ()  # the paths, symbols and commands in it
    files: Sequence[str] = ()  # the paths of files of this project in it
    runs: Sequence[str] = ()  # the ids of the runs that reported it

    def __init__(self, section: str, text: str, item: str = "", **facts: Any) -> None:
        self.__dict__.update(facts, section=section, text=text, item=item)

    @property
    def is_outside(self) -> bool:
        """Whether it came from elsewhere, or from a run that had read from outside."""
        return self.origin in OUTSIDE_ORIGINS


class PassageIndex:
    """Passages by their numbers, and the numbers of those that have a word, as often as they do.

    `subjects` has the ids of the runs that were about a word, and `reported` the numbers of the
    passages that a run reported.  `wished` has the numbers of the passages that are given with
    every task, `own` of those that a person wrote here, and `tokens` is the size of all that is
    not from outside.  `frequent` are those of the words that notes of all projects often have.
    `parts` has the words by their parts, and `rarity` by the number of passages with a word how
    much that word counts; see `scoring`.  `stored` has the values of these attributes.
    """

    def __init__(self, stored: dict[str, Any] | None = None) -> None:
        self.rows: list[dict[str, Any]] = []
        self.words: dict[str, list[int]] = {}
        self.subjects: dict[str, list[str]] = {}
        self.reported: dict[str, list[int]] = {}
        self.wished: list[int] = []
        self.own: list[int] = []
        self.tokens = 0
        self.frequent: set[str] = set()
        self.parts: dict[str, list[str]] = {}
        self.rarity: Sequence[float] = ()
        self.__dict__.update(stored or {})
        self.passages: dict[int, Passage] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Passage:
        if number not in self.passages:
            self.passages[number] = Passage(**self.rows[number])
        return self.passages[number]

    def __iter__(self) -> Iterator[Passage]:
        return map(self.__getitem__, range(len(self.rows)))


def render_passages(passages: Iterable[Passage], has_ids: bool = True, left: str = "") -> str:
    """Return passages by sections, in the order of their first passages.

    `left` is a line about passages that do not fit.
    """
    parts: list[list[Passage]] = [[], []]
    for passage in passages:
        parts[passage.is_outside].append(passage)
    own, outside = ("\n\n".join(_list_sections(part, has_ids)) for part in parts)
    outside = outside and f"{OUTSIDE_TITLE}\n\n{outside}"
    return "\n\n".join(filter(None, [own, left, outside]))


def _list_sections(passages: Iterable[Passage], has_ids: bool) -> Iterable[str]:
    """Return the Markdown of each section."""
    sections: dict[tuple[str, bool], list[Passage]] = {}
    for passage in passages:
        sections.setdefault((passage.section, passage.is_users), []).append(passage)
    for (title, _is_users), own in sorted(sections.items(), key=_rank_section):
        heading = f"{'###' if own[0].is_outside else '##'} {title}"
        lines = [heading] if title else []
        for passage in sorted(own, key=lambda one: one.index):
            text = _format(passage, has_ids)
            if lines and lines[-1] != heading and QUOTE in (text[:2], lines[-1][:2]):
                lines.append("")  # a number behind a quotation would go on with it
            lines.append(text)
        yield "\n".join(lines)


def _rank_section(section: tuple[tuple[str, bool], list[Passage]]) -> tuple[bool, bool, bool]:
    """Return what puts lines without a title first, then preferences, and the user's level last."""
    (title, is_users), passages = section
    return title != "", not passages[0].is_preference, is_users


def format_left(count: int, agent: str, command: str) -> str:
    """Return the line that names how many lines of a person do not fit."""
    rules = "rule of a person" if count == 1 else "rules of people"
    return f"{count} more {rules}: {command} list {agent} --mine"


def _format(passage: Passage, has_ids: bool) -> str:
    """Return the lines of a passage; an item with its id behind the bullet.

    The texts and titles of documents are data already, since `split_document`.
    """
    if passage.is_list:
        return passage.text
    first, *others = passage.text.split("\n")
    if not passage.item:
        return "\n".join([f"{QUOTE}{line}".rstrip() for line in (first, *others)])
    bullet, text = first.split(None, 1)
    if passage.short_id and has_ids:
        mark = CONFIRMED if passage.is_confirmed else ""
        stale = f" (may be out of date: {passage.stale})" if passage.stale else ""
        first = f"{bullet} [{passage.short_id}]{mark} {text}{stale}"
    elif not text.removeprefix("`")[:1].isalpha():
        from memory_core.document import block_reader

        first = f"{bullet} {block_reader.escape(text)}"
    others = [line if line[:2] in ("", "  ") else f"  {line}" for line in others]
    return "\n".join([first, *others])


def count_fitting(room: int) -> int:
    """Return about how many tokens fit into so many characters."""
    return int(max(room, 0) / CHARS_PER_TOKEN)


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text, rather too high than too low.

    A character that is not ASCII counts as one token.
    """
    narrow = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return int(-(-narrow // CHARS_PER_TOKEN)) + len(text) - narrow
