"""Add learnings and preferences to a memory document, each once and within the limits.

A learning that does not fit takes the place of the least certain items of agents in its section.
Items of people, and items in other sections, never make room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from memory_core.document import contradictions, edits, markdown, preferences, template
from memory_core.document.block_reader import Item
from memory_core.document.markdown import Document, Section
from memory_core.document.template import Limits
from memory_core.text import similarity


class Learning(NamedTuple):
    """One learning: a type, a content of one line, and the lines nested below it, or "".

    A type that is not in type_names.TYPES is the word of the report.  With a `reason`, which is a
    sentence, it is rejected or refused: a person has to review it.
    """

    type: str
    content: str
    nested: str = ""
    reason: str = ""


NEWEST = "~"  # later than any time: the creation time of an item that is added just now


class MergeResult:
    """A text into which learnings are merged, and the result for each and for the evicted items.

    Each learning is in exactly one of `added`, which has the types, `duplicates`, `replaced` and
    `refused`.
    """

    def __init__(self, text: str, document: Document, limits: Limits, rules: Rules) -> None:
        self.text, self.document = text, document
        self._limits, self._rules = limits, rules
        self._fresh: set[str] = set()  # the texts that were added just now
        self.added: dict[str, str] = {}
        self.duplicates: list[tuple[str, str]] = []  # the item's text, the learning's
        self.replaced: list[tuple[str, str]] = []  # the old text, the learning's
        self.refused: list[Learning] = []
        self.rivals: dict[str, str] = {}  # a learning: the item that contradicts it, and stays
        # (section title, text with nested lines): the learning that contradicts the item, or "".
        self.evicted: dict[tuple[str, str], str] = {}

    def learn(self, learning: Learning) -> None:
        """Merge a learning; raises ValueError if the document cannot take it."""
        content = template.join_lines(learning.content)
        if not content:
            raise LearningRefused("the learning is empty")
        twin = find_duplicate(self.document.items, content)
        if twin is None:
            title = template.section_of(learning.type)
            if not self._correct(title, content, learning.nested):
                self._add(title, content, learning.nested)
            self.added[content] = learning.type
        elif better := self._improve(twin, content, learning.nested):
            self.replaced.append((twin.text, better))
        else:
            self.duplicates.append((twin.text, content))

    def _add(self, title: str, content: str, nested: str) -> None:
        choose = ensure_section if self._rules.by_person else _choose_section
        document, section = choose(self.document, title, self._limits)
        self._take(edits.insert_item(document, section, content, nested), content)

    def _correct(self, title: str, content: str, nested: str) -> bool:
        """Put a learning in the place of items that it contradicts; return False without any.

        Only the section of the first of them changes.  Raises LearningRefused if another one stays;
        what a person adds stays as well.
        """
        own = (self._rules.confidence, NEWEST)
        losers: list[tuple[Section, Item]] = []
        for section, item in contradictions.find_rivals(self.document, content, title):
            age = self._age_of(item.text)
            if age is not None and (age <= own or self._rules.by_person):
                losers.append((section, item))
            else:
                self.rivals[content] = item.text
                if not self._rules.by_person:
                    raise LearningRefused(f"contradicts: {item.text}")
        if not losers:
            return False
        place = self.document.sections.index(losers[0][0])
        items = [item for section, item in losers if section is losers[0][0]]
        moved = [(losers[0][0].title, join_item(self.document, item)) for item in items]
        rest = edits.remove_items(self.document, items)
        self._take(edits.insert_item(rest, rest.sections[place], content, nested), content)
        self.evicted |= dict.fromkeys(moved, content)
        return True

    def _improve(self, twin: Item, content: str, nested: str) -> str:
        """Give an item a better text, and nested lines if it has none; return its text.

        Returns "" if nothing is better, or does not fit.  Preferences and items of people stay.
        """
        is_free = self._rules.by_person or self._age_of(twin.text) is not None
        if not is_free or preferences.is_title(twin.section):
            return ""
        text = similarity.choose_better(twin.text, content)
        nested = "" if twin.nested else nested
        if text == twin.text and not nested:
            return ""
        try:
            self._take(edits.replace_item(self.document, twin, text, nested), text)
        except ValueError:
            return ""
        return text

    def _age_of(self, text: str) -> Age | None:
        is_fresh = text in self._fresh and not self._rules.by_person
        return self._rules.ages(text) or ((self._rules.confidence, NEWEST) if is_fresh else None)

    def _take(self, after: Document, content: str) -> None:
        """Take over a document with a new item, if the item is within the limits."""
        if not self._rules.by_person:
            _check_line(after, content, self._limits)
            after, evicted = make_room(self.document, after, content, self._limits, self._age_of)
            self.evicted |= dict.fromkeys(evicted, "")
        self.document = template.write_suffix(after, content, self._limits)
        self._fresh.add(content)


class LearningRefused(ValueError):
    """A learning that the document cannot take; the message is the reason."""


class Rules(NamedTuple):
    """Who teaches, and what this allows.

    `ages` returns the age of an agent's item, which decides what is evicted, and None for an item
    of a person.  `confidence` is that of a new item of an agent.  `by_person`: a person teaches,
    so no limit counts.
    """

    ages: Ages = lambda _text: (0.0, "")
    confidence: float = 0.0
    by_person: bool = False


def merge_learnings(
    text: str,
    learnings: Iterable[Learning],
    limits: Limits,
    now: str,
    author: str,
    rules: Rules | None = None,
) -> MergeResult:
    """Merge learnings into a document; without new learnings the text stays the same."""
    document = template.write_header(markdown.parse_document(text), limits, now, author)
    merged = MergeResult(text, document, limits, rules or Rules())
    for learning in learnings:
        try:
            merged.learn(learning)
        except ValueError as refusal:
            merged.refused.append(learning._replace(reason=str(refusal)))
    if merged.added or merged.replaced:
        merged.text = markdown.render_document(merged.document)
    return merged


def find_duplicate(items: Sequence[Item], content: str) -> Item | None:
    """Find the item with the same words, else the first item with the same meaning."""
    wanted = similarity.normalize_text(content)
    twins = (item for item in items if item.text and similarity.is_same(content, item.text))
    return min(twins, key=lambda item: similarity.normalize_text(item.text) != wanted, default=None)


def ensure_section(document: Document, title: str, limits: Limits) -> tuple[Document, Section]:
    """Return the section of that title, a new one if there is none."""
    section = markdown.find_section(document, title)
    if section is None:
        is_preferences = preferences.is_title(title)
        suffix = "" if is_preferences else template.format_suffix(limits)
        titles = [part.title for part in document.sections]
        order = [title, *titles] if is_preferences else template.TITLE_ORDER
        document = edits.add_section(document, title, suffix, order)
        section = markdown.find_section(document, title)
    if section is None:
        raise LearningRefused(f"the document cannot have a section {title!r}")
    return document, section


def insert_entry(document: Document, title: str, entry: str, limits: Limits) -> Document:
    """Insert an item with its nested lines, as an archive or another memory has it.

    Its section may be new.  Raises ValueError if no line can hold the item.
    """
    document, section = ensure_section(document, title or template.RECENT_TITLE, limits)
    text, _newline, nested = entry.partition("\n")
    return edits.insert_item(document, section, text, nested)


def _choose_section(document: Document, title: str, limits: Limits) -> tuple[Document, Section]:
    """Return the section for a learning of an agent, who may not add one beyond the limit.

    The learning then goes to Recent Learnings.  Raises LearningRefused without it.
    """
    count = len(template.list_counted_sections(document))
    if markdown.find_section(document, title) or count < limits.sections:
        return ensure_section(document, title, limits)
    section = markdown.find_section(document, template.RECENT_TITLE)
    if section is None:
        raise LearningRefused(f"the file has {count} sections, and none for it")
    return document, section


def _check_line(document: Document, content: str, limits: Limits) -> None:
    """Raise LearningRefused if the line of an item is too long."""
    item = next(item for item in document.items if item.text == content)
    length = len(document.lines[item.line].rstrip("\r\n"))
    if length > limits.line:
        raise LearningRefused(f"its line would have {length} characters, limit {limits.line}")


def put_preference(text: str, key: str, value: str, limits: Limits) -> str:
    """Set `- key: value` in the preferences; if it is set already, the text stays the same.

    A new value replaces the old one in its line.  If the section is missing, it is added in front
    of all others.  Raises InvalidPreference for an invalid key or value.
    """
    key, value = preferences.check_pair(key, value)
    document = markdown.parse_document(text)
    items = preferences.find_all(document, key)
    if [preferences.parse_pair(item.text)[1] for item in items] == [value]:
        return text
    try:
        if items:
            document = edits.remove_items(document, items[:-1])
            item = preferences.find_all(document, key)[-1]
            document = edits.replace_item(document, item, preferences.get_front(item.text) + value)
        else:
            document, section = ensure_section(document, preferences.TITLE, limits)
            document = edits.insert_item(document, section, f"{key}: {value}")
    except ValueError as reason:
        raise preferences.InvalidPreference(
            f"the preference {key!r} cannot be kept: {reason}"
        ) from None
    return markdown.render_document(document)


Age = tuple[float, str]  # confidence from 0 to 1, time of creation
# The age of an item with this text; None for an item of a person.
Ages = Callable[[str], Age | None]


WAITING = "new learnings of agents wait for review"
REPLACING = "each new learning of an agent replaces the least certain one"


def make_room(
    before: Document, after: Document, text: str, limits: Limits, ages: Ages
) -> tuple[Document, list[tuple[str, str]]]:
    """Evict items from the section of the item `text`, which is new in `after`, if necessary.

    Returns `after` without them, and the evicted items as (section title, text with nested lines).
    The section and the file are then within the limits, or not larger than in `before`.  Raises
    LearningRefused.
    """
    size = max(limits.size, _count_bytes(before))
    is_added = len(after.items) > len(before.items)
    evicted: list[tuple[str, str]] = []
    while True:
        section = markdown.find_section_of(after, text)
        items = section.items if section else []  # it is above all sections
        too_many = is_added and not evicted and len(items) > limits.items
        if not too_many and _count_bytes(after) <= size:
            return after, evicted
        others = [item for item in items if item.text != text]
        leaving = _find_least_certain(others, ages)
        if section is None or leaving is None:
            if section and too_many:
                raise LearningRefused(
                    f"no room: {_format_items(section.title, len(others), limits)}"
                )
            raise LearningRefused(f"no room: the file would have {_format_size(after, limits)}")
        evicted.append((section.title, join_item(after, leaving)))
        after = edits.remove_items(after, [leaving])


def join_item(document: Document, item: Item) -> str:
    """Return an item's text with its nested lines."""
    if item.text:
        return markdown.join_nested(item.text, item.nested)
    return "\n".join(line.rstrip() for line in document.lines[item.line : item.end])


def _find_least_certain(items: list[Item], ages: Ages) -> Item | None:
    """Return the agent's item with the lowest confidence, and of several the oldest."""
    rated = [(age, item) for item in items if (age := ages(item.text)) is not None]
    return min(rated, key=lambda pair: pair[0])[1] if rated else None


def list_excess(document: Document, limits: Limits, ages: Ages) -> Iterator[tuple[int, str]]:
    """Yield the limits that a document exceeds, and the full sections without items of agents.

    They are lines from 1, and sentences with the consequence.
    """
    sections = template.list_counted_sections(document)
    if _count_bytes(document) > limits.size:
        effect = f"{REPLACING} of its section, or waits for review"
        yield 1, f"the file has {_format_size(document, limits)}: {effect}"
    if len(sections) > limits.sections:
        text = f"the file has {len(sections)} sections, limit {limits.sections}"
        yield 1, f"{text}: agents cannot add another one"
    titles = set(map(markdown.normalize_title, template.TITLE_ORDER))
    for section in sections:
        count = len(section.items)
        if count < limits.items or markdown.normalize_title(section.title) not in titles:
            continue  # agents do not write to sections with other titles
        effect = REPLACING if _find_least_certain(section.items, ages) else WAITING
        if count > limits.items or effect == WAITING:
            yield section.line + 1, f"{_format_items(section.title, count, limits)}: {effect}"


def _format_items(title: str, count: int, limits: Limits) -> str:
    return f"{title} has {count} items, limit {limits.items}"


def _format_size(document: Document, limits: Limits) -> str:
    return f"{_count_bytes(document)} bytes, limit {limits.size}"


def _count_bytes(document: Document) -> int:
    return len(markdown.render_document(document).encode("utf-8", "surrogatepass"))
