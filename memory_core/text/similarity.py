"""Whether two texts say the same, so that a learning is kept once.

To lose one of two different learnings cannot be undone; to keep two equal ones costs a line.
So in doubt two texts are different.

- They are identical if they have the same normal form: case, white space, emphasis, quotes and
  final punctuation do not matter.  Parts of a fact do, such as the case of an identifier and
  everything in backticks.
- They are near-equal if they have the same words in the same order.  Words that add nothing are
  skipped, and a plural, "db" and "database" are one word.  One more word makes another learning,
  because no list has all words that can reverse a sentence; only a reason at the end does not.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize

from memory_core.text.digests import hash_text
from memory_core.text.subject_words import find_singular

# A longer text is not a learning; to compare it closely would only cost time.
MAX_LENGTH = 1000

# The characters of a keyboard for those of a typesetter.
ASCII_PUNCTUATION = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u00ab\u00bb"), "'"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015"), "-"),
    ord("\u2026"): "...",
    ord("\u2192"): "->",
}
_TYPOGRAPHIC = frozenset(map(chr, ASCII_PUNCTUATION))
_REPLACED = _TYPOGRAPHIC | set("'\"*")  # what is taken away or replaced outside of code
_FINAL = ".,;:!?"
PAUSE = ",;:"

REASON = "because"

# Quotes, except in code and those that stand alone, which are meant.
_QUOTE = re.compile(r"""(`[^`]*`|(?<![^ ])['"]+(?![^ ]))|['"]""")
# Marks that open at one word and close at it or a later one.  Other asterisks and underscores
# stay: `*.py`, `**kwargs`, `_private`, `__init__`.
_EMPHASIS = re.compile(
    r"(?<![^ ])(\*{1,3}|_)(?=[^\W_]|`)(.*?(?:[^\W_]|[`.!?:;,%)]))\1(?![*_])(?=[.,;:!?)]*(?: |$))",
    re.DOTALL,
)

# Words without which a sentence claims the same.
NOISE = frozenset(
    """
    a an the this that these those is are be been it we you our your they
    should must shall do does here there
    """.split()  # noqa: SIM905 - a text of words is easier to read
)

# The word behind one of these is a name, which is kept as it is written.
NAMING = frozenset(("called", "named", "labeled", "labelled", "spelled", "written"))


NEGATIONS = frozenset("not never no dont doesnt isnt arent shouldnt mustnt".split())  # noqa: SIM905

# Words for one thing.  "cannot" denies something else than "not".
ALIKE = {
    "db": "database",
    "repo": "repository",
    "config": "configuration",
    "env": "environment",
    "var": "variable",
    "dir": "directory",
    "arg": "argument",
    "param": "parameter",
    "prod": "production",
    "app": "application",
    "docs": "documentation",
    "async": "asynchronous",
    "require": "need",
    "each": "every",
    **dict.fromkeys(NEGATIONS, "not"),
}

# Words that are something else without their last s: "an hour" and "hours".
UNCOUNTED = frozenset(
    "always https news times seconds minutes hours days weeks months".split()  # noqa: SIM905
)


class ParsedText:
    """A text that is parsed to be compared with others.

    `words` are those that count, `keys` their compared forms.
    """

    __slots__ = ("keys", "normal_form", "words")

    def __init__(self, text: str) -> None:
        self.normal_form = normalize_text(text)
        self.words = [] if len(text) > MAX_LENGTH else _list_words(self.normal_form)
        is_literal = "`" in text or not NAMING.isdisjoint(self.words)
        self.keys = self.words if is_literal else _reduce(self.words)


# Items are compared again and again.
parse_text = lru_cache(maxsize=4096)(ParsedText)


def _list_words(normal_form: str) -> list[str]:
    words = [word.rstrip(PAUSE) or word for word in normal_form.split()]
    return [word for word in words if word not in NOISE]


def _reduce(words: list[str]) -> list[str]:
    """Return the compared forms, but no two words as one, as in "say folder, not directory"."""
    keys = [_find_key(word) for word in words]
    keys = keys if len({*keys}) == len({*words}) else words
    return keys if "not" in keys else [key for key in keys if key != "always"]


def _find_key(word: str) -> str:
    """Return the compared form of a word: plain ones without the ending of a plural."""
    if word.islower() and word.isalpha() and word not in UNCOUNTED:
        word = find_singular(word)
    return ALIKE.get(word.lower(), word)


@lru_cache(maxsize=4096)
def normalize_text(text: str) -> str:
    """Return the form in which identical texts are equal.

    White space, Markdown emphasis, quotes and final punctuation do not matter, nor
    the case of plain words.  The case of identifiers, paths and options does, and
    backticks stay around what would be read in another way without them.
    """
    folded = _fold(text)
    while folded != text:  # one round can uncover more emphasis, or characters that combine
        text, folded = folded, _fold(folded)
    return folded


def identify(text: str) -> str:
    """Return ten hexadecimal digits that identical texts have in common."""
    return hash_text(normalize_text(text))


def is_same(text: str, other: str) -> bool:
    """Check whether two texts are one learning: identical or near-equal."""
    one, two = parse_text(text), parse_text(other)
    if one.normal_form == two.normal_form:
        return True
    return _are_near(one.words, two.words) or _are_near(one.keys, two.keys)


def _are_near(words: list[str], others: list[str]) -> bool:
    """Check whether the words are the same; one text may have a reason more at its end."""
    short, long = sorted((words, others), key=len)
    if not short or long[: len(short)] != short:
        return False
    return len(short) == len(long) or long[len(short)] == REASON


def choose_better(text: str, other: str) -> str:
    """Return the text with more words of two that say the same; of equals the first."""
    return max(text, other, key=lambda one: len(parse_text(one).keys))


def extract_words(text: str) -> set[str]:
    """Return the set of words in the normal form of a text."""
    return set(normalize_text(text[:MAX_LENGTH]).split())


def measure_overlap(one: set[str], other: set[str]) -> float:
    """Return which share of two texts' words they have in common, from 0 to 1."""
    return 2 * len(one & other) / (len(one) + len(other) or 1)


def _fold(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > MAX_LENGTH:
        return text
    return _drop_final(_fold_case(_split_unmarked(text)))


def _split_unmarked(text: str) -> list[str]:
    """Return the words without quotes and emphasis.

    Code is one word in backticks with line feeds for its blanks, otherwise unchanged.
    """
    if not text.isascii():
        text = _normalize_characters(text)
    if "`" in text:
        text = _join_code(text)
    text = _QUOTE.sub(r"\1", text)
    return _EMPHASIS.sub(r"\2", text).split(" ")


def _normalize_characters(text: str) -> str:
    """Compose letters, and replace typographic quotes and dashes outside of code."""
    if not _TYPOGRAPHIC.isdisjoint(text):
        parts = text.split("`")
        parts[::2] = [part.translate(ASCII_PUNCTUATION) for part in parts[::2]]
        text = "`".join(parts)
    return normalize("NFC", text)


def _join_code(text: str) -> str:
    while "``" in text:
        text = text.replace("``", "`")
    parts = text.split("`")
    codes = [part.split() for part in parts[1::2]]
    if len(parts) % 2 == 0 or not all(codes):  # a backtick that is not closed is a quote
        return " ".join([word.replace("`", "") or word for word in text.split(" ")])
    parts[1::2] = ["\n".join(code) for code in codes]
    return "`".join(parts)


def _fold_case(words: list[str]) -> str:
    """Fold the case of words, except code, identifiers, paths, options and symbols."""
    is_shouted = _is_shouted(words)
    folded = [
        word if word == word.casefold() and "`" not in word else _fold_word(word, is_shouted)
        for word in words
    ]
    if len(words[0]) == 1:
        folded[0] = words[0].casefold()
    return " ".join(folded).replace("\n", " ")


def _is_shouted(words: list[str]) -> bool:
    """Check whether everything is in capitals, so that they mean nothing."""
    return " ".join(words).isupper() and all(word.isupper() or not word.isalpha() for word in words)


def _fold_word(word: str, is_shouted: bool) -> str:
    if "`" in word:
        return _remove_backticks(word)
    core = word.lstrip("(").rstrip(".,;:!?)")
    if word[:1] == "-" or not core.replace("-", "").isalpha():
        return word
    is_fact = len(core) == 1 or core[1:] != core[1:].lower()
    return word if is_fact and not (is_shouted and core.isupper()) else word.casefold()


def _remove_backticks(word: str) -> str:
    """Remove backticks if the text between them reads the same without them."""
    parts = word.split("`")
    is_glued = "".join(parts[::2]).strip("().,;:!?")
    if is_glued or len(parts) % 2 == 0 or not all(map(_is_plain, parts[1::2])):
        return word
    return "".join(parts)


def _is_plain(code: str) -> bool:
    if code.isalnum() and code.islower() and code.isascii():
        return True
    if code[-1] in _FINAL or not _REPLACED.isdisjoint(code):
        return False
    words = code.split("\n")
    if any(word[0] == "_" or word[-1] == "_" for word in words):
        return False
    return all(_fold_word(word, True) == word for word in words)


def _drop_final(text: str) -> str:
    """Remove final punctuation behind a plain word; a full stop also behind other words."""
    if not text.endswith(tuple(_FINAL)):
        return text
    bare = text.rstrip(_FINAL)
    word = bare[bare.rfind(" ") + 1 :].lstrip("(").replace("-", "")
    if text[len(bare) :] == ".":
        return bare if word[-1:].isalnum() or word[-1:] in tuple(")`") else text
    is_named = not NAMING.isdisjoint(bare.split(" ")[-2:-1])  # "the method is called save!"
    return bare if word.isalpha() and not is_named else text
