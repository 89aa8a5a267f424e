"""Split text into the words by which items and tasks are compared.

A plain word is reduced to its stem.  An identifier, a path or a dotted name counts as a whole, as
its parts, and a path also as its last name and its last two; its extension is not a part.  Two
plain words in a row count as a pair.  Common words, those of issue forms too, do not count: they
are in every task.

../docs/selection.md has what each of these rules is worth.  Hooks use this module, so it is written
without `re`, whose import takes as long as half a hook.
"""

from __future__ import annotations

COMMON = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further get gets
    got had has have having he her here hers him his how i if in into is it its itself just let like
    made make makes me more most my myself no nor not now of off on once only or other our out over
    own per same she should so some such than that the their them then there these they this those
    through to too under until up us use used uses using very via was we were what when where which
    while who whom why will with would you your yours eg etc ie
    actual add added adds adding bug bugs case cases change changed changes code description
    environment example examples expected file files fix fixed fixes fixing following
    implement implementation implemented issue issues line lines new note please problem problems
    python reproduce reproduction see step steps summary support update updated updates
    version versions
    """.split()  # noqa: SIM905 - a text of words is easier to read
)

# Endings that do not change what a word is about; the rest has four letters or more.
ENDINGS = ("ing", "edly", "ed", "er", "ly")
MIN_STEM = 4

# Endings of plurals with two letters more than the word.
PLURALS = ("tches", "nches", "rches", "shes", "sses", "xes")

# What a word may contain; other ASCII characters separate words.
_SEPARATORS = {
    ord(char): " " for char in map(chr, range(128)) if not (char.isalnum() or char in "_./-")
}

# Before a code word or a name that stands for a whole: "=retry_count".  A plain word has none, so
# "=config" in a path and "config" in a sentence are two words, which have their parts in common.
CODE = "="

FENCES = ("```", "~~~")
# The share of a word in a code block of a task: traces and configurations name much that the task
# is not about.
CODE_BLOCK_SHARE = 0.3


def split_words(text: str) -> list[str]:
    """Return the words of a text as they are written, without the punctuation around them."""
    words = [raw.strip("._/-") for raw in text.translate(_SEPARATORS).split()]
    return [word for word in words if word]


def is_code(word: str) -> bool:
    """Return whether a written word is an identifier, a path, a dotted name or a number."""
    return not (word.isalpha() and (word[1:].islower() or word.isupper() or len(word) == 1))


def is_code_word(word: str) -> bool:
    """Return whether a word of `list_words` is a path, a symbol or another name of code."""
    return word.startswith(CODE) or "/" in word


def is_common(word: str) -> bool:
    """Return whether a written word is one that does not count."""
    return len(word) < 2 or word.lower() in COMMON


def list_words(text: str) -> list[str]:
    """Return the words of a text in their order, code words as whole and parts, and pairs."""
    words: list[str] = []
    stems: dict[str, str] = {}  # of plain words as they are written: most occur again
    before = ""  # the stem of the plain word before, for a pair
    for word in split_words(text):
        stem = stems.get(word)
        if stem is None:
            if is_code(word):
                before = _add_code(words, word)
                continue
            stem = stems[word] = _stem_plain(word.lower())
        if stem:
            words.append(stem)
            if before:
                words.append(f"{before} {stem}")
        before = stem
    return words


def _add_code(words: list[str], word: str) -> str:
    """Add a code word as whole and parts; return the stem of the last part, "" if common."""
    low = word.lower()
    words.append(CODE + low)
    if "/" in low:
        folders, _, name = low.rpartition("/")
        words += [CODE + name, f"{folders.rpartition('/')[2]}/{name}"]
        word = _remove_extension(word)
    if "." in low:
        words += [CODE + part for part in low.rpartition("/")[2].split(".") if len(part) > 2]
    before = ""
    for part in split_identifier(word):
        stem = _stem_plain(part)
        if stem:
            words += [stem, f"{before} {stem}"] if before else [stem]
        before = stem
    return before


def _remove_extension(path: str) -> str:
    """Return a path without ".py"; not without ".Client", which is a name behind a package."""
    stem, _dot, extension = path.rpartition(".")
    return stem if extension.islower() and stem and "/" not in extension else path


def _stem_plain(low: str) -> str:
    """Return the stem of a plain word in small letters, "" if it is common."""
    return "" if is_common(low) else stem_word(low)


def stem_word(word: str) -> str:
    """Return the stem of a word in small letters: "retries" and "retrying" have the same."""
    word = find_singular(word)
    if word.endswith("ied"):
        return f"{word[:-3]}y"
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM:
            word = word[: -len(ending)]
            break
    if len(word) > MIN_STEM and word[-1] == "e":
        word = word[:-1]
    if len(word) > MIN_STEM and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word


def find_singular(word: str) -> str:
    """Return a word in small letters without the ending of a plural."""
    if len(word) < MIN_STEM or word[-1] != "s" or word[-2] in "sui":
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[: -2 if word.endswith(PLURALS) else -1]


def split_identifier(word: str) -> list[str]:
    """Return the parts of an identifier in small letters: RetryCount, retry_count, retry-count."""
    parts, start, was_lower = [], 0, False
    for at, char in enumerate(word):
        if not char.isalnum():
            parts.append(word[start:at])
            start = at + 1
        elif was_lower and char.isupper():
            parts.append(word[start:at])
            start = at
        was_lower = char.islower()
    parts.append(word[start:])
    return [part.lower() for part in parts if part]


def weigh_task(task: str) -> dict[str, float]:
    """Return how often a task has each word; those in code blocks count a part."""
    weights: dict[str, float] = {}
    share, block = 1.0, list[str]()
    for line in [*task.splitlines(), FENCES[0]]:
        if not line.lstrip().startswith(FENCES):
            block.append(line)
            continue
        for word in list_words("\n".join(block)):
            weights[word] = weights.get(word, 0.0) + share
        share, block = (CODE_BLOCK_SHARE if share == 1.0 else 1.0), []
    return weights


def has_name(text: str, name: str) -> bool:
    """Return whether a text has a name, and not only as a part of a longer word."""
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if not (_is_letter(text[at - 1 : at]) or _is_letter(text[end : end + 1])):
            return True
        at = text.find(name, end)
    return False


def _is_letter(char: str) -> bool:
    return char.isalnum() or char == "_"
