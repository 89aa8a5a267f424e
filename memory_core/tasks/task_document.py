"""Create, read, change and shorten the text of a task memory.

    ---
    task_id: task-368
    title: Ask for a password
    created: '2026-11-21 22:10:00'
    updated: '2026-11-21 22:40:00'
    archived:
    ---

    # task-368: Ask for a password

    ## Context
    ...

Times are UTC.  The heading repeats the id and the title because Claude Code removes the front
matter from an imported file.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_core.document import edits, markdown
from memory_core.document.markdown import Document, Section
from memory_core.selection.passages import estimate_tokens
from memory_core.selection.splitting import list_parts
from memory_core.text import characters, front_matter, sanitize

CONTEXT, DECISIONS, NOTES, REFERENCES = "Context", "Key Decisions", "Notes", "References"

# The order of sections; it decides the place of a new one.
SECTION_ORDER = (CONTEXT, DECISIONS, NOTES, REFERENCES)

# The sections of a new memory by the name of its template, with a hint: a comment, which Claude
# Code removes from imports.
DEFAULT = "default"
TEMPLATES = {
    DEFAULT: {CONTEXT: ""},
    "feature": {
        CONTEXT: "Who needs it, and what for.",
        "Requirements": "What must hold when it is done.",
    },
    "bugfix": {
        CONTEXT: "What was seen, and what was expected.",
        "Steps to Reproduce": "",
        "Root Cause": "",
    },
    "research": {
        CONTEXT: "What is to be found out, and what depends on it.",
        "Questions": "",
        "Findings": "",
    },
}

# What a task of each template is called in Backlog.md, as type or label.
KINDS = {
    **dict.fromkeys(("bug", "bugfix", "fix", "defect"), "bugfix"),
    **dict.fromkeys(("feature", "enhancement", "story"), "feature"),
    **dict.fromkeys(("research", "spike", "investigation"), "research"),
}

MAX_TITLE_CHARS = 80

# The limit of one note: long logs belong in a file.
MAX_NOTE_CHARS = 20_000

# The share of a budget for the context; decisions and notes get the rest.
CONTEXT_SHARE = 0.4


class InvalidNote(ValueError):
    """A note is empty, too long or does not fit into the memory; the message is the reason."""

    status = 2


def choose_template(kind: str, labels: Sequence[str]) -> str:
    """Return the name of the template for a task of this type with these labels."""
    words = (word.strip().casefold() for word in (kind, *labels))
    return next((KINDS[word] for word in words if word in KINDS), DEFAULT)


def create(task: str, title: str, now: str, template: str = DEFAULT) -> str:
    """Return a new memory with the sections of a template."""
    title = _one_line(title)
    fields: front_matter.Fields = {"task_id": task, "title": title, "created": now}
    fields |= {"updated": now, "archived": ""}
    sections = {**TEMPLATES[template], **dict.fromkeys((DECISIONS, NOTES, REFERENCES), "")}
    parts = [
        f"## {name}\n" + (f"<!-- {hint} -->\n" if hint else "") for name, hint in sections.items()
    ]
    return front_matter.set_fields("\n".join([f"{format_heading(task, title)}\n", *parts]), fields)


def format_heading(task: str, title: str) -> str:
    return f"# {task}: {title}" if title else f"# {task}"


def _one_line(title: str) -> str:
    return " ".join(characters.clean(title).split())


def read_field(text: str, name: str) -> str:
    """Return a text field of the front matter, "" if it is missing."""
    value = front_matter.read_fields(text).get(name)
    return value if isinstance(value, str) else ""


def rename_task(text: str, task: str, title: str) -> str:
    """Return a memory with a new id and title."""
    was, old, title = read_field(text, "task_id"), read_field(text, "title"), _one_line(title)
    heading = f"\n{format_heading(task, title)}\n"
    text = text.replace(f"\n{format_heading(was, old)}\n", heading, 1)
    return front_matter.set_fields(text, {"task_id": task, "title": title})


# Adding.


def add_item(text: str, title: str, entry: str) -> tuple[str, str]:
    """Return a memory with an entry as the last item of a section, and the section's title in it.

    The section is created if needed.  An entry of several lines becomes one list item.  Raises
    InvalidNote for an empty or too long entry and for an invalid title.
    """
    title, lines = _title(title), _entry(entry)
    head = text[: len(text) - len(front_matter.read_body(text))]
    document = markdown.parse_document(text[len(head) :])
    try:
        if markdown.find_section(document, title) is None:
            document = edits.add_section(document, title, order=SECTION_ORDER)
        section = markdown.find_section(document, title)
        if section is None:
            raise InvalidNote(f"{title!r} cannot be the title of a section")
        after = _insert_entry(document, section, lines)
    except ValueError as error:
        raise InvalidNote(str(error)) from None
    return head + markdown.render_document(after), section.title


def _title(title: str) -> str:
    title = " ".join(title.replace("#", " ").split())
    if not title or len(title) > MAX_TITLE_CHARS:
        raise InvalidNote(f"a section's title has 1 to {MAX_TITLE_CHARS} characters")
    return title


def _entry(entry: str) -> list[str]:
    lines = [line.rstrip() for line in characters.clean(entry).strip().expandtabs(4).splitlines()]
    if not lines:
        raise InvalidNote("a text is expected")
    if sum(map(len, lines)) > MAX_NOTE_CHARS:
        raise InvalidNote(f"a note has at most {MAX_NOTE_CHARS} characters")
    return lines


def _insert_entry(document: Document, section: Section, lines: list[str]) -> Document:
    """Add an item at the end of a section; join its lines if they would not stay one item.

    Raises ValueError if the last comment or fence of the file is not closed.
    """
    below = "\n".join(f"  {line}" if line else "" for line in lines[1:])
    try:
        return edits.insert_item(document, section, lines[0], below)
    except ValueError:
        return edits.insert_item(document, section, " ".join(filter(None, map(str.strip, lines))))


# Reading.


def list_sections(text: str) -> list[tuple[str, str]]:
    """Return (title, text) of each section; the text above the first one has the title ""."""
    document = markdown.parse_document(front_matter.read_body(text))
    top = document.sections[0].line if document.sections else len(document.lines)
    places = [("", 0, top), *((one.title, one.line + 1, one.end) for one in document.sections)]
    lines = document.lines
    return [(title, "".join(lines[at:end]).strip("\n")) for title, at, end in places]


# Fitting a budget.


def shorten(text: str, budget: int, whole: str) -> str:
    """Return a memory cut to `budget` tokens, with a note that names the `whole` file.

    It keeps the heading, the first parts of the context, then the newest decisions and notes.
    A part is kept whole or left out: half a fenced block would turn the following text into code.
    """
    document = markdown.parse_document(front_matter.read_body(text))
    note = f"(Cut to fit: the whole of it is in {sanitize.quote_name(whole)}.)"
    heads = [document.lines[heading.line] for heading in document.headings if heading.rank == 1]
    result = "\n\n".join([*(head.rstrip()[:budget] for head in heads[:1]), note])
    room = budget - estimate_tokens(result)
    blocks = [(block[1], "\n".join(block[2]).rstrip()) for block in list_parts(document)]
    for title, share in ((CONTEXT, CONTEXT_SHARE), (DECISIONS, 1.0), (NOTES, 1.0)):
        section = markdown.find_section(document, title)
        order = 1 if title == CONTEXT else -1
        parts = [text for name, text in blocks if section and name == section.title][::order]
        head = f"\n\n## {title}\n\n"
        fitting = _choose_fitting(parts, int(room * share) - estimate_tokens(head))
        if fitting:
            text = head + "\n".join(fitting[::order])
            room -= estimate_tokens(text)
            result += text
    return result + "\n"


def _choose_fitting(parts: Sequence[str], room: int) -> list[str]:
    """Return the parts that fit, the first ones first."""
    chosen = list[str]()
    for part in parts:
        size = estimate_tokens(part) + 1
        if size <= room:
            chosen.append(part)
            room -= size
    return chosen
