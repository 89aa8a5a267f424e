"""Bring learnings into a memory document: each once, at its place, within the limits."""

from __future__ import annotations

from memory_core import edits, markdown, preferences, similarity
from memory_core.past import USUAL, Past

TYPE_CHECKING = False  # `typing` costs a millisecond that no hook has to spare
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from memory_core.markdown import Document, Item, Section
    from memory_core.similarity import Folded

    class Learning(Protocol):
        """What a learning must tell; both of one line."""

        @property
        def type(self) -> str: ...
        @property
        def content(self) -> str: ...


# The title of a learning's section by its type, in the order of a file.
SECTIONS = {
    "pattern": "Coding Patterns Learned",
    "architecture": "Project Architecture",
    "guideline": "Implementation Guidelines",
    "mistake": "Common Mistakes to Avoid",
    "strategy": "Effective Strategies",
    "integration": "Integration Points",
    "performance": "Performance Considerations",
    "context": "Current Technical Context",
}
RECENT = "Recent Learnings"  # of every other type
ORDER = (*SECTIONS.values(), RECENT)

# Categories of role knowledge: other names for types, the sections are the same.  How a tool
# is used holds as long as how a system is connected; the context changes by the day.
CATEGORIES = {
    "best-practice": "guideline",
    "anti-pattern": "mistake",
    "tool-usage": "integration",
    "workflow": "strategy",
}

SIZE = 8 * 1024  # about 2,000 tokens: an agent is given all of it before it does anything
SECTION_COUNT = 10  # the nine standard ones, and one of the person's own
ITEM_COUNT = 15  # what a person still reads through before adding another
LINE = 120  # a learning of 100 characters with its bullet, without wrapping in an editor

LIMITS_COMMENT = "MEMORY LIMITS"
UPDATED_COMMENT = "Last Updated"

NO_PAST = Past()


class Limits:
    """How large a document may become: bytes, sections, items a section, characters a line."""

    __slots__ = ("items", "line", "sections", "size")

    def __init__(
        self,
        size: int = SIZE,
        sections: int = SECTION_COUNT,
        items: int = ITEM_COUNT,
        line: int = LINE,
    ) -> None:
        self.size = size
        self.sections = sections
        self.items = items
        self.line = line

    def __str__(self) -> str:
        size = f"{self.size / 1024:g}KB"
        return f"{size} max | {self.sections} sections max | {self.items} items per section"


class Merged:
    """A new text, and what became of each learning and of the items that had to leave.

    Every learning is in exactly one of `added`, `known`, `replaced` (of both as the second)
    and `refused`.  An item of `evicted` has its nested lines behind its text.
    """

    __slots__ = ("added", "evicted", "known", "refused", "replaced", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.added: list[str] = []
        self.known: list[tuple[str, str]] = []  # what stands there, the learning
        self.replaced: list[tuple[str, str]] = []  # old, new
        self.refused: list[tuple[Learning, str]] = []  # with the reason, a sentence
        self.evicted: list[tuple[str, str]] = []  # section title, text


class Refusal(ValueError):
    """A learning that the document cannot take; the message is the reason."""


def section_of(kind: str) -> str:
    """Return the title of the section for a type or a category, however it is written."""
    name = "-".join(kind.lower().replace("_", " ").replace("-", " ").split())
    return SECTIONS.get(CATEGORIES.get(name, name), RECENT)


def category(title: str) -> str:
    """Return the category of what is in a section of that title, or the title: it has none."""
    kinds = {markdown.title_key(SECTIONS[kind]): name for name, kind in CATEGORIES.items()}
    return kinds.get(markdown.title_key(title), title)


def new(name: str, project: str, limits: Limits, now: str) -> str:
    """Return the document of an agent that has learned nothing so far."""
    title = " - ".join(part for part in (f"{_one_line(name)} Memory", _one_line(project)) if part)
    return f"# {title}\n\n<!-- {LIMITS_COMMENT}: {limits} -->\n{_updated(now, 'agent-memory')}\n"


def merge(
    text: str,
    learnings: Sequence[Learning],
    limits: Limits,
    now: str,
    author: str,
    past: Past = NO_PAST,
) -> Merged:
    """Merge learnings into a document; if all are known, the text is the same to the byte.

    `past` says of what is there since when, and how sure it is: that decides what leaves.
    """
    merged = Merged(text)
    document = _stamped(markdown.parse(text), limits, now, author)
    read: dict[str, Folded] = {}
    for learning in learnings:
        try:
            document = _learn(document, learning, limits, merged, read)
        except ValueError as refusal:
            merged.refused.append((learning, str(refusal)))
    if merged.added or merged.replaced:
        spared = {*merged.added, *(better for _, better in merged.replaced)}
        merged.text = markdown.render(_trimmed(document, limits, spared, merged, past))
    return merged


def trim(
    text: str,
    limits: Limits,
    now: str,
    author: str,
    spared: frozenset[str] = frozenset(),
    past: Past = NO_PAST,
) -> Merged:
    """Let the oldest items leave until the document is within its limits, `spared` texts last."""
    merged = Merged(text)
    document = markdown.parse(text)
    last = set(spared)
    if _leaving(document, limits, last, past):
        document = _trimmed(_stamped(document, limits, now, author), limits, last, merged, past)
        merged.text = markdown.render(document)
    return merged


def remove(text: str, item: Item | str) -> Merged:
    """Take an item out of the text; given as words, every item that says the same words."""
    merged = Merged(text)
    document = markdown.parse(text)
    if isinstance(item, str):
        fold = similarity.fold(item)
        gone = [each for each in document.items if similarity.fold(each.text) == fold]
    else:
        gone = [each for each in document.items if each.line == item.line]
    document = _evicted(document, gone, merged) if gone else document
    merged.text = markdown.render(document)
    return merged


def updated(document: Document) -> str:
    """Return the time that the header says, as it stands there; empty where it says none."""
    at = edits.comment_line(document, UPDATED_COMMENT)
    told = (
        document.lines[at].partition(f"{UPDATED_COMMENT}:")[2].strip()[:19]
        if at is not None
        else ""
    )
    digits = told.replace("-", "").replace(":", "").replace(" ", "", 1)
    return told if len(told) == 19 and len(digits) == 14 and digits.isdecimal() else ""


def stamp(text: str, limits: Limits, now: str, author: str) -> str:
    """Let the header and the headings tell the limits in force and the last change."""
    return markdown.render(_stamped(markdown.parse(text), limits, now, author))


def _stamped(document: Document, limits: Limits, now: str, author: str) -> Document:
    document = edits.set_comment(document, LIMITS_COMMENT, str(limits))
    document = edits.set_comment(document, UPDATED_COMMENT, _told(now, author))
    return edits.set_suffixes(document, suffix(limits))


def _updated(now: str, author: str) -> str:
    return f"<!-- {UPDATED_COMMENT}: {_told(now, author)} -->"


def _told(now: str, author: str) -> str:
    # Without > no name can end the comment.
    return f"{now} | Auto-updated by: {_one_line(author).replace('>', '')}"


def suffix(limits: Limits) -> str:
    """Return what stands behind a section's title."""
    return f"(Max: {limits.items} items)"


def _one_line(text: str) -> str:
    """Return a text as one line that can be written as UTF-8."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    return " ".join(text.split())


def _learn(
    document: Document,
    learning: Learning,
    limits: Limits,
    merged: Merged,
    read: dict[str, Folded],
) -> Document:
    content = _one_line(learning.content)
    if not content:
        raise Refusal("it says nothing")
    twin = find_twin(document, content, read)
    if twin is None:
        document = _added(document, learning.type, content, limits)
        merged.added.append(content)
    elif _takes_better(document, twin, content):
        return _replaced(document, twin, content, limits, merged)
    else:
        merged.known.append((twin.text, content))
    return document


def _takes_better(document: Document, twin: Item, content: str) -> bool:
    """Say whether a learning is better said than what stands there, and that is no preference."""
    is_better = twin.text != content and similarity.better(twin.text, content) == content
    return is_better and twin not in preferences.items(document)


def find_twin(document: Document, content: str, read: dict[str, Folded]) -> Item | None:
    """Find the item of a document that says the same, as `twin_among` does."""
    return twin_among(document.items, content, read)


def twin_among(items: Sequence[Item], content: str, read: dict[str, Folded]) -> Item | None:
    """Find the item that says the same: in the same words first, then in other words.

    `read` keeps what was folded for the next learning.
    """
    one = similarity.Folded(content)
    others = [(item, _folded(item.text, read)) for item in items if item.text]
    for item, other in others:
        if one.fold == other.fold:
            return item
    return next((item for item, other in others if similarity.same_folded(one, other)), None)


def _folded(text: str, read: dict[str, Folded]) -> Folded:
    if text not in read:
        read[text] = similarity.Folded(text)
    return read[text]


def _added(document: Document, kind: str, content: str, limits: Limits) -> Document:
    document, section = home(document, section_of(kind), limits)
    after = edits.insert_item(document, section, content)
    check(after, _item(after, content), limits)
    return after


def _replaced(
    document: Document, twin: Item, content: str, limits: Limits, merged: Merged
) -> Document:
    """Put the better text in the place of the old; where it does not fit, the old one stays."""
    try:
        after = edits.replace_item(document, twin, content)
        check(after, _item(after, content), limits)
    except ValueError:
        merged.known.append((twin.text, content))
        return document
    merged.replaced.append((twin.text, content))
    return after


def home(document: Document, title: str, limits: Limits) -> tuple[Document, Section]:
    """Return the section of that title, new if there may be one more, else the nearest to it.

    There may always be one for preferences, and nothing else goes there.  Raises Refusal where
    there may be no section at all.
    """
    section = markdown.find_section(document, title)
    is_own = preferences.is_title(title)
    if section is None and (is_own or not is_full(document, limits.sections)):
        behind = "" if is_own else suffix(limits)
        document = edits.add_section(document, title, behind, order(document, title))
        section = markdown.find_section(document, title)
    section = section or last_resort(document)
    if section is None:
        raise Refusal("the document may have no section")
    return document, section


def order(document: Document, title: str) -> Sequence[str]:
    """Return the titles among which a section of that title has its place, in their order.

    Preferences come in front of all: they are looked for there, and read first.
    """
    if preferences.is_title(title):
        return [title, *(each.title for each in document.sections)]
    return ORDER


def is_full(document: Document, sections: int) -> bool:
    """Say whether there are so many sections; the person's preferences are not counted."""
    return len(document.sections) - len(preferences.sections(document)) >= sections


def last_resort(document: Document) -> Section | None:
    """Return the section that takes in what can have none of its own."""
    others = (each for each in reversed(document.sections) if not preferences.is_title(each.title))
    return markdown.find_section(document, RECENT) or next(others, None)


def _item(document: Document, text: str) -> Item:
    return next(each for each in document.items if each.text == text)


def check(document: Document, item: Item, limits: Limits) -> None:
    """Raise Refusal where an item's line is too long, or no learning could make room for it."""
    length = len(document.lines[item.line].rstrip("\r\n"))
    if length > limits.line:
        raise Refusal(f"its line would have {length} characters, and {limits.line} are allowed")
    size = byte_count(markdown.render(document))
    if size > limits.size:
        stays = {item.line, *(each.line for each in preferences.items(document))}
        gone = (each for each in document.items if each.line not in stays)
        if size - sum(_weight(document, each) for each in gone) > limits.size:
            raise Refusal(f"what is no learning leaves no room for it in {limits.size} bytes")


# What leaves.


Age = tuple[float, str]  # how sure an item is, and since when it is there; first leaves the least


class _Group:
    """The items of a section that are still there while it is decided which of them leave."""

    __slots__ = ("free", "rank", "spared", "weight")

    def __init__(self, items: list[Item], spared: set[str], rank: int) -> None:
        self.free = [item for item in items if item.text not in spared]
        self.spared = [item for item in items if item.text in spared]
        self.rank = rank  # the highest gives first
        self.weight = 0  # in bytes, once that is asked for

    def __len__(self) -> int:
        return len(self.free) + len(self.spared)

    def sort(self, key: Callable[[Item], Age]) -> None:
        self.free.sort(key=key)
        self.spared.sort(key=key)

    @property
    def first(self) -> Item:
        return (self.free or self.spared)[0]

    def give(self) -> Item:
        return (self.free or self.spared).pop(0)

    def weigh(self, document: Document) -> int:
        self.weight = sum(_weight(document, item) for item in self.free + self.spared)
        return self.weight


def _trimmed(
    document: Document, limits: Limits, spared: set[str], merged: Merged, past: Past
) -> Document:
    while leaving := _leaving(document, limits, spared, past):
        document = _evicted(document, leaving, merged)
    return document


def _leaving(document: Document, limits: Limits, spared: set[str], past: Past) -> list[Item]:
    """Choose what leaves: of each full section, then of all until the size is right."""
    groups = _groups(document, spared)
    ages = _Ages(past)
    leaving = _of_full_ones(document, groups[1:], limits, ages)
    size = byte_count(markdown.render(document)) - sum(_weight(document, i) for i in leaving)
    if size <= limits.size or size - sum(g.weigh(document) for g in groups) > limits.size:
        return leaving  # or the rest is not ours: to empty the file for it would help nobody
    return leaving + _of_all(document, groups, size - limits.size, ages)


def _of_full_ones(
    document: Document, groups: list[_Group], limits: Limits, ages: _Ages
) -> list[Item]:
    leaving = []
    for group in groups:
        if len(group) > limits.items and group.rank != PREFERRED:
            group.sort(ages.born)
            leaving += [group.give() for _ in range(len(group) - limits.items)]
    return leaving


def _of_all(document: Document, groups: list[_Group], size: int, ages: _Ages) -> list[Item]:
    """Choose until so many bytes are free: of Recent Learnings, then of all other sections."""
    for group in groups:
        group.sort(ages.order(group.rank))
    leaving: list[Item] = []
    while size > 0:
        group = min(filter(len, groups), key=lambda each: _turn(each, ages))
        leaving.append(group.give())
        weight = _weight(document, leaving[-1])
        group.weight -= weight
        size -= weight
    return leaving


def _turn(group: _Group, ages: _Ages) -> tuple[bool, bool, int, Age, int]:
    """Return what says when it is a group's turn to give; where ages are equal, the largest."""
    age = ages.order(group.rank)(group.first)
    return group.rank == PREFERRED, not group.free, -group.rank, age, -group.weight


class _Ages:
    """Since when items are there, and how sure they are; each looked up once.

    What the past knows nothing of was just added, or holds no text: a person's.
    """

    __slots__ = ("_known", "_past")

    def __init__(self, past: Past) -> None:
        self._past = past
        self._known: dict[str, Age] = {}

    def order(self, rank: int) -> Callable[[Item], Age]:
        return self._of if rank == OTHERS else self.born

    def born(self, item: Item) -> Age:
        return 0.0, self._of(item)[1]

    def _of(self, item: Item) -> Age:
        age = self._known.get(item.text)
        if age is None:
            known = self._past.find(item.text)
            age = (known.confidence, known.born) if known else (USUAL.person, "~")
            self._known[item.text] = age
        return age


RECENT_ONES, OTHERS, OUTSIDE, PREFERRED = 2, 1, 0, -1  # the ranks of groups


def _groups(document: Document, spared: set[str]) -> list[_Group]:
    """Group the items: those in no section first, who leave behind all but preferences."""
    inside = {item.line for section in document.sections for item in section.items}
    outside = [item for item in document.items if item.line not in inside]
    groups = [_Group(outside, spared, OUTSIDE)]
    for section in document.sections:
        groups.append(_Group(section.items, spared, _rank(section.title)))
    return groups


def _rank(title: str) -> int:
    if preferences.is_title(title):
        return PREFERRED
    return RECENT_ONES if markdown.title_key(title) == markdown.title_key(RECENT) else OTHERS


def _evicted(document: Document, items: list[Item], merged: Merged) -> Document:
    for item in items:
        merged.evicted.append((_section_title(document, item), _whole(document, item)))
    return edits.remove_items(document, items)


def _section_title(document: Document, item: Item) -> str:
    inside = (each.title for each in document.sections if each.line < item.line < each.end)
    return next(inside, "")


def _whole(document: Document, item: Item) -> str:
    """Return an item's text with the lines nested in it."""
    nested = document.lines[item.text_end if item.text else item.line : item.end]
    return "\n".join([item.text] * bool(item.text) + [line.rstrip() for line in nested])


def _weight(document: Document, item: Item) -> int:
    return byte_count("".join(document.lines[item.line : item.end]))


def byte_count(text: str) -> int:
    """Return the size of a text in its file."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # half a surrogate pair: no file holds that
        return len(text.encode("utf-8", "surrogatepass"))
