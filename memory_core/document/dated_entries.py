"""The text of archive/AGENT.md: entries by day.

    ## 2026-11-21

    - [Section] an item
        - its nested lines

The further lines of an entry are indented by two more blanks, so that none of them looks like
an entry or a day.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

DAY_PREFIX = "## "
ENTRY_PREFIX = "- "
INDENT = "  "

# The section of an entry, `[A \\[1\\]]`, and what it escapes.
_LABEL = re.compile(r"\[((?:\\[\\\]]|\\(?![\\\]])|[^\\\n])*?)\](?: |$|(?=\n))")
_INNER_LINE = re.compile(r"(?<=\n)(?=[^\n])")  # the start of a line that is not blank
# A day, or an entry with its further lines and the blank lines between them.
_PART = re.compile(r"^(?:## (?P<day>.*)|-(?: .*|\r)?(?:\n(?:[ \t\r]*\n)*  .*)*)$", re.MULTILINE)
_LAST_DAY = re.compile(r"\n?^## .*\s*\Z", re.MULTILINE)
_ESCAPED = re.compile(r"\\([\\\]])")


class DatedEntry(NamedTuple):
    """One entry: its day and its text."""

    day: str
    text: str


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
    entries, day = list[DatedEntry](), ""
    for part in _PART.finditer(text):
        if part["day"] is None:
            entries.append(DatedEntry(day, _read_item(part[0])))
        else:
            day = part["day"].strip()
    return entries


def _read_item(lines: str) -> str:
    return normalize("\n".join(line[len(INDENT) :] for line in lines.split("\n")))


def remove_items(text: str, items: Iterable[str]) -> str:
    """Remove the last entry of each item, and the heading of a day that has no other line."""
    wanted, rest = Counter(map(normalize, items)), text
    for part in reversed([*_PART.finditer(text)]):
        item = _read_item(part[0])
        if part["day"] is None and wanted[item]:
            wanted[item] -= 1
            before, behind = rest[: part.start()], rest[part.end() + 1 :]
            if not behind.strip() or behind.lstrip().startswith(DAY_PREFIX):
                before = _LAST_DAY.sub("", before)
            rest = before + behind if before else behind.lstrip("\n")
    return rest if rest.strip() else ""


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
