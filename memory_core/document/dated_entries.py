"""What is kept beside a memory, by day: the text of archive/AGENT.md and quarantine/AGENT.md.

    ## 2026-11-21

    - [Section] an item
        - what is nested in it

An entry's further lines stand two blanks further in than they are, so that nothing in
them is taken for an entry or a day.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

DAY_PREFIX = "## "
ENTRY_PREFIX = "- "
INDENT = "  "


class DatedEntry:
    """One entry: its day, its text, and the lines `[line, end)` where it stands."""

    __slots__ = ("day", "end", "line", "text")

    def __init__(self, day: str, text: str, line: int) -> None:
        self.day = day
        self.text = text
        self.line = line
        self.end = line + 1

    def __repr__(self) -> str:
        return f"Entry({self.day!r}, {self.text!r}, {self.line}, {self.end})"


def add(text: str, items: Iterable[str], day: str) -> str:
    """Add entries under a day, each once a day."""
    known = {entry.text for entry in parse_entries(text) if entry.day == day}
    fresh = [item for item in dict.fromkeys(map(normalize, items)) if item not in known]
    if not fresh:
        return text
    if text and not text.endswith("\n"):
        text += "\n"
    heading = "" if _last_day(text) == day else f"{DAY_PREFIX}{day}\n\n"
    gap = "\n" if heading and text else ""
    return text + gap + heading + "".join(map(_written, fresh))


def normalize(item: str) -> str:
    """Return an item as it reads back: no blanks at the end of a line, nor empty last lines."""
    return "\n".join(line.rstrip(" \t\r") for line in item.split("\n")).rstrip("\n")


def _written(item: str) -> str:
    first, *more = item.split("\n")
    return f"{ENTRY_PREFIX}{first}\n" + "".join(
        f"{INDENT}{line}\n" if line else "\n" for line in more
    )


def _last_day(text: str) -> str:
    days = [
        line[len(DAY_PREFIX) :].strip() for line in text.split("\n") if line.startswith(DAY_PREFIX)
    ]
    return days[-1] if days else ""


def parse_entries(text: str) -> list[DatedEntry]:
    """Return the entries in the order of the file; what is no entry is passed over."""
    found: list[DatedEntry] = []
    day, current, blanks = "", None, 0
    for at, line in enumerate(text.split("\n")):
        line = line.rstrip(" \t\r") if line.strip(" \t\r") else ""
        if not line:
            blanks += 1
            continue
        if line.startswith(DAY_PREFIX):
            day, current = line[len(DAY_PREFIX) :].strip(), None
        elif line.startswith(ENTRY_PREFIX) or line == ENTRY_PREFIX.rstrip():
            current = DatedEntry(day, line[len(ENTRY_PREFIX) :], at)
            found.append(current)
        elif current is not None and line.startswith(INDENT):
            current.text += "\n" * (blanks + 1) + line[len(INDENT) :]
            current.end = at + 1
        else:
            current = None
        blanks = 0
    return found


def remove(text: str, entry: DatedEntry) -> str:
    """Take an entry out, and its day's heading where nothing else stands under it."""
    lines = text.split("\n")
    del lines[entry.line : entry.end]
    days = [at for at, line in enumerate(lines) if line.startswith(DAY_PREFIX)]
    above = [at for at in days if at < entry.line]
    if above:
        begin, end = above[-1], next((at for at in days if at >= entry.line), len(lines))
        if not "".join(lines[begin + 1 : end]).strip():
            del lines[begin:end]
    rest = "\n".join(lines)
    return rest if rest.strip() else ""


def format_file_origin(name: str) -> str:
    """Return what stands in the place of a section for text that was no item of a file."""
    return f"from {name}"


def is_from_file(section: str) -> bool:
    return section.startswith("from ") and section.endswith(".md")


def format_entry(section: str, item: str) -> str:
    """Return the entry for an item of a section."""
    title = section.replace("\\", "\\\\").replace("]", "\\]")
    return f"[{title}] {item}"


def parse_entry(text: str) -> tuple[str, str]:
    """Return the section and the item of an entry; no section where it names none."""
    title, at = "", 1
    while text.startswith("[") and at < len(text) and text[at] != "\n":
        if text[at] == "\\" and text[at + 1 : at + 2] in ("\\", "]"):
            at += 1
        elif text[at] == "]" and text[at + 1 : at + 2] in ("", " ", "\n"):
            return title, text[at + 1 :].removeprefix(" ")
        title += text[at]
        at += 1
    return "", text
