"""What an agent is wished to do: the items of `## Preferences`, each `- key: value`.

They are a person's word.  So no learning comes to stand among them, none of the limits of
learnings counts them, and they are the last to leave (see `merge`).  An item of that section
that is no such pair is left as it is, and given to the agent as it stands.

A key is a few words on one line, without ": " in them.  Two are one whatever their case, and
whether blanks, dashes or underscores part their words; the usual ones are in USUAL.  Where a
key stands twice the later one counts.
"""

from __future__ import annotations

from memory_core.document import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.document.markdown import Document, Item, Section

TITLE = "Preferences"
SUGGESTED_KEYS = (
    "coding-style",
    "communication",
    "work-style",
)  # names to choose from, any other will do

MAX_KEY_LENGTH = 60  # characters: more of them is a sentence in which a colon happens to stand

_COLON = ": "
_BOLD, _BOLD_COLON = "**", ":** "  # as people write it: `- **key:** value`

# What is around a key and no part of it: emphasis, and the colon that somebody typed with it.
_AROUND = "*_` :"


class InvalidPreference(ValueError):
    """A preference that cannot be kept; the message is the reason."""

    status = 2


def is_title(title: str) -> bool:
    """Say whether a section of this title holds preferences."""
    return markdown.normalize_title(title) == "preferences"


def list_sections(document: Document) -> list[Section]:
    return [section for section in document.sections if is_title(section.title)]


def list_items(document: Document) -> list[Item]:
    """Return the items that are preferences, pairs or not."""
    return [item for section in list_sections(document) for item in section.items]


def list_effective(document: Document) -> list[Item]:
    """Return the pairs that count: of each key the last."""
    found: dict[str, Item] = {}
    for item in list_items(document):
        key = normalize_key(parse_pair(item.text)[0])
        if key:
            found.pop(key, None)
            found[key] = item
    return list(found.values())


def read_values(document: Document) -> dict[str, str]:
    """Return value by key, as they are written, in the order of the lines that count."""
    return dict(parse_pair(item.text) for item in list_effective(document))


def find_all(document: Document, key: str) -> list[Item]:
    """Return the items of this key, the one that counts as the last."""
    wanted = normalize_key(key)
    return [
        each
        for each in list_items(document)
        if wanted and normalize_key(parse_pair(each.text)[0]) == wanted
    ]


def find(document: Document, key: str) -> Item | None:
    """Return the item of a key in any spelling, None where it has none."""
    return next(reversed(find_all(document, key)), None)


def get(document: Document, key: str) -> str | None:
    """Return the value of a key in any spelling, None where it has none."""
    found = find(document, key)
    return parse_pair(found.text)[1] if found else None


def parse_pair(text: str) -> tuple[str, str]:
    """Take an item's text apart into key and value; without a key it is no pair."""
    front = get_front(text)
    key, value = _bare(front), text[len(front) :]
    return (key, value) if value and front and not _fault(key) else ("", "")


def normalize_key(key: str) -> str:
    """Return what two spellings of a key have in common."""
    words = _bare(key).replace("-", " ").replace("_", " ").split()
    return " ".join(words).casefold()


def check_pair(key: str, value: str) -> tuple[str, str]:
    """Return key and value as they are written; raises InvalidPreference if one is invalid."""
    for what, text in (("key", key), ("value", value)):
        if "\n" in text.strip() or "\r" in text.strip():
            raise InvalidPreference(f"the {what} of a preference must be one line")
    key, value = _bare(key), _seen(value)
    if fault := _fault(key):
        raise InvalidPreference(fault)
    if not value:
        raise InvalidPreference(f"the preference {key!r} has no value")
    return key, value


def remove(text: str, key: str) -> str:
    """Take the key out, with what is nested below it; the same text where it does not stand."""
    from memory_core.document import edits

    document = markdown.parse_document(text)
    found = find_all(document, key)
    return markdown.render_document(edits.remove_items(document, found)) if found else text


def remove_overridden(document: Document, own: Document) -> Document:
    """Return a document without the preferences whose keys its reader has in another, `own`."""
    keys = {normalize_key(parse_pair(item.text)[0]) for item in list_effective(own)}
    gone = [
        item for item in list_items(document) if normalize_key(parse_pair(item.text)[0]) in keys
    ]
    if not gone:
        return document
    from memory_core.document import edits

    return edits.remove_items(document, gone)


def remove_superseded(document: Document) -> Document:
    """Return a document in which each key stands once, with the value that counts."""
    counts = {item.line for item in list_effective(document)}
    gone = [
        item
        for item in list_items(document)
        if parse_pair(item.text)[0] and item.line not in counts
    ]
    if not gone:
        return document
    from memory_core.document import edits

    return edits.remove_items(document, gone)


def get_front(text: str) -> str:
    """Return what stands in front of an item's value, nothing where it is no pair."""
    head, colon, value = text.partition(_COLON)
    bold, closed, rest = text.partition(_BOLD_COLON)
    if closed and text.startswith(_BOLD) and len(bold) < len(head):
        head, colon, value = bold, closed, rest
    blanks = value[: len(value) - len(value.lstrip())]
    return head + colon + blanks if colon else ""


def _bare(key: str) -> str:
    return _seen(key).strip(_AROUND)


def _fault(key: str) -> str:
    """Say why this is no key, or nothing."""
    if not normalize_key(key):
        return f"{key!r} is no name of a preference; {SUGGESTED_KEYS[0]} is one"
    if _COLON in key:
        return f"the name of a preference holds no colon with a blank: {key!r}"
    if len(key) > MAX_KEY_LENGTH:
        return f"the name of a preference has at most {MAX_KEY_LENGTH} characters, not {len(key)}"
    return ""


def _seen(text: str) -> str:
    """Return what can be seen of a text, as one line."""
    if not text.isascii() or not text.isprintable():
        from memory_core.text import sanitize

        text = sanitize.remove_invisible(text)
    return " ".join(text.split())
