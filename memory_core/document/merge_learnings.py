"""Add learnings and preferences to a memory document, each once and within the limits."""

from __future__ import annotations

from memory_core.document import edits, markdown, preferences, template
from memory_core.text import similarity

TYPE_CHECKING = False  # importing `typing` costs a hook one millisecond
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from memory_core.document.block_reader import Item
    from memory_core.document.eviction import Age, Ages
    from memory_core.document.markdown import Document, Section
    from memory_core.document.template import Limits
    from memory_core.text.similarity import ParsedText

    class LearningLike(Protocol):
        """A learning with its type and its text, both of one line."""

        @property
        def type(self) -> str: ...
        @property
        def content(self) -> str: ...


class MergeResult:
    """A new text, and the result for each learning and for the evicted items.

    Each learning is in exactly one of `added`, `duplicates`, `replaced` and `refused`.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.added: list[str] = []
        self.duplicates: list[tuple[str, str]] = []  # the item's text, the learning's
        self.replaced: list[tuple[str, str]] = []  # the old text, the learning's
        self.refused: list[tuple[LearningLike, str]] = []  # with the reason, a sentence
        self.evicted: list[tuple[str, str]] = []  # section title, text with nested lines


class LearningRefused(ValueError):
    """A learning that the document cannot take; the message is the reason."""


def equal_age(_text: str) -> Age:
    """Give every item the same age, so that the first item of a section is evicted first."""
    return 0.0, ""


def merge_learnings(
    text: str,
    learnings: Sequence[LearningLike],
    limits: Limits,
    now: str,
    author: str,
    ages: Ages = equal_age,
) -> MergeResult:
    """Merge learnings into a document; without new learnings the text stays the same.

    `ages` returns the confidence and the creation time for the text of an item, which decide the
    order of eviction.
    """
    merged = MergeResult(text)
    document = template.write_header(markdown.parse_document(text), limits, now, author)
    parsed: dict[str, ParsedText] = {}
    for learning in learnings:
        try:
            document = _learn(document, learning, limits, merged, parsed)
        except ValueError as refusal:
            merged.refused.append((learning, str(refusal)))
    if merged.added or merged.replaced:
        spared = {*merged.added, *(better for _, better in merged.replaced)}
        _evict(document, limits, spared, merged, ages)
    return merged


def evict_excess(
    text: str,
    limits: Limits,
    now: str,
    author: str,
    spared: frozenset[str] = frozenset(),
    ages: Ages = equal_age,
) -> MergeResult:
    """Remove items until the document is within its limits, the texts in `spared` last."""
    merged = MergeResult(text)
    document = template.write_header(markdown.parse_document(text), limits, now, author)
    _evict(document, limits, set(spared), merged, ages)
    if not merged.evicted:
        merged.text = text
    return merged


def _evict(
    document: Document, limits: Limits, spared: set[str], merged: MergeResult, ages: Ages
) -> None:
    text = markdown.render_document(document)
    is_full = any(len(section.items) > limits.items for section in document.sections)
    if is_full or template.count_bytes(text) > limits.size:
        from memory_core.document import eviction  # rarely needed, and hooks pay for imports

        document, merged.evicted = eviction.evict(document, limits, spared, ages)
        text = markdown.render_document(document)
    merged.text = text


def _learn(
    document: Document,
    learning: LearningLike,
    limits: Limits,
    merged: MergeResult,
    parsed: dict[str, ParsedText],
) -> Document:
    content = template.join_lines(learning.content)
    if not content:
        raise LearningRefused("the learning is empty")
    twin = find_duplicate(document.items, content, parsed)
    if twin is None:
        document, section = ensure_section(document, template.section_of(learning.type), limits)
        document = edits.insert_item(document, section, content)
        check_fits(document, _find_item(document, content), limits)
        merged.added.append(content)
        return document
    if _is_better(document, twin, content):
        try:
            after = edits.replace_item(document, twin, content)
            check_fits(after, _find_item(after, content), limits)
        except ValueError:
            pass  # the better text does not fit: keep the old one
        else:
            merged.replaced.append((twin.text, content))
            return after
    merged.duplicates.append((twin.text, content))
    return document


def _is_better(document: Document, twin: Item, content: str) -> bool:
    """Say whether a learning may replace an item; a preference is never replaced."""
    is_better = twin.text != content and similarity.choose_better(twin.text, content) == content
    return is_better and twin not in preferences.list_items(document)


def _find_item(document: Document, text: str) -> Item:
    return next(item for item in document.items if item.text == text)


def find_duplicate(
    items: Sequence[Item], content: str, parsed: dict[str, ParsedText]
) -> Item | None:
    """Find the item with the same words, else the first item with the same meaning.

    `parsed` caches the parsed item texts between calls.
    """
    wanted = similarity.ParsedText(content)
    others = []
    for item in items:
        if item.text:
            if item.text not in parsed:
                parsed[item.text] = similarity.ParsedText(item.text)
            others.append((item, parsed[item.text]))
    for item, other in others:
        if wanted.normal_form == other.normal_form:
            return item
    return next((item for item, other in others if similarity.is_same_parsed(wanted, other)), None)


def ensure_section(document: Document, title: str, limits: Limits) -> tuple[Document, Section]:
    """Return the section of that title, a new one if allowed, else the fallback section.

    Preferences may always have a section.  Raises LearningRefused if no section is allowed.
    """
    section = markdown.find_section(document, title)
    is_preferences = preferences.is_title(title)
    if section is None and (is_preferences or not is_full(document, limits.sections)):
        suffix = "" if is_preferences else template.format_suffix(limits)
        titles = [part.title for part in document.sections]
        order = [title, *titles] if is_preferences else template.TITLE_ORDER
        document = edits.add_section(document, title, suffix, order)
        section = markdown.find_section(document, title)
    section = section or find_fallback_section(document)
    if section is None:
        raise LearningRefused("the document may have no section")
    return document, section


def is_full(document: Document, sections: int) -> bool:
    """Say whether the document has its maximum of sections, preferences not counted."""
    return len(document.sections) - len(preferences.list_sections(document)) >= sections


def find_fallback_section(document: Document) -> Section | None:
    """Return the section for items whose own section is not allowed: the recent or last one."""
    others = (part for part in reversed(document.sections) if not preferences.is_title(part.title))
    return markdown.find_section(document, template.RECENT_TITLE) or next(others, None)


def check_fits(document: Document, item: Item, limits: Limits) -> None:
    """Raise LearningRefused if an item's line is too long or no eviction makes room for it."""
    length = len(document.lines[item.line].rstrip("\r\n"))
    if length > limits.line:
        raise LearningRefused(
            f"its line would have {length} characters, and {limits.line} are allowed"
        )
    size = template.count_bytes(markdown.render_document(document))
    if size > limits.size:
        stays = {item.line, *(other.line for other in preferences.list_items(document))}
        for other in document.items:
            if other.line not in stays:
                size -= template.count_bytes("".join(document.lines[other.line : other.end]))
        if size > limits.size:
            raise LearningRefused(
                f"there is no room for it in {limits.size} bytes, even without other learnings"
            )


def put_preference(text: str, key: str, value: str, limits: Limits) -> str:
    """Set `- key: value` in the preferences; if it is set already, the text stays the same.

    A new value replaces the old one in its line.  If the section is missing, it is added in front
    of all others.  The result may be larger than the limits; `evict_excess` then makes room.
    Raises InvalidPreference for an invalid key or value, a line that is too long, and a file
    without enough room even if all learnings were evicted.
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
        check_fits(document, preferences.find_all(document, key)[-1], limits)
    except ValueError as reason:
        raise preferences.InvalidPreference(
            f"the preference {key!r} cannot be kept: {reason}"
        ) from None
    return markdown.render_document(document)
