"""The fixed parts of a memory document: its header, its standard sections and its limits."""

from __future__ import annotations

from typing import NamedTuple

from memory_core.document import edits, markdown, preferences
from memory_core.document.markdown import UPDATED_COMMENT, Document, Section
from memory_core.text import markdown_lines, sanitize

# Learning type -> title of its section, in the order of the file.
SECTION_TITLES = {
    "pattern": "Coding Patterns Learned",
    "architecture": "Project Architecture",
    "guideline": "Implementation Guidelines",
    "mistake": "Common Mistakes to Avoid",
    "strategy": "Effective Strategies",
    "integration": "Integration Points",
    "performance": "Performance Considerations",
    "context": "Current Technical Context",
}
RECENT_TITLE = "Recent Learnings"  # the section of all other types
TITLE_ORDER = (*SECTION_TITLES.values(), RECENT_TITLE)
OTHER_TITLE = "Other notes"  # what agents receive for a heading that may be of a stranger

# Categories are other names for some types; they share the sections of these types.
CATEGORY_TYPES = {
    "best-practice": "guideline",
    "anti-pattern": "mistake",
    "tool-usage": "integration",
    "workflow": "strategy",
}

LIMITS_COMMENT = "MEMORY LIMITS"


class Limits(NamedTuple):
    """The maximum bytes and sections of a document, items of a section, characters of a line."""

    size: int = 8 * 1024  # about 2,000 tokens, which an agent reads in every run
    sections: int = 10  # the nine standard ones and one more
    items: int = 15  # few enough for a user to review
    line: int = 400  # holds the longest learning of a report

    def __str__(self) -> str:
        size = f"{self.size / 1024:g}KB"
        return f"{size} max | {self.sections} sections max | {self.items} items per section"


def section_of(kind: str) -> str:
    """Return the section title for a type or category, in any spelling."""
    name = "-".join(kind.lower().replace("_", " ").replace("-", " ").split())
    return SECTION_TITLES.get(CATEGORY_TYPES.get(name, name), RECENT_TITLE)


def is_known(title: str) -> bool:
    """Return whether the heading of a section is one of agent-memory, in any spelling."""
    titles = ("", *TITLE_ORDER, preferences.TITLE, OTHER_TITLE)
    return markdown.normalize_title(title) in map(markdown.normalize_title, titles)


def type_of(title: str) -> str:
    """Return the type whose learnings are in a section of this title, "" for another section."""
    key, titles = markdown.normalize_title(title), SECTION_TITLES.items()
    return next((kind for kind, own in titles if markdown.normalize_title(own) == key), "")


def category_of(title: str) -> str | None:
    """Return the category whose items are in a section of this title, or None."""
    categories = {kind: category for category, kind in CATEGORY_TYPES.items()}
    return categories.get(type_of(title))


def render_new(name: str, project: str, limits: Limits, now: str) -> str:
    """Return the text of a new document, without sections."""
    title, updated = _render_title(name, project), _format_update(now, "agent-memory")
    return f"{title}<!-- {LIMITS_COMMENT}: {limits} -->\n<!-- {UPDATED_COMMENT}: {updated} -->\n"


def _render_title(name: str, project: str) -> str:
    parts = f"{join_lines(name)} Memory", sanitize.clean_name(project)
    return f"# {' - '.join(filter(None, parts))}\n\n"


def render_headings(limits: Limits) -> str:
    """Return the headings of the sections of all types, for a new document."""
    return "".join(f"\n## {title} {format_suffix(limits)}\n" for title in SECTION_TITLES.values())


def add_title(text: str, name: str, project: str) -> str:
    """Return a text with a title, which it gets above all else if it has none."""
    document = markdown.parse_document(text)
    if any(heading.rank == 1 for heading in document.headings[:1]):
        return text
    front, title = markdown_lines.count_front_matter(document.lines), _render_title(name, project)
    return "".join([*document.lines[:front], title, *document.lines[front:]])


def update_header(text: str, limits: Limits, now: str, author: str) -> str:
    """Write the limits, the time and the author into the header."""
    document = write_header(markdown.parse_document(text), limits, now, author)
    return markdown.render_document(document)


def write_header(document: Document, limits: Limits, now: str, author: str) -> Document:
    """Do the same as `update_header` for a parsed document."""
    document = edits.set_comment(document, LIMITS_COMMENT, str(limits))
    return edits.set_comment(document, UPDATED_COMMENT, _format_update(now, author))


def write_suffix(document: Document, text: str, limits: Limits) -> Document:
    """Write the limit into the heading of the section that has the item `text`."""
    section = markdown.find_section_of(document, text)
    return edits.set_suffix(document, section, format_suffix(limits)) if section else document


def list_counted_sections(document: Document) -> list[Section]:
    """Return the sections that limits count: all but the preferences."""
    return [part for part in document.sections if not preferences.is_title(part.title)]


def _format_update(now: str, author: str) -> str:
    return f"{now} | Auto-updated by: {sanitize.clean_name(author)}"


def format_suffix(limits: Limits) -> str:
    """Return the text that follows a section's title."""
    return f"(Max: {limits.items} items)"


def join_lines(text: str) -> str:
    """Return a text as one line that can be encoded as UTF-8."""
    return " ".join(text.encode("utf-8", "replace").decode().split())
