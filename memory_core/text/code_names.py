"""List the paths, symbols and commands that a text names, and find them in other texts."""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.text import subject_words

# Shorter names are in many texts by chance.
MIN_LENGTH = 4
MAX_LENGTH = 200

MAX_NAMES = 12

SEE = "See:"


def list_names(text: str) -> list[str]:
    """Return what a text names: code words, and commands of several words.

    Commands stand in backticks, or between commas behind `See:`.
    """
    names = [word for word in subject_words.split_words(text) if _is_name(word)]
    names += [span for span in list_spans(text) if " " in span]
    usual = (name for name in names if MIN_LENGTH <= len(name) <= MAX_LENGTH)
    return list(dict.fromkeys(usual))[:MAX_NAMES]


def _is_name(word: str) -> bool:
    """Check for a path or a symbol; a number or "read-only" is none."""
    if not subject_words.is_code(word) or not any(map(str.isalpha, word)):
        return False
    return any(map(subject_words.is_code, word.split("-")))


def list_spans(text: str) -> Iterator[str]:
    pieces = text.split("`")
    if len(pieces) % 2:
        yield from map(str.strip, pieces[1::2])
    for line in text.split("\n"):
        if SEE in line:
            yield from map(str.strip, line.partition(SEE)[2].replace("`", "").split(","))


def list_forms(text: str) -> dict[str, str]:
    """Return how a text writes its words, by their forms in `subject_words.list_words`."""
    forms: dict[str, str] = {}
    for word in subject_words.split_words(text):
        forms.setdefault(subject_words.CODE + word.lower(), word)
        is_code = subject_words.is_code(word)
        for part in subject_words.split_identifier(word) if is_code else [word]:
            forms.setdefault(subject_words.stem_word(part.lower()), part)
    return forms
