"""Preferences: the items `- key: value` of the section `## Preferences`.

Users write them, so learnings never change this section, no limit of items or sections counts it,
and its items are evicted last.  An item without a key is given to the agent unchanged.

A key is a few words without ": ".  Two keys are equal in any case, with blanks, dashes or
underscores between their words.  If a key appears twice, the later item is effective.
"""

from __future__ import annotations

import re

from memory_core.document import edits, markdown
from memory_core.document.block_reader import Item
from memory_core.document.markdown import Document
from memory_core.text import sanitize

TITLE = "Preferences"
SUGGESTED_KEYS = ("coding-style", "communication", "work-style")

MAX_KEY_LENGTH = 60  # in characters; a longer text is a sentence with a colon

_COLON = ": "
# The key and what is around it; people write `- **key:** value`, too.
_FRONT = re.compile(r"(?:\*\*.*?:(?:\*\*)? |.*?: )\s*", re.DOTALL)

_AROUND_KEY = "*_` :"  # emphasis and colons that are not part of a key


class InvalidPreference(ValueError):
    """A preference that cannot be saved; the message is the reason."""

    status = 2


def is_title(title: str) -> bool:
    """Check whether a section with this title holds preferences."""
    return markdown.normalize_title(title) == "preferences"


def list_items(document: Document) -> list[Item]:
    """Return the items of the preferences, with or without a key."""
    return [item for item in document.items if is_title(item.section)]


def list_effective(document: Document) -> list[Item]:
    """Return the last item of each key, in the order of the file."""
    last = {read_key(item.text): item for item in list_items(document) if read_key(item.text)}
    return sorted(last.values(), key=lambda item: item.line)


def read_values(document: Document) -> dict[str, str]:
    """Return the effective values by key, both in their spelling in the file."""
    return dict(parse_pair(item.text) for item in list_effective(document))


def find_all(document: Document, key: str) -> list[Item]:
    """Return the items of a key in any spelling; the last one is effective."""
    key = normalize_key(key)
    return [item for item in list_items(document) if key and read_key(item.text) == key]


def find(document: Document, key: str) -> Item | None:
    """Return the effective item of a key in any spelling, None if there is none."""
    return next(reversed(find_all(document, key)), None)


def parse_pair(text: str) -> tuple[str, str]:
    """Split an item's text into key and value; both are empty without a key."""
    front = get_front(text)
    key, value = _strip_key(front), text[len(front) :]
    return (key, value) if value and front and not _describe_fault(key) else ("", "")


def read_key(text: str) -> str:
    """Return the key of an item's text for comparisons, "" without one."""
    return normalize_key(parse_pair(text)[0])


def normalize_key(key: str) -> str:
    """Return the key for comparisons; all its spellings have the same result."""
    words = _strip_key(key).replace("-", " ").replace("_", " ").split()
    return " ".join(words).casefold()


def check_pair(key: str, value: str) -> tuple[str, str]:
    """Return key and value in their saved form; raises InvalidPreference."""
    for name, text in (("key", key), ("value", value)):
        if "\n" in text.strip() or "\r" in text.strip():
            raise InvalidPreference(f"the {name} of a preference must be one line")
    key, value = _strip_key(key), sanitize.join_visible(value)
    if fault := _describe_fault(key):
        raise InvalidPreference(fault)
    if not value:
        raise InvalidPreference(f"the preference {key!r} has no value")
    return key, value


def remove(text: str, key: str) -> str:
    """Remove the items of a key from a text, with their nested lines."""
    document = markdown.parse_document(text)
    return markdown.render_document(edits.remove_items(document, find_all(document, key)))


def get_front(text: str) -> str:
    """Return the part of an item's text before its value, "" without a key."""
    match = _FRONT.match(text)
    return match[0] if match else ""


def _strip_key(key: str) -> str:
    return sanitize.join_visible(key).strip(_AROUND_KEY)


def _describe_fault(key: str) -> str:
    """Return why a key is invalid, or "" if it is valid."""
    if not normalize_key(key):
        return f"invalid preference name {key!r}: use a name like {SUGGESTED_KEYS[0]}"
    if _COLON in key:
        return f"invalid preference name {key!r}: remove the colon"
    if len(key) > MAX_KEY_LENGTH:
        return f"the preference name has {len(key)} characters; {MAX_KEY_LENGTH} are allowed"
    return ""
