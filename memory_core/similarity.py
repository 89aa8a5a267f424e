"""Whether two texts say the same, so that a learning is kept once.

Losing one of two different learnings cannot be undone; keeping two alike costs
a line.  So in doubt two texts are different.  They are one where they fold to the
same: case, white space, emphasis, quotes and final punctuation do not matter, but
what is part of a fact does, such as the case of an identifier and all that stands
in backticks.  They are near-equal where the same words come in the same order, and
nothing else: words without which a sentence claims the same are passed over, words
for one thing are one word, and a clause may stand in front or behind.  A word more
in one of them makes another learning, whatever the word, for no list holds all that
can turn a sentence round; but for a few words known to be harmless, and for a reason
that is added at the end.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    # A word as it is compared, as it is written, and whether a reason with it says more
    # than a reason: a fact, a negation, a restriction.
    Token = tuple[str, str, bool]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Of the longer text's words the shorter one must have this share: a reason
# behind a sentence of four words ("for flexibility") still leaves the same
# learning.  At three quarters those pairs of the table come apart; at a half,
# the reason is most of what is said.
SHARE = 2 / 3

# Of two words, one more is half of what is said: "use tabs", "use hard tabs".
_SHORTEST = 3

# Text of this length is no learning; to read it closely would only cost time.
_LONGEST = 1000

# What stands for these signs of a typesetter on a keyboard.
TYPOGRAPHY = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u00ab\u00bb"), "'"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015"), "-"),
    ord("\u2026"): "...",
    ord("\u2192"): "->",
}
_TYPOGRAPHIC = frozenset(map(chr, TYPOGRAPHY))
_MARKS = _TYPOGRAPHIC | set("'\"*")  # what is taken away or replaced outside of code
_PAUSE = ".,;:"
_FINAL = ".,;:!?"

# Words without which a sentence claims the same.
_NOISE = _words("""
    a an the this that these those is are be been it we you our your they
    should must shall do does here there
""")

# These too, but behind a negation they are what is denied: "not always".
_FULL = _words("""
    all always also then simply absolutely certainly definitely
""")

# How a call to do something begins, in words that add nothing to it.
_LEADS = (
    *("please ", "note that ", "remember that ", "remember to ", "ensure that ", "ensure "),
    *("make sure that ", "make sure to ", "make sure ", "be sure to ", "it is important to "),
    *("do not forget to ", "dont forget to ", "never forget to "),
)

# Phrases for one thing.
_PHRASES = (
    *((" rather than ", " instead of "), (" prior to ", " before "), (" in order to ", " to ")),
    *(("pull request", "PR"), ("Pull request", "PR"), (" & ", " and ")),
)

# Words for one thing, by their stems.
_ALIKE = {
    "db": "database",
    "repo": "repository",
    "config": "configuration",
    "env": "environment",
    "var": "variable",
    "vars": "variable",
    "dir": "directory",
    "folder": "directory",
    "func": "function",
    "arg": "argument",
    "param": "parameter",
    "msg": "message",
    "dev": "development",
    "prod": "production",
    "dep": "dependency",
    "app": "application",
    "docs": "documentation",
    "lib": "library",
    "async": "asynchronous",
    "utilize": "use",
    "utilise": "use",
    "execute": "run",
    "require": "need",
    "has": "have",
    "each": "every",
    "behaviour": "behavior",
    "colour": "color",
    "inside": "in",
    "via": "through",
    "cant": "cannot",
    # What it denies is the same; "cannot" and "need not" deny something else.
    **dict.fromkeys(_words("never no dont doesnt isnt arent shouldnt mustnt"), "not"),
    # Names of one thing in capitals or not, other than DEBUG and debug.
    **{word: word for word in _words("api ci cli cpu css csv dns html http https id json jwt")},
    **{word: word for word in _words("os pr sql ssh tls ui url utc uuid xml yaml")},
    "ids": "id",
    "prs": "pr",
}

# Words that deny what is around them.
_DENYING = _words("""
    not cannot without nothing none nobody neither nor avoid stop forbid forbidden prevent
    refuse reject deny block skip ignore forget unless except hardly barely scarcely rarely
    seldom
""")

# Words behind which a reason says more than the reason: that the sentence does not
# hold, or no more, or when and where, or of which of several things.
_TURNING = _DENYING | _words("""
    remove drop delete disable disabled deprecate deprecated excluding barring besides apart non un
    instead rather than less more but however although though zero lack lacking missing
    until till while when whenever if else otherwise before after during once only even
    sometimes usually often mostly maybe perhaps may might could can would will cannot far
    long soon some few many most almost partly was were had former formerly anymore longer
    false wrong bad broken fail fails failing failed mistake obsolete or either both another
    other in on at from into onto under over above below between outside of by per as with
    against across first last next previous one two three four five six seven eight nine
    ten half twice second third new old legacy local remote internal external public
    private unit integration e2e test development production staging frontend backend
    client server read write input output sync synchronous asynchronous left right up down min
    max minimum maximum lower upper
""")

# How well something is done, which claims nothing of what is done.
_HARMLESS = _words("carefully thoroughly diligently meticulously")

# What a "for" in front of it names as the reason; of anything else it says where a
# sentence holds.  Not "security" or "performance": labels and teams are for those.
_REASONS = _words("""
    clarity consistency flexibility testability maintainability readability reusability
    scalability extensibility simplicity efficiency robustness portability convenience
    traceability reproducibility isolation brevity speed reuse and better improved
""")

_PREPOSITIONS = _words("""
    in on at for from to with when whenever if before after during by under while until
    without instead because unless as through into
""")

# What comes behind them is a name, as it is written.
_NAMING = _words("called named labeled labelled spelled written")

# Behind these, "merging" is what one does: "when you merge".
_MOMENTS = _words("before after when while Before After When While")

# Words that are something else without their last s: "an hour" and "hours".
_WHOLE = _words("https news times seconds minutes hours days weeks months years")


class Folded:
    """A text read once, to be compared with many."""

    __slots__ = ("_tokens", "fold", "sketch", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.fold = fold(text)
        line = self.fold[:_LONGEST]
        if not line.islower():
            line = line.casefold().replace("`", "")
        self.sketch = {word[:3] for word in line.split() if word not in _NOISE}
        self._tokens: list[Token] | None = None

    @property
    def tokens(self) -> list[Token]:
        """The words that count."""
        if self._tokens is None:
            self._tokens = _tokens(self.text)
        return self._tokens


def fold(text: str) -> str:
    """Give the form in which equal texts are equal.

    White space, Markdown emphasis, quotes and final punctuation do not matter, nor
    the case of plain words.  The case of identifiers, paths and options does, and
    backticks stay around what would be read in another way without them.
    """
    folded = _folded(text)
    # What one round took away can leave new emphasis or a new normal form.
    while folded != text and not _is_settled(folded):
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


def words(text: str) -> frozenset[str]:
    """Return the words of a text, as they are compared."""
    return _words(fold(text[:_LONGEST]))


def denies(token: Token) -> bool:
    """Tell whether a word that counts denies what is around it."""
    return token[0] in _DENYING


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return which share of two texts' words they have in common, from 0 to 1."""
    return 2 * len(one & other) / (len(one) + len(other) or 1)


# Folding.


def _folded(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        return text
    words = _unmarked(text)
    folded = " ".join(words)
    lower = folded.casefold()
    if "`" in folded or folded[1:] != lower[1:] or not words[0].isalpha():
        lower = _cased(words)
    return _ended(lower)


def _is_settled(folded: str) -> bool:
    """Tell of a result whether folding it again would change nothing."""
    if not folded.isascii() or _has_opening(folded):
        return False
    return "`" not in folded or not ("``" in folded or " ` " in f" {folded} ")


def _unmarked(text: str) -> list[str]:
    """Give the words without quotes and emphasis.

    Code is one word in backticks, with line feeds for its blanks, and is left as it is.
    """
    if not text.isascii():
        text = _typed(text)
    if "`" in text:
        text = _with_code(text)
    if "'" in text or '"' in text:
        text = _unquoted(text)
    words = text.split(" ")
    return _unemphasised(words) if _has_opening(text) else words


def _typed(text: str) -> str:
    """Give the text in composed letters, and outside of code with the quotes of a keyboard."""
    from unicodedata import normalize

    if not _TYPOGRAPHIC.isdisjoint(text):
        parts = text.split("`")
        parts[::2] = [part.translate(TYPOGRAPHY) for part in parts[::2]]
        text = "`".join(parts)
    return normalize("NFC", text)


def _with_code(text: str) -> str:
    while "``" in text:
        text = text.replace("``", "`")
    parts = text.split("`")
    codes = [part.split() for part in parts[1::2]]
    if len(parts) % 2 == 0 or not all(codes):  # one that is never closed: they are quotes
        return " ".join([word.replace("`", "") or word for word in text.split(" ")])
    parts[1::2] = ["\n".join(code) for code in codes]
    return "`".join(parts)


def _unquoted(text: str) -> str:
    """Take quotes away, but not from code, and none that stands alone: that one is meant."""
    bare = text.replace("'", "").replace('"', "")
    if "`" not in text and f" {text} ".count(" ") == len(bare.split()) + 1:
        return bare
    return " ".join([_unquoted_word(word) for word in text.split(" ")])


def _unquoted_word(word: str) -> str:
    parts = word.split("`")
    parts[::2] = [part.replace("'", "").replace('"', "") for part in parts[::2]]
    return "`".join(parts) or word


def _has_opening(text: str) -> bool:
    return " *" in text or " _" in text or text.startswith(("*", "_"))


def _unemphasised(words: list[str]) -> list[str]:
    """Take away marks that open at one word and close at it or a later one.

    Other asterisks and underscores stay: `*.py`, `**kwargs`, `_private`, `__init__`.
    """
    opened: dict[str, int] = {}
    for place, word in enumerate(words):
        if word[:1] in ("*", "_") and (mark := _opening(word)):
            opened[mark] = place
        if not opened:
            continue
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
    return mark if len(mark) <= 3 and (inner.isalnum() or inner == "`") else ""


def _closing(body: str) -> str:
    rest = body.rstrip("*")
    mark = body[len(rest) :] or "_" * (body[-1:] == "_")
    inner = body[: len(body) - len(mark)][-1:]
    return mark if mark and (inner.isalnum() or inner in tuple(".!?:;,%)`")) else ""


def _cased(words: list[str]) -> str:
    """Fold the case of the words that are neither code, identifier, path, option nor symbol."""
    shouts = _shouts(words)
    folded = [
        word if word == word.casefold() and "`" not in word else _cased_word(word, shouts)
        for word in words
    ]
    if len(words[0]) == 1:
        folded[0] = words[0].casefold()
    return " ".join(folded).replace("\n", " ")


def _shouts(words: list[str]) -> bool:
    """Tell whether capitals say nothing here, for all is written in them."""
    return " ".join(words).isupper() and all(word.isupper() or not word.isalpha() for word in words)


def _cased_word(word: str, shouts: bool) -> str:
    if "`" in word:
        return _uncoded(word)
    core = word.lstrip("(").rstrip(".,;:!?)")
    if word[:1] == "-" or not core.replace("-", "").isalpha():
        return word
    is_fact = len(core) == 1 or core[1:] != core[1:].lower()
    return word if is_fact and not (shouts and core.isupper()) else word.casefold()


def _uncoded(word: str) -> str:
    """Take the backticks away where what stands between them is read alike without them."""
    parts = word.split("`")
    is_glued = "".join(parts[::2]).strip("().,;:!?")
    if is_glued or len(parts) % 2 == 0 or not all(map(_is_plain, parts[1::2])):
        return word
    return "".join(parts)


def _is_plain(code: str) -> bool:
    if code.isalnum() and code.islower() and code.isascii():
        return True
    if code[-1] in _FINAL or not _MARKS.isdisjoint(code):
        return False
    words = code.split("\n")
    if any(word[0] == "_" or word[-1] == "_" for word in words):
        return False
    return all(_cased_word(word, True) == word for word in words)


def _ended(text: str) -> str:
    """Take final punctuation away, from behind a plain word; a full stop ends any sentence."""
    if not text.endswith(tuple(_FINAL)):
        return text
    bare = text.rstrip(_FINAL)
    word = bare[bare.rfind(" ") + 1 :].lstrip("(").replace("-", "")
    if text[len(bare) :] == ".":
        return bare if word[-1:].isalnum() or word[-1:] in tuple(")`") else text
    is_named = not _NAMING.isdisjoint(bare.split(" ")[-2:-1])  # "the method is called save!"
    return bare if word.isalpha() and not is_named else text


# Words and what they mean.


def _tokens(text: str) -> list[Token]:
    """Give the words that count.

    Where two words of a text would be one, it may be about what sets them apart: "say
    folder, not directory".
    """
    words = _bare(_unmarked(" ".join(text.split())))
    tokens = list(_Reader(words).read(words))
    keys = {key for key, _, _ in tokens}
    if len(keys) < len({_literal(token) for token in tokens}):
        return [(_literal(token), token[1], token[2]) for token in tokens]
    return tokens


def _literal(token: Token) -> str:
    key, word, _ = token
    return word if key == word else word.casefold()


def _bare(words: list[str]) -> list[str]:
    """Take away how it is said that something is to be done, and use one phrase for many."""
    text = " ".join(words)
    while lead := next(filter(text[:30].casefold().startswith, _LEADS), ""):
        text = text[len(lead) :]
    for phrase, other in _PHRASES:
        text = text.replace(phrase, other)
    return text.split(" ")


class _Reader:
    """Reads word by word, and knows what came before."""

    __slots__ = ("_before", "_begins", "_is_all", "_is_denied", "_shouts")

    def __init__(self, words: list[str]) -> None:
        self._shouts = _shouts(words)
        self._before = ""
        self._begins = True  # a sentence: a capital says nothing
        self._is_denied = False
        self._is_all = False

    def read(self, words: list[str]) -> Iterator[Token]:
        for word, following in zip(words, [*words[1:], ""], strict=True):
            core = word if word.isalpha() else _core(word, following, self._before)
            if facts := _facts(core, self._before):
                yield from [(fact, fact, True) for fact in facts]
            else:
                yield from self._plain(core, following)
            self._before, self._begins = core, word[-1:] in tuple(".:!?")

    def _plain(self, core: str, following: str) -> Iterator[Token]:
        if self._before in _MOMENTS:
            core = _infinitive(core)
        for part in core.split("-"):
            if not part or self._is_noise(part, following):
                self._is_all = self._is_all or part.casefold() == "all"
                continue
            token = _token(part.casefold() if self._shouts else part, self._begins)
            self._is_denied = self._is_denied or token[0] in _DENYING
            # "The service" and "services" may be one, but not "the service" and "all services".
            yield (_literal(token), token[1], token[2]) if self._is_all else token
            self._is_all = False

    def _is_noise(self, word: str, following: str) -> bool:
        if word == "a" or (word == "A" and self._begins):
            return following != "" and following not in _PREPOSITIONS  # "rename a to b"
        lower = word.casefold()
        if word in ("A", "IT"):
            return False
        return lower in _NOISE or (lower in _FULL and not self._is_denied)


def _core(word: str, following: str, before: str) -> str:
    """Take away the punctuation around a word, but not what belongs to a fact.

    `{id}`, `(id)` and `id` are three things, as are `valid?` and `valid` within a sentence.
    """
    if "`" not in word and "(" in word and ")" in word:
        return word.rstrip(_PAUSE) or word
    core = word.lstrip("(").rstrip(_FINAL + ")")
    ends = (not following or following[0].isupper()) and before not in _NAMING
    if ("!" in word or "?" in word) and not (ends and core.replace("-", "").isalpha()):
        core = word.lstrip("(").rstrip(_PAUSE + ")")
    return core or word


def _facts(core: str, before: str) -> list[str]:
    """Return what is compared as it is written: code, a number, a path, an identifier, a name."""
    if "`" in core:
        return core.replace("`", "").split("\n")
    if before in _NAMING:
        return [_cased_word(core, False)]
    if core.isalpha():
        return []
    is_word = core[:1] != "-" and core.replace("-", "").isalpha()
    return [] if is_word and core[1:] == core[1:].lower() else [core]


def _token(word: str, begins: bool) -> Token:
    lower = word.casefold()
    stem = lower if lower in _TURNING or lower in _ALIKE else _stem(lower)
    key = _ALIKE.get(stem, stem)
    if word == lower:
        return key, word, key in _TURNING
    is_known = stem in _ALIKE or key in _TURNING
    if not is_known and (word[1:] != lower[1:] or (len(word) == 1 and not begins)):
        return word, word, True
    return key, lower if begins else word, key in _TURNING or not begins


def _stem(word: str) -> str:
    """Take number and person away, so far as that needs no dictionary."""
    if len(word) < 4 or word in _WHOLE:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("tches", "nches", "rches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "sui" else word


def _infinitive(word: str) -> str:
    rest = word.removesuffix("ing")
    if rest == word or set(rest).isdisjoint("aeiouy"):
        return word
    if rest[-1] == rest[-2:-1] and rest[-1] not in "sle":
        return rest[:-1]
    takes_e = rest[-1] in "cgvzu" or rest.endswith(("us", "rs", "as", "os", "is", "at"))
    return rest + "e" if takes_e and not rest.endswith("eat") else rest


# What makes two near-equal.


def _near(tokens: list[Token], others: list[Token]) -> bool:
    short, long = sorted((tokens, others), key=len)
    if len(short) == len(long):
        return _equal(short, long) or _is_moved(short, long) or _is_moved(long, short)
    if len(short) < _SHORTEST or len(short) < SHARE * len(long):
        return False
    return _adds_little(short, long)


def _equal(tokens: list[Token], others: list[Token]) -> bool:
    """Tell whether the words are the same, in their meaning or as they are written."""
    pairs = zip(tokens, others, strict=True)
    return bool(tokens) and all(one[0] == two[0] or one[1] == two[1] for one, two in pairs)


def _is_moved(tokens: list[Token], others: list[Token]) -> bool:
    """Tell whether a clause at the end of the one stands in front in the other.

    "In tests, use fixtures" is "Use fixtures in tests"; "A calls B" is not "B calls A".
    """
    return any(
        tokens[place][0] in _PREPOSITIONS and _equal(tokens[place:] + tokens[:place], others)
        for place in range(2, len(tokens))
    )


def _adds_little(short: list[Token], long: list[Token]) -> bool:
    """Tell whether the longer text is the shorter one with no more than a reason behind it."""
    denies = any(key in _DENYING for key, _, _ in long)
    found = 0
    for place, token in enumerate(long):
        if found == len(short):
            return _is_reason(long[place:], denies)
        if _equal([token], [short[found]]):
            found += 1
        elif denies or token[0] not in _HARMLESS:
            return False
    return True


def _is_reason(tail: list[Token], denies: bool) -> bool:
    """Tell whether a sentence's tail says why, and no more; behind a denial "for" may say what."""
    first, *keys = [key for key, _, _ in tail]
    if first in ("because", "so") or (keys[-1:] == ["reason"] and first == "for"):
        return not any(turns for _, _, turns in tail[1:])
    if first == "for" and not denies:
        return bool(keys) and _REASONS.issuperset(keys)
    return not denies and _HARMLESS.issuperset([first, *keys])
