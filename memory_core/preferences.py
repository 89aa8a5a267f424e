"""What an agent is wished to do: the items of `## Preferences`, each `- key: value`.

They are a person's word.  So no learning comes to stand among them, none of the limits of
learnings counts them, and they are the last to leave (see `merge`).  An item of that section
that is no such pair is left as it is, and given to the agent as it stands.

A key is a few words on one line, without ": " in them.  Two are one whatever their case, and
whether blanks, dashes or underscores part their words; the usual ones are in USUAL.  Where a
key stands twice the later one counts.
"""

from __future__ import annotations

from memory_core import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.markdown import Document, Item, Section
    from memory_core.merge import Limits

TITLE = "Preferences"
USUAL = ("coding-style", "communication", "work-style")  # names to choose from, any other will do

LONGEST_KEY = 60  # characters: more of them is a sentence in which a colon happens to stand

_COLON = ": "
_BOLD, _BOLD_COLON = "**", ":** "  # as people write it: `- **key:** value`

# What is around a key and no part of it: emphasis, and the colon that somebody typed with it.
_AROUND = "*_` :"


class Unfit(ValueError):
    """A preference that cannot be kept; the message is the reason."""

    status = 2


def is_title(title: str) -> bool:
    """Say whether a section of this title holds preferences."""
    return markdown.title_key(title) == "preferences"


def sections(document: Document) -> list[Section]:
    return [section for section in document.sections if is_title(section.title)]


def items(document: Document) -> list[Item]:
    """Return the items that are preferences, pairs or not."""
    return [item for section in sections(document) for item in section.items]


def counting(document: Document) -> list[Item]:
    """Return the pairs that count: of each key the last."""
    found: dict[str, Item] = {}
    for item in items(document):
        key = same_key(pair(item.text)[0])
        if key:
            found.pop(key, None)
            found[key] = item
    return list(found.values())


def listed(document: Document) -> dict[str, str]:
    """Return value by key, as they are written, in the order of the lines that count."""
    return dict(pair(item.text) for item in counting(document))


def every(document: Document, key: str) -> list[Item]:
    """Return the items of this key, the one that counts as the last."""
    wanted = same_key(key)
    return [each for each in items(document) if wanted and same_key(pair(each.text)[0]) == wanted]


def find(document: Document, key: str) -> Item | None:
    """Return the item of a key in any spelling, None where it has none."""
    return next(reversed(every(document, key)), None)


def get(document: Document, key: str) -> str | None:
    """Return the value of a key in any spelling, None where it has none."""
    found = find(document, key)
    return pair(found.text)[1] if found else None


def pair(text: str) -> tuple[str, str]:
    """Take an item's text apart into key and value; without a key it is no pair."""
    front = _front(text)
    key, value = _bare(front), text[len(front) :]
    return (key, value) if value and front and not _fault(key) else ("", "")


def same_key(key: str) -> str:
    """Return what two spellings of a key have in common."""
    words = _bare(key).replace("-", " ").replace("_", " ").split()
    return " ".join(words).casefold()


def put(text: str, key: str, value: str, limits: Limits) -> str:
    """Let the document say `- key: value`, once; the same text where it says so already.

    A value takes the place of the older one, whose line keeps the rest of its looks.  The
    section is made where it is missing, in front of all others, however many there are.
    The text may be larger than the limits then: it is for the learnings to leave (`trim`).
    Raises Unfit for what is no key, no value or not within the limits of a line, and where
    the file has no room for it even without any learning.
    """
    for what, told in (("key", key), ("value", value)):
        if "\n" in told.strip() or "\r" in told.strip():
            raise Unfit(f"the {what} of a preference is one line")
    key, value = _bare(key), _seen(value)
    if fault := _fault(key):
        raise Unfit(fault)
    if not value:
        raise Unfit(f"the preference {key!r} has no value")
    document = markdown.parse(text)
    if [pair(item.text)[1] for item in every(document, key)] == [value]:
        return text
    try:
        return markdown.render(_with(document, key, value, limits))
    except ValueError as reason:
        raise Unfit(f"the preference {key!r} cannot be kept: {reason}") from None


def without(text: str, key: str) -> str:
    """Take the key out, with what is nested below it; the same text where it does not stand."""
    from memory_core import edits

    document = markdown.parse(text)
    found = every(document, key)
    return markdown.render(edits.remove_items(document, found)) if found else text


def beside(document: Document, own: Document) -> Document:
    """Return a document without the preferences whose keys its reader has in another, `own`."""
    keys = {same_key(pair(item.text)[0]) for item in counting(own)}
    gone = [item for item in items(document) if same_key(pair(item.text)[0]) in keys]
    if not gone:
        return document
    from memory_core import edits

    return edits.remove_items(document, gone)


def current(document: Document) -> Document:
    """Return a document in which each key stands once, with the value that counts."""
    counts = {item.line for item in counting(document)}
    gone = [item for item in items(document) if pair(item.text)[0] and item.line not in counts]
    if not gone:
        return document
    from memory_core import edits

    return edits.remove_items(document, gone)


def _with(document: Document, key: str, value: str, limits: Limits) -> Document:
    from memory_core import edits, merge

    older = every(document, key)[:-1]
    document = edits.remove_items(document, older) if older else document
    found = find(document, key)
    if found:
        document = edits.replace_item(document, found, _front(found.text) + value)
    else:
        document, section = merge.home(document, TITLE, limits)
        document = edits.insert_item(document, section, key + _COLON + value)
    merge.check(document, every(document, key)[-1], limits)
    return document


def _front(text: str) -> str:
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
    if not same_key(key):
        return f"{key!r} is no name of a preference; {USUAL[0]} is one"
    if _COLON in key:
        return f"the name of a preference holds no colon with a blank: {key!r}"
    if len(key) > LONGEST_KEY:
        return f"the name of a preference has at most {LONGEST_KEY} characters, not {len(key)}"
    return ""


def _seen(text: str) -> str:
    """Return what can be seen of a text, as one line."""
    if not text.isascii() or not text.isprintable():
        from memory_core import invisible

        text = invisible.take_out(text)
    return " ".join(text.split())
