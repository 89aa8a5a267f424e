"""JSON objects in a text, and the learnings in them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from memory_core.learning import lines
from memory_core.learning.lines import FIELDS, NESTED, Draft
from memory_core.learning.type_names import type_of
from memory_core.text import fastjson

# The learnings of a line's objects, the lines that can be removed, the line behind, and the text
# before them.
LineObjects = tuple[list[Draft], list[int], int, str]

# The key of a JSON object with learnings.
_KEY = "remember"

# Characters of a line before and after a JSON object that are read.
_REACH = 300

# What may precede a JSON object that has its lines for itself.
_LEAD = lines.INDENT + "-*+\u2022"

# So many braces of a text may open something that only looks like JSON.
_MAX_FAILURES = 50

# Characters between a brace and the first name of an object.
_MAX_BLANKS = 100


def find_learnings(text: str, starts: list[int]) -> dict[int, LineObjects]:
    """Return the JSON objects with learnings, by the number of their first line.

    `starts` are the places of the lines.
    """
    objects: dict[int, LineObjects] = {}
    number, behind_last = 0, 0
    for start, end, value in find(text, _KEY):
        drafts, is_whole = read_drafts(value[_KEY], text[start:end])
        if not drafts or text[start - 1 : start] == "`":  # quoted in a sentence
            continue
        first, after = bisect_right(starts, start) - 1, bisect_right(starts, end - 1)
        before = text[max(starts[first], start - _REACH) : start].strip(_LEAD)
        behind = text[end : min(starts[after], end + _REACH)].strip()
        is_removable = is_whole and len(value) == 1 and not before and not behind
        rows = [*range(first, after)] if is_removable else []
        if first < behind_last:  # a second object in the line
            drafts, rows, before = objects[number][0] + drafts, [], objects[number][-1]
        else:
            number = first
        behind_last = after
        objects[number] = drafts, rows, after, before
    return objects


def read_content(draft: Draft) -> list[Draft]:
    """Return the learnings of a content that begins as JSON does."""
    try:
        value = fastjson.loads(draft[1])
    except ValueError:
        return [(draft[0], draft[1], "not JSON", {})]
    items = value if isinstance(value, list) else [value]
    drafts, is_whole = read_drafts(items, draft[1])
    return drafts if is_whole else [draft]


def find(text: str, key: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield (start, end, value) of the outermost objects that contain a key.

    An object may be quoted, and may have a comma too many, lines of comment, and line breaks
    inside of its strings.
    """
    text = text.replace("\n>", "\n ")
    mended = ""
    last = text.rfind(f'"{key}"')
    at = failures = 0
    while failures < _MAX_FAILURES and 0 <= (start := text.find("{", at)) < last:
        at = start + 1
        begin = text[at : at + _MAX_BLANKS].lstrip()
        if begin[:1] != '"' and begin[:2] != "//":
            continue
        try:
            value, at = fastjson.loads_at(text, start)
        except ValueError:
            mended = mended or _mend(text)
            try:
                value, at = fastjson.loads_at(mended, start)
            except ValueError:
                failures += 1
                continue
        if key in value:
            yield start, at, value


def _mend(text: str) -> str:
    """Replace by blanks what JSON does not allow: every place stays the same."""
    rows = [" " * len(row) if row.lstrip()[:2] == "//" else row for row in text.split("\n")]
    parts = " ".join(rows).replace("\t", " ").split(",")
    for number, part in enumerate(parts[1:], 1):
        parts[number] = ("," if part.lstrip()[:1] not in ("}", "]") else " ") + part
    return "".join(parts)


def read_drafts(items: object, text: str) -> tuple[list[Draft], bool]:
    """Return the learnings of a value, and whether they contain all of its words.

    `text` is the object as it was written: it is kept for review if an item has no content.
    """
    if isinstance(items, dict) and all(map(type_of, items)):  # lists of texts by their types
        pairs = ((kind, texts) for kind, texts in items.items() if isinstance(texts, list))
        items = [{"type": kind, "content": text} for kind, texts in pairs for text in texts]
    if not isinstance(items, list):
        items = [items] if _is_learning(items) else []
    drafts = [draft for item in items if (draft := _read_item(item))]
    if len(drafts) < len(items):
        return [*drafts, ("", text, "no content", {})], False
    keys = {key.lower() for item in items if isinstance(item, dict) for key in item}
    return drafts, keys <= set(FIELDS)


def _is_learning(value: object) -> bool:
    """Check for a learning: `"remember": "session"` is a field of a log-in form."""
    if isinstance(value, dict):
        return "content" in value
    return isinstance(value, str) and " " in value.strip()


def _read_item(item: object) -> Draft | None:
    if isinstance(item, str):
        return "", item, "", {}
    if not isinstance(item, dict):
        return None
    fields = {key.lower(): value for key, value in item.items()}
    others = [value for key, value in fields.items() if key not in FIELDS]
    only = others[0] if len(others) == 1 else None
    kind, content = fields.get("type") or "", fields.get("content", only)
    nested = {key: text for key in NESTED if (text := _join_texts(fields.get(key)))}
    if isinstance(kind, str) and isinstance(content, str) and len(fields) == len(item):
        return kind, content, "", nested
    return None


def _join_texts(value: object) -> str:
    """Return a text, or the texts of a list, as one text."""
    texts = value if isinstance(value, list) else [value]
    return ", ".join(text for text in texts if isinstance(text, str))
