"""What is where: whose memories there are, what stands in one, and where some words occur."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from unicodedata import normalize

from memory_core import (
    archive,
    aside,
    beginning,
    markdown,
    memory,
    overview,
    past,
    people,
    similarity,
    store,
    writing,
)

MEMORY, ARCHIVE = "memory", "archive"
PLACES = (MEMORY, ARCHIVE)

# Accents and the like, which a letter may be written with or without.
ACCENTS = range(0x300, 0x370)


class Listed(NamedTuple):
    """An agent: the path of its memory, how many items that has, why it cannot be read.

    The path is "" of an agent that Claude Code knows and that has no memory.
    """

    agent: str
    path: str
    items: int
    error: str


def agents(
    project: memory.Project, held: store.Store, environ: Mapping[str, str], user: bool = False
) -> list[Listed]:
    """Return the agents with a memory at a level, and those that are defined without one."""
    having = [_listed(held, agent) for agent in overview.in_order(held.agents())]
    return [
        *having,
        *(Listed(name, "", 0, "") for name in beginning.without(held, environ, user)),
    ]


def _listed(held: store.Store, agent: str) -> Listed:
    path = held.path(agent)
    try:
        read = held.read(agent)
    except OSError as error:
        return Listed(agent, path, 0, error.strerror or str(error))
    return Listed(agent, path, markdown.census(read.text if read else "").items, "")


class Standing(NamedTuple):
    """An item of a memory: `nested` are the lines nested in it, `confidence` is from 0 to 1."""

    id: str
    text: str
    section: str
    nested: str
    confidence: float


def items(project: memory.Project, held: store.Store, agent: str) -> list[Standing]:
    """Return the items of a memory in the order of the file; raises OSError."""
    work = writing.Memory(project, agent, held)
    titled = writing.items(markdown.parse(work.text))
    return [
        Standing(told.id, text, section, nested, told.confidence)
        for told, (text, section, nested) in zip(people.told(work), titled, strict=True)
    ]


class Hit(NamedTuple):
    """An item with the words: `nested` are the lines nested in it, `place` is one of PLACES.

    `day` is when it was archived, "" where it was not, or nobody knows.
    """

    agent: str
    place: str
    id: str
    section: str
    text: str
    nested: str
    day: str

    @property
    def can_return(self) -> bool:
        """Say whether it is archived, and `archive.restore` would take it back."""
        return self.place == ARCHIVE and not aside.is_from_file(self.section)


class Search(NamedTuple):
    """What was found, and of each file that could not be read its name and the reason."""

    hits: list[Hit]
    unread: list[str]


class NoWords(ValueError):
    """Nothing to look for; the message says so."""

    status = 2


def search(
    held: store.Store, words: str, of: Sequence[str] = (), places: Collection[str] = PLACES
) -> Search:
    """Find the items of a level that have all of some words, in any order and any case.

    Of all agents, or of some.  A word may be a part of another one; accents do not count,
    nor backticks, nor which kind of quotes or dashes it is.  What waits for review is not
    looked at.  Raises NoWords.
    """
    wanted = fold(words).split()
    if not wanted:
        raise NoWords("a word to look for is expected")
    done = Search([], [])
    for agent in overview.in_order(of or archive.owners(held)):
        for look in (_LOOKS[place] for place in PLACES if place in places):
            try:
                done.hits.extend(hit for hit in look(held, agent) if _has(hit, wanted))
            except OSError as error:
                done.unread.append(_told(held, error))
    return done


def _told(held: store.Store, error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{held.place.relative(error.filename)}: {reason}" if error.filename else reason


def _has(hit: Hit, wanted: Iterable[str]) -> bool:
    text = fold(f"{hit.text}\n{hit.nested}")
    return all(word in text for word in wanted)


def _standing(held: store.Store, agent: str) -> Iterator[Hit]:
    read = held.read(agent)
    for text, section, nested in writing.items(markdown.parse(read.text if read else "")):
        yield Hit(agent, MEMORY, past.identity(text), section, text, nested, "")


def _archived(held: store.Store, agent: str) -> Iterator[Hit]:
    """Give what is in an archive; what left several times, as it left last."""
    last = {(each.section, each.text): each for each in archive.archived(held, agent)}
    for each in last.values():
        text, _, nested = each.text.partition("\n")
        yield Hit(agent, ARCHIVE, each.id, each.section, text, nested, each.day)


_LOOKS = {MEMORY: _standing, ARCHIVE: _archived}


# How words are compared.


def fold(text: str) -> str:
    """Give the form in which a text and the words that are looked for are compared."""
    text = text.replace('"', "'").replace("`", "")
    return text.lower() if text.isascii() else "".join(map(_folded, normalize("NFC", text)))


def _folded(char: str) -> str:
    char = similarity.TYPOGRAPHY.get(ord(char), char)
    bare = normalize("NFKD", char).casefold()
    return normalize("NFC", "".join(each for each in bare if ord(each) not in ACCENTS))


def marked(text: str, words: str) -> list[tuple[str, bool]]:
    """Part a text into what has one of the words, and what has not."""
    text = normalize("NFC", text)
    folded = [fold(char) for char in text]
    whole = "".join(folded)
    origin = [at for at, part in enumerate(folded) for _char in part]
    is_hit = [False] * len(text)
    for begin, end in _occurrences(whole, fold(words).split()):
        for at in range(origin[begin], origin[end - 1] + 1):
            is_hit[at] = True
    parts: list[tuple[str, bool]] = []
    for char, hit in zip(text, is_hit, strict=True):
        if parts and parts[-1][1] == hit:
            parts[-1] = (parts[-1][0] + char, hit)
        else:
            parts.append((char, hit))
    return parts


def _occurrences(text: str, words: Iterable[str]) -> Iterator[tuple[int, int]]:
    for word in words:
        at = text.find(word)
        while at >= 0:
            yield at, at + len(word)
            at = text.find(word, at + 1)
