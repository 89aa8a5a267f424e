"""Whether two texts say the same, so that a learning is kept once.

Losing one of two different learnings cannot be undone; keeping two alike costs
a line.  So in doubt two texts are different: they are near-equal only where one
says all that the other says, in its order, and little more.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Of the longer text's words the shorter one must have this share: a reason
# behind a sentence of four words ("for flexibility") still leaves the same
# learning.  At three quarters those pairs of the table come apart; at a half,
# a sentence of three words swallows what is a statement of its own.
SHARE = 2 / 3

# Of two words, one more is half of what is said: "use tabs", "use hard tabs".
_SHORTEST = 3

# Text of this length is no learning; comparing it by words would only cost time.
_LONGEST = 1000

_QUOTES = "\"'`"
_TYPOGRAPHY = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u00ab\u00bb"), "'"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015"), "-"),
    ord("\u2026"): "...",
    ord("\u2192"): "->",
}
_FINAL = " .!?;:,"

# Words without which a sentence claims the same.
_NOISE = _words("""
    a an the this that these those is are be been it its we you our your they their i
    should must shall always please just also then really very simply note here there
    all every any each do does need needs has have ensure remember
""")

# Words for one thing.  Negations all become "not", which turns a sentence.
_ALIKE = {
    "db": "database",
    "repo": "repository",
    "config": "configuration",
    "configs": "configuration",
    "configurations": "configuration",
    "env": "environment",
    "dir": "directory",
    "dirs": "directory",
    "folder": "directory",
    "folders": "directory",
    "directories": "directory",
    "func": "function",
    "param": "parameter",
    "params": "parameter",
    "dev": "development",
    "prod": "production",
    "deps": "dependency",
    "app": "application",
    "apps": "application",
    "docs": "documentation",
    "lib": "library",
    "utilize": "use",
    "utilise": "use",
    "inside": "in",
    "within": "in",
    "via": "through",
    "&": "and",
    **dict.fromkeys(
        _words("""
            never no cannot dont doesnt didnt isnt arent wasnt werent cant wont shouldnt
            mustnt couldnt wouldnt neednt havent hasnt
        """),
        "not",
    ),
}

# Words that change what the sentence around them claims: that it does not hold,
# or no more, or when and where, or of which of several things.
_TURNING = _words("""
    not without nothing none nobody neither nor avoid stop forbid forbidden prevent refuse
    reject deny block skip ignore forget remove drop delete disable disabled deprecate
    deprecated unless except instead rather than less more but however although though
    until till while when whenever if else otherwise before after during once only even
    hardly rarely seldom sometimes usually often mostly maybe perhaps may might could can
    would some few many most almost partly was were had former formerly anymore longer
    false wrong bad broken fail fails failing failed mistake or either both another other
    in on at from into onto under over above below between outside of by per as with
    against across first last next previous one two three four five six seven eight nine
    ten half twice second third new old legacy local remote internal external public
    private unit integration e2e test development production staging frontend backend
    client server read write input output sync async left right up down min max minimum
    maximum lower upper
""")

# A "for" in front of these names a reason; of anything else, where a sentence holds.
_ABSTRACT = ("ity", "ness", "ance", "ence", "ency", "ancy", "speed", "safety", "reuse")

_PREPOSITIONS = _words("""
    in on at for from to with when whenever if before after during by under while until
    without instead because unless as through into
""")


class Folded:
    """A text read once, to be compared with many."""

    __slots__ = ("_tokens", "fold", "sketch", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.fold = fold(text)
        self.sketch = {word[:3] for word in self.fold[:_LONGEST].split() if word not in _NOISE}
        self._tokens: list[tuple[str, bool]] | None = None

    @property
    def tokens(self) -> list[tuple[str, bool]]:
        """The words that count, each with whether a text with it says something else."""
        if self._tokens is None:
            self._tokens = list(_tokens(self.text))
        return self._tokens


def fold(text: str) -> str:
    """Give the form in which equal texts are equal.

    Case, white space, Markdown emphasis, quotes and final punctuation do not
    matter.  The case of a one-letter option does: `-v` is not `-V`.
    """
    folded = _folded(text)
    if folded.isascii() and "*" not in folded and "_" not in folded:
        return folded
    # What one round took away can leave new emphasis or a new normal form.
    while folded != text:
        text, folded = folded, _folded(folded)
    return folded


def same(text: str, other: str) -> bool:
    """Tell whether two texts are one learning."""
    return same_folded(Folded(text), Folded(other))


def same_folded(one: Folded, other: Folded) -> bool:
    """Tell the same of two texts that are read already."""
    if one.fold == other.fold:
        return True
    common = len(one.sketch & other.sketch)
    if not common or 2 * common < max(len(one.sketch), len(other.sketch)):
        return False  # as nearly all pairs are, which are to cost next to nothing
    if max(len(one.text), len(other.text)) > _LONGEST:
        return False
    return _near(one.tokens, other.tokens)


def better(text: str, other: str) -> str:
    """Give the more informative of two texts that are the same; of equals the first."""
    return other if len(Folded(other).tokens) > len(Folded(text).tokens) else text


def _folded(text: str) -> str:
    words = _unmarked(text).split()
    if any(word[0] == "-" for word in words):
        return " ".join([_cased(word) for word in words]).rstrip(_FINAL)
    return " ".join(words).casefold().rstrip(_FINAL)


def _cased(word: str) -> str:
    is_option = len(word) == 2 and word[0] == "-"
    return word if is_option else word.casefold()


def _unmarked(text: str) -> str:
    """Take quotes and emphasis away."""
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFC", text.translate(_TYPOGRAPHY))
    for quote in _QUOTES:
        text = text.replace(quote, "")
    if ("*" in text or "_" in text) and len(text) <= _LONGEST:
        return " ".join(_unemphasised(text.split()))
    return text


def _unemphasised(words: list[str]) -> list[str]:
    """Take away marks that open at one word and close at it or a later one.

    Other asterisks and underscores stay: `*.py`, `**kwargs`, `_private`, `__init__`.
    """
    opened: dict[str, int] = {}
    for place, word in enumerate(words):
        if mark := _opening(word):
            opened[mark] = place
        body = word.rstrip(".,;:!?)")
        mark = _closing(body)
        if mark in opened and len(body) > len(mark):
            words[place] = body[: -len(mark)] + word[len(body) :]
            first = opened.pop(mark)
            words[first] = words[first][len(mark) :]
    return words


def _opening(word: str) -> str:
    rest = word.lstrip("*")
    mark = word[: len(word) - len(rest)] or "_" * (word[:1] == "_")
    inner = word[len(mark) : len(mark) + 1]
    return mark if len(mark) <= 3 and inner.isalnum() else ""


def _closing(body: str) -> str:
    rest = body.rstrip("*")
    mark = body[len(rest) :] or "_" * (body[-1:] == "_")
    inner = body[: len(body) - len(mark)][-1:]
    return mark if mark and (inner.isalnum() or inner in tuple(".!?:;,%)")) else ""


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    parts = text.split("`")
    code = set(" ".join(parts[1::2]).split()) if len(parts) % 2 else set()
    words = _unmarked(text).split()
    begins = True
    for place, word in enumerate(words):
        core = _core(word)
        if core == "for":
            yield core, not _is_reason(words, place + 1)
        elif core not in ("", "-", "--", "..."):
            yield from _token(core, core in code, begins)
        begins = word[-1] in ".:!?"


def _core(word: str) -> str:
    """Take away the punctuation around a word, but not what belongs to a fact."""
    core = word.lstrip("([{<").rstrip(",;:!?").rstrip(".")
    core = core.removesuffix("()").rstrip(")]}>,;:!?").rstrip(".")
    return core or word


def _token(core: str, is_code: bool, begins: bool) -> Iterator[tuple[str, bool]]:
    if "-" in core and core[0] != "-" and core.replace("-", "").isalpha():
        for part in core.split("-"):
            yield from _token(part, is_code, begins) if part else ()
        return
    word = _cased(core)
    if is_code:
        yield word, True
    elif word not in _NOISE:
        alike = _ALIKE.get(word, word)
        turns = alike in _TURNING or _is_fact(core, begins)
        yield (word if turns and word == alike else _stem(alike)), turns


def _is_fact(core: str, begins: bool) -> bool:
    """Tell a number, path, version, option, identifier or name from a word."""
    if not core.isalpha():
        return core != "&"
    return any(map(str.isupper, core[1:])) or (core[0].isupper() and not begins)


def _is_reason(words: list[str], place: int) -> bool:
    return place < len(words) and words[place].rstrip(_FINAL).casefold().endswith(_ABSTRACT)


def _stem(word: str) -> str:
    """Take number, tense and person away, so far as that needs no dictionary."""
    if word in _PREPOSITIONS or len(word) < 4:
        return word.removesuffix("e") if word == "use" else word
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if word[-1] == "s" and word[-2] not in "sui":
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 1 and rest[-1] != "e" and set(rest) & set("aeiouy"):
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "sl" else rest
            break
    return word.removesuffix("e")


def _near(tokens: list[tuple[str, bool]], others: list[tuple[str, bool]]) -> bool:
    short, long = sorted((tokens, others), key=len)
    words = [word for word, _ in short]
    if len(short) == len(long):
        return _is_moved(words, [word for word, _ in long])
    if len(short) < _SHORTEST or len(short) < SHARE * len(long):
        return False
    return _says_all(long, words)


def _says_all(tokens: list[tuple[str, bool]], words: list[str]) -> bool:
    """Tell whether the words come in their order, with nothing between that turns them.

    A word in front would: "refresh tokens expire" is not said of all tokens.
    """
    if tokens[0][0] != words[0]:
        return False
    found = 0
    for word, turns in tokens:
        if found < len(words) and word == words[found]:
            found += 1
        elif turns:
            return False
    return found == len(words)


def _is_moved(words: list[str], others: list[str]) -> bool:
    """Tell whether the texts are equal but for a clause that stands in front in one of them.

    "In tests, use fixtures" is "Use fixtures in tests"; "A calls B" is not "B calls A".
    """
    if words == others:
        return bool(words)
    if sorted(words) != sorted(others):
        return False
    return any(
        words[place:] + words[:place] == others
        for place in range(1, len(words))
        if words[place] in _PREPOSITIONS or words[0] in _PREPOSITIONS
    )
