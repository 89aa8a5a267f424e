"""The memory of a task as text: front matter, a heading, sections; and what of it fits a budget.

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

Times are UTC.  The heading repeats what the front matter says because a model that is given
the file by an import never sees that.
"""

from __future__ import annotations

from memory_core import edits, front_matter, markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_core.markdown import Document, Item, Section

CONTEXT, DECISIONS, NOTES, REFERENCES = "Context", "Key Decisions", "Notes", "References"

# Where a section that is missing goes.
ORDER = (CONTEXT, DECISIONS, NOTES, REFERENCES)

LONGEST_SECTION = 80

# Of one note.  A memory is for what is worth reading again; a log goes into a file.
LONGEST_NOTE = 20_000

# A token of English text is about four characters; of other scripts it is about one.
PER_TOKEN = 4

# As much of a budget is the context's share, where decisions and notes want the rest.
SHARE = 0.4


# Stands for a character that no text file should hold.
UNFIT = "\N{REPLACEMENT CHARACTER}"


class Unfit(ValueError):
    """A text that a memory cannot take; the message is the reason."""

    status = 2


def new(task: str, title: str, now: str, template: str) -> str:
    """Return a new memory; `template` is what comes below the heading."""
    title = _one_line(title)
    told: front_matter.Fields = {
        "task_id": task,
        "title": title,
        "created": now,
        "updated": now,
        "archived": "",
    }
    for name, value in (("{task_id}", task), ("{title}", title)):
        template = template.replace(name, value)
    return front_matter.with_fields(f"{heading(task, title)}\n\n{template.strip()}\n", told)


def heading(task: str, title: str) -> str:
    return f"# {task}: {title}" if title else f"# {task}"


def _one_line(title: str) -> str:
    return " ".join(_clean(title).split())


def field(text: str, name: str) -> str:
    """Return what the front matter says of a name, "" for nothing."""
    found = front_matter.fields(text).get(name)
    return found if isinstance(found, str) else ""


def renamed(text: str, task: str, title: str) -> str:
    """Return a memory for the id and the title that its task has now."""
    was, old, title = field(text, "task_id"), field(text, "title"), _one_line(title)
    lines = markdown.split_lines(text)
    for at, line in enumerate(lines):
        if line.rstrip() == heading(was, old):
            lines[at] = heading(task, title) + line[len(line.rstrip()) :]
            break
    return front_matter.with_fields("".join(lines), {"task_id": task, "title": title})


# Adding.


def added(text: str, title: str, entry: str) -> str:
    """Return a memory with an entry at the end of a section, made where it is missing.

    The entry may have several lines; they stay one item of a list.  Raises Unfit for an empty
    or endless one, and for a title that no heading can have.
    """
    title, lines = _title(title), _entry(entry)
    head, document = _with_section(text, title)
    section = markdown.find_section(document, title)
    if section is None:
        raise Unfit(f"{title!r} cannot be the title of a section")
    return head + markdown.render(_inserted(document, section, lines))


def _title(title: str) -> str:
    title = " ".join(title.replace("#", " ").split())
    if not title or len(title) > LONGEST_SECTION:
        raise Unfit(f"a section's title has 1 to {LONGEST_SECTION} characters")
    return title


def _entry(entry: str) -> list[str]:
    lines = [line.rstrip() for line in _clean(entry).strip().expandtabs(4).splitlines()]
    if not lines:
        raise Unfit("a text is expected")
    if sum(map(len, lines)) > LONGEST_NOTE:
        raise Unfit(f"a note has at most {LONGEST_NOTE} characters")
    return lines


def _clean(text: str) -> str:
    """Return a text that every file can hold: control characters make a file binary for git."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(UNFIT if _is_unfit(char) else char for char in text)


def _is_unfit(char: str) -> bool:
    is_control = char < " " and not char.isspace()
    return is_control or char == "\x7f" or "\ud800" <= char <= "\udfff"


def parts(text: str) -> list[tuple[str, str]]:
    """Return (title, item or paragraph) of all that a Markdown text says, in its order."""
    document = markdown.parse(front_matter.body(text))
    tops = document.sections[0].line if document.sections else len(document.lines)
    above = "".join(each for each in document.lines[:tops] if not each.startswith("# "))
    found = [("", each) for each in _blocks(above)]
    for section in document.sections:
        found += [(section.title, each) for each in _parts(document, section)]
    return found


def _blocks(text: str) -> list[str]:
    document = markdown.parse(f"## -\n{text}")
    return _parts(document, document.sections[0])


def with_parts(text: str, parts: Sequence[tuple[str, str]]) -> str:
    """Return a memory with (title, part) of another text; as with `with_part` for each.

    Items that follow one another go in together: one by one, thousands would take minutes.
    """
    found: dict[str, list[str]] = {}
    for title, part in dict.fromkeys(parts):
        held = found.setdefault(title, [])
        if says(text, part):
            continue
        if held and held[-1].startswith("- ") and part.startswith("- "):
            held[-1] += f"\n{part}"
        else:
            held.append(part)
    for title, held in found.items():
        for part in held:
            text = with_part(text, title, part)
    return text


def says(text: str, part: str) -> bool:
    """Say whether these lines stand in a memory as they are, one behind the other."""
    return part in text and f"\n{part}\n" in f"\n{text}\n".replace("\r\n", "\n")


def with_part(text: str, title: str, part: str) -> str:
    """Return a memory with a part of another text in a section; what is there stays once.

    Raises Unfit for a title that no heading can have.
    """
    if says(text, part):
        return text
    head, document = _with_section(text, _title(title))
    section = markdown.find_section(document, title)
    lines, at = part.split("\n"), _end(document, section) if section else 0
    follows = part.startswith("- ") and _is_list(section, at)
    after = edits.insert_lines(document, at, lines) if follows else None
    return head + markdown.render(after or edits.insert_block(document, section, lines))


def _with_section(text: str, title: str) -> tuple[str, Document]:
    """Return the front matter, and the rest with a section of that title."""
    head = text[: len(text) - len(front_matter.body(text))]
    document = markdown.parse(text[len(head) :])
    if markdown.find_section(document, title) is None:
        try:
            document = edits.add_section(document, title, order=ORDER)
        except ValueError as error:
            raise Unfit(str(error)) from None
    return head, document


def _inserted(document: Document, section: Section, lines: list[str]) -> Document:
    """Put an item of several lines behind all others, or of one where they do not hold together."""
    if len(lines) > 1:
        at = _end(document, section)
        below = [f"  {line}" if line else "" for line in lines[1:]]
        block = [f"- {markdown.escape(lines[0])}", *below]
        gap = [] if at and _is_list(section, at) else [""]
        after = edits.insert_lines(document, at, [*gap, *block])
        if after is not None:
            return after
    text = " ".join(filter(None, map(str.strip, lines)))
    try:
        return edits.insert_item(document, section, text)
    except ValueError as error:  # in a file whose last comment or fence is left open
        raise Unfit(str(error)) from None


def _is_list(section: Section | None, at: int) -> bool:
    return any(item.end == at for item in section.items) if section else False


def _end(document: Document, section: Section) -> int:
    """Return the line behind the last one of a section that is not blank."""
    at = section.end
    while at > section.body and not document.lines[at - 1].strip():
        at -= 1
    return at


# Reading.


def entries(text: str, title: str) -> list[str]:
    """Return the items of a section, each with the lines that are nested in it."""
    document = markdown.parse(front_matter.body(text))
    section = markdown.find_section(document, title)
    return [_whole(document, item) for item in section.items] if section else []


def items(text: str) -> list[str]:
    """Return the items of all sections, as `entries` does."""
    document = markdown.parse(front_matter.body(text))
    return [_whole(document, item) for item in document.items]


def _whole(document: Document, item: Item) -> str:
    first, *rest = (each.strip("\r\n") for each in document.lines[item.line : item.end])
    first = first.lstrip()
    text = first[markdown.count_digits(first) + 1 :].lstrip()  # behind "-" or "1."
    lines = [markdown.unescape(text), *(each.removeprefix("  ") for each in rest)]
    return "\n".join(map(str.rstrip, lines)).rstrip()


def title_of(text: str, title: str) -> str:
    """Return a section's title as the memory writes it."""
    section = markdown.find_section(markdown.parse(front_matter.body(text)), title)
    return section.title if section else title


def sections(text: str) -> list[tuple[str, str]]:
    """Return (title, what it holds) of each section; what is above the first has the title ""."""
    document = markdown.parse(front_matter.body(text))
    tops = document.sections[0].line if document.sections else len(document.lines)
    found = [("", "".join(document.lines[:tops]))]
    for each in document.sections:
        found.append((each.title, "".join(document.lines[each.body : each.end])))
    return [(title, held.strip("\n")) for title, held in found]


def tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few."""
    narrow = sum(map(str.isascii, text))
    return -(-narrow // PER_TOKEN) + len(text) - narrow


# Fitting a budget.


def cut(text: str, budget: int, whole: str) -> str:
    """Return what of a memory fits `budget` tokens, and where the `whole` is.

    The heading; of the context what comes first; of the decisions, then of the notes, what
    came last.  A part stays whole or goes: half a fenced block would swallow what follows.
    """
    document = markdown.parse(front_matter.body(text))
    head = next((each for each in document.headings if each.level == 1), None)
    first = _shortened(document.lines[head.line].rstrip(), budget // 4) if head else ""
    note = f"(Cut to fit: the whole of it is in {whole}.)"
    done = "\n\n".join(filter(None, [first, note]))
    room = budget - tokens(done)
    kept: dict[str, list[str]] = {}
    for title, share in ((CONTEXT, SHARE), (DECISIONS, 1.0), (NOTES, 1.0)):
        section = markdown.find_section(document, title)
        parts = _parts(document, section) if section else []
        if title != CONTEXT:
            parts.reverse()
        kept[title] = _fitting(parts, int(room * share) - tokens(f"\n\n## {title}\n\n"))
        room -= tokens(_section(title, kept[title])) if kept[title] else 0
        if title != CONTEXT:
            kept[title].reverse()
    found = [_section(title, parts) for title, parts in kept.items() if parts]
    return done + "".join(found) + "\n"


def _section(title: str, parts: Sequence[str]) -> str:
    return f"\n\n## {title}\n\n" + "\n".join(parts)


def _fitting(parts: Sequence[str], room: int) -> list[str]:
    """Return the first parts that fit; of the very first one at least the beginning."""
    kept = list[str]()
    for part in parts:
        fitting = part if kept or tokens(part) < room else _beginning(part, room)
        size = tokens(fitting) + 1
        if fitting and size <= room:
            kept.append(fitting)
            room -= size
    return kept


def _beginning(part: str, room: int) -> str:
    """Return the words of a part that fit, up to where code begins."""
    found = list[str]()
    for line in part.split("\n"):
        if line.lstrip("-*+> ").startswith(("```", "~~~", "<")):
            break
        if tokens("\n".join([*found, line, "..."])) >= room:
            most = (room - 2 - tokens("\n".join([*found, ""]))) * PER_TOKEN
            found.append(_words(line, most, room))
            break
        found.append(line)
    return "\n".join(found).rstrip() + " ..." if any(map(str.strip, found)) else ""


def _shortened(line: str, room: int) -> str:
    return line if tokens(line) <= room else _words(line, len(line), room) + " ..."


def _words(line: str, most: int, room: int) -> str:
    line = line[: max(most, 0)]
    while line and tokens(line) >= room - 2:
        line = line[: len(line) * 9 // 10]
    return line.rpartition(" ")[0] or line


def _parts(document: Document, section: Section) -> list[str]:
    """Return the items and paragraphs of a section; code is never parted."""
    starts = {item.line: item.end for item in section.items}
    verbatim = set(document.verbatim)
    parts, part, at = list[str](), list[str](), section.body
    while at < section.end:
        line = document.lines[at].rstrip("\r\n")
        end = starts.get(at)
        if (end or not line.strip()) and at not in verbatim and part:
            parts.append("\n".join(part))
            part = []
        if end:
            parts.append("\n".join(each.rstrip() for each in document.lines[at:end]).rstrip())
        elif line.strip() or at in verbatim:
            part.append(line)
        at = end or at + 1
    if part:
        parts.append("\n".join(part))
    return parts
