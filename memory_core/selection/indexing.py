"""Index the passages of a memory by their words, for the choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from math import log
from pathlib import Path

from memory_core.history import rights
from memory_core.selection.passages import (
    ITEM_TOKENS,
    SHORTEST_ID,
    Passage,
    PassageIndex,
    estimate_tokens,
)
from memory_core.selection.scoring import split_word
from memory_core.text import subject_words

# The words that notes of all projects often have: one of them alone says nothing about a task.
# The file has a line for each of seven languages, with the stems of the words that at least three
# of 1,000 ordinary notes have.  `scripts/count-words` wrote it from those in tests/adversarial.
FREQUENT_WORDS = Path(__file__).with_name("frequent_words.txt")

# Characters of a passage that are compared with a task; a usual one has 100.
MAX_COMPARED = 4000

# In a memory with more passages, no words are looked for that resemble those of a task.
MOST_RESEMBLING = 300

# Sections that prevent mistakes come first, then those that save time, then those that only
# describe the current state.  Sections with other titles rank with the guidelines, because the
# user chose to add them.
SECTION_SCORES = {
    "common mistakes to avoid": 5,
    "implementation guidelines": 4,
    "project architecture": 4,
    "integration points": 3,
    "coding patterns learned": 3,
    "effective strategies": 3,
    "performance considerations": 2,
    "current technical context": 2,
    "recent learnings": 1,
    "other notes": 1,
}
CUSTOM_SECTION_SCORE = 4

# The ranks of a title in bold type and of a line of text in a section: below those of headings.
BOLD, LINE = 7, 8

# Characters of a line that is given with what stands below it.
MAX_LEAD = 120


def index_passages(
    passages: Iterable[Passage] = (), abouts: Mapping[str, str] | None = None
) -> PassageIndex:
    """Index passages; `abouts` says what runs were about, by their ids."""
    index = PassageIndex()
    _find_leads(passages := [*passages])
    for passage in passages:
        add_passage(index, passage)
    # The newest first.  People put what always matters at the top of a file: of the same age,
    # those further up come first.
    index.own = [at for at in index.own if not index[at].is_title]
    index.own.sort(key=lambda at: index[at].born, reverse=True)
    for run in sorted(index.reported):
        for word in list_subject((abouts or {}).get(run, "")):
            index.subjects.setdefault(word, []).append(run)
    index.frequent |= _read_frequent_words().intersection(index.subjects)
    compare_words(index)
    return index


def compare_words(index: PassageIndex) -> None:
    """Note the parts of all words, and how much a word counts, when all passages are there."""
    index.parts = {}
    for word in index.words if len(index) < MOST_RESEMBLING else ():
        for part in split_word(word):
            index.parts.setdefault(part, []).append(word)
    size = len(index)
    index.rarity = [log(1 + (size - count + 0.5) / (count + 0.5)) for count in range(size + 1)]


def _find_leads(passages: list[Passage]) -> None:
    """Number passages, and note for each the heading or the line of text above it in its section.

    A line leads what follows up to the next line of text, a heading up to the next one of its
    rank.  What is from outside stands in another part of a prompt than the rest.
    """
    leads, place = list[tuple[int, Passage]](), ("", False)  # with their ranks
    for number, passage in enumerate(passages):
        passage.index = number
        section = passage.section, passage.is_users
        leads, place = (leads if section == place else []), section
        is_text = not (passage.item or passage.is_list)
        rank = _find_rank(passage.text) if is_text else 0
        leads = [lead for lead in leads if not rank or lead[0] < rank]
        for _rank, lead in leads:
            if lead.is_outside == passage.is_outside:
                passage.lead = lead.index
                lead.is_title = _is_title(lead.text)
        if rank:
            leads.append((rank, passage))
        elif is_text:
            leads = [lead for lead in leads if lead[0] < LINE]


def _find_rank(text: str) -> int:
    """Return the rank of a paragraph among those that lead others, 0 for a longer text."""
    signs, _, words = text.partition(" ")
    if words and not signs.strip("#"):
        return len(signs)
    if "\n" in text or len(text) > MAX_LEAD:
        return 0
    return BOLD if _is_bold(text) else LINE


def _is_bold(text: str) -> bool:
    return text.startswith("**") and text.endswith("**") and text.count("**") == 2


def _is_title(text: str) -> bool:
    """Return whether a paragraph is a title, or a sentence that ends with a colon."""
    is_open = text.startswith("#") or text.rstrip("*_ ").endswith((":", "\uff1a"))
    return "\n" not in text and (is_open or _is_bold(text))


@cache
def _read_frequent_words() -> frozenset[str]:
    return frozenset(FREQUENT_WORDS.read_text("utf-8").split())


def add_passage(index: PassageIndex, passage: Passage) -> None:
    """Add a passage; it gets the next number."""
    number = passage.index = len(index.rows)
    passage.worth = SECTION_SCORES.get(passage.section.casefold(), CUSTOM_SECTION_SCORE)
    index.passages[number] = passage
    index.rows.append(vars(passage))
    words = subject_words.list_words(passage.text[:MAX_COMPARED])
    for word in words:
        index.words.setdefault(word, []).append(number)
    index.frequent |= _read_frequent_words().intersection(words)
    for run in passage.runs:
        index.reported.setdefault(run, []).append(number)
    if passage.is_wished:
        index.wished.append(number)
    if passage.is_new or passage.origin in (rights.PERSON, rights.HAND):
        index.own.append(number)
    if not passage.is_outside:
        index.tokens += estimate_tokens(passage.text) + ITEM_TOKENS


def list_subject(text: str) -> list[str]:
    """Return the words of a text, each once, without pairs."""
    return [word for word in dict.fromkeys(subject_words.list_words(text)) if " " not in word]


def shorten_ids(ids: Iterable[str]) -> dict[str, str]:
    """Return the shortest beginnings, of four or more characters, that differ, by the ids."""
    whole = {*ids} - {""}
    parts = {one: [one[:length] for length in range(SHORTEST_ID, len(one) + 1)] for one in whole}
    counts = Counter(part for own in parts.values() for part in own)
    return {one: next((part for part in parts[one] if counts[part] == 1), one) for one in whole}
