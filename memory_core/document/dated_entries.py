"""The text of archive/AGENT.md: entries by day.

    ## 2026-11-21

    - [Section] an item
        - its nested lines

The further lines of an entry are indented by two more blanks, so that none of them looks like
an entry or a day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

DAY_PREFIX = "## "
ENTRY_PREFIX = "- "
INDENT = "  "

# The section of an entry, `[A \\[1\\]]`, and what it escapes.
_LABEL = re.compile(r"\[((?:\\[\\\]]|\\(?![\\\]])|[^\\\n])*?)\](?: |$|(?=\n))")
_INNER_LINE = re.compile(r"(?<=\n)(?=[^\n])")  # the start of a line that is not blank
_LINE_END = re.compile(r"(?<![ \t\r])[ \t\r]+$", re.MULTILINE)
# A day, or an entry with its further lines and the blank lines between them.
_PART = re.compile(r"^(?:## (?P<day>.*)|-(?: .*)?(?:\n+  .*)*)$", re.MULTILINE)
_ESCAPED = re.compile(r"\\([\\\]])")


class DatedEntry(NamedTuple):
    """One entry: its day, its text, and its lines `[line, end)`."""

    day: str
    text: str
    line: int
    end: int


def add(text: str, items: Iterable[str], day: str) -> str:
    """Add entries under a day, each once a day."""
    old = {entry.text for entry in parse_entries(text) if entry.day == day}
    new = [item for item in dict.fromkeys(map(normalize, items)) if item not in old]
    if not new:
        return text
    if text and not text.endswith("\n"):
        text += "\n"
    days = [line for line in text.split("\n") if line.startswith(DAY_PREFIX)]
    is_last_day = days and days[-1].removeprefix(DAY_PREFIX).strip() == day
    heading = "" if is_last_day else f"{DAY_PREFIX}{day}\n\n"
    gap = "\n" if heading and text else ""
    entries = "".join(f"{ENTRY_PREFIX}{_INNER_LINE.sub(INDENT, item)}\n" for item in new)
    return text + gap + heading + entries


def add_days(text: str, entries: Sequence[tuple[str, str]]) -> str:
    """Add (day, item) in this order, each once a day in a row."""
    for day, group in groupby(entries, key=lambda entry: entry[0]):
        text = add(text, [item for _day, item in group], day)
    return text


def normalize(item: str) -> str:
    """Return an item as `parse_entries` returns it: no blanks at line ends, no empty last lines."""
    return "\n".join(line.rstrip(" \t\r") for line in item.split("\n")).rstrip("\n")


def parse_entries(text: str) -> list[DatedEntry]:
    """Return the entries in the order of the file; other lines are skipped."""
    entries: list[DatedEntry] = []
    text = _LINE_END.sub("", text)
    day, at, before = "", 0, 0
    for part in _PART.finditer(text):
        at += text.count("\n", before, part.start())
        before = part.start()
        if part["day"] is not None:
            day = part["day"].strip()
        else:
            lines = part[0].split("\n")
            item = "\n".join(line[len(INDENT) :] for line in lines)
            entries.append(DatedEntry(day, item, at, at + len(lines)))
    return entries


def remove(text: str, entries: Iterable[DatedEntry]) -> str:
    """Remove entries, and the headings of their days if no other line is left below them."""
    lines = text.split("\n")
    gone = {at for entry in entries for at in range(entry.line, entry.end)}
    days = [at for at, line in enumerate(lines) if line.startswith(DAY_PREFIX)]
    ends = [*days[1:], len(lines)]  # one too many in a text without a day
    for begin, end in zip(days, ends, strict=False):
        below = [at for at in range(begin + 1, end) if lines[at].strip()]
        if below and gone.issuperset(below):
            gone.update(range(begin, end))
    rest = "\n".join(line for at, line in enumerate(lines) if at not in gone)
    return rest if rest.strip() else ""


def remove_items(text: str, items: Iterable[str]) -> str:
    """Remove the last entry of each item."""
    entries: dict[str, list[DatedEntry]] = {}
    for entry in parse_entries(text):
        entries.setdefault(entry.text, []).append(entry)
    equal = (entries.get(normalize(item)) for item in items)
    return remove(text, [matches.pop() for matches in equal if matches])


def format_file_origin(name: str) -> str:
    """Return the section name of an entry that was free text of a file."""
    return f"from {name}"


def is_from_file(section: str) -> bool:
    return section.startswith("from ") and section.endswith(".md")


def format_entry(section: str, item: str) -> str:
    """Return the entry for an item of a section."""
    title = section.replace("\\", "\\\\").replace("]", "\\]")
    return f"[{title}] {item}"


def parse_entry(text: str) -> tuple[str, str]:
    """Return the section and the item of an entry; the section is "" if it has none."""
    match = _LABEL.match(text)
    return (_ESCAPED.sub(r"\1", match[1]), text[match.end() :]) if match else ("", text)
