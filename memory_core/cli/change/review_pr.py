"""`agent-memory review --pr BASE`: the changes of a branch as a comment for its pull request."""

from __future__ import annotations

import re
from itertools import accumulate

from memory_core.cli.app import find_project
from memory_core.cli.errors import exit_if
from memory_core.cli.output import print_json, print_line
from memory_core.git import memory_changes
from memory_core.git.memory_changes import ItemChange, MemoryChanges
from memory_core.text import characters
from memory_core.text.phrases import format_count

# Characters of one table: GitHub refuses comments with more than 65,536.
MAX_TABLE = 15_000
MAX_TEXT = 300

TABLE_HEAD = """
#### Items

| agent | change | text | score | would wait because |
| --- | --- | --- | --- | --- |"""

# These signs become entities: they may have a meaning in Markdown, HTML or GitHub.
_SIGN = re.compile(r"[^a-zA-Z0-9 ,;=+'\"?%()\-\x80-\U0010ffff]")


def print_changes(base: str) -> None:
    """Print the changes since `base`; exit with 1 if one of them would wait for review."""
    changes = memory_changes.compare(find_project(), base)
    items = [item._asdict() for item in changes.items]
    print_json(changes._asdict() | {"items": items})
    for line in _format_comment(changes, base):
        print_line(line)
    exit_if(changes.waiting)


def _format_comment(changes: MemoryChanges, base: str) -> list[str]:
    """Return Markdown: notes and items, those that would be held first."""
    kinds = [change.kind for change in changes.items]
    counts = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds))]
    waiting = [f"**{len(changes.waiting)} would wait for review**"] if changes.waiting else []
    total = ", ".join([*counts, *waiting]) or "no item has changed"
    lines = ["### Agent memory", "", f"{total}, compared with {format_code(base)}."]
    lines += [f"\nNote: {format_code(note)}" for note in changes.notes]
    rows = [f"| {' | '.join(_format_item(item))} |" for item in changes.items]
    return lines + _format_table(rows)


def _format_item(change: ItemChange) -> tuple[str, ...]:
    section = f"<br>in {format_code(change.section)}" if change.section else ""
    text = format_code(change.text)
    if change.before:
        text = f"{format_code(change.before)}<br>→ {text}"
    reason = format_code(change.reason) if change.reason else ""
    return format_code(change.agent), change.kind, text + section, f"{change.score:.2f}", reason


def _format_table(lines: list[str]) -> list[str]:
    """Return a table below a heading, [] without lines; lines without room are counted."""
    if not lines:
        return []
    ends = accumulate(map(len, lines))
    shown = [line for line, end in zip(lines, ends, strict=True) if end <= MAX_TABLE]
    more = len(lines) - len(shown)
    return [TABLE_HEAD, *shown, *([f"\n... and {format_count(more, 'more row')}."] if more else [])]


def format_code(text: str) -> str:
    """Return a text as code of HTML, in which no sign has a meaning, and nobody is mentioned."""
    shown = characters.show_hidden(text)
    shown = shown if len(shown) <= MAX_TEXT else f"{shown[:MAX_TEXT]} ..."
    escaped = _SIGN.sub(lambda sign: f"&#{ord(sign[0])};", shown)
    return f"<code>{escaped.replace('&#10;', '<br>')}</code>"
