"""Select the parts of a memory that an agent receives when not all of them fit."""

from __future__ import annotations

from memory_core.text import markdown_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_core.document.markdown import Document

# Sections that prevent mistakes come first, then those that save time, then those that only
# describe the current state.  Sections with other titles rank with the guidelines, because the
# user chose to add them.  Preferences come first for every task (see `_rank`).
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
}
CUSTOM_SECTION_SCORE = 4

# One word shared with the task weighs more than any section, so the task decides.
WORD_SCORE = 6

# Shorter words are mostly grammar.
MIN_WORD_LENGTH = 4


class Passage:
    """One part of a memory: an item with its nested lines, or a paragraph.

    `text` has its lines, `index` is its number in the document, and `get_confidence` returns the
    confidence for the text of an item, here `item`, which has no nested lines.
    """

    __slots__ = ("get_confidence", "index", "item", "section", "text")

    def __init__(
        self,
        section: str,
        text: str,
        index: int,
        item: str,
        get_confidence: Callable[[str], float],
    ) -> None:
        self.section = section
        self.text = text
        self.index = index
        self.item = item
        self.get_confidence = get_confidence


def split_document(
    document: Document, get_confidence: Callable[[str], float] = lambda _item: 0.0
) -> list[Passage]:
    """Return the passages of a document: no title, comment, front matter, conflict marker.

    `get_confidence` returns the confidence for the text of an item of this document.
    """
    items = {item.line: item for item in document.items}
    hidden = _hidden(document)
    titles = {section.line: section for section in document.sections}
    passages: list[Passage] = []
    title, block = "", []  # type: str, list[str]

    def add(lines: list[str], item: str = "") -> None:
        text = "\n".join(lines).rstrip()
        if text:
            passages.append(Passage(title, text, len(passages), item, get_confidence))

    at = markdown_lines.count_front_matter(document.lines)
    while at < len(document.lines):
        line = document.lines[at].rstrip("\r\n")
        section = titles.get(at)
        if section or at in hidden or at in items or not line.strip():
            add(block)
            block = []
        if section:
            title, at = section.title, section.body
        elif at in items:
            item = items[at]
            lines = [text.rstrip("\r\n") for text in document.lines[at : item.end]]
            add(lines, item.text)
            at = item.end
        else:
            if at not in hidden and line.strip():
                block.append(line)
            at += 1
    add(block)
    return passages


def _hidden(document: Document) -> set[int]:
    """Return the numbers of lines that are not shown: titles, comments, conflict markers."""
    hidden = set(document.markers)
    for heading in document.headings:
        if heading.level == 1:
            hidden.update(range(heading.line, heading.body))
    begins, comment, before = set(document.comments), False, -1
    for at in document.verbatim:
        comment = at in begins or (comment and at == before + 1)
        if comment:
            hidden.add(at)
            comment, before = "-->" not in document.lines[at], at
    return hidden


def select(
    passages: list[Passage],
    budget: int,
    task: Callable[[], str] | None = None,
) -> str:
    """Return the passages as Markdown of at most `budget` characters, in their order.

    If not all fit, the most valuable are kept: preferences, then passages that share words with the
    task, then by section, confidence and age, newest first.  `task` is called only in that case.
    """
    whole = render(passages)
    if len(whole) <= budget:
        return whole
    wanted = extract_subject_words(task()) if task else set()
    ranked = sorted(passages, key=lambda passage: _rank(passage, wanted))
    chosen = set[Passage]()
    room, sections = budget, set[str]()
    for passage in ranked:
        heading = 0 if passage.section in sections else len(passage.section) + 6
        cost = len(passage.text) + 1 + heading
        if cost <= room:
            room -= cost
            sections.add(passage.section)
            chosen.add(passage)
    return render([passage for passage in passages if passage in chosen])


def _rank(passage: Passage, wanted: set[str]) -> tuple[bool, int, float, int]:
    """Return a sort key that puts the most valuable passages first."""
    from memory_core.document import preferences

    wished = preferences.is_title(passage.section)
    worth = SECTION_SCORES.get(passage.section.casefold(), CUSTOM_SECTION_SCORE)
    if wanted:
        worth += WORD_SCORE * len(wanted & extract_subject_words(passage.text))
    return not wished, -worth, -passage.get_confidence(passage.item), -passage.index


def extract_subject_words(text: str) -> set[str]:
    """Return the words of a text that describe its subject."""
    plain = "".join(char if char.isalnum() else " " for char in text.casefold())
    return {word for word in plain.split() if len(word) >= MIN_WORD_LENGTH}


def render(passages: list[Passage]) -> str:
    """Return passages as Markdown; passages of one section share one heading."""
    sections: dict[str, list[str]] = {}
    for passage in passages:
        title = passage.section
        sections.setdefault(title, [f"## {title}"] if title else []).append(passage.text)
    return "\n\n".join(map("\n".join, sections.values()))
